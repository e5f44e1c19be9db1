#include "core/solve/stop_rule.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/search/search.h"
#include "core/solve/small_optimum.h"
#include "core/solve/solve_limits.h"

namespace vrp {
namespace {

// Times of the automatic rule: per customer, except kMinLimit. The kPlain ones are for instances
// without constraints beyond loads. Other instances need more time, since searches find better
// plans for longer. With windows, a population search needs kTimedPopulationPerCustomer.
constexpr absl::Duration kPlainAtLeast = absl::Milliseconds(5);
constexpr absl::Duration kPlainMaxStall = absl::Milliseconds(5);
constexpr absl::Duration kAtLeast = absl::Milliseconds(19);
constexpr absl::Duration kMaxStall = absl::Milliseconds(6);
constexpr absl::Duration kLimit = absl::Milliseconds(100);
constexpr absl::Duration kMinLimit = absl::Seconds(1);

absl::Status Invalid(const std::string& text) { return absl::InvalidArgumentError(text); }

absl::Status CheckNoImprovement(const StopRequest& request) {
  const double share = request.no_improvement_share;
  if (!std::isfinite(share) || share < 0 || share > 1) {
    return Invalid(absl::StrCat("stop.no_improvement_share: got ", share,
                                ", wanted more than 0 and at most 1"));
  }
  if (!request.no_improvement.has_value()) return absl::OkStatus();
  if (share > 0) {
    return Invalid(
        "stop.no_improvement_share: given, and stop.no_improvement too; wanted only one of them");
  }
  if (*request.no_improvement >= kMinBudget) return absl::OkStatus();
  return Invalid(absl::StrCat("stop.no_improvement: got ",
                              absl::FormatDuration(*request.no_improvement), ", wanted at least ",
                              absl::FormatDuration(kMinBudget)));
}

absl::StatusOr<std::optional<Cost>> TargetOf(const StopRequest& request, const Instance& instance) {
  if (request.target_cost.has_value() && request.target_gap.has_value()) {
    return Invalid("stop.target_gap: given, and stop.target_cost too; wanted only one of them");
  }
  if (request.target_cost.has_value() && !std::isfinite(*request.target_cost)) {
    return Invalid(
        absl::StrCat("stop.target_cost: got ", *request.target_cost, ", wanted a finite number"));
  }
  if (!request.target_gap.has_value()) return request.target_cost;
  if (!std::isfinite(*request.target_gap) || *request.target_gap <= -1) {
    return Invalid(absl::StrCat("stop.target_gap: got ", *request.target_gap,
                                ", wanted a finite number above -1, as 0.01 for 1 %"));
  }
  if (!instance.reference_cost().has_value()) {
    return Invalid(
        "stop.target_gap: the instance states no reference cost; give stop.target_cost instead");
  }
  return *instance.reference_cost() * (1 + *request.target_gap);
}

}  // namespace

AutomaticStop AutomaticStopOf(const Instance& instance) {
  const int64_t customers = instance.num_customers();
  const bool unconstrained = IsPlain(instance) && !instance.has_windows();
  AutomaticStop stop;
  stop.limit = std::clamp(kLimit * customers, kMinLimit, kMaxAutomaticTime);
  stop.rule.min_time = std::min((unconstrained ? kPlainAtLeast : kAtLeast) * customers, stop.limit);
  stop.rule.no_improvement =
      std::min((unconstrained ? kPlainMaxStall : kMaxStall) * customers, stop.limit);
  return stop;
}

absl::Duration MinAutomaticTime(int64_t customers) {
  if (customers <= kMaxPlainExactCustomers) return absl::ZeroDuration();
  return std::min(std::min(kPlainAtLeast, kAtLeast) * customers, kMaxAutomaticTime);
}

absl::StatusOr<StopRule> ResolveStopRule(const StopRequest& request, const Instance& instance,
                                         absl::Duration budget) {
  const absl::Status checked = CheckNoImprovement(request);
  if (!checked.ok()) return checked;
  absl::StatusOr<std::optional<Cost>> target = TargetOf(request, instance);
  if (!target.ok()) return target.status();
  StopRule rule;
  if (request.no_improvement.has_value()) {
    rule.no_improvement = *request.no_improvement;
  } else if (request.no_improvement_share > 0) {
    rule.no_improvement = request.no_improvement_share * budget;
  } else if (request.automatic) {
    rule = AutomaticStopOf(instance).rule;
  }
  rule.target_cost = *target;
  return rule;
}

}  // namespace vrp
