// Small random instances with every feature of the rich problem, and random plans for them.
#pragma once

#include <cstdint>

#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp::test {

// Each feature with a chance of its own, refused combinations left out; about every second route of
// a random plan is feasible in time. `customers`: 2 or more.
InstanceData RandomRichData(uint64_t seed, int32_t customers);
Instance RandomRichInstance(uint64_t seed, int32_t customers);

// Customers in random order, some left out, in routes of random vehicle types with random reloads:
// numbers in range, mostly not feasible.
Plan RandomRichPlan(const Instance& instance, uint64_t seed);

}  // namespace vrp::test
