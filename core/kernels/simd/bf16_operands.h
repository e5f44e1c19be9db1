// Operands of step_product.h and sequence_gradient.h in bf16, in pairs of neighbours. Weights are
// rounded when they are packed, and other operands when they enter a product. bf16.h states who may
// include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/bf16.h"
#include "core/kernels/simd/bf16_products.h"
#include "core/kernels/simd/step_operands.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Operands with the interface of PlainOperands. Inner dimensions of products are multiples of 16.
struct Bf16Operands {
  using Element = float;
  using Steps = PairSteps;
  static constexpr int64_t kValuesPerElement = 2;

  static int64_t PackedInner(int64_t inner) { return inner / kValuesPerElement; }
  static int64_t WorkSize(int64_t rows, int64_t inner) { return rows * PairStride(inner); }
  static MatrixA<float> Left(MatrixA<float> a, int64_t rows, int64_t inner, float* work) {
    const int64_t stride = PairStride(inner);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t k = 0; k < inner; k += 2 * kLanes<float>) {
        Store<float>(work + r * stride + k / 2, AlongRow(a.data + r * a.row + k, inner - k));
      }
    }
    return {work, stride, 1};
  }
  static inline __attribute__((always_inline)) Vec<float> AlongRow(const float* from,
                                                                   int64_t count) {
    constexpr int64_t kHalf = kLanes<float>;
    return PairColumns(LoadUpTo<float>(from, count),
                       count > kHalf ? LoadUpTo<float>(from + kHalf, count - kHalf) : Vec<float>{});
  }
  static inline __attribute__((always_inline)) Vec<float> AlongRows(MatrixA<float> from,
                                                                    int64_t rows, int64_t count) {
    return PairRows(LoadUpTo<float>(from.data, count),
                    rows > 1 ? LoadUpTo<float>(from.data + from.row, count) : Vec<float>{});
  }
  template <typename Epilogue>
  static void Multiply(const StepProduct<float>& product, bool from_last,
                       const Epilogue& epilogue) {
    MultiplySteps<float, Steps>(product, from_last, epilogue);
  }
  static int64_t GradientScratch(int64_t inputs) {
    return SequenceGradientScratch<Bf16Operands>(inputs);
  }
  static void AddGradient(const SequenceGradient<float>& job, int64_t rows) {
    AddSequenceGradient<Bf16Operands>(job, rows);
  }

 private:
  // Returns the length of a row of pairs in whole cache lines, plus one line for the same reason as
  // GateStride.
  static int64_t PairStride(int64_t inner) {
    constexpr int64_t kLine = kLanes<float>;
    return (inner / 2 + kLine - 1) / kLine * kLine + kLine;
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
