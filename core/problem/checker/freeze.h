// Adds frozen beginnings of routes to an instance.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Returns `instance`, sharing its data, with beginnings of routes that every plan must keep. For
// each of `routes`, a route of that vehicle type begins with its visits, in their order. Ignores
// entries without visits, and fills in `deliveries`. No file format holds frozen routes. If a
// beginning without further visits is infeasible, returns kInvalidArgument with the violation:
// `initial_solution.routes[2].frozen_stops: load 31 exceeds vehicle capacity 30`. Also refuses
// unknown numbers, customers frozen twice, and more routes than vehicles.
absl::StatusOr<Instance> Freeze(const Instance& instance, std::vector<FrozenRoute> routes);

}  // namespace vrp
