// Conversion of instances and plans to integers for local search on a device.
#pragma once

#include "core/kernels/improve/batch_improver.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// Multiplies the distances by one factor and the loads by another, and rounds the products. The
// factors keep integers of moderate size exact (the metric's unit; integer demands), and otherwise
// use the range of int32. Loads are rounded so that routes that fit in integers also fit unrounded.
// Demands become 0 if one vehicle can carry all of them. `plan` must be complete. The instance must
// have symmetric distances and one capacity.
ImprovedPlan ScaleToIntegers(const Instance& instance, const Plan& plan);

}  // namespace vrp
