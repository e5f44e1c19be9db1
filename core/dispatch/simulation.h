// Replays a day under a policy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/stop.h"
#include "core/dispatch/day.h"
#include "core/dispatch/policy.h"
#include "core/dispatch/site.h"

namespace vrp {

// One decision of a simulated day.
struct SimulatedDecision {
  double departure = 0;
  int32_t known = 0;       // requests that waited
  int32_t must_go = 0;     // of those, requests that had to leave
  int32_t dispatched = 0;  // requests that left
  int32_t missed = 0;      // requests that had to leave and could not
  int32_t routes = 0;
  int32_t scenarios = 0;
  Cost cost = 0;
  double seconds = 0;  // wall time of the policy
};

// A simulated day.
struct SimulatedDay {
  std::vector<SimulatedDecision> decisions = {};
  Plan plan = {};                    // all routes, of indexes into DispatchDay::requests
  std::vector<int32_t> missed = {};  // indexes of requests that were not served
  Cost cost = 0;                     // by the independent checker, of the whole day
};

struct SimulationOptions {
  absl::Duration decision_time = absl::Seconds(1);
  int64_t max_iterations = INT64_MAX;  // see DecisionOptions
  uint64_t seed = 1;                   // of the policy
  // Number of vehicles of each type; kUnlimited: any number. Empty: those of the site. A vehicle is
  // away from its departure to its return.
  std::vector<int32_t> fleet = {};
  std::shared_ptr<const CancelFlag> cancel = nullptr;
};

// The requests of a day that wait at a decision.
struct WaitingState {
  DispatchState state = {};
  std::vector<int32_t> numbers = {};  // the index into DispatchDay::requests of each request
};

// Returns the state of the decision number `decision` (from 0), for which the requests with
// `served` are gone.
WaitingState StateAt(const DispatchDay& day, int32_t decision, const std::vector<bool>& served);

// Replays a day. Requests that have to leave and cannot are missed; they do not wait on. Returns
// the errors of the policy, and kInternal if a route breaks a rule of the site.
absl::StatusOr<SimulatedDay> SimulateDay(const DispatchSite& site, const DispatchDay& day,
                                         const DispatchPolicy& policy,
                                         const SimulationOptions& options);

}  // namespace vrp
