#include "core/search/rich/rich_insertion.h"

#include <algorithm>
#include <array>

namespace vrp {
namespace {

constexpr double kNever = RichProblem::kNever;

}  // namespace

RichSpot RichInsertion::Find(int32_t unit, double limit) {
  RichSpot best;
  best.cost = limit;
  const RichUnit& wanted = problem_.unit(unit);
  const std::span<const NodeIndex> nodes = problem_.NodesOf(wanted);
  if (wanted.kind == RichUnit::Kind::kShipment) {
    FindShipment(nodes[0], nodes[1], best);
    FindNewRoute({.node = nodes[0], .delivery = nodes[1]}, best);
    return best;
  }
  if (wanted.slot >= 0) {
    if (MayTake(routes_.route(wanted.slot), nodes[0])) ScanRoute(nodes[0], wanted.slot, best);
    return best;
  }
  for (const NodeIndex node : nodes) {
    if (mood_.packs) {
      FindTightest(node, best);
      if (best.found()) break;
    } else {
      FindSingle(node, best);
    }
    FindNewRoute({.node = node}, best);
  }
  return best;
}

RichSpot RichInsertion::FindIn(int32_t unit, const RichRoute& route, double limit) {
  given_ = &route;
  RichSpot best;
  best.cost = limit;
  const RichUnit& wanted = problem_.unit(unit);
  const std::span<const NodeIndex> nodes = problem_.NodesOf(wanted);
  if (wanted.kind == RichUnit::Kind::kShipment) {
    ends_have_loads_ = HasOwnLoad(nodes[0]) || HasOwnLoad(nodes[1]);
    ScanShipment(nodes[0], nodes[1], RichSpot::kGivenRoute, best);
    return best;
  }
  for (const NodeIndex node : nodes) {
    if (MayTake(route, node)) ScanRoute(node, RichSpot::kGivenRoute, best);
  }
  return best;
}

void RichInsertion::FindTightest(NodeIndex node, RichSpot& best) {
  by_room_.clear();
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
    const RichRoute& route = routes_.route(slot);
    if (MayTake(route, node)) by_room_.emplace_back(RoomLeft(route, node), slot);
  }
  std::sort(by_room_.begin(), by_room_.end());
  for (size_t i = 0; i < by_room_.size() && !best.found(); ++i) {
    ScanRoute(node, by_room_[i].second, best);
  }
}

// In capacities of the largest vehicle.
double RichInsertion::RoomLeft(const RichRoute& route, NodeIndex node) const {
  const RichVehicle& vehicle = problem_.vehicle(route.type);
  double room = 0;
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    const double most = problem_.most_capacity()[k];
    if (most == 0) continue;
    room += (vehicle.capacity[k] - route.load[k] - problem_.delivered(node)[k]) / most;
  }
  return room;
}

void RichInsertion::Insert(const RichSpot& spot) {
  const std::span<const NodeIndex> nodes = Filled(spot);
  if (spot.slot >= 0) {
    routes_.SetRoute(spot.slot, routes_.route(spot.slot).type, nodes);
  } else {
    routes_.SetRoute(routes_.EmptySlot(), spot.type, nodes);
  }
}

std::span<const NodeIndex> RichInsertion::Filled(const RichSpot& spot) {
  filled_.clear();
  if (spot.slot == -1) {
    const RichVehicle& vehicle = problem_.vehicle(spot.type);
    filled_ = {vehicle.start, spot.node};
    if (spot.delivery >= 0) filled_.push_back(spot.delivery);
    filled_.push_back(vehicle.end);
    return filled_;
  }
  const RichRoute& route = RouteAt(spot.slot);
  for (int32_t i = 0; i < route.size(); ++i) {
    filled_.push_back(route.nodes[i]);
    if (i == spot.after) {
      if (spot.reload == RichSpot::Reload::kBefore) filled_.push_back(route.nodes.front());
      filled_.push_back(spot.node);
      if (spot.reload == RichSpot::Reload::kAfter) filled_.push_back(route.nodes.front());
    }
    if (spot.delivery >= 0 && i == spot.delivery_after) filled_.push_back(spot.delivery);
  }
  return filled_;
}

double RichInsertion::SimulatedCost(const RichSpot& spot) {
  const RichRoute& route = RouteAt(spot.slot);
  const RouteValue value = routes_.evaluator().Evaluate(problem_.vehicle(route.type), Filled(spot));
  return value.feasible ? value.cost - route.cost : kNever;
}

