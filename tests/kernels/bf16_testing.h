// What tests of products in bf16 need: the rounding, and which of them this CPU can run.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/kernels/isa.h"

namespace vrp {

// To the nearest bf16 number (even).
inline double RoundToBf16(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::bit_cast<float>((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u);
}

// The instructions where the CPU has them, and what stands for them elsewhere.
inline std::vector<Bf16> RunnableBf16() {
  std::vector<Bf16> kinds;
  if (UsableIsas().back() == Isa::kAvx512) kinds.push_back(Bf16::kEmulated);
  if (UsableBf16() == Bf16::kHardware) kinds.push_back(Bf16::kHardware);
  return kinds;
}

}  // namespace vrp
