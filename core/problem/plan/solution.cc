#include "core/problem/plan/solution.h"

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/plan/route_balance.h"

namespace vrp {
namespace {

RouteFigures FiguresOf(const Instance& instance, const PlannedRoute& route,
                       const RouteSchedule& schedule) {
  const bool costs_driving = VehicleOf(instance, route).cost_per_travel_time != 0;
  return {.distance = RouteDistance(instance, route),
          .duration = schedule.duration(),
          .late_cost = schedule.late_cost,
          .work = RouteWork(instance, route),
          .driving = costs_driving ? RouteDriving(instance, route, schedule.stops) : 0};
}

// Accepts only customers and, if the vehicle may reload, reloads.
absl::Status CheckVisits(const Instance& instance, const PlannedRoute& route, size_t r) {
  const VehicleType& vehicle = VehicleOf(instance, route);
  for (size_t i = 0; i < route.customers.size(); ++i) {
    const NodeIndex node = route.customers[i];
    if (node >= instance.num_depots() && node < instance.num_nodes()) continue;
    if (vehicle.MayReloadAt(node)) continue;
    return absl::InvalidArgumentError(
        Concat("routes[", r, "].customers[", i, "]: got ", node,
               ", wanted a customer: ", instance.num_depots(), " to ", instance.num_nodes() - 1,
               vehicle.max_reloads > 0 ? ", or a depot where the vehicle may reload" : ""));
  }
  return absl::OkStatus();
}

absl::Status CheckPlanNumbers(const Instance& instance, const Plan& plan) {
  const int64_t types = std::max<int64_t>(1, static_cast<int64_t>(instance.vehicles().size()));
  for (size_t r = 0; r < plan.size(); ++r) {
    if (plan[r].vehicle_type < 0 || plan[r].vehicle_type >= types) {
      return absl::InvalidArgumentError(Concat("routes[", r, "].vehicle_type: got ",
                                               plan[r].vehicle_type, ", wanted 0 to ", types - 1));
    }
    VRP_RETURN_IF_ERROR(CheckVisits(instance, plan[r], r));
  }
  return absl::OkStatus();
}

class RouteMaker {
 public:
  RouteMaker(const Instance& instance, const RouteScheduler& scheduler)
      : instance_(instance),
        scheduler_(scheduler),
        dimensions_(static_cast<size_t>(instance.load_dimensions())),
        shipment_of_(static_cast<size_t>(instance.num_nodes()), nullptr) {
    for (const Shipment& shipment : instance.data().shipments) {
      shipment_of_[static_cast<size_t>(shipment.pickup)] = &shipment;
      shipment_of_[static_cast<size_t>(shipment.delivery)] = &shipment;
    }
  }

  Route Make(const PlannedRoute& planned, RouteFigures& figures) const {
    const VehicleType& vehicle = VehicleOf(instance_, planned);
    Route route{.vehicle_type = planned.vehicle_type};
    route.stops.push_back({.node = vehicle.depot});
    for (const NodeIndex node : planned.customers) route.stops.push_back({.node = node});
    if (!vehicle.open_end) route.stops.push_back({.node = vehicle.end()});
    RouteSchedule schedule = scheduler_.Make(planned);
    for (size_t i = 0; i < route.stops.size(); ++i) {
      route.stops[i].arrival = schedule.stops[i].arrival;
      route.stops[i].start = schedule.stops[i].start;
      route.stops[i].departure = schedule.stops[i].departure;
    }
    figures = FiguresOf(instance_, planned, schedule);
    route.breaks = std::move(schedule.breaks);
    route.distance = MetricSum(instance_.metric(), figures.distance);
    route.duration = figures.duration;
    SetLoads(vehicle.initial_load, route);
    if (!vehicle.compartments.empty()) route.compartments = CompartmentUses(vehicle, route);
    return route;
  }

 private:
  // `initial` is VehicleType::initial_load.
  void SetLoads(const std::vector<double>& initial, Route& route) const {
    route.load.assign(dimensions_, 0);
    for (size_t k = 0; k < dimensions_; ++k) {
      for (const Stop& stop : route.stops) route.load[k] += Delivered(stop.node, k);
      double load = 0;
      double stays = initial.empty() ? 0 : initial[k];  // on board after the next loading
      for (size_t i = 0; i < route.stops.size(); ++i) {
        const NodeIndex node = route.stops[i].node;
        const bool reloads = instance_.is_depot(node) && i + 1 < route.stops.size();
        load = reloads ? stays + TripDemand(route, i + 1, k) : load + LoadChange(node, k);
        if (i == 0) stays = 0;
        stays += Shipped(node, k);
        route.stops[i].load.push_back(load);
      }
    }
  }

