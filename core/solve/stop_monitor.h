// Ends all searches of one solve when its stop rule holds.
#pragma once

#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan_value.h"
#include "core/solve/stop_rule.h"

namespace vrp {

// A monitor of a stop rule. Searches poll `stop()` and schedule cooling and phases by its deadline.
// The deadline is the time at which the rule ends the searches if there is no further improvement.
// Thread-safe.
class StopMonitor {
 public:
  // The result of an earlier search that this one continues.
  struct Earlier {
    std::optional<PlanValue> best = {};  // only better plans are improvements
    absl::Duration since_improvement = absl::ZeroDuration();
  };
  // The instance that searches compare plans by, and the one whose costs the rule's target means.
  // They differ if a search is guided by more than the cost. Both must outlive the monitor.
  struct Instances {
    const Instance* searched = nullptr;
    const Instance* priced = nullptr;
  };
  // Starts the clock. `limit` ends the search at the latest.
  StopMonitor(const Instances& instances, const StopRule& rule, const StopCondition& limit,
              const Earlier& earlier);
  StopMonitor(const Instance& instance, const StopRule& rule, const StopCondition& limit,
              const Earlier& earlier)
      : StopMonitor(Instances{.searched = &instance, .priced = &instance}, rule, limit, earlier) {}

  const StopCondition& stop() const { return stop_; }
  // Records a plan that a search found. Ignores the plan unless it is better than all earlier ones.
  // Must be called for every improvement of every search.
  void RecordPlan(const Plan& plan);

  enum class Verdict { kNone, kNoImprovement, kTarget, kOptimal };
  // Returns the rule that ended, or could have ended, searches that ended with `plan`. Returns
  // kNone if no rule applies.
  Verdict VerdictOn(const Plan& plan) const;

 private:
  bool ReachesTarget(const Plan& plan, const PlanValue& value) const;
  bool CostsNothing(const PlanValue& value) const;

  const Instances instances_;
  const StopRule rule_;
  const absl::Time limit_;
  const absl::Time begun_;
  const std::shared_ptr<MovableDeadline> deadline_;
  const StopCondition stop_;
  absl::Mutex mutex_;
  std::optional<PlanValue> best_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
