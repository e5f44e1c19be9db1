#include "core/search/ruin_recreate/insertion.h"

#include <algorithm>
#include <array>

namespace vrp {
namespace {

constexpr double kNever = Problem::kNever;

}  // namespace

InsertionPlace Insertion::Find(int32_t unit, double limit) {
  InsertionPlace best;
  best.cost = limit;
  const Unit& wanted = problem_.unit(unit);
  const std::span<const NodeIndex> nodes = problem_.NodesOf(wanted);
  if (wanted.kind == Unit::Kind::kShipment) {
    FindShipment(nodes[0], nodes[1], best);
    FindNewRoute({.node = nodes[0], .delivery = nodes[1]}, best);
    return best;
  }
  if (wanted.slot >= 0) {
    if (MayTake(routes_.route(wanted.slot), nodes[0])) ScanRoute(nodes[0], wanted.slot, best);
    return best;
  }
  for (const NodeIndex node : nodes) {
    if (policy_.packs) {
      FindTightest(node, best);
      if (best.found()) break;
    } else {
      FindSingle(node, best);
    }
    FindNewRoute({.node = node}, best);
  }
  return best;
}

InsertionPlace Insertion::FindIn(int32_t unit, const SearchRoute& route, double limit) {
  given_ = &route;
  InsertionPlace best;
  best.cost = limit;
  const Unit& wanted = problem_.unit(unit);
  const std::span<const NodeIndex> nodes = problem_.NodesOf(wanted);
  if (wanted.kind == Unit::Kind::kShipment) {
    ends_have_loads_ = HasOwnLoad(nodes[0]) || HasOwnLoad(nodes[1]);
    ScanShipment(nodes[0], nodes[1], InsertionPlace::kGivenRoute, best);
    return best;
  }
  for (const NodeIndex node : nodes) {
    if (MayTake(route, node)) ScanRoute(node, InsertionPlace::kGivenRoute, best);
  }
  return best;
}

void Insertion::FindTightest(NodeIndex node, InsertionPlace& best) {
  by_room_.clear();
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
    const SearchRoute& route = routes_.route(slot);
    if (MayTake(route, node)) by_room_.emplace_back(RoomLeft(route, node), slot);
  }
  std::sort(by_room_.begin(), by_room_.end());
  for (size_t i = 0; i < by_room_.size() && !best.found(); ++i) {
    ScanRoute(node, by_room_[i].second, best);
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
    filled_ = {vehicle.start, place.node};
    if (place.delivery >= 0) filled_.push_back(place.delivery);
    filled_.push_back(vehicle.end);
    return filled_;
  }
  const SearchRoute& route = RouteAt(place.slot);
  for (int32_t i = 0; i < route.size(); ++i) {
    filled_.push_back(route.nodes[i]);
    if (i == place.after) {
      if (place.reload == InsertionPlace::Reload::kBefore) filled_.push_back(route.nodes.front());
      filled_.push_back(place.node);
      if (place.reload == InsertionPlace::Reload::kAfter) filled_.push_back(route.nodes.front());
    }
    if (place.delivery >= 0 && i == place.delivery_after) filled_.push_back(place.delivery);
  }
  return filled_;
}

double Insertion::SimulatedCost(const InsertionPlace& place) {
  const SearchRoute& route = RouteAt(place.slot);
  const RouteValue value =
      routes_.evaluator().Evaluate(problem_.vehicle(route.type), Filled(place));
  return value.feasible ? value.cost - route.cost : kNever;
}

void Insertion::FindSingle(NodeIndex node, InsertionPlace& best) {
  if (problem_.size() > Problem::kScanAllNodes) {
    LookBesideRelated(node, best);
    if (best.found() || routes_.CanOpenRoute()) return;
  }
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
    if (MayTake(routes_.route(slot), node)) ScanRoute(node, slot, best);
  }
}

bool Insertion::MayTake(const SearchRoute& route, NodeIndex node) const {
  if (route.empty()) return false;
  const Vehicle& vehicle = problem_.vehicle(route.type);
  if (route.stops >= vehicle.max_stops || !problem_.Allowed(vehicle, node)) return false;
  if (!problem_.plain_loads()) return true;
  const double* delivered = problem_.delivered(node);
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    if (route.load[k] + delivered[k] > vehicle.capacity[k]) return false;
  }
  return true;
}

double Insertion::AddedDistance(const SearchRoute& route, int32_t after, NodeIndex node) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  return problem_.Distance(vehicle, route.nodes[after], node) +
         problem_.Distance(vehicle, node, route.nodes[after + 1]) - route.edge[after];
}

void Insertion::ScanRoute(NodeIndex node, int32_t slot, InsertionPlace& best) {
  const SearchRoute& route = RouteAt(slot);
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const int32_t places = route.size() - 1;
  const bool reloads = route.reloads < vehicle.max_reloads;
  if (vehicle.symmetric && vehicle.distance != nullptr && !reloads) {
    const double* row = vehicle.distance + static_cast<int64_t>(node) * problem_.size();
    double from = row[route.nodes[route.fixed]];
    for (int32_t i = route.fixed; i < places; ++i) {
      const NodeIndex next = route.nodes[i + 1];
      const double to = next == problem_.nowhere() ? 0 : row[next];
      const double added = from + to - route.edge[i];
      if (vehicle.per_distance * added < best.cost) {
        ConsiderPlace({.slot = slot, .node = node, .after = i}, added, best);
      }
      from = to;
    }
    return;
  }
  for (int32_t i = route.fixed; i < places; ++i) {
    const InsertionPlace place{.slot = slot, .node = node, .after = i};
    ConsiderPlace(place, AddedDistance(route, i, node), best);
    if (reloads) ScanReloads(place, best);
  }
}

