// Replaces core/kernels/launch/device_intrinsics.cuh for the emulated device.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

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

// Rounds halves up where PTX rounds to even.
inline uint32_t PackHalves(float low, float high) {
  const auto bits_of = [](float value) {
    if (value < 0x1p-14f) return static_cast<uint32_t>(std::lround(value * 0x1p24f));
    return (std::bit_cast<uint32_t>(value) + 0x1000u - (112u << 23)) >> 13;
  };
  return bits_of(low) | bits_of(high) << 16;
}
inline float UnpackHalf(uint32_t bits, bool upper) {
  const uint32_t half = (upper ? bits >> 16 : bits) & 0xFFFFu;
  if (half < 1u << 10) return static_cast<float>(half) * 0x1p-24f;
  return std::bit_cast<float>((half << 13) + (112u << 23));
}

inline void AddProductTf32(const uint32_t (&a)[4], const uint32_t (&b)[2], float (&sum)[4]) {
  emulated::MeetProduct(a, b, sum);
}

}  // namespace vrp
