// Which stops of a route are visits to customers, and which are depots.
#pragma once

#include <string>

#include "vrp/v1/solution.pb.h"

namespace vrp::client {

// Of an answer's route, stops 1 .. VisitsEnd(route) - 1 are customers and reloads: it begins with
// the depot, and ends with one unless the vehicle does not return.
inline int VisitsEnd(const v1::Route& route) {
  const int stops = route.stops_size();
  if (stops < 2) return stops;
  const v1::Stop& last = route.stops(stops - 1);
  const bool returns = last.depot() || last.node() == route.stops(0).node();
  return returns ? stops - 1 : stops;
}

// The id of a stop; empty for a number that is none.
inline std::string StopId(const v1::Route& route, int stop) {
  return stop >= 0 && stop < route.stops_size() ? route.stops(stop).id() : "";
}

}  // namespace vrp::client
