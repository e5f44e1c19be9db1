// Makes an instance of a past day, to compare plans for it with what was driven.
#pragma once

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/habits/history.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// A past day as an instance, with its routes as a plan.
struct DrivenDay {
  Instance instance;
  Plan driven = {};  // feasible
  // By node: the first node that stands for the same stop. Several routes of a day may visit it.
  std::vector<NodeIndex> places = {};
};

// Returns a day of the history. The instance has the objective kDistance, a customer for each
// visit, in random order, and a vehicle for each route, with its driver as id.
//
// A history does not say what limits a vehicle, so each has the limits of the longest routes of the
// day: the largest load or, without demands, the most stops. With windows, travel takes no time,
// and a window stays open at least until the latest opening of the stops before it in its route.
// Windows open at 0 or later.
//
// `routes` are those of the day, at least one. Returns kInvalidArgument, with the day and its
// remedy, if a stop or a depot has no position, or an instance with habits cannot hold the day.
absl::StatusOr<DrivenDay> MakeDrivenDay(const RouteHistory& history,
                                        std::span<const PastRoute> routes);

// The shares of the legs of the driven routes, those from and to the depots included, that another
// plan for the day has too. A leg that was driven several times counts as often.
struct LegShares {
  double either_way = 0;  // legs in any direction
  double same_way = 0;    // legs in the direction in which they were driven
};
LegShares SharesOfDrivenLegs(const DrivenDay& day, const Plan& plan);

}  // namespace vrp
