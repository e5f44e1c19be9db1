// Finds the optimum of instances that are small enough to try every plan.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// Maximum number of customers of a plain instance (no feature of features.h). SmallOptimum tries
// each order of each subset of customers up to its first violation, then combines subsets into
// plans.
inline constexpr int32_t kMaxPlainExactCustomers = 8;
// Maximum number of plans of any other instance, counting every choice of vehicles and of dropped
// customers. The limit is about 5 customers with one vehicle type. The independent checker judges
// each plan. Instances that allow reloads are not tried.
inline constexpr double kMaxExactPlans = 2000;

// Returns a plan that is proven optimal. Returns nullopt if the instance is too large or allows
// reloads, or if `stop` fires first. Takes some milliseconds at most.
std::optional<Plan> SmallOptimum(const Instance& instance, const StopCondition& stop);

}  // namespace vrp
