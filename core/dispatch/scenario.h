// Scenarios: plans of the waiting requests together with requests that may come.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/sampler.h"
#include "core/dispatch/site.h"
#include "core/dispatch/state.h"

namespace vrp {

// The plan of one scenario.
struct ScenarioPlan {
  // Whether each waiting request is on a route that leaves now, which is one of waiting requests
  // only, none of them postponed.
  std::vector<bool> leaves_now = {};
  Plan now = {};  // those routes, of indexes of requests
};

// Draws the requests of the departures in state.later_departures, at most `lookahead` of them, and
// plans them together with the waiting requests by search. Each request leaves no earlier than its
// release. A waiting request with `postponed` leaves no earlier than the next departure.
absl::StatusOr<ScenarioPlan> PlanScenario(const DispatchSite& site, const DispatchState& state,
                                          const RequestSampler& sampler, int32_t lookahead,
                                          const std::vector<bool>& postponed,
                                          const DecisionOptions& options);

}  // namespace vrp
