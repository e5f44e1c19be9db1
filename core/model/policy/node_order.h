// The order in which sequence models read an instance's nodes.
#pragma once

#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// Returns node 0, then the customers by their angle around it, beginning after the widest gap. Ties
// are broken by distance, demand, time window and service time, then by the customer's number. A
// sequence model's result therefore does not depend on the order of customers, unless they are
// equal in all of these. Needs coordinates.
std::vector<NodeIndex> OrderByAngle(const InstanceData& data);

}  // namespace vrp
