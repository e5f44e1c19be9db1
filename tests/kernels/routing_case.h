// Random instances of every variant that a rollout knows, as the kernels and as the checker see
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/kernels/routing/routing_problem.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// What an instance has; all combinations are possible, but for those with a TSP.
struct CaseOptions {
  int32_t nodes = 12;
  bool tsp = false;
  bool windows = false;
  bool open_routes = false;
  bool distance_limit = false;
  bool duration_limit = false;
  bool backhauls = false;
  bool matrix = false;  // asymmetric distances and durations instead of positions
  Metric metric = Metric::kExact;
  uint64_t seed = 1;
};

// "backhauls_open" and so on, for a test's name.
std::string CaseName(const CaseOptions& options);
// Each variant, and each mixture of these attributes.
std::vector<CaseOptions> AllCases(int32_t nodes);

// Every customer can be served by a fresh vehicle.
class RoutingCase {
 public:
  explicit RoutingCase(const CaseOptions& options);
  RoutingCase(const RoutingCase&) = delete;
  RoutingCase& operator=(const RoutingCase&) = delete;

  const RoutingProblem& problem() const { return problem_; }
  RoutingProblem& problem() { return problem_; }
  const Instance& instance() const { return *instance_; }
  // Choices as a plan; a TSP's in the order of its tour from node 0 on.
  Plan PlanOf(const std::vector<int32_t>& choices) const;

 private:
  InstanceData data_;
  std::vector<double> x_, y_, opens_, closes_;
  RoutingProblem problem_;
  std::unique_ptr<Instance> instance_;
};

}  // namespace vrp
