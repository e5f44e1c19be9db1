// Numbers of nodes that a user's own networks read, beside their built-in inputs or in their place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vrp {

inline constexpr int32_t kMaxFeatureColumns = 32;
// Networks read the values as they are: values far outside 0 to 1 dominate the other inputs.
inline constexpr double kMaxFeatureValue = 1000;

struct FeatureColumn {
  std::string name = {};
  std::vector<double> values = {};  // [N], depots first

  bool operator==(const FeatureColumn&) const = default;
};

// Whether `name` is 1 to 64 letters, digits and underscores, beginning with a letter, and no
// built-in input's (input_names.h).
bool IsFeatureName(std::string_view name);

}  // namespace vrp
