// Finds the driving of a route with planned breaks, if travel times depend on the departure.
#pragma once

#include <optional>
#include <vector>

#include "core/problem/plan/late_breaks.h"

namespace vrp {

// A placement of planned breaks and the driving with it.
struct BreakPlacement {
  double driving = 0;                        // travel times of all legs
  std::vector<LateBreaks::Step> steps = {};  // of the stops
};

// Places the breaks of a route that starts at `start`. Several placements may be equally good, but
// the driving differs between them. Each stop begins as early as possible for its breaks taken and
// its cost of lateness. The driving decides between stops that begin at the same time. The cost of
// lateness and then the end of the route are the smallest possible.
//
// Returns nullopt if breaks, hard windows and last_by exclude one another, or if this takes more
// label extensions than route.most_work. Takes the time of LateBreaks::Run.
std::optional<BreakPlacement> PlaceBreaksWithLeastDriving(const LateBreaks::Route& route,
                                                          double start);

}  // namespace vrp
