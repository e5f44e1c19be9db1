#include "core/kernels/simd/lstm.h"

#include "core/kernels/simd/math.h"
#include "core/kernels/simd/sequence_gradient.h"
#include "core/kernels/simd/step_product.h"
#include "core/kernels/simd/transpose.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// One pass over a row's gates, which the product has just left in the caches.
template <typename T>
void LstmStep(const typename LstmKernels<T>::Step& s) {
  const int64_t width = s.hidden_size;
  const int64_t stride = GateStride<T>(width);
  if (s.hidden != nullptr) {
    MultiplySteps<T>({{s.hidden, width, 1}, s.packed, s.rows, width, 4 * width}, s.from_last,
                     AddTo<T>{s.gates, stride});
  }
  for (int64_t r = 0; r < s.rows; ++r) {
    T* const gates = s.gates + r * stride;
    for (int64_t j = 0; j < width; j += kLanes<T>) {
      const Vec<T> input = Sigmoid<T>(Load<T>(gates + j));
      const Vec<T> forget = Sigmoid<T>(Load<T>(gates + width + j));
      const Vec<T> candidate = Tanh<T>(Load<T>(gates + 2 * width + j));
      const Vec<T> output = Sigmoid<T>(Load<T>(gates + 3 * width + j));
      const Vec<T> cell = forget * Load<T>(s.cell + r * width + j) + input * candidate;
      Store<T>(gates + j, input);
      Store<T>(gates + width + j, forget);
      Store<T>(gates + 2 * width + j, candidate);
      Store<T>(gates + 3 * width + j, output);
      Store<T>(s.next_cell + r * width + j, cell);
      Store<T>(s.next_hidden + r * width + j, output * Tanh<T>(cell));
    }
  }
}

template <typename T>
void LstmStepBack(const typename LstmKernels<T>::StepBack& s) {
  constexpr T kOne = 1;
  const int64_t width = s.hidden_size;
  const int64_t stride = GateStride<T>(width);
  for (int64_t r = 0; r < s.rows; ++r) {
    T* const gates = s.gates + r * stride;
    for (int64_t j = 0; j < width; j += kLanes<T>) {
      const int64_t at = r * width + j;
      const Vec<T> input = Load<T>(gates + j);
      const Vec<T> forget = Load<T>(gates + width + j);
      const Vec<T> candidate = Load<T>(gates + 2 * width + j);
      const Vec<T> output = Load<T>(gates + 3 * width + j);
      const Vec<T> squashed = Tanh<T>(Load<T>(s.next_cell + at));
      const Vec<T> d_hidden = Load<T>(s.d_hidden + at);
      const Vec<T> d_cell =
          Load<T>(s.d_cell + at) + d_hidden * output * (kOne - squashed * squashed);
      Store<T>(s.d_cell + at, d_cell * forget);
      Store<T>(gates + j, d_cell * candidate * input * (kOne - input));
      Store<T>(gates + width + j, d_cell * Load<T>(s.cell + at) * forget * (kOne - forget));
      Store<T>(gates + 2 * width + j, d_cell * input * (kOne - candidate * candidate));
      Store<T>(gates + 3 * width + j, d_hidden * squashed * output * (kOne - output));
    }
  }
  if (s.d_before == nullptr) return;
  MultiplySteps<T>({{s.gates, stride, 1}, s.packed, s.rows, 4 * width, width}, s.from_last,
                   AddTo<T>{s.d_before, width});
}

template <typename T>
void MultiplyAll(const typename LstmKernels<T>::Product& p) {
  const StepProduct<T> product{{p.a, p.a_stride, 1}, p.packed, p.rows, p.inner, p.columns};
  if (p.bias != nullptr) {
    MultiplySteps<T>(product, false, StoreBiased<T>{p.to, p.to_stride, p.bias});
  } else if (p.add) {
    MultiplySteps<T>(product, false, AddTo<T>{p.to, p.to_stride});
  } else {
    MultiplySteps<T>(product, false, StoreTo<T>{p.to, p.to_stride});
  }
}

template <typename T>
void AddWeightGradient(const typename LstmKernels<T>::WeightGradient& job) {
  AddSequenceGradient<T>({.a = job.a,
                          .stride = job.a_stride,
                          .outputs = job.outputs,
                          .b = job.b,
                          .inputs = job.inputs,
                          .c = job.weights,
                          .bias = job.bias,
                          .scratch = job.scratch},
                         job.rows);
}

template <typename T>
void PackForward(const T* weights, int64_t outputs, int64_t inputs, T* packed) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  for (int64_t first = 0; first < outputs; first += kPanel) {
    const int64_t width = outputs - first < kPanel ? outputs - first : kPanel;
    for (int64_t k = 0; k < inputs; k += kLanes<T>) {
      for (int64_t j = 0; j < width; j += kLanes<T>) {
        Vec<T> square[kLanes<T>];
        const T* const from = weights + (first + j) * inputs + k;
#pragma GCC unroll 16
        for (int64_t r = 0; r < kLanes<T>; ++r) square[r] = Load<T>(from + r * inputs);
        TransposeSquare<T>(square);
        T* const to = packed + first * inputs + k * width + j;
#pragma GCC unroll 16
        for (int64_t r = 0; r < kLanes<T>; ++r) Store<T>(to + r * width, square[r]);
      }
    }
  }
}

template <typename T>
void PackBothWays(const T* weights, int64_t outputs, int64_t inputs, T* forward, T* back) {
  constexpr int64_t kPanel = kBlockVectors * kLanes<T>;
  PackForward<T>(weights, outputs, inputs, forward);
  for (int64_t first = 0; first < inputs; first += kPanel) {
    const int64_t width = inputs - first < kPanel ? inputs - first : kPanel;
    for (int64_t k = 0; k < outputs; ++k, back += width) {
      for (int64_t j = 0; j < width; j += kLanes<T>) {
        Store<T>(back + j, Load<T>(weights + k * inputs + first + j));
      }
    }
  }
}

template <typename T>
LstmKernels<T> MakeLstmKernels() {
  return {LstmStep<T>,     LstmStepBack<T>,      MultiplyAll<T>,
          PackBothWays<T>, AddWeightGradient<T>, SequenceGradientScratch<T>};
}
template LstmKernels<float> MakeLstmKernels<float>();
template LstmKernels<double> MakeLstmKernels<double>();

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
