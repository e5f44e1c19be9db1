// Computes the loads of a vehicle along its route.
#pragma once

#include <vector>

#include "core/problem/plan/plan.h"

namespace vrp {

// Returns the load after each stop, [1 + customers.size(), K] row-major: after the start depot,
// then after each visit. `customers` may include reloads.
std::vector<double> LoadsAfterStops(const Instance& instance, const VehicleType& vehicle,
                                    const std::vector<NodeIndex>& customers);

}  // namespace vrp
