// Loads that no vehicle can carry.
#pragma once

#include <string>
#include <vector>

#include "core/problem/instance/instance_data.h"

namespace vrp {

// `customers[17].demand: 42 exceeds vehicle capacity 30`, for each load beyond the capacity of all
// vehicles (for 1,000 at most). No error of the instance: plans leave such customers out, and say
// why. But seldom meant. Of data whose sizes are wrong some are missing; none where a capacity is.
std::vector<std::string> OversizeLoads(const InstanceData& data);

}  // namespace vrp
