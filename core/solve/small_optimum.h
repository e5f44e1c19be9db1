// The optimum of instances that are small enough to try every plan.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// Largest number of customers of a plain instance (no feature of features.h). Each order of each
// subset is tried once and cut off at its first violation; then subsets are combined.
inline constexpr int32_t kMostPlainExact = 8;
// Largest number of plans of any other instance, counting every choice of vehicles and of dropped
// customers; about 5 customers with one vehicle type. The independent checker judges each plan.
// Instances that allow reloads are not tried.
inline constexpr double kMostPlansExact = 2000;

// Returns a plan that is proven optimal, or nullopt if the instance is too large or `stop` holds
// first. Takes some milliseconds at most.
std::optional<Plan> SmallOptimum(const Instance& instance, const StopCondition& stop);

}  // namespace vrp
