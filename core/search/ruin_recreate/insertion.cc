#include "core/search/ruin_recreate/insertion.h"

#include <algorithm>

namespace vrp {
namespace {

constexpr double kNever = Problem::kNever;

// Whether an insertion costs what it adds to the distance, and loads and windows alone say where it
// is feasible.
bool CostsDistance(const Problem& problem) {
  return problem.plain_loads() && !problem.has_releases() &&
         std::ranges::none_of(problem.vehicles(),
                              [](const Vehicle& v) { return v.needs_duration || v.simulated; });
}

bool MeasuresByRow(const Problem& problem) {
  return !problem.has_reloads() && std::ranges::all_of(problem.vehicles(), [](const Vehicle& v) {
    return v.symmetric && v.distance != nullptr;
  });
}

}  // namespace

Insertion::Insertion(RouteStore& routes, FastRandom& random)
    : routes_(routes),
      problem_(routes.problem()),
      random_(random),
      asks_more_(problem_.dimensions() > 1 || problem_.skills().may_forbid() ||
                 problem_.rules().any()),
      costs_distance_(CostsDistance(problem_)),
      by_row_(MeasuresByRow(problem_)),
      bounds_positions_(problem_.timed() && problem_.single_windows()),
      judges_time_(bounds_positions_ &&
                   std::ranges::all_of(problem_.vehicles(),
                                       [](const Vehicle& v) { return v.duration == nullptr; })),
      rules_(routes) {
  BoundNewRoutes();
}

InsertionPlace Insertion::Find(int32_t unit, double limit) {
  InsertionPlace best;
  best.cost = limit;
  const Unit& wanted = problem_.unit(unit);
  const std::span<const NodeIndex> nodes = problem_.NodesOf(wanted);
  if (wanted.slot >= 0) {
    rules_.Begin(nodes);
    if (MayTake(wanted.slot, nodes[0])) ScanRoutes(nodes[0], {&wanted.slot, 1}, best);
  } else if (routes_.balance().active() && !policy_.packs) {
    return FindBalanced(wanted, limit);
  } else if (policy_.packs) {
    for (size_t i = 0; i < nodes.size() && !best.found(); ++i) {
      rules_.Begin(nodes.subspan(i, 1));
      FindTightest(nodes[i], best);
      if (!best.found()) FindNewRoute({.node = nodes[i]}, best);
    }
  } else {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const NodeIndex delivery = problem_.DeliveryInUnit(nodes[i]);
      rules_.Begin(nodes.subspan(i, delivery >= 0 ? 2 : 1));
      if (delivery >= 0) {
        FindShipment(nodes[i++], delivery, best);
        FindNewRoute({.node = nodes[i - 1], .delivery = delivery}, best);
      } else {
        FindSingle(nodes[i], best);
        if (MayPayAlone(nodes[i], best)) FindNewRoute({.node = nodes[i]}, best);
      }
    }
  }
  return best;
}

InsertionPlace Insertion::FindIn(int32_t unit, int32_t slot, const SearchRoute& route,
                                 double limit) {
  given_ = &route;
  InsertionPlace best;
  best.cost = limit;
  const std::span<const NodeIndex> nodes = problem_.NodesOf(problem_.unit(unit));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeIndex delivery = problem_.DeliveryInUnit(nodes[i]);
    const NodeIndex node = nodes[i];
    const bool allowed = RulesAllow(nodes.subspan(i, delivery >= 0 ? 2 : 1), slot, route);
    if (delivery >= 0) ++i;
    if (!allowed) continue;
    if (delivery >= 0) {
      ends_have_loads_ = HasOwnLoad(node) || HasOwnLoad(delivery);
      ScanShipment(node, delivery, InsertionPlace::kGivenRoute, best);
    } else if (MayTake(route, node)) {
      ScanRoutes(node, {&InsertionPlace::kGivenRoute, 1}, best);
    }
  }
  return best;
}

bool Insertion::RulesAllow(std::span<const NodeIndex> nodes, int32_t slot,
                           const SearchRoute& route) {
  rules_.Begin(nodes);
  return (rules_.bound() < 0 || rules_.bound() == slot) && rules_.Allows(nodes, route);
}

