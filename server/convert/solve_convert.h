// Converts the options of a SolveRequest and builds a SolveResponse.
#pragma once

#include <algorithm>

#include "absl/status/statusor.h"
#include "core/solve/solve_limits.h"
#include "core/solve/solver.h"
#include "core/solve/stop_rule.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// Limits of the options of a request.
struct SolveLimits {
  int32_t max_threads = 1;
  absl::Duration max_budget = kMaxBudget;
  absl::Duration default_budget = kDefaultBudget;  // not above max_budget
};

// Returns the options of a request with the defaults of the proto. The caller adds times,
// cancellation, policy and, by SetStop, the stopping criteria other than max_iterations. If the
// request uses idle threads, `threads` is their maximum number. Returns kInvalidArgument naming
// every wrong field: `threads: got 9, wanted 1 to 4`. Checks whether the strategy and the model
// allow habit_weight, but not the kind of the model.
absl::StatusOr<SolveOptions> SolveOptionsFromProto(const v1::SolveRequest& message,
                                                   const SolveLimits& limits);

// Sets the stopping criteria of a request for `instance`. If the daemon chooses the budget, also
// sets the budget for the instance's size. `options` come from SolveOptionsFromProto. Returns
// kInvalidArgument naming the field.
absl::Status SetStop(const v1::SolveRequest& message, const Instance& instance,
                     SolveOptions& options);

// Whether the daemon chooses the budget by the size of the instance.
bool HasAutomaticBudget(const v1::SolveRequest& message);
// Returns the requested budget within the limits. If the request states no valid budget, returns
// the one that its stopping criteria imply, or the default.
absl::Duration BudgetOf(const v1::SolveRequest& message, const SolveLimits& limits);
// Returns the shortest search time that a request implies for a number of customers. A search that
// proves its plan optimal may end earlier.
absl::Duration MinSearchTimeOf(const v1::SolveRequest& message, int64_t customers,
                               const SolveLimits& limits);

// Returns the response with the fields that follow from the answer and the instance. The caller
// sets `model`, `no_improvement`, `initial_solution`, `solution_file`, `rendered`, `geometry_note`,
// `habits` and `times.roads`.
v1::SolveResponse ToProto(const Instance& instance, const SolveAnswer& answer);
v1::PlanHabits ToProto(const HabitGuide& habits, const PlanHabits& score);

}  // namespace vrp
