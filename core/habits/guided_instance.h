// Adds the costs of unusual legs to an instance.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/habits/leg_probabilities.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Returns the cost of a usual leg, in units of the instance's cost. This is the mean, over all
// customers, of the cost of the cheapest leg to another node. The costs are those of distances and
// travel times for the first vehicle type. Legs without a cost do not count. 1 if there are no
// others.
double UsualLegCost(const Instance& instance);

// Whether a vehicle of that type (null: a TSP's) that goes from one node to the other leaves its
// place: the distance and the travel time are not both 0.
bool LeavesPlace(const Instance& instance, const VehicleType* type, NodeIndex from, NodeIndex to);

// Returns an instance with the same nodes, vehicles, feasible plans and frozen routes. Each leg
// costs `scale` times minus the logarithm of its probability more than in `instance`, if it leaves
// its place. A plan costs the sum of these terms more, and all else of its cost is the same.
//
// The terms are part of its distances, whose old cost is included, so that all vehicles have a cost
// per distance of 1. Its metric is exact, and it has no reference cost. The true distances remain
// as lengths where max_distance limits them, and travel times as matrices. Objective kDuration
// becomes kCost. Entries are at most kMaxMagnitude.
//
// Returns kUnimplemented if the routes' distances are balanced, because the terms would count as
// distance. Returns kInvalidArgument above kMaxGuidedNumbers.
absl::StatusOr<Instance> GuideInstance(const Instance& instance,
                                       const LegProbabilities& probabilities, double scale);

}  // namespace vrp
