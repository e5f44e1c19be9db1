// Finds loads that no vehicle can carry, and groups of customers that no vehicle can serve.
#pragma once

#include <string>
#include <vector>

#include "core/problem/instance/instance_data.h"

namespace vrp {

// Returns a warning for each load beyond the capacity of every vehicle, at most 1,000:
// `customers[17].demand: 42 exceeds vehicle capacity 30`, then those of FindOversizeGroups
// (group_limits.h). Such an instance is valid, because plans may leave customers unserved, but
// seldom intended. The list may be incomplete if sizes are wrong, and is empty if there are no
// vehicles or a capacity is invalid.
std::vector<std::string> OversizeLoads(const InstanceData& data);

}  // namespace vrp