void Insertion::FindTightest(NodeIndex node, InsertionPlace& best) {
  by_room_.clear();
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
    if (MayTake(slot, node)) by_room_.emplace_back(RoomLeft(routes_.route(slot), node), slot);
  }
  std::sort(by_room_.begin(), by_room_.end());
  for (size_t i = 0; i < by_room_.size() && !best.found(); ++i) {
    ScanRoutes(node, {&by_room_[i].second, 1}, best);
  }
}

// In capacities of the largest vehicle.
double Insertion::RoomLeft(const SearchRoute& route, NodeIndex node) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  double room = 0;
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    const double most = problem_.most_capacity()[k];
    if (most == 0) continue;
    room += (vehicle.capacity[k] - route.load[k] - problem_.delivered(node)[k]) / most;
  }
  return room;
}

void Insertion::Insert(const InsertionPlace& place) {
  if (place.slot >= 0 && place.delivery < 0 && place.reload == InsertionPlace::Reload::kNone) {
    routes_.Insert(place.slot, place.after, place.node);
    return;
  }
  const std::span<const NodeIndex> nodes = Filled(place);
  if (place.slot >= 0) {
    routes_.SetRoute(place.slot, routes_.route(place.slot).type, nodes);
  } else {
    routes_.SetRoute(routes_.EmptySlot(), place.type, nodes);
  }
}

std::span<const NodeIndex> Insertion::Filled(const InsertionPlace& place) {
  filled_.clear();
  if (place.slot == -1) {
    const Vehicle& vehicle = problem_.vehicle(place.type);
    filled_ = {vehicle.start};
    if (place.reload == InsertionPlace::Reload::kBefore) filled_.push_back(place.reload_depot);
    filled_.push_back(place.node);
    if (place.reload == InsertionPlace::Reload::kAfter) filled_.push_back(place.reload_depot);
    if (place.delivery >= 0) filled_.push_back(place.delivery);
    filled_.push_back(vehicle.end);
    return filled_;
  }
  const SearchRoute& route = RouteAt(place.slot);
  for (int32_t i = 0; i < route.size(); ++i) {
    filled_.push_back(route.nodes[i]);
    if (i == place.after) {
      if (place.reload == InsertionPlace::Reload::kBefore) filled_.push_back(place.reload_depot);
      filled_.push_back(place.node);
      if (place.reload == InsertionPlace::Reload::kAfter) filled_.push_back(place.reload_depot);
    }
    if (place.delivery < 0 || i != place.delivery_after) continue;
    filled_.push_back(place.delivery);
    if (place.reload == InsertionPlace::Reload::kAfterDelivery) {
      filled_.push_back(place.reload_depot);
    }
  }
  return filled_;
}

double Insertion::SimulatedCost(const InsertionPlace& place) {
  const SearchRoute& route = RouteAt(place.slot);
  const RouteValue value =
      routes_.evaluator().Evaluate(problem_.vehicle(route.type), Filled(place));
  return value.feasible ? value.cost - route.cost : kNever;
}

double Insertion::ExactCost(const InsertionPlace& place, double added) {
  const SearchRoute& route = RouteAt(place.slot);
  const Vehicle& vehicle = problem_.vehicle(route.type);
  if (!problem_.plain_loads() && !LoadFits(route, place.after, place.node)) return kNever;
  if (route.distance + added > vehicle.distance_limit) return kNever;
  if (problem_.timed() && !InTime(route, place.after, place.node)) return kNever;
  // The delivery of goods on board at the start may not be next.
  const bool ordered = vehicle.lifo && problem_.PickupOf(place.node) >= 0;
  if (ordered || NeedsSimulation(route, place.after, place.node)) return SimulatedCost(place);
  return CostOf(route, WayTo(route, place.after), place.node, place.after + 1, added);
}

bool Insertion::NeedsSimulation(const SearchRoute& route, int32_t after, NodeIndex node) const {
  if (problem_.vehicle(route.type).simulated) return true;
  return problem_.has_releases() && problem_.release(node) > route.trips.release[after];
}

