// Plans, solutions and the checker's findings.
#pragma once

#include "absl/status/statusor.h"
#include "core/problem/checker/checker.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/units.h"
#include "core/problem/plan/solution.h"
#include "vrp/v1/solution.pb.h"

namespace vrp {

// `solution` must be of `instance`.
v1::Solution ToProto(const Instance& instance, const Solution& solution);
v1::Units ToProto(const Units& units);
v1::Violation ToProto(const Violation& violation);

// A given plan, to be judged: only `vehicle` and each stop's `node` are read. Depots at a route's
// ends are left out; any other number stays, for the checker to find.
Plan PlanFromProto(const Instance& instance, const v1::Solution& message);

}  // namespace vrp
