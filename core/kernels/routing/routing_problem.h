// An instance in plain arrays. The same step function can therefore run in float64 tests, on the
// CPU and on a GPU.
#pragma once

#include <cstdint>
#include <limits>

#include "core/problem/instance/metric.h"

namespace vrp {

// A view of an instance, whose creator owns the arrays. All values are in the instance's own units.
// Node 0 is the depot, or in a TSP a city like the others.
struct RoutingProblem {
  int32_t nodes = 0;         // N
  bool tsp = false;          // whether a plan is one closed tour with any first node
  bool open_routes = false;  // whether routes have no return legs
  Metric metric = Metric::kExact;
  double speed = 1;
  double capacity = std::numeric_limits<double>::infinity();
  // Maximum length of a route, with the return leg unless routes are open.
  double distance_limit = std::numeric_limits<double>::infinity();
  double duration_limit = std::numeric_limits<double>::infinity();  // of a route, with waiting
  const double* x = nullptr;             // [N]; null: distances are given
  const double* y = nullptr;             // [N]
  const double* distances = nullptr;     // [N, N] row-major, may be asymmetric; null: from x and y
  const double* durations = nullptr;     // [N, N]; null: distance / speed
  const double* demands = nullptr;       // [N] delivered; null: 0
  const double* backhauls = nullptr;     // [N] picked up after all deliveries of the route; null: 0
  const double* window_opens = nullptr;  // [N]; null: no windows
  const double* window_closes = nullptr;  // [N]
  const double* services = nullptr;       // [N]; null: 0
  // Units of the network's context. Times are relative to `horizon`. Lengths are relative to
  // `scale`: the side of the square that holds the instance, in the metric's unit, or the longest
  // distance of its matrix.
  double horizon = 1;
  double scale = 1;
};

// Number of shares in the step's context, which the decoder reads besides nodes:
//   0 load      share of the capacity that is still to be delivered, or after the first pick-up
//               is still free; 1 without a finite, positive capacity
//   1 time      time since the depot opened, relative to the horizon, at most 2;
//               0 with neither windows nor a duration limit
//   2 length    rest of the route's distance limit, relative to `scale`, at most 2;
//               0 without a limit
//   3 picking   1 once the route has begun to pick up
inline constexpr int32_t kContextShares = 4;

}  // namespace vrp
