// Operands of the products in step_product.h and sequence_gradient.h, in the element type.
// bf16_operands.h and tile_operands.h have the other kinds. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/lanes.h"
#include "core/kernels/simd/panel_product.h"
#include "core/kernels/simd/sequence_gradient.h"
#include "core/kernels/simd/step_product.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Loads a vector of the first `count` elements. Lanes beyond `count` are 0.
template <typename T>
inline __attribute__((always_inline)) Vec<T> LoadUpTo(const T* from, int64_t count) {
  return count >= kLanes<T> ? Load<T>(from) : LoadFirst<T>(from, count);
}

// Operands of type T.
template <typename T>
struct PlainOperands {
  using Element = T;
  using Steps = PlainSteps<T>;
  // Number of neighbours on a product's inner dimension that share an element.
  static constexpr int64_t kValuesPerElement = 1;

  // Returns the inner dimension of a packed right side.
  static int64_t PackedInner(int64_t inner) { return inner; }
  // Returns the number of elements of Left's `work`.
  static int64_t WorkSize(int64_t /*rows*/, int64_t /*inner*/) { return 0; }
  // Returns the left operand of a product, [rows, inner], in the form that Multiply reads. `work`
  // holds the operand if that form differs.
  static MatrixA<T> Left(MatrixA<T> a, int64_t /*rows*/, int64_t /*inner*/, T* /*work*/) {
    return a;
  }
  // Returns the first kLanes * kValuesPerElement values of a row at `from`. The row has only
  // `count` values left; values beyond are 0.
  static inline __attribute__((always_inline)) Vec<T> AlongRow(const T* from, int64_t count) {
    return LoadUpTo<T>(from, count);
  }
  // Returns the first kLanes values of kValuesPerElement rows. Only `rows` rows with `count` values
  // each exist; other values are 0.
  static inline __attribute__((always_inline)) Vec<T> AlongRows(MatrixA<T> from, int64_t /*rows*/,
                                                                int64_t count) {
    return LoadUpTo<T>(from.data, count);
  }
  template <typename Epilogue>
  static void Multiply(const StepProduct<T>& product, bool from_last, const Epilogue& epilogue) {
    MultiplySteps<T, Steps>(product, from_last, epilogue);
  }
  static int64_t GradientScratch(int64_t inputs) {
    return SequenceGradientScratch<PlainOperands>(inputs);
  }
  static void AddGradient(const SequenceGradient<T>& job, int64_t rows) {
    AddSequenceGradient<PlainOperands>(job, rows);
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
