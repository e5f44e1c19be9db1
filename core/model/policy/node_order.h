// The order in which sequence models read an instance's nodes.
#pragma once

#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// Returns node 0, then the customers by their angle around it, beginning after the widest gap. Ties
// are broken by all other properties of a customer, then by its number. A sequence model's result
// therefore does not depend on the order of an instance's customers. Needs coordinates.
std::vector<NodeIndex> OrderByAngle(const InstanceData& data);

}  // namespace vrp
