// Limits that all networks share. Each network's own ones are in its options header.
#pragma once

#include <cstdint>

namespace vrp {

inline constexpr int32_t kWidthMultiple = 16;  // divides every width; the least one too
inline constexpr double kMinLogitClip = 0.1;
inline constexpr double kMaxLogitClip = 100;

}  // namespace vrp
