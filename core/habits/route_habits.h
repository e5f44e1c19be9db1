// The habits of whole routes: who drives where, and in which direction.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/habits/space_point.h"
#include "core/problem/instance/metric.h"

namespace vrp {

// A route from a depot and back, as places.
struct RoutePlaces {
  Position depot = {};
  std::vector<Position> stops = {};  // in the order of the visits
};

// The numbers that RouteHabits needs.
struct RouteHabitTables {
  CoordinateSystem coordinates = CoordinateSystem::kPlanar;
  double radius = 1;                      // mean distance of stops from their depot
  std::vector<SpacePoint> zones = {};     // centres, Z of them; none: nothing is known
  std::vector<SpacePoint> areas = {};     // centres, A of them
  std::vector<std::string> drivers = {};  // D
  std::vector<float> area_logs = {};      // [D, A]: log probability that a driver's stop is there
  // Weights of the features of a route (DirectionFeatures): of the pairs of Z zones and the depot,
  // then those of the shape of all drivers, then of each driver.
  std::vector<float> weights = {};  // [(Z + 1) Z / 2 + 4 (D + 1)]
};

// Returns the number of weights of tables with these numbers of zones and drivers.
size_t DirectionWeights(size_t zones, size_t drivers);

// A feature of a route: its index among the weights, and its value.
using RouteFeature = std::pair<int32_t, double>;
// Returns the features of a route that are not 0, by increasing index. Those of the route driven
// backwards are their negatives. `driver` is an index, or -1: only features of all drivers. The
// features are, for each pair of zones or of a zone and the depot, the legs one way less those the
// other way; and how often the route turns left around the depot, less right; its winding around
// the depot; how much farther out it begins than it ends, by its first and last stop and by the
// means of both halves.
std::vector<RouteFeature> DirectionFeatures(const RouteHabitTables& tables,
                                            const RoutePlaces& route, int32_t driver);

// The habits of routes. Immutable; thread-safe.
class RouteHabits {
 public:
  // `tables` must have vectors of the sizes that they state.
  explicit RouteHabits(RouteHabitTables tables) : tables_(std::move(tables)) {}

  const RouteHabitTables& tables() const { return tables_; }
  // Whether there is anything to know: past routes had positions.
  bool any() const { return !tables_.zones.empty(); }
  // Returns the index of a driver, or -1.
  int32_t DriverOf(std::string_view driver) const;

  // Returns the log odds of driving the route in this order instead of backwards (logistic
  // regression). `driver` is an index, or -1.
  double DirectionLogOdds(const RoutePlaces& route, int32_t driver) const;
  // Returns, for each driver, the logarithm of the probability of the areas of the route's stops
  // (naive Bayes), [D].
  std::vector<double> DriverLogLikelihoods(const RoutePlaces& route) const;

 private:
  RouteHabitTables tables_;
};

}  // namespace vrp
