// Where a shipment's two ends go.
#include <algorithm>

#include "core/search/ruin_recreate/insertion.h"

namespace vrp {

// Then there is more to ask than whether the shipment has room between its ends.
bool Insertion::HasOwnLoad(NodeIndex node) const {
  const double* delivered = problem_.delivered(node);
  const double* collected = problem_.collected(node);
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    if (delivered[k] > 0 || collected[k] > 0) return true;
  }
  return false;
}

void Insertion::FindShipment(NodeIndex pickup, NodeIndex delivery, InsertionPlace& best) {
  ends_have_loads_ = HasOwnLoad(pickup) || HasOwnLoad(delivery);
  if (rules_.bound() >= 0) {
    if (rules_.Allows(rules_.bound())) ScanShipment(pickup, delivery, rules_.bound(), best);
    return;
  }
  if (problem_.size() > Problem::kScanAllNodes) {
    slots_.clear();
    for (const NodeIndex end : {pickup, delivery}) {
      const size_t most = slots_.size() + kRoutesLooked / 2;
      for (const NodeIndex other : problem_.Related(end)) {
        const int32_t slot = routes_.RouteOf(other);
        if (slots_.size() >= most) break;
        if (slot < 0 || std::find(slots_.begin(), slots_.end(), slot) != slots_.end()) continue;
        slots_.push_back(slot);
      }
    }
    std::erase_if(slots_, [&](int32_t slot) { return !rules_.Allows(slot); });
    for (const int32_t slot : slots_) ScanShipment(pickup, delivery, slot, best);
    if (best.found() || routes_.CanOpenRoute()) return;
  }
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
    if (routes_.route(slot).empty() || !rules_.Allows(slot)) continue;
    ScanShipment(pickup, delivery, slot, best);
  }
}

void Insertion::ScanShipment(NodeIndex pickup, NodeIndex delivery, int32_t slot,
                             InsertionPlace& best) {
  const SearchRoute& route = RouteAt(slot);
  const Vehicle& vehicle = problem_.vehicle(route.type);
  if (route.stops + 2 > vehicle.max_stops || !problem_.Allowed(vehicle, pickup) ||
      !problem_.Allowed(vehicle, delivery)) {
    return;
  }
  const auto [begin, end] = PositionsFor(pickup, route, BoundsOf(pickup));
  const Positions of_delivery = PositionsFor(delivery, route, BoundsOf(delivery));
  const int32_t places = of_delivery.end;
  delivery_from_ = rules_.ordered() ? of_delivery.begin : 0;
  if (begin == end || begin >= places) return;
  MeasureWays(route, pickup, {begin, end}, pickup_ways_);
  MeasureWays(route, delivery, {begin, places}, delivery_ways_);
  least_added_.assign(route.size(), Problem::kNever);
  for (int32_t i = places - 1; i >= begin; --i) {
    least_added_[i] = std::min(least_added_[i + 1], delivery_ways_.Added(route, i));
  }
  const double between = problem_.Distance(vehicle, pickup, delivery);
  for (int32_t i = begin; i < std::min(end, places); ++i) {
    const double together =
        pickup_ways_.from[i] + between + delivery_ways_.to[i + 1] - route.edge[i];
    const double added = pickup_ways_.Added(route, i);
    const double least = std::min(together, added + least_added_[i + 1]);
    if (vehicle.per_distance * least >= best.cost || !RoomOnBoard(route, i, pickup)) continue;
    Way way = WayTo(route, i);
    if (!Drive(vehicle, pickup, way)) return;  // from here on it is reached even later
    const InsertionPlace place{
        .slot = slot, .node = pickup, .delivery = delivery, .after = i, .delivery_after = i};
    ConsiderShipment(place, way, together, best);
    if (vehicle.per_distance * (added + least_added_[i + 1]) < best.cost) {
      ScanDeliveries(place, way, added, best);
    }
  }
}

void Insertion::MeasureWays(const SearchRoute& route, NodeIndex node, Positions after,
                            Ways& ways) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  ways.from.resize(route.size());
  ways.to.resize(route.size());
  for (int32_t i = after.begin; i <= after.end; ++i) {
    ways.to[i] = problem_.Distance(vehicle, node, route.nodes[i]);
    if (i == after.end) return;
    ways.from[i] =
        vehicle.symmetric ? ways.to[i] : problem_.Distance(vehicle, route.nodes[i], node);
  }
}

