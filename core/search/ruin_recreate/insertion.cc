#include "core/search/ruin_recreate/insertion.h"

#include <algorithm>
#include <array>

namespace vrp {
namespace {

constexpr double kNever = Problem::kNever;

// Whether an insertion costs what it adds to the distance, and loads and windows alone say where it
// is feasible.
bool CostsDistance(const Problem& problem) {
  return problem.plain_loads() && !problem.has_releases() &&
         std::none_of(problem.vehicles().begin(), problem.vehicles().end(),
                      [](const Vehicle& v) { return v.needs_duration || v.simulated; });
}

}  // namespace

Insertion::Insertion(RouteStore& routes, FastRandom& random)
    : routes_(routes),
      problem_(routes.problem()),
      random_(random),
      asks_more_(problem_.dimensions() > 1 || problem_.skills().may_forbid()),
      costs_distance_(CostsDistance(problem_)) {
  BoundNewRoutes();
}

InsertionPlace Insertion::Find(int32_t unit, double limit) {
  InsertionPlace best;
  best.cost = limit;
  const Unit& wanted = problem_.unit(unit);
  const std::span<const NodeIndex> nodes = problem_.NodesOf(wanted);
  if (wanted.slot >= 0) {
    if (MayTake(wanted.slot, nodes[0])) ScanRoute(nodes[0], wanted.slot, best);
  } else if (wanted.kind == Unit::Kind::kShipment) {
    FindShipment(nodes[0], nodes[1], best);
    FindNewRoute({.node = nodes[0], .delivery = nodes[1]}, best);
  } else if (policy_.packs) {
    for (size_t i = 0; i < nodes.size() && !best.found(); ++i) {
      FindTightest(nodes[i], best);
      if (!best.found()) FindNewRoute({.node = nodes[i]}, best);
    }
  } else {
    for (const NodeIndex node : nodes) {
      FindSingle(node, best);
      if (MayPayAlone(node, best)) FindNewRoute({.node = node}, best);
    }
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
    if (MayTake(slot, node)) by_room_.emplace_back(RoomLeft(routes_.route(slot), node), slot);
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
  // Without branches, which would be predicted badly.
  const std::span<const double> rooms = routes_.rooms();
  const double delivered = problem_.delivered(node)[0];
  with_room_.resize(rooms.size());
  size_t count = 0;
  for (size_t slot = 0; slot < rooms.size(); ++slot) {
    with_room_[count] = static_cast<int32_t>(slot);
    count += delivered <= rooms[slot];
  }
  for (size_t i = 0; i < count; ++i) {
    const int32_t slot = with_room_[i];
    if (!asks_more_ || MayTake(routes_.route(slot), node)) ScanRoute(node, slot, best);
  }
}

bool Insertion::MayTake(const SearchRoute& route, NodeIndex node) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  if (route.stops >= vehicle.max_stops || !problem_.Allowed(vehicle, node)) return false;
  const double* delivered = problem_.delivered(node);
  for (size_t k = 0; k < route.load.size(); ++k) {
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
  const Positions positions = PositionsInTime(route, node);
  const auto [begin, end] = positions;
  if (begin == end) return;
  const bool reloads = route.reloads < vehicle.max_reloads;
  if (vehicle.symmetric && vehicle.distance != nullptr && !reloads) {
    const bool judges_time =
        problem_.timed() && problem_.single_windows() && vehicle.duration == nullptr;
    return judges_time ? ScanByRow<true>(node, slot, route, positions, best)
                       : ScanByRow<false>(node, slot, route, positions, best);
  }
  for (int32_t i = begin; i < end; ++i) {
    Consider(node, slot, route, i, AddedDistance(route, i, node), best);
    if (reloads) ScanReloads({.slot = slot, .node = node, .after = i}, best);
  }
}

// Most searches of instances that fit in the cache spend half of their time here.
template <bool kJudgesTime>
void Insertion::ScanByRow(NodeIndex node, int32_t slot, const SearchRoute& route,
                          Positions positions, InsertionPlace& best) {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const double* const row = vehicle.distance + static_cast<int64_t>(node) * problem_.size();
  const NodeIndex* const nodes = route.nodes.data();
  const double* const edge = route.edge.data();
  const VisitTimes* const times = route.times.data();
  const double per_distance = vehicle.per_distance;
  const double speed = problem_.inverse_speed();
  const double open = problem_.open(node);
  const double close = problem_.close(node);
  const double service = problem_.service(node);
  double from = row[nodes[positions.begin]];
  double most = best.cost;
  const auto look = [&](int32_t after, double to) {
    const double before = std::exchange(from, to);
    const double added = before + to - edge[after];
    if (per_distance * added >= most) return;
    if constexpr (kJudgesTime) {
      const double arrival = times[after].departure + before * speed;
      if (!problem_.InTime(arrival, close)) return;
      const double departure = (arrival > open ? arrival : open) + service;
      if (!problem_.InTime(departure + to * speed, times[after + 1].latest)) return;
    }
    Consider(node, slot, route, after, added, best);
    most = best.cost;
  };
  const int32_t last = route.size() - 2;
  const int32_t inner = std::min(positions.end, last);
  for (int32_t i = positions.begin; i < inner; ++i) look(i, row[nodes[i + 1]]);
  if (positions.end > last) look(last, vehicle.end == problem_.nowhere() ? 0 : row[vehicle.end]);
}

Insertion::Positions Insertion::PositionsInTime(const SearchRoute& route, NodeIndex node) const {
  int32_t begin = route.fixed;
  int32_t end = route.size() - 1;
  if (!problem_.timed() || !problem_.single_windows()) return {.begin = begin, .end = end};
  const VisitTimes* const times = route.times.data();
  const double slack = problem_.time_slack();
  const double close = problem_.close(node) + slack;
  const double served = problem_.open(node) + problem_.service(node) - slack;
  while (begin < end && served > times[begin + 1].latest) ++begin;
  while (end > begin && times[end - 1].departure > close) --end;
  return {.begin = begin, .end = end};
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
  AddedBeside added;
  MeasureBeside(node, looked, added);
  const double least = problem_.least_per_distance();
  for (size_t i = 0; i < looked.size(); ++i) {
    const auto [before, behind] = std::pair(added.before[i], added.behind[i]);
    const double cheaper = std::min(before, behind);
    if (cheaper > 0 && least * cheaper >= best.cost) continue;
    const VisitPlace& visit = routes_.PlaceOf(looked[i]);
    if (visit.route < 0 || !MayTake(visit.route, node)) continue;
    const SearchRoute& route = routes_.route(visit.route);
    const int32_t after = visit.position;
    if (after >= route.fixed) Consider(node, visit.route, route, after, behind, best);
    if (after > route.fixed) Consider(node, visit.route, route, after - 1, before, best);
  }
}

// All at once: so the waits for memory overlap, and few places need more. Of who is absent, they
// are those of the last visit.
void Insertion::MeasureBeside(NodeIndex node, std::span<const NodeIndex> looked,
                              AddedBeside& added) const {
  const Vehicle& any = problem_.vehicle(0);
  const NodeIndex nowhere = problem_.nowhere();
  if (any.symmetric && any.distance != nullptr) {
    const double* const row = any.distance + static_cast<int64_t>(node) * problem_.size();
    for (size_t i = 0; i < looked.size(); ++i) {
      const VisitPlace& visit = routes_.PlaceOf(looked[i]);
      const double there = row[looked[i]];
      added.before[i] = row[visit.before] + there - visit.edge_before;
      added.behind[i] = there + (visit.after == nowhere ? 0 : row[visit.after]) - visit.edge_after;
    }
    return;
  }
  for (size_t i = 0; i < looked.size(); ++i) {
    const VisitPlace& visit = routes_.PlaceOf(looked[i]);
    added.before[i] = problem_.Distance(any, visit.before, node) +
                      problem_.Distance(any, node, looked[i]) - visit.edge_before;
    added.behind[i] = problem_.Distance(any, looked[i], node) +
                      problem_.Distance(any, node, visit.after) - visit.edge_after;
  }
}

void Insertion::LookBeside(NodeIndex other, NodeIndex node, bool reload, InsertionPlace& best) {
  const int32_t slot = routes_.RouteOf(other);
  if (slot < 0 || !MayTake(slot, node)) return;
  const SearchRoute& route = routes_.route(slot);
  if (reload && route.reloads >= problem_.vehicle(route.type).max_reloads) return;
  const int32_t position = routes_.PositionOf(other);
  for (const int32_t after : {position, position - 1}) {
    if (after < route.fixed) continue;
    if (reload) {
      ScanReloads({.slot = slot, .node = node, .after = after}, best);
    } else {
      Consider(node, slot, route, after, AddedDistance(route, after, node), best);
    }
  }
}

void Insertion::Consider(NodeIndex node, int32_t slot, const SearchRoute& route, int32_t after,
                         double added, InsertionPlace& best) {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  double cost = vehicle.per_distance * added;
  if (cost >= best.cost) return;
  if (!costs_distance_) {
    cost = ExactCost({.slot = slot, .node = node, .after = after}, added);
    if (cost >= best.cost) return;
  } else if (route.distance + added > vehicle.distance_limit ||
             (problem_.timed() && !InTime(route, after, node))) {
    return;
  }
  if (!Blinks()) best = {.cost = cost, .slot = slot, .node = node, .after = after};
}

double Insertion::ExactCost(const InsertionPlace& place, double added) {
  const SearchRoute& route = RouteAt(place.slot);
  const Vehicle& vehicle = problem_.vehicle(route.type);
  if (!problem_.plain_loads() && !LoadFits(route, place.after, place.node)) return kNever;
  if (route.distance + added > vehicle.distance_limit) return kNever;
  if (problem_.timed() && !InTime(route, place.after, place.node)) return kNever;
  if (NeedsSimulation(route, place.after, place.node)) return SimulatedCost(place);
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

bool Insertion::InTime(const SearchRoute& route, int32_t after, NodeIndex node) const {
  if (problem_.single_windows()) {
    const Vehicle& vehicle = problem_.vehicle(route.type);
    const VisitTimes* const times = route.times.data() + after;
    const NodeIndex* const nodes = route.nodes.data() + after;
    // The other way round, both ways are in one row of the matrix.
    const double way_in = vehicle.symmetric && vehicle.duration == nullptr
                              ? problem_.Duration(vehicle, node, nodes[0])
                              : problem_.Duration(vehicle, nodes[0], node);
    const double arrival = times[0].departure + way_in;
    if (!problem_.InTime(arrival, problem_.close(node))) return false;
    const double departure = std::max(arrival, problem_.open(node)) + problem_.service(node);
    return problem_.InTime(departure + problem_.Duration(vehicle, node, nodes[1]),
                           times[1].latest);
  }
  return InTime(route, {.at = route.nodes[after], .departure = route.times[after].departure}, node,
                after + 1);
}

bool Insertion::InTime(const SearchRoute& route, const Way& way, NodeIndex node,
                       int32_t next) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const double begin =
      problem_.Earliest(node, way.departure + problem_.Duration(vehicle, way.at, node));
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

}  // namespace vrp
