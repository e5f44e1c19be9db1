// Rules by which a search ends before its budget.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// A requested stop rule. Parts of it may be relative to a budget or an instance.
struct StopRequest {
  std::optional<absl::Duration> no_improvement = {};
  double no_improvement_share = 0;  // share of the budget, at most 1; 0 if not given
  std::optional<Cost> target_cost = {};
  std::optional<double> target_gap = {};  // gap to the instance's reference cost; 0.01 is 1 %
  // Whether AutomaticStop applies. Ignored if `no_improvement` or its share is given.
  bool automatic = false;
};

// The conditions that end a search. The search ends once one of them holds.
struct StopRule {
  // Maximum time without a better plan.
  absl::Duration no_improvement = absl::InfiniteDuration();
  // Time before which `no_improvement` does not end the search.
  absl::Duration min_time = absl::ZeroDuration();
  // Maximum cost of a plan that ends the search. The plan must serve all mandatory customers.
  std::optional<Cost> target_cost = {};
};

// The automatic stop rule for an instance's size. `limit` applies only to callers that give no
// budget.
struct AutomaticStop {
  absl::Duration limit;  // time of the whole solve; at most kMaxAutomaticTime
  StopRule rule;
};
// Maximum time of a solve under the automatic rule.
inline constexpr absl::Duration kMaxAutomaticTime = absl::Seconds(30);

// Returns the rule for `instance`. tests/bench/stop_rule.py measured the rule's constants.
AutomaticStop AutomaticStopOf(const Instance& instance);

// Returns a lower bound on the time that the automatic rule gives the search of any instance with
// `customers` customers. Returns zero if SmallOptimum may solve the instance at once. A search may
// still end sooner, at a target cost or at a plan that is proven optimal.
absl::Duration MinAutomaticTime(int64_t customers);

// Returns the rule of `request` for `instance` and `budget`. Returns kInvalidArgument naming the
// wrong field of StoppingCriteria. A field is wrong if it is out of range, excludes another field,
// or is a gap without a reference cost.
absl::StatusOr<StopRule> ResolveStopRule(const StopRequest& request, const Instance& instance,
                                         absl::Duration budget);

}  // namespace vrp
