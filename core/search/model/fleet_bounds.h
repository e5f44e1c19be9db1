// Bounds on a fleet by its loads and by rules between customers.
#pragma once

#include <cstdint>

#include "core/search/model/problem.h"

namespace vrp {

// The share that what is required takes of what all vehicles together can load, in the dimension
// where it is the largest. Above 1: the fleet is too small; infinite: none can load anything.
double FleetFilled(const Problem& problem);
// The routes that the loads of what is required need, at least, or rules between customers, or that
// are frozen.
int32_t FewestRoutes(const Problem& problem);
// Whether plans with fewer routes are worth trying for themselves: where routes are paid for, or
// nothing but loads asks for more. Windows do, and reloads trade routes for trips. (Measured, 1,000
// customers with long windows, 60 s: trying fewer cost 0.3 to 1.4 % more.)
bool FewerRoutesMayPay(const Problem& problem);

}  // namespace vrp
