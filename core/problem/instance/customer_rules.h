// Customers that must share a route.
#pragma once

#include <vector>

#include "core/problem/instance/instance_data.h"

namespace vrp {

// Returns the sets of customers of which those that are served must share a route. Rules of
// RuleKind::kSameRoute that have a customer in common join to one set, even if that customer is not
// served. Both customers of a shipment are in the set if one of them is. The numbers in `data` must
// be valid. Takes O(nodes + customers in rules).
std::vector<std::vector<NodeIndex>> SameRouteGroups(const InstanceData& data);

}  // namespace vrp
