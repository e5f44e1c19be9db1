// Names that feature columns may not have. No includes that CUDA sources could not have.
#pragma once

#include <array>
#include <string_view>

namespace vrp {

// Computed from an instance: core/kernels/routing/node_features.h says how.
inline constexpr std::array<std::string_view, 12> kNodeFeatureNames = {
    "x",       "y",           "demand",      "backhaul",   "window_open", "window_close",
    "service", "open_routes", "limit_share", "from_depot", "to_depot",    "is_depot",
};
// Whether the route has been at the node: no property of the instance.
inline constexpr std::string_view kVisitedInput = "is_visited";

// Whether networks have an input of this name without any column of the instance's.
constexpr bool IsBuiltInInput(std::string_view name) {
  for (const std::string_view built_in : kNodeFeatureNames) {
    if (name == built_in) return true;
  }
  return name == kVisitedInput;
}

}  // namespace vrp
