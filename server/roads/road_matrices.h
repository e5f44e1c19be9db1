// Travel times and distances between places on a road network.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/problem/instance/metric.h"

namespace vrp {

// A place in millionths of a degree, the precision of the services.
struct RoadPlace {
  int32_t longitude = 0;
  int32_t latitude = 0;

  auto operator<=>(const RoadPlace&) const = default;
};

// Returns the place at a position in degrees, longitude first. The position must be in range.
RoadPlace PlaceOf(Position position);
// Returns the position of a place in degrees.
Position PositionOf(RoadPlace place);

// The value of a pair that no road joins.
inline constexpr int32_t kNoRoad = -1;
// Units of the values below in a second and in a metre. The services state no finer values.
inline constexpr double kRoadUnits = 10;

// A place that is far from the nearest road.
struct FarPlace {
  size_t place = 0;  // index into RoadMatrices::places
  double metres = 0;

  bool operator==(const FarPlace&) const = default;
};

// Matrices between places, [P, P] row-major, in tenths of seconds and of metres; kNoRoad where no
// road leads from the row's place to the column's.
struct RoadMatrices {
  std::vector<RoadPlace> places = {};  // distinct
  std::vector<int32_t> durations = {};
  std::vector<int32_t> distances = {};
  std::vector<FarPlace> far = {};  // beyond the network's max_road_distance_m

  size_t size() const { return places.size(); }
  size_t At(size_t from, size_t to) const { return from * places.size() + to; }
  size_t bytes() const {
    return sizeof(RoadPlace) * places.size() +
           sizeof(int32_t) * (durations.size() + distances.size());
  }
  bool operator==(const RoadMatrices&) const = default;
};

// The streets of one leg, as positions in degrees.
using RoadLine = std::vector<Position>;

}  // namespace vrp

template <>
struct std::hash<vrp::RoadPlace> {
  size_t operator()(const vrp::RoadPlace& place) const {
    const auto bits = static_cast<uint64_t>(static_cast<uint32_t>(place.longitude)) << 32 |
                      static_cast<uint32_t>(place.latitude);
    return static_cast<size_t>((bits ^ (bits >> 29)) * 0x9E3779B97F4A7C15u);
  }
};
