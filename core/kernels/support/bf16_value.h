// A bf16 number as memory holds it, on the CPU and on CUDA.
#pragma once

#include <bit>
#include <cstdint>

#include "core/kernels/support/group.h"

namespace vrp {

struct Bf16Value {
  uint16_t bits = 0;
};

VRP_DEVICE inline float ToFloat(float value) { return value; }
VRP_DEVICE inline float ToFloat(Bf16Value value) {
  return std::bit_cast<float>(uint32_t{value.bits} << 16);
}

VRP_DEVICE inline void StoreFloat(float value, float& to) { to = value; }
// Rounds to the nearest number, ties to even. NaN stays NaN.
VRP_DEVICE inline void StoreFloat(float value, Bf16Value& to) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  to.bits = static_cast<uint16_t>(value == value ? rounded : 0x7fc0);
}

}  // namespace vrp
