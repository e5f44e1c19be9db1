// The reference rounding for tests of products in bf16.
#pragma once

#include <bit>
#include <cstdint>

namespace vrp {

// Returns the nearest bf16 number. Rounds ties to even.
inline double RoundToBf16(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::bit_cast<float>((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u);
}

}  // namespace vrp
