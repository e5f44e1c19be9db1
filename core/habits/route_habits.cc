#include "core/habits/route_habits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>

namespace vrp {
namespace {

constexpr size_t kShapeFeatures = 4;
// Brings turns to the size of the other features.
constexpr double kTurnScale = 3;

struct PlanePoint {
  double x = 0;
  double y = 0;
};

// Returns places relative to the depot, in units of `radius`.
std::vector<PlanePoint> AroundDepot(const RouteHabitTables& tables, const RoutePlaces& route) {
  double x_unit = 1 / tables.radius;
  double y_unit = x_unit;
  if (tables.coordinates == CoordinateSystem::kLonLat) {
    constexpr double kRadian = std::numbers::pi / 180;
    x_unit *= kRadian * kEarthRadius * std::cos(route.depot.y * kRadian);
    y_unit *= kRadian * kEarthRadius;
  }
  std::vector<PlanePoint> points;
  points.reserve(route.stops.size());
  for (const Position& stop : route.stops) {
    points.push_back({(stop.x - route.depot.x) * x_unit, (stop.y - route.depot.y) * y_unit});
  }
  return points;
}

double Cross(const PlanePoint& a, const PlanePoint& b) { return a.x * b.y - a.y * b.x; }

double MeanRadius(std::span<const PlanePoint> points) {
  double sum = 0;
  for (const PlanePoint& point : points) sum += std::hypot(point.x, point.y);
  return points.empty() ? 0 : sum / static_cast<double>(points.size());
}

std::array<double, kShapeFeatures> ShapeOf(const RouteHabitTables& tables,
                                           const RoutePlaces& route) {
  const std::vector<PlanePoint> points = AroundDepot(tables, route);
  double turns = 0;
  double winding = 0;
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    const PlanePoint& a = points[i];
    const PlanePoint& b = points[i + 1];
    const double cross = Cross(a, b);
    turns += cross > 0 ? 1 : cross < 0 ? -1 : 0;
    winding += std::atan2(cross, a.x * b.x + a.y * b.y);
  }
  const std::span<const PlanePoint> all = points;
  const size_t half = points.size() / 2;
  return {turns / kTurnScale, winding, MeanRadius(all.first(1)) - MeanRadius(all.last(1)),
          MeanRadius(all.first(half)) - MeanRadius(all.last(half))};
}

// Returns the index of a pair of zones a < b of `zones` zones.
int32_t PairIndex(int32_t a, int32_t b, int32_t zones) {
  return a * (2 * zones - a - 1) / 2 + (b - a - 1);
}

}  // namespace

size_t DirectionWeights(size_t zones, size_t drivers) {
  return (zones + 1) * zones / 2 + kShapeFeatures * (drivers + 1);
}

std::vector<RouteFeature> DirectionFeatures(const RouteHabitTables& tables,
                                            const RoutePlaces& route, int32_t driver) {
  std::map<int32_t, double> features;
  if (route.stops.empty() || tables.zones.empty()) return {};
  const auto depot = static_cast<int32_t>(tables.zones.size());
  int32_t from = depot;
  const auto drive_to = [&](int32_t to) {
    if (from < to) features[PairIndex(from, to, depot + 1)] += 1;
    if (from > to) features[PairIndex(to, from, depot + 1)] -= 1;
    from = to;
  };
  for (const Position& stop : route.stops) {
    drive_to(ZoneOf(PointOf(stop, tables.coordinates), tables.zones) - 1);
  }
  drive_to(depot);
  const std::array<double, kShapeFeatures> shape = ShapeOf(tables, route);
  const int32_t first = (depot + 1) * depot / 2;
  for (size_t i = 0; i < kShapeFeatures; ++i) {
    const auto at = first + static_cast<int32_t>(i);
    features[at] = shape[i];
    if (driver >= 0) features[at + static_cast<int32_t>(kShapeFeatures) * (driver + 1)] = shape[i];
  }
  std::erase_if(features, [](const RouteFeature& feature) { return feature.second == 0; });
  return {features.begin(), features.end()};
}

int32_t RouteHabits::DriverOf(std::string_view driver) const {
  const auto found = std::ranges::find(tables_.drivers, driver);
  return found == tables_.drivers.end() ? -1
                                        : static_cast<int32_t>(found - tables_.drivers.begin());
}

double RouteHabits::DirectionLogOdds(const RoutePlaces& route, int32_t driver) const {
  double sum = 0;
  for (const auto& [index, value] : DirectionFeatures(tables_, route, driver)) {
    sum += tables_.weights[static_cast<size_t>(index)] * value;
  }
  return sum;
}

std::vector<double> RouteHabits::DriverLogLikelihoods(const RoutePlaces& route) const {
  std::vector<double> logs(tables_.drivers.size(), 0);
  if (tables_.areas.empty()) return logs;
  const size_t areas = tables_.areas.size();
  for (const Position& stop : route.stops) {
    const int32_t area = ZoneOf(PointOf(stop, tables_.coordinates), tables_.areas) - 1;
    for (size_t driver = 0; driver < logs.size(); ++driver) {
      logs[driver] += tables_.area_logs[driver * areas + static_cast<size_t>(area)];
    }
  }
  return logs;
}

}  // namespace vrp
