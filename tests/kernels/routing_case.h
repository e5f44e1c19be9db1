// Random instances of every variant that rollouts support, in the kernels' and the checker's forms.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/kernels/routing/routing_problem.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// Attributes of an instance. All combinations are valid, but a TSP has only a matrix and a metric.
struct CaseOptions {
  int32_t nodes = 12;
  bool tsp = false;
  bool windows = false;
  bool open_routes = false;
  bool distance_limit = false;
  bool duration_limit = false;
  bool backhauls = false;
  bool matrix = false;  // whether asymmetric matrices replace positions
  Metric metric = Metric::kExact;
  uint64_t seed = 1;
};

// Returns a test name such as "cvrp_open_backhauls_exact".
std::string CaseName(const CaseOptions& options);
// Returns a TSP and each combination of the other attributes, with positions and with matrices.
// Also returns two cases for each rounding metric.
std::vector<CaseOptions> AllCases(int32_t nodes);

// A random instance in which an empty vehicle can serve any single customer.
class RoutingCase {
 public:
  explicit RoutingCase(const CaseOptions& options);
  RoutingCase(const RoutingCase&) = delete;
  RoutingCase& operator=(const RoutingCase&) = delete;

  const RoutingProblem& problem() const { return problem_; }
  RoutingProblem& problem() { return problem_; }
  const Instance& instance() const { return *instance_; }
  // Converts choices to a plan. Rotates a TSP's tour to begin at node 0.
  Plan PlanOf(const std::vector<int32_t>& choices) const;

 private:
  InstanceData data_;
  std::vector<double> x_, y_, opens_, closes_;
  RoutingProblem problem_;
  std::unique_ptr<Instance> instance_;
};

}  // namespace vrp
