// Conversion between plans and the choices of trajectories, declared in network_batch.h.
#include <algorithm>
#include <utility>

#include "core/model/policy/network_batch.h"

namespace vrp {
namespace {

// Whether reversing a route changes neither its cost nor its feasibility.
bool IsReversible(const RoutingProblem& problem) {
  return problem.window_opens == nullptr && problem.distances == nullptr &&
         problem.durations == nullptr && problem.backhauls == nullptr && !problem.open_routes;
}

}  // namespace

Plan ChoicesToPlan(const NetworkBatch& batch, int32_t b, std::span<const int32_t> choices) {
  const NodeIndex* const order = batch.orders.data() + batch.first_rows[b];
  Plan plan;
  if (batch.problems[b].tsp) {
    // The plan of a TSP is one route: the tour's customers after node 0.
    plan.push_back({});
    const auto start = std::find_if(choices.begin(), choices.end(),
                                    [&](int32_t node) { return order[node] == 0; });
    const auto offset = static_cast<size_t>(start - choices.begin());
    for (size_t i = 1; i < choices.size(); ++i) {
      plan.back().customers.push_back(order[choices[(offset + i) % choices.size()]]);
    }
    return plan;
  }
  bool at_depot = true;
  for (const int32_t node : choices) {
    if (node != 0) {
      if (at_depot) plan.push_back({});
      plan.back().customers.push_back(order[node]);
    }
    at_depot = node == 0;
  }
  return plan;
}

std::vector<int32_t> PlanChoices(const NetworkBatch& batch, int32_t b, const Plan& plan) {
  const RoutingProblem& problem = batch.problems[b];
  std::vector<int32_t> choice_of(static_cast<size_t>(problem.nodes));
  for (int32_t k = 0; k < problem.nodes; ++k) choice_of[batch.orders[batch.first_rows[b] + k]] = k;
  std::vector<std::vector<int32_t>> routes;
  for (const PlannedRoute& planned : plan) {
    if (planned.customers.empty()) continue;
    std::vector<int32_t> route;
    for (const NodeIndex node : planned.customers) route.push_back(choice_of[node]);
    if (IsReversible(problem) && route.front() > route.back()) {
      std::reverse(route.begin(), route.end());
    }
    routes.push_back(std::move(route));
  }
  std::sort(routes.begin(), routes.end());
  std::vector<int32_t> choices;
  if (problem.tsp) choices.push_back(choice_of[0]);
  for (const std::vector<int32_t>& route : routes) {
    if (!choices.empty() && !problem.tsp) choices.push_back(0);
    choices.insert(choices.end(), route.begin(), route.end());
  }
  return choices;
}

}  // namespace vrp
