#include "core/kernels/simd/lstm.h"

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/math.h"
#include "core/kernels/simd/weight_gradient.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// One pass over a row's gates, which the product has just left in the caches.
template <typename T>
void LstmStep(const typename LstmKernels<T>::Step& s) {
  const int64_t width = s.hidden_size;
  Multiply<T>({s.hidden, width, 1}, {s.packed, 0, true}, s.rows, width, 4 * width,
              AddTo<T>{s.gates, 4 * width});
  for (int64_t r = 0; r < s.rows; ++r) {
    T* const gates = s.gates + r * 4 * width;
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
  for (int64_t r = 0; r < s.rows; ++r) {
    T* const gates = s.gates + r * 4 * width;
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
}

template <typename T>
void AddOneWeightGradient(const typename LstmKernels<T>::WeightGradient& job) {
  AddWeightGradient<T>(job.a, job.outputs, {job.b, job.inputs}, job.inputs, job.rows, job.weights,
                       job.bias, job.scratch);
}

template <typename T>
LstmKernels<T> MakeLstmKernels() {
  return {LstmStep<T>, LstmStepBack<T>, AddOneWeightGradient<T>, WeightGradientScratch<T>};
}
template LstmKernels<float> MakeLstmKernels<float>();
template LstmKernels<double> MakeLstmKernels<double>();

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
