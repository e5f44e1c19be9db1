// Builds the routing problems that dispatch policies solve.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/request.h"
#include "core/dispatch/site.h"
#include "core/dispatch/state.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// A request in a problem.
struct ProblemRequest {
  const DispatchRequest* request = nullptr;  // outlives the construction of the problem
  double release = 0;                        // earliest departure of a vehicle that carries it
  double prize = kNoLimit;  // lost if no route serves the request; kNoLimit: it must be served
};

// An instance of requests of a site. Immutable.
class DispatchProblem {
 public:
  // Builds the problem of `requests` for vehicles that leave at `departure` or later. `available`
  // is as DispatchState::available. Returns the errors of Instance::Create.
  static absl::StatusOr<DispatchProblem> Create(const DispatchSite& site,
                                                std::span<const ProblemRequest> requests,
                                                double departure,
                                                std::span<const int32_t> available = {});

  // Returns the instance. Customer i + 1 is request i. Without requests, or without vehicles at the
  // depot, the instance is std::nullopt and there is nothing to plan.
  const std::optional<Instance>& instance() const { return instance_; }
  // Converts a plan of instance() to indexes of requests and vehicle types of the site, and back.
  // Empty routes are dropped.
  Plan ToRequests(const Plan& plan) const;
  Plan FromRequests(const Plan& plan) const;

 private:
  std::optional<Instance> instance_;
  std::vector<int32_t> types_;  // the site's number of each vehicle type
};

}  // namespace vrp
