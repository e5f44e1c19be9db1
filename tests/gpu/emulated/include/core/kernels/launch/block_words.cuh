// Replaces core/kernels/launch/block_words.cuh for the emulated device.
#pragma once

#include <cstdint>

#include "tests/gpu/emulated/kernel_words.h"

namespace vrp {

inline uint8_t* SharedBytes() { return emulated::DynamicShared(); }

template <int32_t kThreads>
void WaitAtBarrier(int32_t number) {
  emulated::MeetBarrier(number, kThreads);
}

}  // namespace vrp
