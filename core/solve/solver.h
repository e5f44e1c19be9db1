// From an instance to a checked answer within the budget: search, or a trained policy, and where
// the answer came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/problem/checker/checker.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"
#include "core/solve/solve_options.h"

namespace vrp {

enum class SolveEnd {
  kBudget,
  kDeadline,
  kCancelled,
  kLocalOptimum,
  kIterations,
  kComplete,
  kNoImprovement,  // StopRule::no_improvement
  kTarget,         // StopRule::target_cost
  kOptimal,        // no plan is better, which is proven
};
std::string_view SolveEndName(SolveEnd end);

struct SolveTimes {
  // `queue`: until the call; `joining`: until a batch of the batcher began.
  absl::Duration queue, joining, encode, decode, search, total;
};

struct SolveAnswer {
  Solution solution;
  CheckReport check;  // by the independent checker
  // What gave the plan: kSearch where the search was alone, kSeeded where the policy gave it a plan
  // to start from.
  Strategy strategy = Strategy::kSearch;
  std::string policy_note;  // why the policy was left out; empty otherwise
  uint64_t seed = 1;
  absl::Duration budget;  // what was granted
  SolveTimes times;
  SolveEnd ended_by = SolveEnd::kComplete;
  int64_t iterations = 0;  // of all searches
  int32_t threads = 1;     // that took part
};

// Thread-safe; blocks for at most the budget, or, where that was used up on arrival, for some
// milliseconds that construct a plan. If a policy is late whose time is not known, it blocks for up
// to kMostMeasuring (policy_plan.h) more to measure it, within the caller's deadline. Customers
// without a place are unserved, with the reason; nothing else is ever wrong with the plan: each was
// checked. Instances that SmallOptimum knows are answered at once by the strategies that search.
//
// A policy alone that has no plan in time gives way to search, which then answers with the best
// plan that it finds in the milliseconds kept for that, and says so in `policy_note`; with
// options.network_only it is kDeadlineExceeded.
//
// Errors of CheckSolveOptions; the strategies of the network alone also give kUnimplemented, where
// the policy does not know a feature of the instance, kCancelled, when they have no plan by then,
// and kInternal when the checker refuses its plan.
absl::StatusOr<SolveAnswer> Solve(const Instance& instance, const SolveOptions& options);

// Likewise, but for a policy alone asked through options.batcher no thread waits: `done` is called
// once, by this thread before it returns or by one of the batcher's. If the policy has no plan in
// time, the thread that calls `done` searches first. kResourceExhausted too, where the batcher is
// full or memory runs out.
void SolveLater(Instance instance, SolveOptions options,
                absl::AnyInvocable<void(absl::StatusOr<SolveAnswer>)> done);

}  // namespace vrp
