// Instances of which a part is settled.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// `instance` (its data are shared) with beginnings of routes that every plan must keep: for each
// of `routes` a route of that vehicle type begins with its visits, in their order. Entries without
// visits freeze nothing; `deliveries` are found here. No file format has them.
// kInvalidArgument says what is wrong, with the violation where a beginning cannot be driven:
// `initial_solution.routes[2].frozen_stops: load 31 exceeds vehicle capacity 30`.
absl::StatusOr<Instance> Freeze(const Instance& instance, std::vector<FrozenRoute> routes);

}  // namespace vrp