void RichInsertion::FindSingle(NodeIndex node, RichSpot& best) {
  if (problem_.size() > RichProblem::kScanAllNodes) {
    LookBesideRelated(node, best);
    if (best.found() || routes_.CanOpenRoute()) return;
  }
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
    if (MayTake(routes_.route(slot), node)) ScanRoute(node, slot, best);
  }
}

bool RichInsertion::MayTake(const RichRoute& route, NodeIndex node) const {
  if (route.empty()) return false;
  const RichVehicle& vehicle = problem_.vehicle(route.type);
  if (route.stops >= vehicle.max_stops || !problem_.Allowed(vehicle, node)) return false;
  if (!problem_.plain_loads()) return true;
  const double* delivered = problem_.delivered(node);
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    if (route.load[k] + delivered[k] > vehicle.capacity[k]) return false;
  }
  return true;
}

double RichInsertion::AddedDistance(const RichRoute& route, int32_t after, NodeIndex node) const {
  const RichVehicle& vehicle = problem_.vehicle(route.type);
  return problem_.Distance(vehicle, route.nodes[after], node) +
         problem_.Distance(vehicle, node, route.nodes[after + 1]) - route.edge[after];
}

void RichInsertion::ScanRoute(NodeIndex node, int32_t slot, RichSpot& best) {
  const RichRoute& route = RouteAt(slot);
  const RichVehicle& vehicle = problem_.vehicle(route.type);
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
    const RichSpot spot{.slot = slot, .node = node, .after = i};
    ConsiderPlace(spot, AddedDistance(route, i, node), best);
    if (reloads) ScanReloads(spot, best);
  }
}

void RichInsertion::LookBesideRelated(NodeIndex node, RichSpot& best) {
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
  const RichVehicle& any = problem_.vehicle(0);
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
    const VisitPlace& place = routes_.PlaceOf(looked[i]);
    if (place.route < 0) {
      before[i] = after[i] = kNever;
      continue;
    }
    const double there = to(looked[i]);
    before[i] = from(place.before) + there - place.edge_before;
    after[i] = (any.symmetric ? there : from(looked[i])) + to(place.after) - place.edge_after;
  }
  const double least = problem_.least_per_distance();
  for (size_t i = 0; i < looked.size(); ++i) {
    const double added = std::min(before[i], after[i]);
    if (added > 0 && least * added >= best.cost) continue;
    const VisitPlace& place = routes_.PlaceOf(looked[i]);
    if (place.route < 0 || !MayTake(routes_.route(place.route), node)) continue;
    const int32_t fixed = routes_.route(place.route).fixed;
    RichSpot spot{.slot = place.route, .node = node, .after = place.position};
    if (spot.after >= fixed) ConsiderPlace(spot, after[i], best);
    --spot.after;
    if (spot.after >= fixed) ConsiderPlace(spot, before[i], best);
  }
}

void RichInsertion::LookBeside(NodeIndex other, NodeIndex node, bool reload, RichSpot& best) {
  const int32_t slot = routes_.RouteOf(other);
  if (slot < 0 || !MayTake(routes_.route(slot), node)) return;
  const RichRoute& route = routes_.route(slot);
  if (reload && route.reloads >= problem_.vehicle(route.type).max_reloads) return;
  const int32_t position = routes_.PositionOf(other);
  for (const int32_t after : {position, position - 1}) {
    if (after < route.fixed) continue;
    const RichSpot spot{.slot = slot, .node = node, .after = after};
    if (reload) {
      ScanReloads(spot, best);
    } else {
      ConsiderPlace(spot, AddedDistance(route, after, node), best);
    }
  }
}

void RichInsertion::ConsiderPlace(RichSpot spot, double added, RichSpot& best) {
  const RichVehicle& vehicle = problem_.vehicle(RouteAt(spot.slot).type);
  if (vehicle.per_distance * added >= best.cost) return;
  spot.cost = ExactCost(spot, added);
  if (spot.cost < best.cost) Take(spot, best);
}

double RichInsertion::ExactCost(const RichSpot& spot, double added) {
  const RichRoute& route = RouteAt(spot.slot);
  const RichVehicle& vehicle = problem_.vehicle(route.type);
  if (!problem_.plain_loads() && !LoadFits(route, spot.after, spot.node)) return kNever;
  if (route.distance + added > vehicle.distance_limit) return kNever;
  const Way way = WayTo(route, spot.after);
  if (problem_.timed() && !InTime(route, way, spot.node, spot.after + 1)) return kNever;
  if (NeedsSimulation(route, spot.after, spot.node)) return SimulatedCost(spot);
  return CostOf(route, way, spot.node, spot.after + 1, added);
}