bool Insertion::LoadFits(const SearchRoute& route, int32_t after, NodeIndex node) const {
  if (problem_.has_backhauls()) {
    if (route.trips.backhaul_before[after] && problem_.is_linehaul(node)) return false;
    if (route.trips.linehaul_after[after] && problem_.is_backhaul(node)) return false;
  }
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const int64_t at = after * int64_t{problem_.dimensions()};
  const double* delivered = problem_.delivered(node);
  const double* collected = problem_.collected(node);
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    if (route.trips.most_before[at + k] + delivered[k] > vehicle.capacity[k] ||
        route.trips.most_after[at + k] + collected[k] > vehicle.capacity[k]) {
      return false;
    }
  }
  return true;
}

Insertion::Way Insertion::WayTo(const SearchRoute& route, int32_t position) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  Way way = {.at = route.nodes[position]};
  if (problem_.timed()) way.departure = route.times[position].departure;
  if (vehicle.needs_duration && !vehicle.simulated) way.segment = route.head[position];
  return way;
}

bool Insertion::Drive(const Vehicle& vehicle, NodeIndex node, Way& way) const {
  const double travel = problem_.DurationFrom(vehicle, way.at, node, way.departure);
  if (problem_.timed()) {
    const double begin = problem_.Earliest(node, way.departure + travel);
    if (begin == kNever) return false;
    way.departure = begin + problem_.Handling(vehicle, way.at, node);
  }
  if (vehicle.needs_duration && !vehicle.simulated) {
    way.segment = Join(way.segment, travel, SegmentOf(problem_, vehicle, node));
  }
  way.at = node;
  return true;
}

bool Insertion::InTime(const SearchRoute& route, int32_t after, NodeIndex node) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  if (problem_.single_windows() && vehicle.profiles == nullptr) {
    const VisitTimes* const times = route.times.data() + after;
    const NodeIndex* const nodes = route.nodes.data() + after;
    // The other way round, both ways are in one row of the matrix.
    const double way_in = vehicle.symmetric && vehicle.duration == nullptr
                              ? problem_.Duration(vehicle, node, nodes[0])
                              : problem_.Duration(vehicle, nodes[0], node);
    const double arrival = times[0].departure + way_in;
    if (!problem_.InTime(arrival, problem_.close(node))) return false;
    const double departure = std::max(arrival, problem_.open(node)) + problem_.service(node);
    return problem_.InTime(departure + problem_.Duration(vehicle, node, nodes[1]), times[1].latest);
  }
  return InTime(route, {.at = route.nodes[after], .departure = route.times[after].departure}, node,
                after + 1);
}

bool Insertion::InTime(const SearchRoute& route, const Way& way, NodeIndex node,
                       int32_t next) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const double travel = problem_.DurationFrom(vehicle, way.at, node, way.departure);
  const double begin = problem_.Earliest(node, way.departure + travel);
  if (begin == kNever) return false;
  return ReachesInTime(problem_, vehicle, route, node,
                       begin + problem_.Handling(vehicle, way.at, node), next);
}

double Insertion::CostOf(const SearchRoute& route, const Way& way, NodeIndex node, int32_t next,
                         double added) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  if (!vehicle.needs_duration) return vehicle.per_distance * added;
  const TimeSegment with = Join(way.segment, problem_.Duration(vehicle, way.at, node),
                                SegmentOf(problem_, vehicle, node));
  const TimeSegment joined =
      Join(with, problem_.Duration(vehicle, node, route.nodes[next]), route.tail[next]);
  if (!problem_.InTime(joined.duration, vehicle.duration_limit)) return kNever;
  return vehicle.per_distance * added + vehicle.TimeCost(joined.duration) -
         vehicle.TimeCost(route.duration);
}

