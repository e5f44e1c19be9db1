// User-defined inputs of networks, in addition to the built-in inputs or instead of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vrp {

// Largest number of feature columns that an instance has or a network reads.
inline constexpr int32_t kMaxFeatureColumns = 32;
// Largest absolute value in a feature column. Networks do not scale these values, so larger ones
// would dominate the other inputs.
inline constexpr double kMaxFeatureValue = 1000;

// A named column with a value for each node.
struct FeatureColumn {
  std::string name = {};
  std::vector<double> values = {};  // [N], depots first

  bool operator==(const FeatureColumn&) const = default;
};

// Whether `name` has 1 to 64 letters, digits and underscores, begins with a letter, and is not a
// built-in input (input_names.h).
bool IsFeatureName(std::string_view name);

}  // namespace vrp
