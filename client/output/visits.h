// Distinguishes a route's visits from its depots.
#pragma once

#include <string>

#include "vrp/v1/solution.pb.h"

namespace vrp::client {

// Returns the end of the route's visits: stops 1 .. VisitsEnd(route) - 1 are customers and reloads.
// Stop 0 is a depot. The last stop is also a depot, unless the vehicle does not return.
inline int VisitsEnd(const v1::Route& route) {
  const int stops = route.stops_size();
  if (stops < 2) return stops;
  const v1::Stop& last = route.stops(stops - 1);
  const bool returns = last.depot() || last.node() == route.stops(0).node();
  return returns ? stops - 1 : stops;
}

// Returns the id of a stop; empty if the number is out of range.
inline std::string StopId(const v1::Route& route, int stop) {
  return stop >= 0 && stop < route.stops_size() ? route.stops(stop).id() : "";
}

}  // namespace vrp::client
