// Names of the built-in inputs of networks. A feature column must not use one of these names. CUDA
// sources include this header.
#pragma once

#include <array>
#include <string_view>

namespace vrp {

// Names of the inputs computed from an instance (core/kernels/routing/node_features.h).
inline constexpr std::array<std::string_view, 12> kNodeFeatureNames = {
    "x",       "y",           "demand",      "backhaul",   "window_open", "window_close",
    "service", "open_routes", "limit_share", "from_depot", "to_depot",    "is_depot",
};
// Name of the input that tells whether the partial route has visited the node.
inline constexpr std::string_view kVisitedInput = "is_visited";

// Whether `name` is a built-in input of networks.
constexpr bool IsBuiltInInput(std::string_view name) {
  for (const std::string_view built_in : kNodeFeatureNames) {
    if (name == built_in) return true;
  }
  return name == kVisitedInput;
}

}  // namespace vrp
