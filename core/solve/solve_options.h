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
#include "core/model/policy/policy.h"
#include "core/problem/plan/solution.h"
#include "core/solve/decode_batcher.h"
#include "core/solve/solve_limits.h"
#include "core/solve/stop_rule.h"

namespace vrp {

enum class Strategy {
  // The best strategy known for the instance, the budget and the model. So far that is search
  // alone. A paired ablation (tests/bench/ablate_network.py, docs/benchmarks.md) found no size and
  // budget at which starting from the network's plan is better.
  kAuto,
  kSeeded,  // search from the policy's best plan, guided by its samples, unless decoding is late
  kGreedy,  // the policy's greedy plan, without search
  kSample,  // the best of `width` samples, without search
  kBeam,    // beam search of `width`, without local search
  kSearch,  // no network
  kMultiStart,  // the best greedy plan of all starts and eight symmetry augmentations
  kImproved,    // the policy's greedy plan, improved by local search on the policy's device
};

// Whether the strategy uses the policy, which must then be loaded.
bool NeedsPolicy(Strategy strategy);
// Whether the policy alone gives the plan.
bool IsPolicyAlone(Strategy strategy);
std::string_view StrategyName(Strategy strategy);

struct SolveOptions {
  Strategy strategy = Strategy::kAuto;
  absl::Time received;                     // start of the budget; if not set, the time of the call
  absl::Duration budget = kDefaultBudget;  // kLeastBudget .. kMostBudget
  // The caller's. The solve ends 20 ms before the deadline, or at the end of the budget if that is
  // earlier.
  absl::Time deadline = absl::InfiniteFuture();
  // Part of the budget that a search leaves for sending its answer. Together with the final check
  // it is at most kClosingShare of the budget (solver.cc).
  absl::Duration reserve = absl::ZeroDuration();
  std::shared_ptr<const CancelFlag> cancel;
  uint64_t seed = 1;
  int32_t threads = 1;              // 1 .. the machine's; one search each, the best result wins
  int32_t width = kDefaultWidth;    // samples or beams; 1 .. kMostWidth
  int32_t rounds = kDefaultRounds;  // for kImproved; 0 .. kMostRounds
  // Most iterations of each search. The answer is reproducible if all searches reach this limit.
  int64_t max_iterations = INT64_MAX;
  StopRule stop = {};  // for the strategies that search
  // Time since an earlier search last improved `initial`. Counts towards the limits of `stop`.
  absl::Duration since_improvement = absl::ZeroDuration();
  std::shared_ptr<Policy> policy;  // null: search only
  bool policy_named = false;       // the caller named `policy`; kAuto then reports why it is unused
  // Whether the solve fails if the policy has no plan in time. If false, search gives the plan.
  bool network_only = false;
  DecodeBatcher* batcher = nullptr;                    // decodes for the policy; null: direct calls
  DecodeClass importance = DecodeClass::kInteractive;  // in the batcher's queue
  // Plans from which the strategies that search start; see SearchOptions::initial.
  std::vector<Plan> initial;
  // Called for every better plan, from the search threads, one call at a time. Optional.
  std::function<void(const Plan&, Cost)> on_improvement;
};

// Returns the time at which a solve ends: the end of the budget, or `deadline` less the time to
// send the answer, whichever is earlier.
absl::Time SolveEndsBy(absl::Time received, absl::Duration budget, absl::Time deadline);

// Checks the options without an instance. kInvalidArgument: out of range. kFailedPrecondition: the
// strategy needs a policy and there is none.
absl::Status CheckSolveOptions(const SolveOptions& options);

}  // namespace vrp
