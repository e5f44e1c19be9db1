// Finds groups of customers that no vehicle can serve on one route.
#pragma once

#include "core/problem/instance/field_errors.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// Adds a warning for each set of customers that must share a route (SameRouteGroups) although no
// vehicle has the capacity, the stops and the skills for all of them:
// `customer_rules[0].customers: the customers that must share a route have demand 6, which exceeds
// vehicle capacity 4`. Counts customers that must be served: without a prize and without
// alternatives. Does not look at loads of vehicles that reload, nor at times and distances. Adds
// nothing if a number of a customer or the size of a vector is wrong. Capacities must be valid.
void FindOversizeGroups(const InstanceData& data, FieldErrors& errors);

}  // namespace vrp
