// Why a customer is in no route.
#pragma once

#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// Writes a reason to each of solution.unserved, the first that holds:
// - "no vehicle has its skills";
// - "demand exceeds capacity": of each vehicle that has them, in one of its load dimensions;
// - "no vehicle can serve it and take its own breaks";
// - "outside the shift of every vehicle";
// - "time window cannot be reached", or the depot's;
// - "too far for the limits of every vehicle": on distance or duration;
// - "cheaper to skip": it has a prize;
// - "fleet exhausted": all vehicles that could serve it alone are used;
// - "no feasible position found in the budget".
// Both customers of a shipment are served alone together. What no vehicle can serve alone, but
// perhaps along with others (RichDetours), is left out for one of the last three reasons.
Solution WithReasons(const Instance& instance, Solution solution);

}  // namespace vrp
