#include "core/dispatch/compare_policies.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"

namespace vrp {

absl::StatusOr<PolicyComparison> ComparePolicies(const DispatchSite& site, const DispatchDay& day,
                                                 const std::vector<const DispatchPolicy*>& policies,
                                                 const SimulationOptions& options,
                                                 absl::Duration hindsight_time) {
  PolicyComparison comparison;
  std::vector<Plan> plans;
  for (const DispatchPolicy* policy : policies) {
    VRP_ASSIGN_OR_RETURN(SimulatedDay simulated, SimulateDay(site, day, *policy, options));
    plans.push_back(simulated.plan);
    comparison.days.push_back(std::move(simulated));
  }
  if (hindsight_time <= absl::ZeroDuration()) return comparison;
  VRP_ASSIGN_OR_RETURN(
      comparison.hindsight,
      PlanInHindsight(site, day,
                      {.stop = StopCondition(SteadyNow() + hindsight_time, options.cancel),
                       .max_iterations = options.max_iterations,
                       .seed = options.seed},
                      plans));
  return comparison;
}

}  // namespace vrp
