// Products of small float matrices on tensor cores, nearly as precise as in float32. Tensor cores
// multiply TF32 numbers: each operand is split into two of them, and three of the four products of
// their parts are added (Ootomo and Yokota 2022, without their scaling). All lanes of a warp call
// each function.
#pragma once

#include <bit>
#include <cstdint>

#include "core/kernels/launch/device_intrinsics.cuh"

namespace vrp {

// A lane's elements of an operand, in AddProductTf32's order: 4 of the left one, 2 of the right
// one.
template <int32_t kCount>
struct SplitOperand {
  uint32_t high[kCount];
  uint32_t low[kCount];

  __device__ void Set(int32_t i, float value) {
    high[i] = RoundToTf32(value);
    low[i] = RoundToTf32(value - std::bit_cast<float>(high[i]));
  }
};

struct SplitProducts {
  using Left = SplitOperand<4>;
  using Right = SplitOperand<2>;

  static __device__ Left LeftOf(float a, float b, float c, float d) {
    Left left;
    left.Set(0, a);
    left.Set(1, b);
    left.Set(2, c);
    left.Set(3, d);
    return left;
  }
  static __device__ Right RightOf(float a, float b) {
    Right right;
    right.Set(0, a);
    right.Set(1, b);
    return right;
  }
  // Returns a product's result as the left operand of another product. Column t of the operand is
  // the result's column 2t, and column t + 4 is the result's column 2t + 1.
  static __device__ Left LeftOf(const float (&result)[4]) {
    return LeftOf(result[0], result[2], result[1], result[3]);
  }
  // Adds left [16, 8] times right [8, 8] to `sum` [16, 8]. Adds the smallest terms first.
  static __device__ void Add(const Left& left, const Right& right, float (&sum)[4]) {
    AddProductTf32(left.low, right.high, sum);
    AddProductTf32(left.high, right.low, sum);
    AddProductTf32(left.high, right.high, sum);
  }
};

}  // namespace vrp
