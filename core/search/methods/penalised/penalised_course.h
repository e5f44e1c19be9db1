// Temperatures and first penalties of searches that may break limits.
#pragma once

#include "core/search/model/penalties.h"
#include "core/search/route/route_store.h"

namespace vrp {

// Temperatures in mean costs of an edge of the first plan.
struct PenalisedCourse {
  double first_temperature = 0;
  double last_temperature = 0;
  bool ends_when_feasible = false;

  // Returns the temperature at `phase` of the cooling, from 0 to 1.
  double TemperatureAt(double phase) const;
};

// For a search that wants any plan that breaks no limit. It is hot, because the way there leads
// over expensive plans.
inline constexpr PenalisedCourse kSeekingCourse = {3, 0.5, true};
// For a search that improves a plan.
inline constexpr PenalisedCourse kImprovingCourse = {0.5, 0.02, false};

// Means over the edges of a plan.
struct MeanEdge {
  double cost = 0;
  double duration = 0;
  double distance = 0;
};

// Returns the means of the plan, or of the ways from a depot to the customers if it is empty.
MeanEdge MeanEdgeOf(const RouteStore& routes);

// Returns penalties such that a `capacity` too much costs as much as some edges, and a unit of time
// or distance too much as much as one of driving.
Penalties FirstPenalties(const MeanEdge& edge, double capacity);

}  // namespace vrp
