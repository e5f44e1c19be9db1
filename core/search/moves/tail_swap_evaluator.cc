#include "core/search/moves/tail_swap_evaluator.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

bool HasTail(const SearchRoute& route, const RouteCut& cut) { return cut.kept + 1 < route.size(); }

}  // namespace

TailSwapEvaluator::Vehicles TailSwapEvaluator::VehiclesOf(const TailSwap& swap) const {
  Vehicles vehicles = {RouteOf(swap.own).type, RouteOf(swap.other).type};
  if (swap.swaps_vehicles) std::swap(vehicles.of_own_head, vehicles.of_other_head);
  return vehicles;
}

bool TailSwapEvaluator::MayCut(const RouteCut& cut) const {
  return cut.kept > RouteOf(cut).fixed && !SplitsShipment(cut) && !HasBound(cut) &&
         !SplitsGroup(cut);
}

bool TailSwapEvaluator::SplitsShipment(const RouteCut& cut) const {
  if (!problem_.has_shipments()) return false;
  const SearchRoute& route = RouteOf(cut);
  return std::any_of(route.nodes.begin() + 1, route.nodes.begin() + cut.kept, [&](NodeIndex node) {
    const NodeIndex delivery = problem_.DeliveryInUnit(node);
    return delivery >= 0 && routes_.PositionOf(delivery) >= cut.kept;
  });
}

bool TailSwapEvaluator::HasBound(const RouteCut& cut) const {
  if (problem_.frozen().empty()) return false;
  const SearchRoute& route = RouteOf(cut);
  return std::any_of(route.nodes.begin() + cut.kept, route.nodes.end() - 1, [&](NodeIndex node) {
    return !problem_.is_depot(node) && problem_.unit(problem_.UnitOf(node)).slot >= 0;
  });
}

bool TailSwapEvaluator::SplitsGroup(const RouteCut& cut) const {
  if (cut.slot < 0 || !problem_.rules().has_groups()) return false;
  const SearchRoute& route = RouteOf(cut);
  return std::any_of(route.nodes.begin() + cut.kept, route.nodes.end() - 1, [&](NodeIndex node) {
    return std::ranges::any_of(problem_.rules().GroupOf(node), [&](NodeIndex other) {
      return routes_.RouteOf(other) == cut.slot && routes_.PositionOf(other) < cut.kept;
    });
  });
}

bool TailSwapEvaluator::TakeUnused(int32_t type) {
  if (!routes_.CanOpenRoute() || !routes_.HasVehicle(type)) return false;
  const Vehicle& vehicle = problem_.vehicle(type);
  unused_.type = type;
  unused_.nodes = {vehicle.start, vehicle.end};
  MeasureEdges(problem_, unused_);
  if (!MeasureRoute(problem_, routes_.evaluator(), unused_)) return false;
  unused_.cost = 0;
  return true;
}

bool TailSwapEvaluator::LeavesNobody(const TailSwap& swap) const {
  if (HasTail(RouteOf(swap.own), swap.own)) return false;
  const std::vector<NodeIndex>& nodes = RouteOf(swap.other).nodes;
  return swap.other.kept == 1 || (swap.other.kept == 2 && problem_.is_depot(nodes[1]));
}

int32_t TailSwapEvaluator::RoutesAdded(const TailSwap& swap) const {
  return int32_t{swap.other.slot < 0} - int32_t{LeavesNobody(swap)};
}

bool TailSwapEvaluator::MaySwapVehicles(const TailSwap& swap) const {
  const SearchRoute& own = RouteOf(swap.own);
  const SearchRoute& other = RouteOf(swap.other);
  return own.type != other.type && own.fixed == 0 && other.fixed == 0;
}

// Whether the new routes lack a reload or have it at another depot.
bool TailSwapEvaluator::ChangesReloads(const TailSwap& swap, const Vehicle& first,
                                       const Vehicle& second) const {
  if (!problem_.has_reloads()) return false;
  const auto at_reload = [&](const RouteCut& cut) {
    const auto& nodes = RouteOf(cut).nodes;
    return (cut.kept > 1 && problem_.is_depot(nodes[cut.kept - 1])) ||
           (HasTail(RouteOf(cut), cut) && problem_.is_depot(nodes[cut.kept]));
  };
  return first.reload_depots != second.reload_depots ||
         first.may_unload_first != second.may_unload_first || at_reload(swap.own) ||
         at_reload(swap.other);
}

