// Converts plans, solutions and violations.
#pragma once

#include "absl/status/statusor.h"
#include "core/problem/checker/checker.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/units.h"
#include "core/problem/plan/solution.h"
#include "vrp/v1/solution.pb.h"

namespace vrp {

// Returns the message of a solution of `instance`.
v1::Solution ToProto(const Instance& instance, const Solution& solution);
v1::Units ToProto(const Units& units);
v1::Violation ToProto(const Violation& violation);

// Returns a plan to check. Reads `vehicle` and the `node` of each stop. Drops depots at the ends of
// routes. Accepts wrong numbers, which the checker reports.
Plan PlanFromProto(const Instance& instance, const v1::Solution& message);

}  // namespace vrp
