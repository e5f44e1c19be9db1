// Bounds that several sections of a configuration share.
#pragma once

#include <cstdint>
#include <limits>

namespace vrp {

inline constexpr int64_t kMaxConfigSeed = std::numeric_limits<int64_t>::max();
inline constexpr int64_t kMaxConfigSteps = 1'000'000'000;
inline constexpr int32_t kMaxConfigCustomers = 1000;

}  // namespace vrp