bool Insertion::RoomOnBoard(const SearchRoute& route, int32_t after, NodeIndex pickup) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const double* on_board = &route.trips.on_board[after * int64_t{problem_.dimensions()}];
  const double* carried = problem_.carried(pickup);
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    if (on_board[k] + carried[k] > vehicle.capacity[k]) return false;
  }
  return true;
}

// With the pickup where place.after says, at the distance `added` and left as `way` says, the
// delivery further behind. Last in, first out: only behind shipments that are both picked up and
// delivered in between.
void Insertion::ScanDeliveries(InsertionPlace place, Way way, double added, InsertionPlace& best) {
  const SearchRoute& route = RouteAt(place.slot);
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const bool lifo = vehicle.lifo;
  int32_t open = 0;  // shipments that are picked up and not delivered in between
  for (int32_t j = place.after + 1; j + 1 < route.size(); ++j) {
    if (vehicle.per_distance * (added + least_added_[j]) >= best.cost) return;
    if (lifo) {
      open += problem_.DeliveryOf(route.nodes[j]) >= 0;
      open -= problem_.PickupOf(route.nodes[j]) >= 0;
      if (open < 0) return;  // a shipment from before the pickup is delivered
    }
    if (!RoomOnBoard(route, j, place.node) || !Drive(vehicle, route.nodes[j], way)) return;
    if (problem_.timed() && !problem_.InTime(way.departure, route.LatestDeparture(j))) return;
    const double both = added + delivery_ways_.Added(route, j);
    if (open > 0 || vehicle.per_distance * both >= best.cost) continue;
    Way there = way;
    if (!Drive(vehicle, place.delivery, there)) return;  // from here on it is reached even later
    place.delivery_after = j;
    ConsiderShipment(place, way, both, best);
  }
}

// `way` leads to the visit before the delivery.
void Insertion::ConsiderShipment(InsertionPlace place, const Way& way, double added,
                                 InsertionPlace& best) {
  const SearchRoute& route = RouteAt(place.slot);
  const Vehicle& vehicle = problem_.vehicle(route.type);
  if (place.delivery_after < delivery_from_) return;
  if (vehicle.per_distance * added >= best.cost) return;
  if (route.distance + added > vehicle.distance_limit) return;
  const int32_t next = place.delivery_after + 1;
  if (problem_.timed() && !InTime(route, way, place.delivery, next)) return;
  if (ends_have_loads_ || NeedsSimulation(route, place.after, place.node) ||
      NeedsSimulation(route, place.delivery_after, place.delivery)) {
    place.cost = SimulatedCost(place);
  } else {
    place.cost = CostOf(route, way, place.delivery, next, added);
  }
  if (place.cost < best.cost) Take(place, best);
  if (MayReload(vehicle) && route.reloads < vehicle.max_reloads) {
    ConsiderShipmentReloads(place, best);
  }
}

// Another trip begins at the pickup, right behind it, or right behind the delivery.
void Insertion::ConsiderShipmentReloads(InsertionPlace place, InsertionPlace& best) {
  const SearchRoute& route = RouteAt(place.slot);
  const bool begins = !MayReloadBehind(route, place.after);
  const bool ends = place.delivery_after + 2 == route.size() ||
                    problem_.is_depot(route.nodes[place.delivery_after + 1]);
  const bool together = place.after == place.delivery_after;
  const bool next_reloads = !together && problem_.is_depot(route.nodes[place.after + 1]);
  using enum InsertionPlace::Reload;
  for (const auto reload : {kBefore, kAfter, kAfterDelivery}) {
    if (reload == kBefore ? begins : reload == kAfter ? next_reloads : ends) continue;
    for (const NodeIndex depot : problem_.vehicle(route.type).reload_depots) {
      place.reload = reload;
      place.reload_depot = depot;
      place.cost = SimulatedCost(place);
      if (place.cost < best.cost) Take(place, best);
    }
  }
}

}  // namespace vrp
