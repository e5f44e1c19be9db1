// When a search ends before its budget does.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// A caller's wish, some of it relative to a budget or to an instance.
struct StopRequest {
  std::optional<absl::Duration> no_improvement = {};
  double no_improvement_share = 0;  // of the budget, at most 1; 0: not given
  std::optional<Cost> target_cost = {};
  std::optional<double> target_gap = {};  // to the instance's reference cost: 0.01 is 1 %
  bool automatic = false;                 // AutomaticStop, where it is not given here
};

// The search ends at the first of these.
struct StopRule {
  // No better plan for so long.
  absl::Duration no_improvement = absl::InfiniteDuration();
  // The search lasts at least so long, whatever `no_improvement` says.
  absl::Duration at_least = absl::ZeroDuration();
  // A plan that leaves nobody out costs at most so much.
  std::optional<Cost> target_cost = {};
};

// The rule by an instance's size, for callers who name no budget.
struct AutomaticStop {
  absl::Duration limit;  // of the whole solve; at most kMostAutomatic
  StopRule rule;
};
inline constexpr absl::Duration kMostAutomatic = absl::Seconds(30);

// Measured by tests/bench/stop_rule.py.
AutomaticStop AutomaticStopOf(const Instance& instance);

// Returns a lower bound on how long a search of an instance with so many customers lasts by the
// automatic rule. Zero for instances that SmallOptimum may answer at once. (Any search may end
// sooner, at a plan that no other can beat.)
absl::Duration LeastAutomaticTime(int64_t customers);

// The rule that `request` comes to on `instance` with that budget. kInvalidArgument names the field
// of v1.SolveStop: a time or share out of range, both of them, a gap without a reference cost.
absl::StatusOr<StopRule> RuleOf(const StopRequest& request, const Instance& instance,
                                absl::Duration budget);

}  // namespace vrp
