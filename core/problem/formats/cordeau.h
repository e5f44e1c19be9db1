// Cordeau's files: `type vehicles customers depots`, for each depot `longest_duration capacity` (0:
// no limit), then a row for each customer and depot: `number x y service demand visits
// combinations`, as many combinations, and where there are time windows `open close`. Of several
// depots the rows come last, one depot's comes first. (Cordeau, Gendreau and Laporte, A tabu search
// heuristic for periodic and multi-depot vehicle routing problems, 1997.)
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Reads VRP, MDVRP, VRPTW and MDVRPTW. Returns kUnimplemented for the periodic and the
// site-dependent problems.
absl::StatusOr<Instance> ParseCordeau(std::string_view text, std::string_view name);

}  // namespace vrp
