// Reasons why customers are unserved.
#pragma once

#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// Returns `solution` with a reason for each unserved customer, the first that holds:
// - "no vehicle has its skills";
// - "demand exceeds capacity": of each vehicle with these skills, in one of its load dimensions;
// - "no vehicle can serve it and take its own breaks";
// - "outside the shift of every vehicle";
// - "time window cannot be reached", or the depot's;
// - "too far for the limits of every vehicle": on distance or duration;
// - "cheaper to skip": it has a prize;
// - "fleet exhausted": all vehicles that could serve it alone are used;
// - "no feasible position found in the budget".
// "Alone" means both customers of a shipment together. Customers that no vehicle can serve alone,
// but perhaps along with others (RichDetours), get one of the last three reasons.
Solution WithReasons(const Instance& instance, Solution solution);

}  // namespace vrp
