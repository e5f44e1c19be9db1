#include "core/dispatch/policies/horizon.h"

#include <limits>
#include <string>
#include <vector>

#include "core/base/status_macros.h"
#include "core/dispatch/part_of_time.h"
#include "core/dispatch/plan_requests.h"
#include "core/dispatch/scenario.h"

namespace vrp {
namespace {

// Share of the time for the scenario; the rest is for the routes that leave.
constexpr double kScenarioShare = 0.7;

}  // namespace

absl::StatusOr<DispatchDecision> HorizonPolicy::Decide(const DispatchState& state,
                                                       const DecisionOptions& options) const {
  std::vector<bool> chosen = MustGo(site_, state);
  DecisionOptions first = options;
  first.stop = PartOfTime(options.stop, kScenarioShare);
  VRP_ASSIGN_OR_RETURN(const ScenarioPlan scenario,
                       PlanScenario(site_, state, *sampler_, std::numeric_limits<int32_t>::max(),
                                    std::vector<bool>(state.requests.size()), first));
  for (size_t i = 0; i < chosen.size(); ++i) chosen[i] = chosen[i] || scenario.leaves_now[i];
  VRP_ASSIGN_OR_RETURN(
      DispatchDecision decision,
      PlanRequests(
          site_, state, chosen,
          std::vector<std::string>(chosen.size(), "it is planned on a route with requests to come"),
          options, {scenario.now}));
  decision.scenarios = 1;
  return decision;
}

}  // namespace vrp
