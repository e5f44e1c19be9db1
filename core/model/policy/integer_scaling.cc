#include "core/model/policy/integer_scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vrp {
namespace {

constexpr double kLargest = std::numeric_limits<int32_t>::max();
// The maximum number of additional routes is kSpareRoutes, or the plan's routes /
// kSpareRoutesDivisor if that is more.
constexpr size_t kSpareRoutes = 4;
constexpr size_t kSpareRoutesDivisor = 4;

void FillDistances(const Instance& instance, ImprovedPlan& to) {
  const auto nodes = static_cast<size_t>(to.nodes);
  std::vector<double> distances(nodes * nodes);
  double farthest = 0;
  for (NodeIndex from = 1; from < to.nodes; ++from) {
    for (NodeIndex other = 0; other < from; ++other) {
      const double distance = instance.Distance(from, other);
      distances[static_cast<size_t>(from) * nodes + static_cast<size_t>(other)] = distance;
      distances[static_cast<size_t>(other) * nodes + static_cast<size_t>(from)] = distance;
      farthest = std::max(farthest, distance);
    }
  }
  double factor = farthest > 0 ? kLargest / (4.0 * to.nodes * farthest) : 1;
  if (const double unit = MetricUnit(instance.metric()); unit > 0) {
    factor = std::min(factor, 1 / unit);
  }
  to.distances.resize(distances.size());
  std::transform(
      distances.begin(), distances.end(), to.distances.begin(),
      [factor](double distance) { return static_cast<int32_t>(std::lround(distance * factor)); });
}

void FillLoads(const Instance& instance, ImprovedPlan& to) {
  to.demands.assign(static_cast<size_t>(to.nodes), 0);
  const double capacity = instance.capacity();
  double sum = 0;
  bool are_integers = true;
  for (NodeIndex node = 1; node < to.nodes; ++node) {
    const double demand = instance.demand(node);
    sum += demand;
    are_integers = are_integers && demand == std::floor(demand);
  }
  to.capacity = std::numeric_limits<int32_t>::max();
  if (sum <= capacity) return;  // capacity does not bind
  const double factor = are_integers && sum <= kLargest / 2 ? 1 : kLargest / 2 / (sum + capacity);
  to.capacity = static_cast<int32_t>(std::floor(capacity * factor));
  for (NodeIndex node = 1; node < to.nodes; ++node) {
    to.demands[static_cast<size_t>(node)] =
        static_cast<int32_t>(std::ceil(instance.demand(node) * factor));
  }
}

int32_t MaxRoutes(const Instance& instance, const ImprovedPlan& plan) {
  if (instance.kind() == ProblemKind::kTsp) return 1;
  const size_t used = plan.plan.size();
  auto max_routes = static_cast<int32_t>(
      std::min<size_t>(used + std::max(kSpareRoutes, used / kSpareRoutesDivisor),
                       std::max(used, static_cast<size_t>(plan.nodes - 1))));
  const int32_t vehicles = instance.vehicles().empty() ? 0 : instance.vehicles().front().count;
  if (vehicles > 0) max_routes = std::min(max_routes, vehicles);
  return max_routes;
}

}  // namespace

ImprovedPlan ScaleToIntegers(const Instance& instance, const Plan& plan) {
  ImprovedPlan scaled;
  scaled.nodes = instance.num_nodes();
  for (const PlannedRoute& route : plan) {
    if (route.customers.empty()) continue;
    scaled.plan.emplace_back(route.customers.begin(), route.customers.end());
  }
  scaled.routes = MaxRoutes(instance, scaled);
  FillDistances(instance, scaled);
  FillLoads(instance, scaled);
  return scaled;
}

}  // namespace vrp
