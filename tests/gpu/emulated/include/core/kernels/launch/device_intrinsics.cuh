// Replaces core/kernels/launch/device_intrinsics.cuh for the emulated device.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "tests/gpu/emulated/emulated_intrinsics.h"

namespace vrp {

inline uint8_t* SharedBytes() { return emulated::DynamicShared(); }

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

inline void AddProductTf32(const uint32_t (&a)[4], const uint32_t (&b)[2], float (&sum)[4]) {
  emulated::MeetProduct(a, b, sum);
}

}  // namespace vrp
