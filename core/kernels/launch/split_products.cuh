// Products of small float matrices on tensor cores, nearly as precise as in float32. Each operand
// is split into two TF32 numbers, and three of the four products of their parts are added
// (Ootomo and Yokota 2022, without their scaling). All lanes of a warp call each function.
#pragma once

#include <bit>
#include <cstdint>

#include "core/kernels/launch/device_intrinsics.cuh"

namespace vrp {

// A lane's elements of an operand, in AddProductTf32's order: 4 of the left one, 2 of the right one.
template <int32_t kCount>
struct SplitOperand {
  uint32_t high[kCount];
  uint32_t low[kCount];

  __device__ void Set(int32_t i, float value) {
    high[i] = RoundToTf32(value);
    low[i] = RoundToTf32(value - std::bit_cast<float>(high[i]));
  }
};

__device__ inline SplitOperand<4> LeftOperand(float a, float b, float c, float d) {
  SplitOperand<4> left;
  left.Set(0, a);
  left.Set(1, b);
  left.Set(2, c);
  left.Set(3, d);
  return left;
}

__device__ inline SplitOperand<2> RightOperand(float a, float b) {
  SplitOperand<2> right;
  right.Set(0, a);
  right.Set(1, b);
  return right;
}

// Returns a product's result as the left operand of another product, whose column t is the
// result's column 2t, and whose column t + 4 is the result's column 2t + 1.
__device__ inline SplitOperand<4> LeftOperand(const float (&result)[4]) {
  return LeftOperand(result[0], result[2], result[1], result[3]);
}

// Adds left [16, 8] times right [8, 8] to `sum` [16, 8]. Adds the smallest terms first.
__device__ inline void AddProduct(const SplitOperand<4>& left, const SplitOperand<2>& right,
                                  float (&sum)[4]) {
  AddProductTf32(left.low, right.high, sum);
  AddProductTf32(left.high, right.low, sum);
  AddProductTf32(left.high, right.high, sum);
}

}  // namespace vrp
