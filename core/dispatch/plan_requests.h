// Plans the routes of the requests that a policy has chosen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/site.h"
#include "core/dispatch/state.h"

namespace vrp {

// Plans routes that leave now with the chosen requests, by search. `chosen` has one entry per
// request. `initial` are plans to start from, of indexes of requests. `reasons` has the reason of
// each request that is not chosen. Returns kCancelled if options.stop is cancelled.
absl::StatusOr<DispatchDecision> PlanRequests(const DispatchSite& site, const DispatchState& state,
                                              const std::vector<bool>& chosen,
                                              std::vector<std::string> reasons,
                                              const DecisionOptions& options,
                                              const std::vector<Plan>& initial = {});

// Completes a decision to run the routes of `plan`: computes times and cost, checks the routes with
// the independent checker, and lists the requests that wait. Returns kInternal if the checker finds
// a violation.
absl::StatusOr<DispatchDecision> FinishDecision(const DispatchSite& site,
                                                const DispatchState& state, Plan plan,
                                                std::vector<std::string> reasons);

}  // namespace vrp
