// Rules by which a search ends before its budget.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// A requested stop rule, partly relative to a budget or an instance.
struct StopRequest {
  std::optional<absl::Duration> no_improvement = {};
  double no_improvement_share = 0;  // of the budget, at most 1; 0 if not given
  std::optional<Cost> target_cost = {};
  std::optional<double> target_gap = {};  // to the instance's reference cost: 0.01 is 1 %
  bool automatic = false;                 // use AutomaticStop for everything not given here
};

// Conditions; the search ends at the first that holds.
struct StopRule {
  // Time without a better plan.
  absl::Duration no_improvement = absl::InfiniteDuration();
  // Minimum time of the search, regardless of `no_improvement`.
  absl::Duration at_least = absl::ZeroDuration();
  // A plan that serves everyone costs at most this.
  std::optional<Cost> target_cost = {};
};

// The stop rule by instance size, for callers who name no budget.
struct AutomaticStop {
  absl::Duration limit;  // for the whole solve; at most kMostAutomatic
  StopRule rule;
};
inline constexpr absl::Duration kMostAutomatic = absl::Seconds(30);

// Returns the rule for `instance`. Its constants were measured by tests/bench/stop_rule.py.
AutomaticStop AutomaticStopOf(const Instance& instance);

// Returns a lower bound on how long a search of an instance with so many customers lasts by the
// automatic rule. Zero for instances that SmallOptimum may answer at once. (Any search may end
// sooner, at a plan that is proven optimal.)
absl::Duration LeastAutomaticTime(int64_t customers);

// Returns the rule of `request` for `instance` with that budget. kInvalidArgument names the field
// of StoppingCriteria: a time or share out of range, both of them, or a gap without a reference
// cost.
absl::StatusOr<StopRule> RuleOf(const StopRequest& request, const Instance& instance,
                                absl::Duration budget);

}  // namespace vrp
