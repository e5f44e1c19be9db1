// Reads Cordeau's files (Cordeau, Gendreau and Laporte, A tabu search heuristic for periodic and
// multi-depot vehicle routing problems, 1997).
//
// The first row is `type vehicles customers depots`, with the number of vehicles at each depot. A
// row `longest_duration capacity` follows for each depot (0: no limit). Then each customer and
// depot has a row: `number x y service demand visits combinations`, followed by the combinations.
// If there are time windows, the row ends with `open close`. In MDVRP and MDVRPTW the depots come
// after the customers. Otherwise the depot is first.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Reads VRP, MDVRP, VRPTW and MDVRPTW. Returns kUnimplemented for the periodic and the
// site-dependent problems.
absl::StatusOr<Instance> ParseCordeau(std::string_view text, std::string_view name);

}  // namespace vrp
