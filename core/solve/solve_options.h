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
  // The best that is known for the instance, the budget and the model. So far that is the search
  // alone: a paired ablation (tests/bench/ablate_network.py, README) shows no size and budget where
  // it does better with the network's plan to start from.
  kAuto,
  kSeeded,      // the policy's best plan starts the search and its samples guide it, in time
  kGreedy,      // the policy's greedy plan, unrefined
  kSample,      // best of `width` samples, unrefined
  kBeam,        // beam search of `width`, unrefined
  kSearch,      // no network
  kMultiStart,  // best of greedy plans from all starts in eight augmentations, unrefined
  kImproved,    // the policy's greedy plan, improved on the policy's device
};

// Whether the strategy asks the policy; it need not be loaded for the others.
bool NeedsPolicy(Strategy strategy);
// Whether the policy alone gives the plan.
bool IsPolicyAlone(Strategy strategy);
std::string_view StrategyName(Strategy strategy);

struct SolveOptions {
  Strategy strategy = Strategy::kAuto;
  absl::Time received;                     // the budget counts from here; not set: from the call
  absl::Duration budget = kDefaultBudget;  // kLeastBudget .. kMostBudget
  absl::Time deadline =
      absl::InfiniteFuture();  // the caller's own; less 20 ms, when sooner than the budget
  // The part of the budget that a search leaves for sending its answer. Together with the final
  // check it is at most kClosingShare of the budget (solver.cc).
  absl::Duration reserve = absl::ZeroDuration();
  std::shared_ptr<const CancelFlag> cancel;
  uint64_t seed = 1;
  int32_t threads = 1;              // 1 .. the machine's; searches side by side, the best wins
  int32_t width = kDefaultWidth;    // samples or beams; 1 .. kMostWidth
  int32_t rounds = kDefaultRounds;  // of kImproved; 0 .. kMostRounds
  // A limit for each search; with it, and time enough, an answer can be repeated exactly.
  int64_t max_iterations = INT64_MAX;
  StopRule stop = {};  // of the strategies that search
  // How long an earlier search has found nothing better than `initial`; it counts for `stop`.
  absl::Duration since_improvement = absl::ZeroDuration();
  std::shared_ptr<Policy> policy;  // null: search alone
  bool policy_named = false;       // one was asked for; kAuto says why it leaves it out
  // A policy alone that is too late is an error; else search gives the plan.
  bool network_only = false;
  DecodeBatcher* batcher = nullptr;  // through which the policy is asked; null: directly
  DecodeClass importance = DecodeClass::kInteractive;  // to the batcher
  // Plans to start from; see SearchOptions::initial. For the strategies that search.
  std::vector<Plan> initial;
  // Called for every better plan, from the search threads, one call at a time. Optional.
  std::function<void(const Plan&, Cost)> on_improvement;
};

// When the budget or the caller's patience (less the answer's way back) ends.
absl::Time SolveEndsBy(absl::Time received, absl::Duration budget, absl::Time deadline);

// Refuses what no instance makes right: kInvalidArgument for options out of range;
// kFailedPrecondition for a strategy that needs a policy when there is none.
absl::Status CheckSolveOptions(const SolveOptions& options);

}  // namespace vrp
