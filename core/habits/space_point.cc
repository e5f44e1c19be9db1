#include "core/habits/space_point.h"

#include <cmath>
#include <numbers>

namespace vrp {

SpacePoint PointOf(Position position, CoordinateSystem coordinates) {
  if (coordinates == CoordinateSystem::kPlanar) return {position.x, position.y, 0};
  constexpr double kRadians = std::numbers::pi / 180;
  const double longitude = position.x * kRadians;
  const double latitude = position.y * kRadians;
  return {kEarthRadius * std::cos(latitude) * std::cos(longitude),
          kEarthRadius * std::cos(latitude) * std::sin(longitude),
          kEarthRadius * std::sin(latitude)};
}

double PointDistance(const SpacePoint& a, const SpacePoint& b) {
  const double dx = a[0] - b[0];
  const double dy = a[1] - b[1];
  const double dz = a[2] - b[2];
  return std::sqrt(dx * dx + dy * dy + dz * dz);
}

int32_t ZoneOf(const std::optional<SpacePoint>& point, const std::vector<SpacePoint>& centres) {
  const auto unknown = static_cast<int32_t>(centres.size()) + 1;
  if (!point.has_value() || centres.empty()) return unknown;
  int32_t nearest = 0;
  double least = 0;
  for (int32_t i = 0; i + 1 < unknown; ++i) {
    const double distance = PointDistance(*point, centres[static_cast<size_t>(i)]);
    if (i > 0 && distance >= least) continue;
    nearest = i;
    least = distance;
  }
  return nearest + 1;
}

}  // namespace vrp
