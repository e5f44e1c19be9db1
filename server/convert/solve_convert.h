// SolveRequest's options and SolveResponse.
#pragma once

#include <algorithm>

#include "absl/status/statusor.h"
#include "core/solve/solve_limits.h"
#include "core/solve/solver.h"
#include "core/solve/stop_rule.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// What a request may ask for.
struct SolveLimits {
  int32_t max_threads = 1;
  absl::Duration max_budget = kMostBudget;
  absl::Duration default_budget = kDefaultBudget;  // max_budget at most
};

// The options that the message states, with the defaults of the contract; times, cancellation and
// policy are the caller's to add, and `stop` by SetStop. If the message asks for idle threads,
// `threads` is the most. kInvalidArgument names every wrong field: `threads: got 9, wanted 1 to 4`.
absl::StatusOr<SolveOptions> SolveOptionsFromProto(const v1::SolveRequest& message,
                                                   const SolveLimits& limits);

// The stop rule that the message asks for on `instance`, and, where it leaves the budget to the
// daemon, the limit by the instance's size. `options`: of SolveOptionsFromProto. kInvalidArgument
// names the field.
absl::Status SetStop(const v1::SolveRequest& message, const Instance& instance,
                     SolveOptions& options);

// Whether the budget is the daemon's, by the instance's size.
bool HasAutomaticBudget(const v1::SolveRequest& message);
// The budget that the message, which may be wrong, asks for, within the limits.
absl::Duration BudgetOf(const v1::SolveRequest& message, const SolveLimits& limits);
// Returns how long a search of an instance of so many customers lasts at least, as far as the
// message says. A search whose plan no other can beat may be shorter.
absl::Duration LeastTimeOf(const v1::SolveRequest& message, int64_t customers,
                           const SolveLimits& limits);

// Without `model` and `solution_file`.
v1::SolveResponse ToProto(const Instance& instance, const SolveAnswer& answer);

}  // namespace vrp
