// Converts the messages of DispatchService.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/dispatch/policies/make_policy.h"
#include "core/dispatch/request_log.h"
#include "core/dispatch/site.h"
#include "core/dispatch/state.h"
#include "core/model/dispatch/dispatch_model.h"
#include "server/convert/dispatch_policy.h"
#include "server/convert/solve_convert.h"
#include "vrp/v1/dispatch_service.pb.h"

namespace vrp {

// Budget of a decision whose request states neither a budget nor max_iterations.
inline constexpr absl::Duration kDefaultDecisionBudget = absl::Seconds(1);

// The options of a DecideRequest that do not depend on its site.
struct DecideOptions {
  DispatchPolicySettings policy = {};
  int32_t requests_per_departure = 0;  // 0: none are drawn from the customers
  std::string request_log = {};        // dataset from which requests are drawn; empty: none
  std::shared_ptr<const RequestLog> log = nullptr;  // the loaded request_log
  double margin = 0;                                // time from a decision to its departure
  absl::Duration budget = kDefaultDecisionBudget;
  int64_t max_iterations = INT64_MAX;  // of each search
  uint64_t seed = 1;
};

// Returns the options with the defaults of the proto. Returns kInvalidArgument naming every wrong
// field: `requests_per_departure: absent, but policy sampling draws requests; ...`.
absl::StatusOr<DecideOptions> DecideOptionsFromProto(const v1::DecideRequest& message,
                                                     const SolveLimits& limits);
// Returns the requested budget within the limits, or the default if there is no valid one.
absl::Duration BudgetOf(const v1::DecideRequest& message, const SolveLimits& limits);

// Returns the waiting requests and the times of departure. Returns kInvalidArgument naming wrong
// fields: `requests[3].customer: got "c9", wanted the id of a customer`.
absl::StatusOr<DispatchState> StateFromProto(const v1::DecideRequest& message,
                                             const DispatchSite& site);
// Returns kInvalidArgument if a plan of the waiting and the drawn requests would have more than
// `max_nodes` nodes, or more than kMaxMatrixNodes where the site has matrices.
absl::Status CheckPlannedNodes(const DispatchSite& site, const DispatchState& state,
                               const DecideOptions& options, int32_t max_nodes);
// Makes the policy of the options, with its sampler. `model` is the loaded options.policy.model.
absl::StatusOr<std::unique_ptr<DispatchPolicy>> PolicyOf(const DispatchSite& site,
                                                         const DecideOptions& options,
                                                         const std::optional<DispatchModel>& model);

// Returns the response with the fields that follow from the decision. The caller sets `policy`,
// `seed`, `budget` and `times`.
v1::DecideResponse ToProto(const DispatchSite& site, const DispatchState& state,
                           const DispatchDecision& decision);
v1::DispatchPolicy ToProto(DispatchPolicyKind policy);

}  // namespace vrp
