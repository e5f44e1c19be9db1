// The optimum of instances so small that every plan can be tried.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// Plain instances (no feature of features.h) have at most so many customers. Each order of each
// subset is driven once, cut off where it breaks a rule; then subsets are put together.
inline constexpr int32_t kMostPlainExact = 8;
// Others have at most so many plans, with every choice of vehicles and of customers left out, and
// the independent checker judges each: about 5 customers with one vehicle type. Reloads are not
// tried, nor are instances that allow them.
inline constexpr double kMostPlansExact = 2000;

// A plan than which none is better, proven; nullopt where the instance is too large for that, or
// `stop` came first. Takes some milliseconds at most.
std::optional<Plan> SmallOptimum(const Instance& instance, const StopCondition& stop);

}  // namespace vrp
