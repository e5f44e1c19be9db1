#include "core/problem/solution.h"

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// What drives the only route of a TSP has no limit and starts at node 0.
VehicleType VehicleOf(const Instance& instance, const PlannedRoute& route) {
  return instance.vehicles().empty() ? VehicleType{} : instance.vehicles()[route.vehicle_type];
}

// Unrounded sum over one route; 0 for an empty one.
double RouteDistance(const Instance& instance, const PlannedRoute& route) {
  if (route.customers.empty()) return 0;
  const VehicleType vehicle = VehicleOf(instance, route);
  double sum = instance.Distance(vehicle.depot, route.customers.front());
  for (size_t i = 1; i < route.customers.size(); ++i) {
    sum += instance.Distance(route.customers[i - 1], route.customers[i]);
  }
  return vehicle.open_end ? sum : sum + instance.Distance(route.customers.back(), vehicle.depot);
}

absl::Status CheckNumbers(const Instance& instance, const Plan& plan) {
  const int64_t types = std::max<int64_t>(1, static_cast<int64_t>(instance.vehicles().size()));
  for (size_t r = 0; r < plan.size(); ++r) {
    if (plan[r].vehicle_type < 0 || plan[r].vehicle_type >= types) {
      return absl::InvalidArgumentError(Concat("routes[", r, "].vehicle_type: got ",
                                               plan[r].vehicle_type, ", wanted 0 to ", types - 1));
    }
    for (size_t i = 0; i < plan[r].customers.size(); ++i) {
      const NodeIndex node = plan[r].customers[i];
      if (node >= instance.num_depots() && node < instance.num_nodes()) continue;
      return absl::InvalidArgumentError(Concat("routes[", r, "].customers[", i, "]: got ", node,
                                               ", wanted a customer: ", instance.num_depots(),
                                               " to ", instance.num_nodes() - 1));
    }
  }
  return absl::OkStatus();
}

// Sets the times of `stops` for a vehicle that leaves its depot at `start`.
void SetTimes(const Instance& instance, double start, std::vector<Stop>& stops) {
  stops.front().arrival = stops.front().start = stops.front().departure = start;
  for (size_t i = 1; i < stops.size(); ++i) {
    const NodeIndex node = stops[i].node;
    stops[i].arrival = stops[i - 1].departure + instance.Duration(stops[i - 1].node, node);
    stops[i].start = std::max(stops[i].arrival, instance.window(node).open);
    stops[i].departure = stops[i].start + instance.service(node);
  }
}

// By how much a timed route can start later without ending later: it eats the waiting, as far as
// the windows allow.
double StartSlack(const Instance& instance, const std::vector<Stop>& stops) {
  double waiting = 0;
  double slack = kNoLimit;
  for (const Stop& stop : stops) {
    waiting += stop.start - stop.arrival;
    slack = std::min(slack, instance.window(stop.node).close - stop.start + waiting);
  }
  return std::clamp(slack, 0.0, waiting);
}

double StartTime(const Instance& instance, const PlannedRoute& planned, std::vector<Stop>& stops) {
  const double open = instance.window(stops.front().node).open;
  if (!instance.has_windows()) return open;
  if (VehicleOf(instance, planned).max_duration != kNoLimit) {
    SetTimes(instance, open, stops);
    return open + StartSlack(instance, stops);
  }
  const NodeIndex first = stops[1].node;
  return std::max(open, instance.window(first).open - instance.Duration(stops[0].node, first));
}

Route MakeRoute(const Instance& instance, const PlannedRoute& planned) {
  const VehicleType vehicle = VehicleOf(instance, planned);
  Route route{.vehicle_type = planned.vehicle_type};
  route.stops.push_back({.node = vehicle.depot});
  for (const NodeIndex node : planned.customers) {
    route.stops.push_back({.node = node});
    route.load += instance.demand(node);
  }
  if (!vehicle.open_end) route.stops.push_back({.node = vehicle.depot});

  SetTimes(instance, StartTime(instance, planned, route.stops), route.stops);
  double load = route.load;
  for (Stop& stop : route.stops) {
    load += instance.backhaul(stop.node) - instance.demand(stop.node);
    stop.load = load;
  }
  route.distance = MetricSum(instance.metric(), RouteDistance(instance, planned));
  route.duration = route.stops.back().departure - route.stops.front().departure;
  return route;
}

}  // namespace

Cost PlanCost(const Instance& instance, const Plan& plan) {
  double sum = 0;
  for (const PlannedRoute& route : plan) sum += RouteDistance(instance, route);
  return MetricSum(instance.metric(), sum);
}

absl::StatusOr<Solution> MakeSolution(const Instance& instance, const Plan& plan) {
  VRP_RETURN_IF_ERROR(CheckNumbers(instance, plan));
  Solution solution;
  std::vector<bool> visited(static_cast<size_t>(instance.num_nodes()), false);
  for (const PlannedRoute& planned : plan) {
    if (planned.customers.empty()) continue;
    for (const NodeIndex node : planned.customers) visited[static_cast<size_t>(node)] = true;
    solution.routes.push_back(MakeRoute(instance, planned));
    solution.duration += solution.routes.back().duration;
  }
  solution.cost = PlanCost(instance, plan);
  const NodeIndex first = instance.kind() == ProblemKind::kTsp ? 1 : instance.num_depots();
  for (NodeIndex node = first; node < instance.num_nodes(); ++node) {
    if (!visited[static_cast<size_t>(node)]) solution.unserved.push_back({.customer = node});
  }
  return solution;
}

}  // namespace vrp
