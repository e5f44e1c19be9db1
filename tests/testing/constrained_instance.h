// Draws small random instances with random features, and random plans for them.
#pragma once

#include <cstdint>

#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp::test {

// Draws each feature with its own probability, and skips combinations that are refused. About half
// of the routes of a random plan meet their time limits. `customers` is at least 2.
InstanceData RandomConstrainedData(uint64_t seed, int32_t customers);
Instance RandomConstrainedInstance(uint64_t seed, int32_t customers);

// Draws a balance of the routes, with a limit, a price or both.
Balance RandomBalance(uint64_t seed);

// Assigns most customers, in random order, to routes of random vehicle types with random reloads.
// All numbers are in range, but most plans are infeasible.
Plan RandomConstrainedPlan(const Instance& instance, uint64_t seed);

}  // namespace vrp::test
