// Which stops of a route are visits to customers, and which are depots.
#pragma once

#include "vrp/v1/solution.pb.h"

namespace vrp::client {

// Of an answer's route, stops 1 .. VisitsEnd(route) - 1 are customers: it begins with the depot,
// and ends with the same depot unless the vehicle does not return.
inline int VisitsEnd(const v1::Route& route) {
  const int stops = route.stops_size();
  const bool returns = stops > 1 && route.stops(stops - 1).node() == route.stops(0).node();
  return returns ? stops - 1 : stops;
}

}  // namespace vrp::client
