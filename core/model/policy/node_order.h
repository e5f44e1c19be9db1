// The order in which sequence models read an instance's nodes.
#pragma once

#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// Node 0, then the customers by their angle around it, beginning after the widest gap; equal angles
// by everything else that tells customers apart, their number last. What a network that reads nodes
// in sequence makes of an instance therefore does not depend on the order of its customers. Needs
// positions.
std::vector<NodeIndex> OrderByAngle(const InstanceData& data);

}  // namespace vrp
