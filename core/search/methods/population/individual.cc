#include "core/search/methods/population/individual.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

}  // namespace

Individual MakeIndividual(const PlainPenalisedRoutes& routes) {
  const Instance& instance = routes.problem().instance();
  std::vector<std::pair<double, int32_t>> order;
  for (int32_t index = 0; index < routes.num_routes(); ++index) {
    const std::vector<NodeIndex>& nodes = routes.route(index).nodes;
    if (nodes.size() == 2) continue;
    order.emplace_back(instance.has_positions() ? Angle(instance, nodes) : 0, index);
  }
  std::sort(order.begin(), order.end());
  Individual individual;
  const int32_t size = routes.problem().size();
  individual.customers.reserve(size);
  individual.previous.assign(size, 0);
  individual.next.assign(size, 0);
  for (const auto& [angle, index] : order) {
    const std::vector<NodeIndex>& nodes = routes.route(index).nodes;
    for (size_t i = 1; i + 1 < nodes.size(); ++i) {
      individual.customers.push_back(nodes[i]);
      individual.previous[nodes[i]] = nodes[i - 1];
      individual.next[nodes[i]] = nodes[i + 1];
    }
    individual.ends.push_back(static_cast<int32_t>(individual.customers.size()));
  }
  individual.distance = routes.distance();
  individual.excess = routes.Excess();
  individual.warp = routes.Warp();
  individual.feasible = routes.Feasible();
  return individual;
}

Plan ToPlan(const Individual& individual) {
  Plan plan;
  for (int32_t index = 0; index < individual.num_routes(); ++index) {
    const auto route = individual.Route(index);
    plan.push_back({.vehicle_type = 0, .customers = {route.begin(), route.end()}});
  }
  return plan;
}

double BrokenPairs(const Individual& a, const Individual& b) {
  const size_t size = a.next.size();
  const NodeIndex* next_a = a.next.data();
  const NodeIndex* next_b = b.next.data();
  const NodeIndex* previous_a = a.previous.data();
  const NodeIndex* previous_b = b.previous.data();
  int32_t broken = 0;
  for (size_t i = 1; i < size; ++i) {
    broken += (next_a[i] != next_b[i]) & (next_a[i] != previous_b[i]);
    broken += (previous_a[i] == 0) & (previous_b[i] != 0) & (next_b[i] != 0);
  }
  return static_cast<double>(broken) / static_cast<double>(size);
}

}  // namespace vrp
