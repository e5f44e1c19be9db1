#include "core/search/methods/population/individual.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/search/model/vehicle_labels.h"

namespace vrp {
namespace {

// The angle at which a route's centre lies from the depot.
double Angle(const Instance& instance, std::span<const NodeIndex> nodes) {
  double x = 0;
  double y = 0;
  for (const NodeIndex node : nodes) {
    x += instance.position(node).x - instance.position(0).x;
    y += instance.position(node).y - instance.position(0).y;
  }
  return std::atan2(y, x);
}

Individual Empty(const Problem& problem) {
  Individual individual;
  const int32_t size = problem.size();
  individual.customers.reserve(size);
  individual.previous.resize(size);
  std::iota(individual.previous.begin(), individual.previous.end(), 0);
  individual.next = individual.previous;
  return individual;
}

// `nodes` has the vehicle's start and end.
void AddRoute(const Problem& problem, int32_t type, std::span<const NodeIndex> nodes,
              Individual& individual) {
  for (size_t i = 1; i + 1 < nodes.size(); ++i) {
    const NodeIndex node = nodes[i];
    individual.customers.push_back(node);
    if (problem.is_depot(node)) continue;  // of a reload
    individual.previous[node] = nodes[i - 1];
    individual.next[node] = nodes[i + 1] < problem.size() ? nodes[i + 1] : 0;
  }
  individual.ends.push_back(static_cast<int32_t>(individual.customers.size()));
  individual.types.push_back(type);
}

}  // namespace

Individual MakeIndividual(const PenalisedRoutes& routes) {
  const Instance& instance = routes.problem().instance();
  std::vector<std::pair<double, int32_t>> order;
  for (int32_t slot = 0; slot < routes.slots(); ++slot) {
    if (routes.route(slot).empty()) continue;
    order.emplace_back(instance.has_positions() ? Angle(instance, routes.CustomersOf(slot)) : 0,
                       slot);
  }
  std::sort(order.begin(), order.end());
  Individual individual = Empty(routes.problem());
  for (const auto& [angle, slot] : order) {
    AddRoute(routes.problem(), routes.route(slot).type, routes.route(slot).nodes, individual);
  }
  individual.cost = routes.Cost();
  individual.excess = routes.Excess();
  individual.feasible = routes.Feasible();
  return individual;
}

Individual MakeIndividual(const RouteStore& routes) {
  const Problem& problem = routes.problem();
  Individual individual = Empty(problem);
  for (int32_t slot = 0; slot < routes.slots(); ++slot) {
    const SearchRoute& route = routes.route(slot);
    if (route.nodes.size() > 2) AddRoute(problem, route.type, route.nodes, individual);
  }
  individual.cost = routes.cost() + problem.route_weight() * routes.used();
  individual.excess.load = routes.missing_weight();
  individual.feasible = routes.missing_weight() == 0;
  return individual;
}

Plan ToPlan(const Problem& problem, const Individual& individual) {
  VehicleLabels labels(problem);
  Plan plan;
  for (int32_t index = 0; index < individual.num_routes(); ++index) {
    const auto route = individual.Route(index);
    plan.push_back({.vehicle_type = labels.Next(index, individual.types[index]),
                    .customers = {route.begin(), route.end()}});
  }
  return plan;
}

double BrokenPairs(const Individual& a, const Individual& b, NodeIndex depots) {
  const size_t size = a.next.size();
  const NodeIndex* next_a = a.next.data();
  const NodeIndex* next_b = b.next.data();
  const NodeIndex* previous_a = a.previous.data();
  const NodeIndex* previous_b = b.previous.data();
  int32_t broken = 0;
  for (size_t i = depots; i < size; ++i) {
    broken += (next_a[i] != next_b[i]) & (next_a[i] != previous_b[i]);
    broken += (previous_a[i] < depots) & (previous_b[i] >= depots) & (next_b[i] >= depots);
  }
  return static_cast<double>(broken) / static_cast<double>(size);
}

}  // namespace vrp
