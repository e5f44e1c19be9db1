// Where a single customer may go: the places beside others, and which of them are looked at.
#include <algorithm>
#include <array>
#include <utility>

#include "core/search/ruin_recreate/insertion.h"

namespace vrp {

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
  const bool is_judged = costs_distance_ && (kJudgesTime || !problem_.timed());
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
    if (!is_judged) {
      Consider(node, slot, route, after, added, best);
    } else if (route.distance + added <= vehicle.distance_limit && !Blinks()) {
      best = {.cost = per_distance * added, .slot = slot, .node = node, .after = after};
    }
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
  const auto fill = [&](auto from, auto to) {
    for (size_t i = 0; i < looked.size(); ++i) {
      const VisitPlace& visit = routes_.PlaceOf(looked[i]);
      added.before[i] = from(visit.before) + to(looked[i]) - visit.edge_before;
      added.behind[i] = from(looked[i]) + to(visit.after) - visit.edge_after;
    }
  };
  if (any.distance == nullptr) {
    return fill([&](NodeIndex other) { return problem_.Distance(any, other, node); },
                [&](NodeIndex other) { return problem_.Distance(any, node, other); });
  }
  const int64_t size = problem_.size();
  const double* const row = any.distance + node * size;
  const auto to = [&](NodeIndex other) { return other == size ? 0 : row[other]; };
  if (any.symmetric) return fill([&](NodeIndex other) { return row[other]; }, to);
  fill([&](NodeIndex other) { return any.distance[other * size + node]; }, to);
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

}  // namespace vrp