bool RichInsertion::NeedsSimulation(const RichRoute& route, int32_t after, NodeIndex node) const {
  if (problem_.vehicle(route.type).simulated) return true;
  return problem_.has_releases() && problem_.release(node) > route.release[after];
}

bool RichInsertion::LoadFits(const RichRoute& route, int32_t after, NodeIndex node) const {
  if (problem_.has_backhauls()) {
    if (route.backhaul_before[after] && problem_.is_linehaul(node)) return false;
    if (route.linehaul_after[after] && problem_.is_backhaul(node)) return false;
  }
  const RichVehicle& vehicle = problem_.vehicle(route.type);
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

RichInsertion::Way RichInsertion::WayTo(const RichRoute& route, int32_t position) const {
  const RichVehicle& vehicle = problem_.vehicle(route.type);
  Way way = {.at = route.nodes[position]};
  if (problem_.timed()) way.departure = route.departure[position];
  if (vehicle.needs_duration && !vehicle.simulated) way.segment = route.head[position];
  return way;
}

bool RichInsertion::Drive(const RichVehicle& vehicle, NodeIndex node, Way& way) const {
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

bool RichInsertion::InTime(const RichRoute& route, const Way& way, NodeIndex node,
                           int32_t next) const {
  const RichVehicle& vehicle = problem_.vehicle(route.type);
  const NodeIndex then = route.nodes[next];
  double time = problem_.Earliest(node, way.departure + problem_.Duration(vehicle, way.at, node));
  if (time == kNever) return false;
  time += problem_.Handling(vehicle, way.at, node);
  if (then != problem_.nowhere()) {
    time = problem_.Earliest(then, time + problem_.Duration(vehicle, node, then));
    if (!problem_.is_depot(then)) time += problem_.Handling(vehicle, node, then);
  }
  return time < kNever && problem_.InTime(time, route.latest[next]);
}

double RichInsertion::CostOf(const RichRoute& route, const Way& way, NodeIndex node, int32_t next,
                             double added) const {
  const RichVehicle& vehicle = problem_.vehicle(route.type);
  if (!vehicle.needs_duration) return vehicle.per_distance * added;
  const TimeSegment with = Join(way.segment, problem_.Duration(vehicle, way.at, node),
                                SegmentOf(problem_, vehicle, node));
  const TimeSegment whole =
      Join(with, problem_.Duration(vehicle, node, route.nodes[next]), route.tail[next]);
  if (!problem_.InTime(whole.duration, vehicle.duration_limit)) return kNever;
  return vehicle.per_distance * added + vehicle.TimeCost(whole.duration) -
         vehicle.TimeCost(route.duration);
}

// A reload right before the customer, which starts another trip with it, or right behind.
void RichInsertion::ScanReloads(RichSpot spot, RichSpot& best) {
  const RichRoute& route = RouteAt(spot.slot);
  if (spot.after > 0 && !problem_.is_depot(route.nodes[spot.after])) {
    spot.reload = RichSpot::Reload::kBefore;
    ConsiderReload(spot, best);
  }
  const bool at_end = spot.after + 2 == route.size();
  if (!at_end && !problem_.is_depot(route.nodes[spot.after + 1])) {
    spot.reload = RichSpot::Reload::kAfter;
    ConsiderReload(spot, best);
  }
}

void RichInsertion::ConsiderReload(RichSpot spot, RichSpot& best) {
  const RichRoute& route = RouteAt(spot.slot);
  const RichVehicle& vehicle = problem_.vehicle(route.type);
  const bool first = spot.reload == RichSpot::Reload::kBefore;
  const NodeIndex middle[] = {route.nodes[spot.after], first ? vehicle.start : spot.node,
                              first ? spot.node : vehicle.start, route.nodes[spot.after + 1]};
  double added = -route.edge[spot.after];
  for (int32_t i = 0; i < 3; ++i) added += problem_.Distance(vehicle, middle[i], middle[i + 1]);
  if (vehicle.per_distance * added >= best.cost) return;
  spot.cost = SimulatedCost(spot);
  if (spot.cost < best.cost) Take(spot, best);
}

}  // namespace vrp
