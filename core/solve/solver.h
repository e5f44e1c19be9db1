// From an instance to a checked answer within the budget: search, or a trained policy, and where
// the answer came from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/stop.h"
#include "core/model/policy.h"
#include "core/problem/checker.h"
#include "core/problem/instance.h"
#include "core/problem/solution.h"
#include "core/solve/decode_batcher.h"

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
  kMultiStart,  // best of greedy plans from all starts in eight pictures, unrefined
  kImproved,    // the policy's greedy plan, improved on the policy's device
};
// Samples, or beams, that may be asked for.
inline constexpr int32_t kMostWidth = 10'000;

// Whether the strategy asks the policy; it need not be loaded for the others.
bool NeedsPolicy(Strategy strategy);
// Whether the policy alone gives the plan.
bool IsPolicyAlone(Strategy strategy);
std::string_view StrategyName(Strategy strategy);

enum class SolveEnd { kBudget, kDeadline, kCancelled, kLocalOptimum, kIterations, kComplete };
std::string_view SolveEndName(SolveEnd end);

// Rounds of improvement (see PlanImprovement).
inline constexpr int32_t kDefaultRounds = 20'000;
inline constexpr int32_t kMostRounds = 10'000'000;

struct SolveOptions {
  Strategy strategy = Strategy::kAuto;
  absl::Time received;  // the budget counts from here; not set: from the call
  absl::Duration budget = absl::Milliseconds(500);  // 1 ms .. 24 h
  absl::Time deadline =
      absl::InfiniteFuture();  // the caller's own; less 20 ms, when sooner than the budget
  // What of the budget a search leaves to who sends its answer; with the time for the final check
  // at most a tenth.
  absl::Duration reserve = absl::ZeroDuration();
  std::shared_ptr<const CancelFlag> cancel;
  uint64_t seed = 1;
  int32_t threads = 1;              // 1 .. the machine's; searches side by side, the best wins
  int32_t width = 16;               // samples or beams; 1 .. 10,000
  int32_t rounds = kDefaultRounds;  // of kImproved; 0 .. kMostRounds
  int64_t max_iterations =
      INT64_MAX;  // of each search; with it, and time enough, an answer can be repeated exactly
  std::shared_ptr<Policy> policy;    // null: search alone
  bool policy_named = false;         // one was asked for; kAuto says why it leaves it out
  DecodeBatcher* batcher = nullptr;  // through which the policy is asked; null: directly
  DecodeClass importance = DecodeClass::kInteractive;  // to the batcher
  // Plans to start from; see SearchOptions::initial. For the strategies that search.
  std::vector<Plan> initial;
  // Told of each better plan of the search, by its threads, one call at a time; null: nobody.
  std::function<void(const Plan&, Cost)> on_improvement;
};

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
  std::string policy_note;  // why a search left the policy out; empty otherwise
  uint64_t seed = 1;
  absl::Duration budget;  // what was granted
  SolveTimes times;
  SolveEnd ended_by = SolveEnd::kComplete;
  int64_t iterations = 0;
};

// When the budget or the caller's patience (less the answer's way back) ends.
absl::Time SolveEndsBy(absl::Time received, absl::Duration budget, absl::Time deadline);

// What Solve refuses whatever the instance: kInvalidArgument for options out of range;
// kFailedPrecondition for a strategy that needs a policy when there is none.
absl::Status CheckSolveOptions(const SolveOptions& options);

// Thread-safe; blocks for at most the budget, or, where that was used up on arrival, for some
// milliseconds that construct a plan. Customers without a place are unserved, with the reason;
// nothing else is ever wrong with the plan: each was checked. Errors of CheckSolveOptions; the
// strategies of the network alone also give kUnimplemented, where the policy does not know a
// feature of the instance, kDeadlineExceeded and kCancelled, when they have no plan by then, and
// kInternal when the checker refuses its plan.
absl::StatusOr<SolveAnswer> Solve(const Instance& instance, const SolveOptions& options);

// Likewise, but for a policy alone asked through options.batcher no thread waits: `done` is called
// once, by this thread before it returns or by one of the batcher's. kResourceExhausted too, where
// the batcher is full.
void SolveLater(Instance instance, SolveOptions options,
                absl::AnyInvocable<void(absl::StatusOr<SolveAnswer>)> done);

}  // namespace vrp