void Insertion::LookBesideRelated(NodeIndex node, InsertionPlace& best) {
  const auto related = problem_.Related(node);
  const auto looked = related.first(std::min<size_t>(related.size(), kRelatedLooked));
  if (!problem_.one_distance() || problem_.has_reloads()) {
    for (const NodeIndex other : looked) LookBeside(other, node, false, best);
    // Reloads are judged slowly: a good place without one spares most of that.
    for (size_t i = 0; problem_.has_reloads() && i < looked.size(); ++i) {
      LookBeside(looked[i], node, true, best);
    }
    return;
  }
  // All distances first: so the waits for memory overlap, and few places need more.
  const Vehicle& any = problem_.vehicle(0);
  const double* row = any.symmetric && any.distance != nullptr
                          ? any.distance + static_cast<int64_t>(node) * problem_.size()
                          : nullptr;
  const auto from = [&](NodeIndex other) {
    return row != nullptr ? row[other] : problem_.Distance(any, other, node);
  };
  const auto to = [&](NodeIndex other) {
    if (other == problem_.nowhere()) return 0.0;
    return row != nullptr ? row[other] : problem_.Distance(any, node, other);
  };
  std::array<double, kRelatedLooked> before;
  std::array<double, kRelatedLooked> after;
  for (size_t i = 0; i < looked.size(); ++i) {
    const VisitPlace& visit = routes_.PlaceOf(looked[i]);
    if (visit.route < 0) {
      before[i] = after[i] = kNever;
      continue;
    }
    const double there = to(looked[i]);
    before[i] = from(visit.before) + there - visit.edge_before;
    after[i] = (any.symmetric ? there : from(looked[i])) + to(visit.after) - visit.edge_after;
  }
  const double least = problem_.least_per_distance();
  for (size_t i = 0; i < looked.size(); ++i) {
    const double added = std::min(before[i], after[i]);
    if (added > 0 && least * added >= best.cost) continue;
    const VisitPlace& visit = routes_.PlaceOf(looked[i]);
    if (visit.route < 0 || !MayTake(routes_.route(visit.route), node)) continue;
    const int32_t fixed = routes_.route(visit.route).fixed;
    InsertionPlace place{.slot = visit.route, .node = node, .after = visit.position};
    if (place.after >= fixed) ConsiderPlace(place, after[i], best);
    --place.after;
    if (place.after >= fixed) ConsiderPlace(place, before[i], best);
  }
}

void Insertion::LookBeside(NodeIndex other, NodeIndex node, bool reload, InsertionPlace& best) {
  const int32_t slot = routes_.RouteOf(other);
  if (slot < 0 || !MayTake(routes_.route(slot), node)) return;
  const SearchRoute& route = routes_.route(slot);
  if (reload && route.reloads >= problem_.vehicle(route.type).max_reloads) return;
  const int32_t position = routes_.PositionOf(other);
  for (const int32_t after : {position, position - 1}) {
    if (after < route.fixed) continue;
    const InsertionPlace place{.slot = slot, .node = node, .after = after};
    if (reload) {
      ScanReloads(place, best);
    } else {
      ConsiderPlace(place, AddedDistance(route, after, node), best);
    }
  }
}

void Insertion::ConsiderPlace(InsertionPlace place, double added, InsertionPlace& best) {
  const Vehicle& vehicle = problem_.vehicle(RouteAt(place.slot).type);
  if (vehicle.per_distance * added >= best.cost) return;
  place.cost = ExactCost(place, added);
  if (place.cost < best.cost) Take(place, best);
}

double Insertion::ExactCost(const InsertionPlace& place, double added) {
  const SearchRoute& route = RouteAt(place.slot);
  const Vehicle& vehicle = problem_.vehicle(route.type);
  if (!problem_.plain_loads() && !LoadFits(route, place.after, place.node)) return kNever;
  if (route.distance + added > vehicle.distance_limit) return kNever;
  const Way way = WayTo(route, place.after);
  if (problem_.timed() && !InTime(route, way, place.node, place.after + 1)) return kNever;
  if (NeedsSimulation(route, place.after, place.node)) return SimulatedCost(place);
  return CostOf(route, way, place.node, place.after + 1, added);
}

bool Insertion::NeedsSimulation(const SearchRoute& route, int32_t after, NodeIndex node) const {
  if (problem_.vehicle(route.type).simulated) return true;
  return problem_.has_releases() && problem_.release(node) > route.release[after];
}

bool Insertion::LoadFits(const SearchRoute& route, int32_t after, NodeIndex node) const {
  if (problem_.has_backhauls()) {
    if (route.backhaul_before[after] && problem_.is_linehaul(node)) return false;
    if (route.linehaul_after[after] && problem_.is_backhaul(node)) return false;
  }
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const int64_t at = after * int64_t{problem_.dimensions()};
  const double* delivered = problem_.delivered(node);
  const double* collected = problem_.collected(node);
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    if (route.most_before[at + k] + delivered[k] > vehicle.capacity[k] ||
        route.most_after[at + k] + collected[k] > vehicle.capacity[k]) {
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
  const double travel = problem_.Duration(vehicle, way.at, node);
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

bool Insertion::InTime(const SearchRoute& route, const Way& way, NodeIndex node,
                       int32_t next) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const double begin =
      problem_.Earliest(node, way.departure + problem_.Duration(vehicle, way.at, node));
  if (begin == kNever) return false;
  return ReachesInTime(problem_, route, node, begin + problem_.Handling(vehicle, way.at, node),
                       next);
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

}  // namespace vrp