double TailSwapEvaluator::LeastAdded(const TailSwap& swap) const {
  const SearchRoute& own = RouteOf(swap.own);
  const SearchRoute& other = RouteOf(swap.other);
  const Vehicles vehicles = VehiclesOf(swap);
  const Vehicle& first = problem_.vehicle(vehicles.of_own_head);
  const Vehicle& second = problem_.vehicle(vehicles.of_other_head);
  const double before = own.cost + other.cost;
  if (!TravelAlike(first, second) || ChangesReloads(swap, first, second)) return -before;
  // Where a distance costs the same to both, it is all the same whose part of it is a head.
  const bool alike = first.per_distance == second.per_distance;
  const double own_head = alike ? 0 : HeadDistance(swap.own);
  const double other_head = alike ? 0 : HeadDistance(swap.other);
  const Leg own_cut = LegOf(own, swap.own.kept - 1);
  const Leg other_cut = LegOf(other, swap.other.kept - 1);
  const Leg to_other = Joint(first, swap.own, swap.other);
  double cost = first.fixed + first.per_distance * (own_head + other.distance - other_head -
                                                    other_cut.distance + to_other.distance);
  Leg to_own;
  if (!LeavesNobody(swap)) {
    to_own = Joint(second, swap.other, swap.own);
    cost += second.fixed + second.per_distance * (other_head + own.distance - own_head -
                                                  own_cut.distance + to_own.distance);
  }
  const double per_time = std::min(first.per_time, second.per_time);
  if (per_time > 0) {
    cost += per_time * (own.travel + other.travel - own_cut.time - other_cut.time + to_other.time +
                        to_own.time);
  }
  const double per_travel_time = std::min(first.per_travel_time, second.per_travel_time);
  if (per_travel_time > 0) {
    cost += per_travel_time * (own.driving + other.driving - own_cut.time - other_cut.time +
                               to_other.time + to_own.time);
  }
  const double per_service_time = std::min(first.per_service_time, second.per_service_time);
  if (per_service_time > 0) cost += per_service_time * (ServiceOf(own) + ServiceOf(other));
  return cost - before;
}

double TailSwapEvaluator::ServiceOf(const SearchRoute& route) const {
  double service = 0;
  for (int32_t i = 1; i + 1 < route.size(); ++i) service += problem_.service(route.nodes[i]);
  return service;
}

double TailSwapEvaluator::HeadDistance(const RouteCut& cut) const {
  const SearchRoute& route = RouteOf(cut);
  double distance = 0;
  for (int32_t i = 0; i + 1 < cut.kept; ++i) distance += route.edge[i];
  return distance;
}

TailSwapEvaluator::Leg TailSwapEvaluator::LegOf(const Vehicle& vehicle, NodeIndex from,
                                                NodeIndex to, double distance) const {
  if (vehicle.per_time == 0 && vehicle.per_travel_time == 0) return {distance, 0};
  return {distance, problem_.Duration(vehicle, from, to, distance)};
}

TailSwapEvaluator::Leg TailSwapEvaluator::LegOf(const SearchRoute& route, int32_t position) const {
  return LegOf(problem_.vehicle(route.type), route.nodes[position], route.nodes[position + 1],
               route.edge[position]);
}

// The way between both, and what driving from and to the vehicle's own depots adds to theirs.
TailSwapEvaluator::Leg TailSwapEvaluator::Joint(const Vehicle& vehicle, const RouteCut& head,
                                                const RouteCut& tail) const {
  const SearchRoute& from = RouteOf(head);
  const SearchRoute& to = RouteOf(tail);
  const bool has_tail = HasTail(to, tail);
  const auto leg_between = [&](NodeIndex a, NodeIndex b) {
    return LegOf(vehicle, a, b, problem_.Distance(vehicle, a, b));
  };
  Leg joint = leg_between(head.kept > 1 ? from.nodes[head.kept - 1] : vehicle.start,
                          has_tail ? to.nodes[tail.kept] : vehicle.end);
  const auto replace = [&](const Leg& leg, NodeIndex a, NodeIndex b) {
    const Leg own = leg_between(a, b);
    joint.distance += own.distance - leg.distance;
    joint.time += own.time - leg.time;
  };
  if (head.kept > 1 && from.nodes.front() != vehicle.start) {
    replace(LegOf(from, 0), vehicle.start, from.nodes[1]);
  }
  const int32_t last = to.size() - 2;
  if (has_tail && to.nodes.back() != vehicle.end) {
    replace(LegOf(to, last), to.nodes[last], vehicle.end);
  }
  return joint;
}

// By the times of the routes as they are: those of another depot, or of a trip that is released at
// another time, are estimates.
bool TailSwapEvaluator::InTime(const RouteCut& head, const RouteCut& tail) const {
  const SearchRoute& from = RouteOf(head);
  const SearchRoute& to = RouteOf(tail);
  const Vehicle& vehicle = problem_.vehicle(from.type);
  if (!problem_.timed() || !TravelAlike(vehicle, problem_.vehicle(to.type))) return true;
  return ReachesInTime(problem_, vehicle, to, from.nodes[head.kept - 1],
                       from.times[head.kept - 1].departure, tail.kept);
}

