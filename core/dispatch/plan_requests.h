// Plans the routes of the requests that a policy has chosen.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/problem.h"
#include "core/dispatch/site.h"
#include "core/dispatch/state.h"

namespace vrp {

// Plans routes that leave now with `requests`, which point into state.requests, by search; their
// releases are not read. `initial` are plans to start from. All plans are of indexes into
// state.requests. Returns kCancelled if options.stop is cancelled.
absl::StatusOr<Plan> PlanNow(const DispatchSite& site, const DispatchState& state,
                             std::span<const ProblemRequest> requests,
                             const DecisionOptions& options, const std::vector<Plan>& initial);

// Decides to run routes with the chosen requests. `chosen` has one entry per
// request. `reasons` has the reason of each request that is not chosen. The rest is as in PlanNow.
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
