// Limits that all networks share. The limits of one network are in its architecture header, such as
// graph_transformer_architecture.h.
#pragma once

#include <cstdint>

namespace vrp {

inline constexpr int32_t kWidthMultiple = 16;  // widths are multiples of this number
// Bounds of `logit_clip`, the largest absolute value of a logit.
inline constexpr double kMinLogitClip = 0.1;
inline constexpr double kMaxLogitClip = 100;

}  // namespace vrp
