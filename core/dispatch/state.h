// The state in which a dispatch decision is made, and the decision.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/base/stop.h"
#include "core/dispatch/request.h"
#include "core/dispatch/site.h"
#include "core/problem/plan/plan.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// The requests that wait, and the times at which vehicles may leave.
struct DispatchState {
  std::vector<DispatchRequest> requests = {};
  double departure = 0;  // earliest departure of the vehicles that leave now
  // Earliest departures at the later decisions, in increasing order. Empty: this is the last
  // decision, so that all requests must go.
  std::vector<double> later_departures = {};
  // Number of vehicles of each type that are at the depot. Empty: as many as the types have.
  // kUnlimited: any number.
  std::vector<int32_t> available = {};

  static constexpr int32_t kUnlimited = -1;
};

// Checks demand, service time, release and window. Returns kInvalidArgument that begins with the
// field: `demand: got -1, ...`.
absl::Status CheckAmounts(const DispatchRequest& request);
// Also checks the customer, and that the demand has one number per load dimension of the site.
absl::Status CheckRequest(const DispatchSite& site, const DispatchRequest& request);
// Returns kInvalidArgument with the first wrong field, as `requests[3].demand: ...`.
absl::Status CheckState(const DispatchSite& site, const DispatchState& state);

// Returns for each request whether it has to leave now: because the caller says so, or because no
// vehicle that leaves at the next decision reaches it directly in time.
std::vector<bool> MustGo(const DispatchSite& site, const DispatchState& state);

// The limits of the computation of one decision.
struct DecisionOptions {
  StopCondition stop = {};
  // Iterations of each search. A decision is reproducible if all of its searches reach this limit.
  int64_t max_iterations = INT64_MAX;
  uint64_t seed = 1;
};

// A request that stays at the depot, and the reason.
struct WaitingRequest {
  int32_t request = 0;  // index into DispatchState::requests
  bool missed = false;  // whether it had to leave now, so that it will not be served in time
  std::string reason = {};
};

// The routes that leave now. The customers of `plan` are indexes into DispatchState::requests; the
// vehicle types are those of the site.
struct DispatchDecision {
  Plan plan = {};
  Cost cost = 0;           // by the site's objective, without prizes
  Solution solution = {};  // times and loads of `plan`; its nodes are 1 + an index into requests
  std::vector<WaitingRequest> waiting = {};  // in the order of the requests
  int32_t scenarios = 0;                     // number of scenarios that were solved
};

}  // namespace vrp