bool TailSwapEvaluator::LoadsFit(const TailSwap& swap) const {
  if (!problem_.plain_loads()) return true;
  const Vehicles vehicles = VehiclesOf(swap);
  const Vehicle& first = problem_.vehicle(vehicles.of_own_head);
  const Vehicle& second = problem_.vehicle(vehicles.of_other_head);
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    const double moved = HeadLoad(swap.own, k) - HeadLoad(swap.other, k);
    if (RouteOf(swap.other).load[k] + moved > first.capacity[k] ||
        RouteOf(swap.own).load[k] - moved > second.capacity[k]) {
      return false;
    }
  }
  return true;
}

double TailSwapEvaluator::HeadLoad(const RouteCut& cut, int32_t k) const {
  const SearchRoute& route = RouteOf(cut);
  double load = 0;
  for (int32_t i = 1; i < cut.kept; ++i) load += problem_.delivered(route.nodes[i])[k];
  return load;
}

double TailSwapEvaluator::Added(const TailSwap& swap, double limit) {
  const Vehicles vehicles = VehiclesOf(swap);
  const double before = RouteOf(swap.own).cost + RouteOf(swap.other).cost;
  Join(vehicles.of_own_head, swap.own, swap.other, first_);
  const double first = CostOf(vehicles.of_own_head, first_);
  if (first - before >= limit) return Problem::kNever;
  Join(vehicles.of_other_head, swap.other, swap.own, second_);
  const double added = first + CostOf(vehicles.of_other_head, second_) - before;
  return added < limit ? added : Problem::kNever;
}

double TailSwapEvaluator::AddedByBalance(const TailSwap& swap) {
  const BalanceTerm& balance = routes_.balance();
  const Vehicles vehicles = VehiclesOf(swap);
  Join(vehicles.of_own_head, swap.own, swap.other, first_);
  Join(vehicles.of_other_head, swap.other, swap.own, second_);
  BalanceSums sums = balance.Measure(routes_.routes(), swap.own.slot, swap.other.slot);
  const auto add = [&](int32_t type, const std::vector<NodeIndex>& nodes) {
    if (nodes.empty()) return;
    const RouteValue value = routes_.evaluator().Evaluate(problem_.vehicle(type), nodes);
    balance.Add(balance.MeasureOf(nodes, value), sums);
  };
  add(vehicles.of_own_head, first_);
  add(vehicles.of_other_head, second_);
  balance.AddUnused(sums);
  return balance.CostOf(sums) - routes_.balance_cost();
}

// Empty where nobody is left.
void TailSwapEvaluator::Join(int32_t type, const RouteCut& head, const RouteCut& tail,
                             std::vector<NodeIndex>& nodes) {
  const Vehicle& vehicle = problem_.vehicle(type);
  const std::vector<NodeIndex>& from = RouteOf(head).nodes;
  const std::vector<NodeIndex>& to = RouteOf(tail).nodes;
  nodes.assign(from.begin(), from.begin() + head.kept);
  nodes.insert(nodes.end(), to.begin() + tail.kept, to.end());
  for (NodeIndex& node : nodes) {
    if (problem_.is_depot(node)) node = ReloadInsteadOf(vehicle, node);
  }
  nodes.front() = vehicle.start;
  nodes.back() = vehicle.end;
  if (problem_.has_reloads()) DropEmptyTrips(problem_, vehicle, nodes);
  if (nodes.size() <= 2) nodes.clear();
}

double TailSwapEvaluator::CostOf(int32_t type, const std::vector<NodeIndex>& nodes) {
  if (nodes.empty()) return 0;
  const RouteValue value = routes_.evaluator().Evaluate(problem_.vehicle(type), nodes);
  return value.feasible ? value.cost : Problem::kNever;
}

bool TailSwapEvaluator::Apply(const TailSwap& swap) {
  const Vehicles vehicles = VehiclesOf(swap);
  Join(vehicles.of_own_head, swap.own, swap.other, first_);
  Join(vehicles.of_other_head, swap.other, swap.own, second_);
  routes_.Begin();
  const int32_t other = swap.other.slot < 0 ? routes_.EmptySlot() : swap.other.slot;
  routes_.SetRoute(other, vehicles.of_other_head, {});
  const bool done = routes_.SetRoute(swap.own.slot, vehicles.of_own_head, first_) &&
                    routes_.SetRoute(other, vehicles.of_other_head, second_);
  done ? routes_.Commit() : routes_.Rollback();
  return done;
}

}  // namespace vrp
