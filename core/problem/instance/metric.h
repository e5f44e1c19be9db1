// How the distance between two positions is rounded.
#pragma once

#include <optional>
#include <string_view>

namespace vrp {

using Cost = double;

// Sums of rounded distances are exact in the metric's own unit.
enum class Metric {
  kExact,       // double precision, as it is
  kRounded,     // nearest integer: CVRPLIB's and TSPLIB's EUC_2D
  kCeiled,      // next integer above: TSPLIB's CEIL_2D
  kDimacs,      // cut to one decimal: Solomon and Homberger as in the DIMACS challenge
  kScaled1000,  // 1,000 times the distance, to the nearest integer: the scale of PyVRP's MDVRPTW
                // values
};

// "exact", "cvrplib", "ceil", "dimacs", "scaled1000".
std::string_view MetricName(Metric metric);
std::optional<Metric> MetricFromName(std::string_view name);

// The smallest step between two values: 1, or 0.1; 0 for the exact metric.
double MetricUnit(Metric metric);

struct Position {
  double x = 0;
  double y = 0;

  bool operator==(const Position&) const = default;
};

enum class CoordinateSystem {
  kPlanar,
  kLonLat,  // x is the longitude, y the latitude, in degrees; distances are metres on the sphere
};

// Radius of the sphere, metres (the mean radius of the Earth, IUGG).
inline constexpr double kEarthRadius = 6'371'008.8;

// Distance between two planar positions, rounded as `metric` says.
double MetricDistance(Metric metric, Position a, Position b);
// Great-circle distance (haversine), rounded as `metric` says.
double GreatCircleDistance(Metric metric, Position a, Position b);
// A sum of distances brought back to the metric's unit, so that rounded metrics sum exactly.
Cost MetricSum(Metric metric, double sum);

}  // namespace vrp
