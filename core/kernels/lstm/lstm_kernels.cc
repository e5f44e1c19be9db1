#include "core/kernels/lstm/lstm_kernels.h"

#include "core/kernels/simd/math.h"
#include "core/kernels/simd/sequence_gradient.h"
#include "core/kernels/simd/step_operands.h"
#include "core/kernels/simd/step_product.h"
#include "core/kernels/simd/step_weights.h"
#if defined(VRP_SIMD_TILES)
#include "core/kernels/simd/tile_operands.h"
#elif defined(VRP_SIMD_BF16)
#include "core/kernels/simd/bf16_operands.h"
#endif

namespace vrp::simd::VRP_SIMD_NAMESPACE {
namespace {

// `P` is the kind of operands (step_operands.h).
template <typename P>
using ElementOf = typename P::Element;

// Converts the left side of `product`, then computes the product.
template <typename P, typename Epilogue>
void MultiplyRows(StepProduct<ElementOf<P>> product, ElementOf<P>* work, bool from_last,
                  const Epilogue& epilogue) {
  product.a = P::Left(product.a, product.rows, product.inner, work);
  product.inner = P::PackedInner(product.inner);
  P::Multiply(product, from_last, epilogue);
}

// Runs one step. Activates all gates of a row in one pass, while the product's results are still in
// the caches.
template <typename P, typename T = ElementOf<P>>
void LstmStep(const typename LstmKernels<T>::Step& s) {
  const int64_t width = s.hidden_size;
  const int64_t stride = GateStride<T>(width);
  if (s.hidden != nullptr) {
    MultiplyRows<P>({{s.hidden, width, 1}, s.packed, s.rows, width, 4 * width}, s.work, s.from_last,
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

template <typename P, typename T = ElementOf<P>>
void LstmBackwardStep(const typename LstmKernels<T>::BackwardStep& s) {
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
  MultiplyRows<P>({{s.gates, stride, 1}, s.packed, s.rows, 4 * width, width}, s.work, s.from_last,
                  AddTo<T>{s.d_before, width});
}

template <typename P, typename T = ElementOf<P>>
void MultiplyAll(const typename LstmKernels<T>::Product& p) {
  const StepProduct<T> product{{p.a, p.a_stride, 1}, p.packed, p.rows, p.inner, p.columns};
  if (p.bias != nullptr) {
    MultiplyRows<P>(product, p.work, false, StoreBiased<T>{p.to, p.to_stride, p.bias});
  } else if (p.add) {
    MultiplyRows<P>(product, p.work, false, AddTo<T>{p.to, p.to_stride});
  } else {
    MultiplyRows<P>(product, p.work, false, StoreTo<T>{p.to, p.to_stride});
  }
}

template <typename P, typename T = ElementOf<P>>
void AddWeightGradient(const typename LstmKernels<T>::WeightGradient& job) {
  P::AddGradient({.a = job.a,
                  .stride = job.a_stride,
                  .outputs = job.outputs,
                  .b = job.b,
                  .inputs = job.inputs,
                  .c = job.weights,
                  .bias = job.bias,
                  .scratch = job.scratch},
                 job.rows);
}

}  // namespace

template <typename P>
LstmKernels<ElementOf<P>> KernelsOf() {
  return {LstmStep<P>,    LstmBackwardStep<P>,  MultiplyAll<P>,    P::WorkSize,
          PackWeights<P>, AddWeightGradient<P>, P::GradientScratch};
}

#if defined(VRP_SIMD_TILES)
LstmKernels<float> MakeLstmKernels() { return KernelsOf<TileOperands>(); }
#elif defined(VRP_SIMD_BF16)
LstmKernels<float> MakeLstmKernels() { return KernelsOf<Bf16Operands>(); }
#else
template <typename T>
LstmKernels<T> MakeLstmKernels() {
  return KernelsOf<PlainOperands<T>>();
}
template LstmKernels<float> MakeLstmKernels<float>();
template LstmKernels<double> MakeLstmKernels<double>();
#endif

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
