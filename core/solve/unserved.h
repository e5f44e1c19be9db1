// Finds the reasons why customers are unserved.
#pragma once

#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// Returns `solution` with a reason for each unserved customer. The reason is the first of these
// that holds:
// - "no vehicle has its skills";
// - "demand exceeds capacity": for each vehicle with these skills, in at least one load dimension;
// - "no vehicle can serve it and take its own breaks";
// - "outside the shift of every vehicle";
// - "time window cannot be reached": of the customer or of the depot;
// - "outside the limits of every vehicle": all other limits, such as max_distance;
// - "no vehicle can serve it along with the customers that must share its route": by the skills,
//   loads and stops of those that are served;
// - "cheaper to skip": the customer has a prize;
// - "fleet exhausted": all vehicles that could serve the customer are used;
// - "no feasible position found in the budget".
// Judges each customer alone, or both customers of a shipment. Customers that no vehicle can serve
// alone, but perhaps together with others (Detours), get one of the last four reasons. Without
// vehicle types, the reason is always the last one.
Solution WithReasons(const Instance& instance, Solution solution);

}  // namespace vrp
