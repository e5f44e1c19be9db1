// An instance judged by another objective or metric than its file states.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

struct InstanceOverride {
  std::optional<Objective> objective = {};  // nullopt: the instance's own, as the next
  std::optional<Metric> metric = {};
};

// Returns `instance` with these. Its reference cost is left out where objective or metric changes,
// since it was found by the others. kInvalidArgument names `metric`: distances are given by a
// matrix, or the change would also change the unit of distances (Metric::kScaled1000), in which
// limits, prices and prizes are stated.
absl::StatusOr<Instance> Override(const Instance& instance, const InstanceOverride& wanted);

}  // namespace vrp