void Insertion::BoundNewRoutes() {
  if (problem_.vehicles().size() > kTypesBounded) return;
  least_alone_.assign(problem_.size(), Problem::kNever);
  for (const Vehicle& vehicle : problem_.vehicles()) {
    const double fixed = vehicle.fixed + problem_.route_weight();
    for (NodeIndex node = problem_.depots(); node < problem_.size(); ++node) {
      const double way = LeastDistanceAlone(vehicle, node);
      least_alone_[node] = std::min(least_alone_[node], fixed + vehicle.per_distance * way);
    }
  }
}

double Insertion::LeastDistanceAlone(const Vehicle& vehicle, NodeIndex node) const {
  double to_node = problem_.Distance(vehicle, vehicle.start, node);
  if (vehicle.may_unload_first) {
    for (const NodeIndex depot : vehicle.reload_depots) {
      to_node = std::min(to_node, problem_.Distance(vehicle, vehicle.start, depot) +
                                      problem_.Distance(vehicle, depot, node));
    }
  }
  return to_node + problem_.Distance(vehicle, node, vehicle.end);
}

void Insertion::FindNewRoute(InsertionPlace place, InsertionPlace& best) {
  if (!routes_.CanOpenRoute() || rules_.bound() >= 0) return;
  const auto types = static_cast<int32_t>(problem_.vehicles().size());
  const int32_t looked = best.found() ? std::min(types, kTypesLooked) : types;
  const int32_t first = looked < types ? random_.Below(types) : 0;
  double best_score = Problem::kNever;
  const double most = best.cost;
  // Fixed costs are ignored when more or fewer customers are served, because serving more ranks
  // first.
  const bool ignores_fixed_cost =
      !best.found() && problem_.unit(problem_.UnitOf(place.node)).required();
  for (int32_t i = 0; i < looked; ++i) {
    place.type = first + i < types ? first + i : first + i - types;
    const Vehicle& vehicle = problem_.vehicle(place.type);
    const double fixed = vehicle.fixed + problem_.route_weight();
    const double limit = ignores_fixed_cost ? most + fixed : most;
    if (place.delivery < 0) {
      const double way = LeastDistanceAlone(vehicle, place.node);
      if (fixed + vehicle.per_distance * way >= limit) continue;
    }
    if (!routes_.HasVehicle(place.type)) continue;
    ConsiderNewRoute(place, limit, best_score, best);
    if (vehicle.max_reloads > 0) ConsiderNewReloads(place, limit, best_score, best);
  }
}

void Insertion::ConsiderNewReloads(InsertionPlace place, double limit, double& best_score,
                                   InsertionPlace& best) {
  const Vehicle& vehicle = problem_.vehicle(place.type);
  for (const NodeIndex depot : vehicle.reload_depots) {
    place.reload_depot = depot;
    if (vehicle.may_unload_first) {
      place.reload = InsertionPlace::Reload::kBefore;
      ConsiderNewRoute(place, limit, best_score, best);
    }
    if (place.delivery >= 0 && ends_have_loads_) {
      place.reload = InsertionPlace::Reload::kAfter;
      ConsiderNewRoute(place, limit, best_score, best);
    }
  }
}

void Insertion::ConsiderNewRoute(InsertionPlace place, double limit, double& best_score,
                                 InsertionPlace& best) {
  const Vehicle& vehicle = problem_.vehicle(place.type);
  const RouteValue value = routes_.evaluator().Evaluate(vehicle, Filled(place));
  if (!value.feasible) return;
  place.cost = value.cost + problem_.route_weight();
  if (place.cost >= limit) return;
  const double score = NewRouteScore(place);
  if (score >= best_score) return;
  best_score = score;
  Take(place, best);
}

double Insertion::NewRouteScore(const InsertionPlace& place) const {
  if (!policy_.shares_fixed_cost) return place.cost;
  constexpr double kLeastShare = 0.05;
  const Vehicle& vehicle = problem_.vehicle(place.type);
  double share = kLeastShare;
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    const double load = problem_.delivered(place.node)[k] + problem_.collected(place.node)[k] +
                        std::max(0.0, problem_.carried(place.node)[k]);
    if (load > 0) share = std::max(share, load / vehicle.capacity[k]);
  }
  return place.cost - vehicle.fixed * (1 - std::min(1.0, share));
}

}  // namespace vrp
