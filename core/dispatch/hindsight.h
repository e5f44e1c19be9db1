// Plans a day as if all of its requests were known from the start.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/day.h"
#include "core/dispatch/site.h"
#include "core/dispatch/state.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// The best plan found of a whole day.
struct HindsightPlan {
  Plan plan = {};  // customers are indexes into DispatchDay::requests
  Cost cost = 0;
  std::vector<int32_t> unserved = {};  // indexes of requests
};

// Plans all requests of the day by search, with any number of vehicles of each type. A route leaves
// no earlier than the latest release of its requests. `initial` are plans to start from; the result
// is not worse than any of them. Returns kCancelled if options.stop is cancelled.
absl::StatusOr<HindsightPlan> PlanInHindsight(const DispatchSite& site, const DispatchDay& day,
                                              const DecisionOptions& options,
                                              const std::vector<Plan>& initial = {});

// Returns the plan with its cost after the independent checker has judged it by the releases of the
// day. Returns kInternal if a route is infeasible.
absl::StatusOr<HindsightPlan> CheckDayPlan(const DispatchSite& site, const DispatchDay& day,
                                           Plan plan);

// Returns the index into DispatchDay::departures of the first decision at which the route can
// leave.
int32_t DecisionOf(const DispatchDay& day, const PlannedRoute& route);

}  // namespace vrp
