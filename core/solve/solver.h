// Solves an instance within a budget by search, a trained policy or both. Checks every answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/habits/habit_guide.h"
#include "core/problem/checker/checker.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"
#include "core/solve/solve_options.h"

namespace vrp {

// The reason why a solve ended.
enum class SolveEnd {
  kBudget,
  kDeadline,  // the caller's deadline shortened the budget
  kCancelled,
  kLocalOptimum,
  kIterations,     // max_iterations; with kImproved, rounds
  kFinished,       // the policy finished decoding
  kNoImprovement,  // StopRule::no_improvement
  kTarget,         // StopRule::target_cost
  kOptimal,        // the plan is proven optimal; with habits, by the cost of the searched instance
};
// Returns "budget", "local_optimum" and so on.
std::string_view SolveEndName(SolveEnd end);

struct SolveTimes {
  // `queue` is the time from arrival to the call, `batch_wait` the wait until the batcher began a
  // batch, `decode` the time of the network. `search` includes kImproved's local search. `total` is
  // the time from arrival to the answer.
  absl::Duration queue, batch_wait, decode, search, total;
};

struct SolveAnswer {
  Solution solution;
  CheckReport check;                 // report of the independent checker
  std::optional<PlanHabits> habits;  // with SolveOptions::habits
  // The source of the plan: kSearch for search alone, kSeeded for search from a policy's plan,
  // otherwise the policy's strategy.
  Strategy strategy = Strategy::kSearch;
  std::string policy_note;  // the reason why the policy was not used; empty otherwise
  uint64_t seed = 1;
  absl::Duration budget;  // the granted budget
  SolveTimes times;
  SolveEnd ended_by = SolveEnd::kFinished;
  int64_t iterations = 0;  // sum over all searches; with kImproved, the rounds
  int32_t threads = 1;     // maximum number of threads used
};

// Solves the instance and returns its checked plan. The plan's only defect can be unserved
// customers, each with a reason. Strategies that search return the optimum of instances that
// SmallOptimum can solve at once.
//
// Thread-safe. Blocks for at most the budget, or for some milliseconds to construct a plan if the
// budget was used up on arrival. If a policy whose time is unknown is late, blocks for up to
// kMaxMeasuringTime (policy_plan.h) more to measure it, within the caller's deadline.
//
// If a policy alone has no plan in time, search uses the milliseconds reserved for this case to
// find a plan, and `policy_note` says so. With options.network_only, returns kDeadlineExceeded
// instead.
//
// Returns the errors of CheckSolveOptions, and kInternal if the checker rejects the plan.
// Strategies of the policy alone also return kUnimplemented if the policy does not support a
// feature of the instance. They return kFailedPrecondition if a customer is unreachable or the
// policy needs more vehicles than there are. They return kResourceExhausted if memory runs out, and
// kCancelled if cancelled before there was a plan.
//
// Strategies that search throw std::bad_alloc, on this thread, if memory runs out on any of theirs.
absl::StatusOr<SolveAnswer> Solve(const Instance& instance, const SolveOptions& options);

// Solves like Solve, but no thread waits while options.batcher decodes for a policy alone. Calls
// `done` once: before returning, or from a thread that runs the batcher's work. If the policy has
// no plan in time, the thread that calls `done` searches first. Passes the errors of Solve to
// `done`, and kResourceExhausted if the batcher is full or memory runs out.
void SolveLater(Instance instance, SolveOptions options,
                absl::AnyInvocable<void(absl::StatusOr<SolveAnswer>)> done);

}  // namespace vrp
