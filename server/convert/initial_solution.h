// The plan that a request gives to start from.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

struct InitialSolution {
  Instance instance;  // with the frozen stops
  Plan plan;          // what of it breaks no rule
  v1::InitialSolutionReport report;
};

// Nothing where neither the request nor the steps of a VROOM file give one. kInvalidArgument names
// every wrong field, as `initial_solution.routes[2].stops[5].id: "7b" is no customer`. Past `stop`
// more is left out of the plan than needed.
absl::StatusOr<std::optional<InitialSolution>> InitialSolutionFromProto(
    const v1::SolveRequest& request, const Instance& instance, const StopCondition& stop);

// `instance` with the frozen stops of a plan whose other parts do not matter.
absl::StatusOr<Instance> FrozenFromProto(const v1::Solution& initial_solution,
                                         const Instance& instance);

}  // namespace vrp
