// Provides instances, decoders and options for tests of strategies that use a policy.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/search/build/construct.h"
#include "core/solve/solver.h"
#include "tests/solve/fake_policy.h"
#include "tests/testing/instance_builder.h"

namespace vrp::test {

// Returns a CVRP instance with 20 customers, random demands and a capacity of 25.
inline Instance TwentyCustomers() {
  return AnInstance().WithCustomers(20).RandomDemands().Capacity(25).Build();
}

// Returns the nearest-neighbour plan.
inline absl::StatusOr<std::vector<DecodedPlan>> DecodeNearestNeighbour(const Instance& instance,
                                                                       const DecodeOptions&) {
  return std::vector<DecodedPlan>{{NearestNeighbourPlan(instance)}};
}

// Returns a plan that serves only customers 1 and 2.
inline absl::StatusOr<std::vector<DecodedPlan>> DecodeIncomplete(const Instance&,
                                                                 const DecodeOptions&) {
  return std::vector<DecodedPlan>{{{{0, {1, 2}}}}};
}

// Decodes until the stop condition holds, then returns kDeadlineExceeded.
inline absl::StatusOr<std::vector<DecodedPlan>> DecodeUntilStopped(const Instance&,
                                                                   const DecodeOptions& options) {
  while (!options.stop.ShouldStop()) {
  }
  return absl::DeadlineExceededError("the rollout was not done by the deadline");
}

// Returns options with a budget of 30 s and at most 200 iterations.
inline SolveOptions OptionsFor(std::shared_ptr<Policy> policy, Strategy strategy) {
  SolveOptions options;
  options.policy = std::move(policy);
  options.strategy = strategy;
  options.budget = absl::Seconds(30);
  options.max_iterations = 200;
  return options;
}

}  // namespace vrp::test
