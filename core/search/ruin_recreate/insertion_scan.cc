// Finds the cheapest place of a single customer, among the places beside other customers, with or
// without a reload.
#include <algorithm>
#include <array>
#include <utility>

#include "core/search/ruin_recreate/insertion.h"

namespace vrp {

void Insertion::FindSingle(NodeIndex node, InsertionPlace& best) {
  if (const int32_t slot = rules_.bound(); slot >= 0) {
    if (MayTake(slot, node)) ScanRoutes(node, {&slot, 1}, best);
    return;
  }
  if (problem_.size() > Problem::kScanAllNodes) {
    LookBesideRelated(node, best);
    if (best.found() || routes_.CanOpenRoute()) return;
  }
  // Without branches, which would be predicted badly.
  const std::span<const double> rooms = routes_.rooms();
  const double delivered = problem_.delivered(node)[0];
  with_room_.resize(rooms.size());
  auto end = with_room_.begin();
  for (int32_t slot = 0; slot < std::ssize(rooms); ++slot) {
    *end = slot;
    end += delivered <= rooms[slot];
  }
  if (asks_more_) {
    end = std::remove_if(with_room_.begin(), end, [&](int32_t slot) {
      return !MayTake(routes_.route(slot), node) || !rules_.Allows(slot);
    });
  }
  ScanRoutes(node, {with_room_.begin(), end}, best);
}

bool Insertion::MayTake(const SearchRoute& route, NodeIndex node) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  if (route.stops >= vehicle.max_stops || !problem_.Allowed(vehicle, node)) return false;
  const double* delivered = problem_.delivered(node);
  for (size_t k = 0; k < route.load.size(); ++k) {
    if (route.load[k] + delivered[k] > vehicle.capacity[k]) return false;
  }
  if (vehicle.compartments == nullptr || route.load.empty()) return true;
  return routes_.evaluator().FitCompartments(vehicle, route.load.data(), delivered);
}

double Insertion::AddedDistance(const SearchRoute& route, int32_t after, NodeIndex node) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  return problem_.Distance(vehicle, route.nodes[after], node) +
         problem_.Distance(vehicle, node, route.nodes[after + 1]) - route.edge[after];
}

Insertion::VisitBounds Insertion::BoundsOf(NodeIndex node) const {
  return {.open = problem_.open(node),
          .service = problem_.service(node),
          .last_arrival = problem_.close(node) + problem_.time_slack(),
          .first_leave = problem_.open(node) + problem_.service(node) - problem_.time_slack()};
}

void Insertion::ScanRoutes(NodeIndex node, std::span<const int32_t> slots, InsertionPlace& best) {
  if (problem_.penalised() && !problem_.has_reloads()) {
    return ScanCheapestFirst(node, slots, best);
  }
  if (by_row_ && judges_time_) return ScanByRow<true>(node, slots, best);
  if (by_row_) return ScanByRow<false>(node, slots, best);
  for (const int32_t slot : slots) {
    const SearchRoute& route = RouteAt(slot);
    const bool reloads = route.reloads < problem_.vehicle(route.type).max_reloads;
    const auto [begin, end] = PositionsFor(node, route, BoundsOf(node));
    for (int32_t i = begin; i < end; ++i) {
      Consider(node, slot, route, i, AddedDistance(route, i, node), best);
      if (reloads) ScanReloads({.slot = slot, .node = node, .after = i}, best);
    }
  }
}

// Simulates places in the order of the distance that they add. Nearly every place of a penalised
// problem is feasible, and a simulation takes much longer than this order.
void Insertion::ScanCheapestFirst(NodeIndex node, std::span<const int32_t> slots,
                                  InsertionPlace& best) {
  const VisitBounds here = BoundsOf(node);
  bounded_.clear();
  for (const int32_t slot : slots) {
    const SearchRoute& route = RouteAt(slot);
    const double per_distance = problem_.vehicle(route.type).per_distance;
    const auto [begin, end] = PositionsFor(node, route, here);
    for (int32_t i = begin; i < end; ++i) {
      const double least = per_distance * AddedDistance(route, i, node);
      if (least < best.cost) bounded_.push_back({.cost = least, .slot = slot, .after = i});
    }
  }
  const auto later = [](const InsertionPlace& a, const InsertionPlace& b) {
    return a.cost > b.cost;
  };
  std::ranges::make_heap(bounded_, later);
  while (!bounded_.empty() && bounded_.front().cost < best.cost) {
    const auto [slot, after] = std::pair(bounded_.front().slot, bounded_.front().after);
    std::ranges::pop_heap(bounded_, later);
    bounded_.pop_back();
    const SearchRoute& route = RouteAt(slot);
    Consider(node, slot, route, after, AddedDistance(route, after, node), best);
  }
}

