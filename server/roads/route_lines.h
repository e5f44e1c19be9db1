// The streets that the routes of a solution follow.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"
#include "server/roads/road_source.h"
#include "vrp/v1/solution.pb.h"

namespace vrp {

// The streets of each leg of each route. A route whose vehicle has no road network has no legs. The
// line of a leg is empty if both stops are at the same place. It is also empty if the instance has
// no way between them (an open start of VROOM's format).
using RouteLines = std::vector<std::vector<RoadLine>>;

// Gets the streets of the routes of `solution`. `networks` are those of RoadUse. Returns the
// errors of the source.
absl::StatusOr<RouteLines> LinesOf(const Instance& instance, const Solution& solution,
                                   const std::vector<std::string>& networks, RoadSource& source,
                                   const StopCondition& stop);

// Sets leg_polylines of the routes of `message`, which has the routes of the solution.
void SetLines(const RouteLines& lines, v1::Solution& message);

// Returns one line for each route, for drawings: its streets, and straight lines where a leg has
// none. A route without legs has an empty line.
std::vector<RoadLine> JoinedLines(const Instance& instance, const Solution& solution,
                                  const RouteLines& lines);

}  // namespace vrp
