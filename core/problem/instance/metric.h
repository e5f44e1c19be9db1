// Computes distances between positions and rounds them.
#pragma once

#include <optional>
#include <string_view>

namespace vrp {

// A cost, in the unit of distances, of times, or in one of its own (CostUnit in units.h).
using Cost = double;

// A rule for rounding distances. Sums of rounded distances are exact in the metric's unit.
enum class Metric {
  kExact,       // double precision, not rounded
  kRounded,     // nearest integer: CVRPLIB's and TSPLIB's EUC_2D
  kCeiled,      // rounded up to an integer: TSPLIB's CEIL_2D
  kDimacs,      // rounded down to one decimal: Solomon and Homberger as in the DIMACS challenge
  kScaled1000,  // 1,000 times the distance, to the nearest integer: PyVRP's MDVRPTW values
};

// Converts to and from the names in choices.h, such as "cvrplib".
std::string_view MetricName(Metric metric);
std::optional<Metric> MetricFromName(std::string_view name);

// Returns the smallest step between two distances: 1 or 0.1, or 0 for the exact metric.
double MetricUnit(Metric metric);

// A point of the coordinate system.
struct Position {
  double x = 0;
  double y = 0;

  bool operator==(const Position&) const = default;
};

// The meaning of positions.
enum class CoordinateSystem {
  kPlanar,
  kLonLat,  // x is the longitude, y the latitude, in degrees; distances are metres on the sphere
};

// Mean radius of the Earth in metres (IUGG).
inline constexpr double kEarthRadius = 6'371'008.8;

// Returns the Euclidean distance between planar positions, rounded by `metric`.
double MetricDistance(Metric metric, Position a, Position b);
// Returns the great-circle distance in metres (haversine), rounded by `metric`.
double GreatCircleDistance(Metric metric, Position a, Position b);
// Rounds a sum of distances to the metric's unit, so that sums of rounded distances are exact.
Cost MetricSum(Metric metric, double sum);

}  // namespace vrp
