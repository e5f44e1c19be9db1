#include "core/solve/stop_monitor.h"

#include <algorithm>
#include <cmath>

#include "core/base/steady_time.h"

namespace vrp {
namespace {

// Relative tolerance, because sums in another order may differ from a target by rounding.
constexpr double kRounding = 1e-9;

absl::Time FirstDeadline(const StopRule& rule, absl::Time start, absl::Duration since_improvement) {
  const absl::Duration left =
      std::max(rule.no_improvement - since_improvement, absl::ZeroDuration());
  return start + std::max(rule.min_time, left);
}

}  // namespace

StopMonitor::StopMonitor(const Instances& instances, const StopRule& rule,
                         const StopCondition& limit, const Earlier& earlier)
    : instances_(instances),
      rule_(rule),
      limit_(limit.deadline()),
      begun_(SteadyNow()),
      deadline_(std::make_shared<MovableDeadline>(
          FirstDeadline(rule, begun_, earlier.since_improvement))),
      stop_(limit.WithMovableDeadline(deadline_)),
      best_(earlier.best) {}

void StopMonitor::RecordPlan(const Plan& plan) {
  const PlanValue value = ValueOf(*instances_.searched, plan);
  absl::MutexLock lock(&mutex_);
  if (best_.has_value() && !(value < *best_)) return;
  best_ = value;
  if (ReachesTarget(plan, value) || CostsNothing(value)) {
    deadline_->EndNow();
  } else {
    deadline_->Extend(SteadyNow() + rule_.no_improvement);
  }
}

StopMonitor::Verdict StopMonitor::VerdictOn(const Plan& plan) const {
  const PlanValue value = ValueOf(*instances_.searched, plan);
  if (CostsNothing(value)) return Verdict::kOptimal;
  if (ReachesTarget(plan, value)) return Verdict::kTarget;
  const absl::Time end = deadline_->time();
  return end < limit_ && SteadyNow() >= end ? Verdict::kNoImprovement : Verdict::kNone;
}

bool StopMonitor::ReachesTarget(const Plan& plan, const PlanValue& value) const {
  if (!rule_.target_cost.has_value() || value.left_out > 0) return false;
  const bool same = instances_.searched == instances_.priced;
  const Cost cost = same ? value.cost : PlanCost(*instances_.priced, plan);
  return cost <= *rule_.target_cost + kRounding * std::abs(*rule_.target_cost);
}

// Whether the plan is optimal because it costs nothing. No part of a cost is negative, so no plan
// costs less.
bool StopMonitor::CostsNothing(const PlanValue& value) const {
  return value.left_out == 0 && value.routes == 0 && value.cost <= 0;
}

}  // namespace vrp
