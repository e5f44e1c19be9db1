// Replaces core/kernels/launch/device_intrinsics.cuh for the emulated device.
#pragma once

#include <cstdint>

#include "tests/gpu/emulated/emulated_intrinsics.h"

namespace vrp {

inline uint8_t* SharedBytes() { return emulated::DynamicShared(); }

template <int32_t kThreads>
void WaitAtBarrier(int32_t number) {
  emulated::MeetBarrier(number, kThreads);
}

}  // namespace vrp
