// Insertions of a customer with a reload beside it.
#include <cstdint>

#include "core/search/ruin_recreate/insertion.h"

namespace vrp {

// A reload right before the customer, which starts another trip with it, or right behind.
void Insertion::ScanReloads(InsertionPlace place, InsertionPlace& best) {
  const SearchRoute& route = RouteAt(place.slot);
  if (place.after > 0 && !problem_.is_depot(route.nodes[place.after])) {
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
  const NodeIndex middle[] = {route.nodes[place.after], first ? vehicle.start : place.node,
                              first ? place.node : vehicle.start, route.nodes[place.after + 1]};
  double added = -route.edge[place.after];
  for (int32_t i = 0; i < 3; ++i) added += problem_.Distance(vehicle, middle[i], middle[i + 1]);
  if (vehicle.per_distance * added >= best.cost) return;
  place.cost = SimulatedCost(place);
  if (place.cost < best.cost) Take(place, best);
}

}  // namespace vrp
