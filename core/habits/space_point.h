// Positions as points of space, and the nearest of several.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/problem/instance/metric.h"

namespace vrp {

// A position as a point of space, so that distances are Euclidean in both coordinate systems: the
// plane z = 0, or for longitude and latitude the sphere, in metres.
using SpacePoint = std::array<double, 3>;
SpacePoint PointOf(Position position, CoordinateSystem coordinates);
double PointDistance(const SpacePoint& a, const SpacePoint& b);

// Returns the zone of a point: 1 + the index of the nearest centre. Without centres or a point,
// returns 1 + the number of centres, the zone of stops without a position.
int32_t ZoneOf(const std::optional<SpacePoint>& point, const std::vector<SpacePoint>& centres);

}  // namespace vrp
