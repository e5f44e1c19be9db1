// The arguments of a bias's gradient. Shapes: R rows, C columns, a multiple of kBiasVector.
#pragma once

#include <cstdint>

#include "core/kernels/support/bf16_value.h"

namespace vrp {

// Number of neighbouring columns that a thread loads at once. All pointers to T are aligned to that
// many elements.
inline constexpr int32_t kBiasVector = 4;
// Number of rows that are summed into one row of sums.
inline constexpr int64_t kBiasRows = 512;

// All memory is on one device. T is float or Bf16Value.
template <typename T>
struct BiasGradientTask {
  int64_t rows = 0;
  int32_t columns = 0;
  const T* gradient = nullptr;  // [R, C]: with respect to the biased rows, or to their ReLU
  const T* active = nullptr;    // [R, C]: the output of the ReLU; null if there is none
  T* gated = nullptr;           // [R, C]: the gradient where the ReLU passes, else 0; null if none
  float* sums = nullptr;        // [blocks(), C]: sums over kBiasRows rows each

  int64_t blocks() const { return (rows + kBiasRows - 1) / kBiasRows; }
};

}  // namespace vrp
