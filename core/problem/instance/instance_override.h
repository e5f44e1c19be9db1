// Replaces the objective or metric that an instance's file states.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// The properties to replace.
struct InstanceOverride {
  std::optional<Objective> objective = {};  // nullopt: unchanged
  std::optional<Metric> metric = {};        // nullopt: unchanged
};

// Returns `instance` with this objective and metric. A change drops the reference cost, which
// belongs to the old objective and metric, and frozen routes. Returns kInvalidArgument for another
// metric if a matrix gives the distances, or if the unit of distances would change
// (Metric::kScaled1000). Limits, costs and prizes are stated in that unit. Also returns the errors
// of Instance::Create, such as for vehicle costs without Objective::kCost.
absl::StatusOr<Instance> Override(const Instance& instance, const InstanceOverride& wanted);

}  // namespace vrp
