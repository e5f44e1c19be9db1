// Instances and plans in whole numbers, as local search on a device has them.
#pragma once

#include "core/kernels/improve/batch_improver.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// Distances and loads keep their values times a factor: one where they are whole and small enough
// (the metric's unit; whole demands), else one that makes the most of int32. Loads are rounded so
// that what fits fits in truth. `plan` is complete; the instance has symmetric distances and one
// capacity.
ImprovedPlan InWholeNumbers(const Instance& instance, const Plan& plan);

}  // namespace vrp
