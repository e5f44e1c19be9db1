// Products of small float matrices on tensor cores, which multiply TF32 numbers. Exact products are
// nearly as precise as in float32: each operand is split into two TF32 numbers, and three of the
// four products of their parts are added (Ootomo and Yokota 2022, without their scaling). Other
// products round their operands once. All lanes of a warp call each function.
#pragma once

#include <bit>
#include <cstdint>

#include "core/kernels/launch/device_intrinsics.cuh"

namespace vrp {

// A lane's elements of an operand, in AddProductTf32's order: 4 of the left one, 2 of the right
// one.
template <bool kExact, int32_t kCount>
struct ProductOperand {
  uint32_t high[kCount];
  uint32_t low[kExact ? kCount : 1];

  __device__ void Set(int32_t i, float value) {
    high[i] = RoundToTf32(value);
    if constexpr (kExact) low[i] = RoundToTf32(value - std::bit_cast<float>(high[i]));
  }
  // Sets a value that Stored() has returned.
  __device__ void SetStored(int32_t i, float value) {
    if constexpr (kExact) {
      Set(i, value);
    } else {
      high[i] = std::bit_cast<uint32_t>(value);
    }
  }
};

template <bool kExact>
struct TileProducts {
  using Left = ProductOperand<kExact, 4>;
  using Right = ProductOperand<kExact, 2>;

  // Returns a value as products read it from memory, so that it is rounded only once.
  static __device__ float Stored(float value) {
    return kExact ? value : std::bit_cast<float>(RoundToTf32(value));
  }
  static __device__ Left StoredLeft(float a, float b, float c, float d) {
    Left left;
    left.SetStored(0, a);
    left.SetStored(1, b);
    left.SetStored(2, c);
    left.SetStored(3, d);
    return left;
  }
  static __device__ Right StoredRight(float a, float b) {
    Right right;
    right.SetStored(0, a);
    right.SetStored(1, b);
    return right;
  }
  // Returns a product's result, whose elements Stored() has returned, as the left operand of
  // another product. Column t of the operand is the result's column 2t, and column t + 4 is the
  // result's column 2t + 1.
  static __device__ Left LeftOf(const float (&result)[4]) {
    return StoredLeft(result[0], result[2], result[1], result[3]);
  }
  // Adds left [16, 8] times right [8, 8] to `sum` [16, 8]. Adds the smallest terms first.
  static __device__ void Add(const Left& left, const Right& right, float (&sum)[4]) {
    if constexpr (kExact) {
      AddProductTf32(left.low, right.high, sum);
      AddProductTf32(left.high, right.low, sum);
    }
    AddProductTf32(left.high, right.high, sum);
  }
};

// A product's result [16, 8] of numbers from 0 to 1 that waits in registers to be an operand.
// Operands that are rounded to TF32 take half of the registers.
template <bool kExact>
class WaitingTile {
  using Products = TileProducts<kExact>;

 public:
  __device__ void Set(const float (&values)[4]) {
    for (int32_t i = 0; i < 4; ++i) {
      if constexpr (kExact) {
        bits_[i] = std::bit_cast<uint32_t>(values[i]);
      } else if (i % 2 == 0) {
        bits_[i / 2] = PackHalves(values[i], values[i + 1]);
      }
    }
  }
  // Returns element i, as TileProducts::Stored() would.
  __device__ float At(int32_t i) const {
    return kExact ? std::bit_cast<float>(bits_[i]) : UnpackHalf(bits_[i / 2], i % 2 != 0);
  }
  // See TileProducts::LeftOf.
  __device__ typename Products::Left AsLeft() const {
    return Products::StoredLeft(At(0), At(2), At(1), At(3));
  }

 private:
  uint32_t bits_[kExact ? 4 : 2];
};

}  // namespace vrp
