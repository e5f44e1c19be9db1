// Reads the plan from which a search starts.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

struct InitialSolution {
  Instance instance;  // the instance with the frozen stops
  Plan plan;          // feasible part of the given plan
  v1::InitialSolutionReport report;
};

// Returns the plan of the request or of the steps of its VROOM file, or nullopt if there is none
// or only a past day (SimilarDay).
//
// Drops visits one by one until the plan is feasible, as RepairPlan does; may drop more after
// `stop`. Returns kInvalidArgument naming up to 100 wrong fields:
// `initial_solution.routes[2].stops[5].id: "7b" is not a customer`. Errors in a file name it and
// the route: `initial_solution_file.content: a.sol:3: Route #3: customer 7 is visited already in
// Route #1`. Errors in steps name the vehicle: `file.content: a.json: steps of vehicle 4: ...`.
// Refuses a VROOM file in plan mode.
absl::StatusOr<std::optional<InitialSolution>> InitialSolutionFromProto(
    const v1::SolveRequest& request, const Instance& instance, const StopCondition& stop);

// Returns the feasible part of a plan that this daemon made itself. See RepairPlan for `plan` and
// `stop`.
InitialSolution InitialSolutionOf(const Instance& instance, const Plan& plan,
                                  const StopCondition& stop);

// Returns `instance` with the frozen stops of a plan. Checks the plan's other stops, but does not
// keep them. Returns the errors of InitialSolutionFromProto.
absl::StatusOr<Instance> FrozenFromProto(const v1::Solution& initial_solution,
                                         const Instance& instance);

}  // namespace vrp