// Most searches of instances that fit in the cache spend half of their time here: what does not
// follow from the route is read once.
template <bool kJudgesTime>
void Insertion::ScanByRow(NodeIndex node, std::span<const int32_t> slots, InsertionPlace& best) {
  const VisitBounds here = BoundsOf(node);
  const double speed = problem_.inverse_speed();
  const double slack = problem_.time_slack();
  const int64_t row_at = static_cast<int64_t>(node) * problem_.size();
  const bool is_judged = costs_distance_ && (kJudgesTime || !problem_.timed());
  double most = best.cost;
  for (const int32_t slot : slots) {
    const SearchRoute& route = RouteAt(slot);
    const auto [begin, end] = PositionsFor(node, route, here);
    if (begin == end) continue;
    const Vehicle& vehicle = problem_.vehicle(route.type);
    const double* const row = vehicle.distance + row_at;
    const NodeIndex* const nodes = route.nodes.data();
    const double* const edge = route.edge.data();
    const VisitTimes* const times = route.times.data();
    const double per_distance = vehicle.per_distance;
    const int32_t last = route.size() - 2;
    const double home = vehicle.end == problem_.nowhere() ? 0 : row[vehicle.end];
    double to = row[nodes[begin]];
    for (int32_t i = begin; i < end; ++i) {
      const double from = to;
      to = i < last ? row[nodes[i + 1]] : home;
      const double added = from + to - edge[i];
      if (per_distance * added >= most) continue;
      if constexpr (kJudgesTime) {
        const double arrival = times[i].departure + from * speed;
        if (arrival > here.last_arrival) continue;
        const double departure = (arrival > here.open ? arrival : here.open) + here.service;
        if (departure + to * speed > times[i + 1].latest + slack) continue;
      }
      if (!is_judged) {
        Consider(node, slot, route, i, added, best);
      } else if (route.distance + added <= vehicle.distance_limit && !Blinks()) {
        best = {.cost = per_distance * added, .slot = slot, .node = node, .after = i};
      }
      most = best.cost;
    }
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
    if (after >= route.fixed && InOrder(node, route, after)) {
      Consider(node, visit.route, route, after, behind, best);
    }
    if (after > route.fixed && InOrder(node, route, after - 1)) {
      Consider(node, visit.route, route, after - 1, before, best);
    }
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
    if (after < route.fixed || !InOrder(node, route, after)) continue;
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

// A reload right before the customer, which starts another trip with it, or right behind.
void Insertion::ScanReloads(InsertionPlace place, InsertionPlace& best) {
  const SearchRoute& route = RouteAt(place.slot);
  if (MayReloadBehind(route, place.after)) {
    place.reload = InsertionPlace::Reload::kBefore;
    ConsiderReload(place, best);
  }
  const bool at_end = place.after + 2 == route.size();
  if (!at_end && !problem_.is_depot(route.nodes[place.after + 1])) {
    place.reload = InsertionPlace::Reload::kAfter;
    ConsiderReload(place, best);
  }
}

void Insertion::ConsiderReload(InsertionPlace place, InsertionPlace& best) {
  const SearchRoute& route = RouteAt(place.slot);
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const bool first = place.reload == InsertionPlace::Reload::kBefore;
  for (const NodeIndex depot : vehicle.reload_depots) {
    const NodeIndex middle[] = {route.nodes[place.after], first ? depot : place.node,
                                first ? place.node : depot, route.nodes[place.after + 1]};
    double added = -route.edge[place.after];
    for (int32_t i = 0; i < 3; ++i) added += problem_.Distance(vehicle, middle[i], middle[i + 1]);
    if (vehicle.per_distance * added >= best.cost) continue;
    place.reload_depot = depot;
    place.cost = SimulatedCost(place);
    if (place.cost < best.cost) Take(place, best);
  }
}

}  // namespace vrp
