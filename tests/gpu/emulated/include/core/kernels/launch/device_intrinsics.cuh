// Replaces core/kernels/launch/device_intrinsics.cuh for the emulated device.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "tests/gpu/emulated/emulated_intrinsics.h"

namespace vrp {

inline uint8_t* SharedBytes() { return emulated::DynamicShared(); }

inline void WaitAtBarrier(int32_t number, int32_t threads) {
  emulated::MeetBarrier(number, threads);
}
template <int32_t kThreads>
void WaitAtBarrier(int32_t number) {
  emulated::MeetBarrier(number, kThreads);
}

inline float FastExp2(float x) { return std::exp2(x); }
inline float FastReciprocal(float x) { return 1 / x; }

inline uint32_t RoundToTf32(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x7FFFFFFFu) > 0x7F800000u ? bits : (bits + 0x1000u) & 0xFFFFE000u;
}

// Rounds halves away from 0 where PTX rounds to even.
inline uint32_t PackHalves(float low, float high) {
  const auto bits_of = [](float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = bits >> 31 << 15;
    const float size = std::abs(value);
    if (std::isnan(value)) return sign | 0x7E00u;
    if (size >= 65520.0f) return sign | 0x7C00u;
    if (size < 0x1p-14f) return sign | static_cast<uint32_t>(std::lround(size * 0x1p24f));
    return sign | ((bits & 0x7FFFFFFFu) + 0x1000u - (112u << 23)) >> 13;
  };
  return bits_of(low) | bits_of(high) << 16;
}
inline float UnpackHalf(uint32_t bits, bool upper) {
  const uint32_t half = (upper ? bits >> 16 : bits) & 0xFFFFu;
  const uint32_t size = half & 0x7FFFu;
  const float sign = half == size ? 1 : -1;
  if (size < 1u << 10) return sign * static_cast<float>(size) * 0x1p-24f;
  const uint32_t offset = size < 0x7C00u ? 112u : 224u;
  return sign * std::bit_cast<float>((size << 13) + (offset << 23));
}

template <int32_t kBytes>
void BeginCopy(const void* from, void* to) {
  for (int32_t i = 0; i < kBytes / 4; ++i) {
    static_cast<uint32_t*>(to)[i] = static_cast<const uint32_t*>(from)[i];
  }
}
inline void EndCopies() {}

inline void AddProductTf32(const uint32_t (&a)[4], const uint32_t (&b)[2], float (&sum)[4]) {
  emulated::MeetProduct(a, b, sum);
}

// Adds the even rows' product, then the odd rows'.
inline void AddProductFp16(const uint32_t (&a)[4], uint32_t b0, uint32_t b1, float (&sum)[4]) {
  for (const bool upper : {false, true}) {
    const auto word = [&](uint32_t pair) {
      return std::bit_cast<uint32_t>(UnpackHalf(pair, upper));
    };
    emulated::MeetProduct({word(a[0]), word(a[1]), word(a[2]), word(a[3])}, {word(b0), word(b1)},
                          sum);
  }
}

struct MatrixRow {
  const uint16_t* at = nullptr;
};
inline MatrixRow MatrixRowAt(const uint16_t* row) { return {row}; }

inline void LoadMatrices(MatrixRow row, int32_t offset, uint32_t (&matrices)[4]) {
  const int32_t lane = EmulatedLane();
  for (int32_t i = 0; i < 4; ++i) {
    const uint16_t* const from = __shfl_sync(0xFFFFFFFFu, row.at + offset, 8 * i + lane / 4);
    const int32_t c = lane % 4 * 2;
    matrices[i] = from[c] | uint32_t{from[c + 1]} << 16;
  }
}
inline void LoadTurnedMatrices(MatrixRow row, int32_t offset, uint32_t (&matrices)[4]) {
  const int32_t lane = EmulatedLane();
  for (int32_t i = 0; i < 4; ++i) {
    const int32_t c = lane % 4 * 2;
    const uint16_t* const first = __shfl_sync(0xFFFFFFFFu, row.at + offset, 8 * i + c);
    const uint16_t* const second = __shfl_sync(0xFFFFFFFFu, row.at + offset, 8 * i + c + 1);
    matrices[i] = first[lane / 4] | uint32_t{second[lane / 4]} << 16;
  }
}
inline uint32_t TurnMatrix(uint32_t matrix) {
  const int32_t lane = EmulatedLane();
  const auto number = [&](int32_t row) {
    const uint32_t pair = __shfl_sync(0xFFFFFFFFu, matrix, row * 4 + lane / 8);
    return (lane / 4 % 2 != 0 ? pair >> 16 : pair) & 0xFFFFu;
  };
  const uint32_t first = number(lane % 4 * 2);
  return first | number(lane % 4 * 2 + 1) << 16;
}

}  // namespace vrp
