// The options of a solve.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/base/stop.h"
#include "core/habits/habit_guide.h"
#include "core/model/policy/policy.h"
#include "core/problem/plan/solution.h"
#include "core/solve/decode_batcher.h"
#include "core/solve/solve_limits.h"
#include "core/solve/stop_rule.h"

namespace vrp {

enum class Strategy {
  // The best strategy known for the instance, the budget and the model. So far, this is always
  // search alone. A paired ablation (tests/bench/ablate_network.py, docs/benchmarks.md) found no
  // size and budget at which starting from the network's plan is better.
  kAuto,
  kSeeded,  // search from the policy's best plan, guided by its samples, unless decoding is late
  kGreedy,  // the policy's greedy plan, without search
  kSample,  // the best of `width` samples, without search
  kBeam,    // beam search of `width`, without local search
  kSearch,  // search alone, without a policy
  kMultiStart,  // the best greedy plan of all starts and eight symmetry augmentations
  kImproved,    // the policy's greedy plan, improved by local search on the policy's device
};

// Whether the strategy needs SolveOptions::policy.
bool NeedsPolicy(Strategy strategy);
// Whether the strategy takes its plan from the policy alone. With kImproved, the policy also
// improves the plan.
bool IsPolicyAlone(Strategy strategy);
// Returns "auto", "seeded", "multi_start" and so on.
std::string_view StrategyName(Strategy strategy);

struct SolveOptions {
  Strategy strategy = Strategy::kAuto;
  absl::Time received;                     // start of the budget; the time of the call if not set
  absl::Duration budget = kDefaultBudget;  // from kMinBudget to kMaxBudget
  // The caller's deadline. The solve ends 20 ms before it, or at the end of the budget if that is
  // earlier.
  absl::Time deadline = absl::InfiniteFuture();
  // Part of the budget that a search leaves for sending its answer. This part and the final check
  // together take at most kClosingShare of the budget (solver.cc).
  absl::Duration reserve = absl::ZeroDuration();
  std::shared_ptr<const CancelFlag> cancel;  // ends the solve once cancelled; may be null
  uint64_t seed = 1;
  int32_t threads = 1;              // number of threads that compute, 1 to that of the hardware
  int32_t width = kDefaultWidth;    // number of samples or beams, 1 to kMaxWidth
  int32_t rounds = kDefaultRounds;  // for kImproved, 0 to kMaxRounds
  // Maximum number of iterations of each search. With one thread, the answer is reproducible if the
  // search reaches this limit.
  int64_t max_iterations = INT64_MAX;
  StopRule stop = {};  // for strategies that search
  // Time since an earlier search last improved `initial`. It counts towards stop.no_improvement.
  absl::Duration since_improvement = absl::ZeroDuration();
  std::shared_ptr<Policy> policy;  // null if only search is available
  // Whether the caller named `policy`. If so, kAuto reports why it is unused.
  bool policy_named = false;
  bool network_only = false;  // whether to refuse a plan by search if the policy has none in time
  DecodeBatcher* batcher = nullptr;  // batches the policy's requests; null: direct calls
  DecodeClass importance = DecodeClass::kInteractive;  // class in the batcher's queue
  // Plans from which strategies that search start; see SearchOptions::initial.
  std::vector<Plan> initial;
  // Habits of the solved instance, for kAuto and kSearch; null: none. The search then finds plans
  // that are better by the cost of HabitGuide::searched(). All costs that it reports, and
  // stop.target_cost, are those of the instance.
  std::shared_ptr<const HabitGuide> habits;
  // Called for every better plan, from the thread that found it, one call at a time. Optional.
  std::function<void(const Plan&, Cost)> on_improvement;
};

// Returns the time at which a solve ends: the end of the budget, or `deadline` less the time to
// send the answer, whichever is earlier.
absl::Time SolveEndsBy(absl::Time received, absl::Duration budget, absl::Time deadline);

// Checks the options without an instance. Returns kInvalidArgument if a number is out of range or
// the strategy cannot start from `initial` or use `habits`. Returns kFailedPrecondition if the
// strategy needs a policy and there is none.
absl::Status CheckSolveOptions(const SolveOptions& options);

}  // namespace vrp