  // Requires the loads of the stops.
  std::vector<CompartmentUse> CompartmentUses(const VehicleType& vehicle,
                                              const Route& route) const {
    std::vector<CompartmentUse> uses;
    int32_t trip = 0;
    for (size_t begin = 0; begin < route.stops.size(); ++trip) {
      std::vector<double> largest = route.stops[begin].load;
      size_t end = begin + 1;
      for (; end < route.stops.size() && !instance_.is_depot(route.stops[end].node); ++end) {
        for (size_t k = 0; k < dimensions_; ++k) {
          largest[k] = std::max(largest[k], route.stops[end].load[k]);
        }
      }
      if (end - begin > 1 || begin == 0) {  // an initial load needs no customer
        for (CompartmentUse& use : AssignCompartments(vehicle.compartments, largest)) {
          use.trip = trip;
          uses.push_back(use);
        }
      }
      begin = end;
    }
    return uses;
  }

  double Delivered(NodeIndex node, size_t k) const {
    return instance_.demand(node, static_cast<int32_t>(k));
  }

  double TripDemand(const Route& route, size_t i, size_t k) const {
    double sum = 0;
    for (; i < route.stops.size() && !instance_.is_depot(route.stops[i].node); ++i) {
      sum += Delivered(route.stops[i].node, k);
    }
    return sum;
  }

  // Returns the change of the load by a visit.
  double LoadChange(NodeIndex node, size_t k) const {
    const auto dimension = static_cast<int32_t>(k);
    return instance_.pickup(node, dimension) + instance_.backhaul(node, dimension) -
           instance_.demand(node, dimension) + Shipped(node, k);
  }

  // Returns the change of the load by a shipment, which stays on board during a reload.
  double Shipped(NodeIndex node, size_t k) const {
    const Shipment* const shipment = shipment_of_[static_cast<size_t>(node)];
    if (shipment == nullptr) return 0;
    return shipment->pickup == node ? shipment->amounts[k] : -shipment->amounts[k];
  }

  const Instance& instance_;
  const RouteScheduler& scheduler_;
  const size_t dimensions_;
  std::vector<const Shipment*> shipment_of_;
};

}  // namespace

absl::StatusOr<Solution> MakeSolution(const Instance& instance, const Plan& plan) {
  VRP_RETURN_IF_ERROR(CheckPlanNumbers(instance, plan));
  const RouteScheduler scheduler(instance);
  const RouteMaker maker(instance, scheduler);
  Solution solution;
  std::vector<RouteFigures> figures;
  for (const PlannedRoute& planned : plan) {
    if (planned.customers.empty()) continue;
    solution.routes.push_back(maker.Make(planned, figures.emplace_back()));
    solution.distance += figures.back().distance;
    solution.duration += figures.back().duration;
  }
  solution.distance = MetricSum(instance.metric(), solution.distance);
  const UnservedCustomers unserved = FindUnserved(instance, plan);
  for (const NodeIndex node : unserved.customers) solution.unserved.push_back({.customer = node});
  solution.split = SplitCost(instance, plan, figures, unserved.prizes);
  solution.cost = solution.split.total();
  if (instance.data().balance.has_value()) {
    solution.spread = MeasureSpread(instance, plan, figures).Spread();
  }
  return solution;
}

Plan PlanOf(const Instance& instance, const Solution& solution) {
  Plan plan;
  for (const Route& route : solution.routes) {
    PlannedRoute& planned = plan.emplace_back();
    planned.vehicle_type = route.vehicle_type;
    if (route.stops.size() < 2) continue;
    const bool returns = instance.is_depot(route.stops.back().node);
    for (size_t i = 1; i + (returns ? 1 : 0) < route.stops.size(); ++i) {
      planned.customers.push_back(route.stops[i].node);
    }
  }
  return plan;
}

std::vector<Cost> RouteCosts(const Instance& instance, const Solution& solution) {
  const RouteScheduler scheduler(instance);
  std::vector<Cost> costs;
  for (const PlannedRoute& planned : PlanOf(instance, solution)) {
    const RouteSchedule schedule = scheduler.Make(planned);
    const RouteFigures figures = FiguresOf(instance, planned, schedule);
    const CostSplit split = SplitCost(instance, {planned}, {figures}, 0);
    costs.push_back(split.total() - split.balance);
  }
  return costs;
}

}  // namespace vrp
