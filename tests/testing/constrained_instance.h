// Small random instances with random features, and random plans for them.
#pragma once

#include <cstdint>

#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp::test {

// Draws each feature with a chance of its own, without combinations that are refused. About every
// second route of a random plan meets its time limits. `customers` is at least 2.
InstanceData RandomConstrainedData(uint64_t seed, int32_t customers);
Instance RandomConstrainedInstance(uint64_t seed, int32_t customers);

// Puts most customers, in random order, into routes of random vehicle types with random reloads.
// All numbers are in range, but most plans are infeasible.
Plan RandomConstrainedPlan(const Instance& instance, uint64_t seed);

}  // namespace vrp::test
