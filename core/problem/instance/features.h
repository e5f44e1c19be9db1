// Finds the features that an instance requires beyond the plain problem. Solvers refuse instances
// that require features they do not support.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/problem/instance/feature.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// A required feature, with the path of the first field that requires it:
// `vehicles[2].shift`, `customers[17].prize`, `objective`.
struct FeatureUse {
  Feature feature = Feature::kObjective;
  std::string field;
};

// Returns each required feature once, in the order of the enum. Takes O(size of the instance).
std::vector<FeatureUse> FeaturesOf(const Instance& instance);

// Returns kUnimplemented for the first required feature that is not in `known`:
// `FIELD: not supported by SOLVER`.
absl::Status RefuseFeatures(const Instance& instance, const std::vector<Feature>& known,
                            std::string_view solver);

}  // namespace vrp
