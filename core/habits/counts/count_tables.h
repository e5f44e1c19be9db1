// The numbers of a counting habit model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/habits/space_point.h"
#include "core/problem/instance/metric.h"

namespace vrp {

// Smoothing of the frequencies. Each level of the back-off is a Dirichlet posterior mean: counts
// plus `strength` times the probabilities of the level below (MacKay and Peto 1995). From below:
// distance, zones of all drivers, zones of the driver, stops of all drivers, stops of the driver.
struct CountParameters {
  double half_life = 0;       // in days, after which a route counts half; 0: all count alike
  double distance_power = 2;  // P(j) falls as (1 + distance / leg_length)^-power
  double zone_strength = 10;  // in routes' legs, as all strengths
  double driver_zone_strength = 10;
  double stop_strength = 3;
  double driver_stop_strength = 3;
  // Corrects for stops that are rarely there: a count is multiplied by (n + availability) /
  // (a + availability), n: departures from the stop, a: those with the other stop still to visit.
  double availability = 10;

  bool operator==(const CountParameters&) const = default;
};

// Counts of legs, by the stop where they start.
struct LegCounts {
  // Row r has the legs from nodes[r], in entries first[r] to first[r + 1] - 1. Nodes ascend within
  // a driver. Node 0 is the depot, node k + 1 has ids[k].
  std::vector<int32_t> nodes = {};
  std::vector<int64_t> first = {0};
  std::vector<int32_t> to = {};
  std::vector<float> counts = {};

  int64_t rows() const { return static_cast<int64_t>(nodes.size()); }
};

// The frequencies that a history has.
struct CountTables {
  CoordinateSystem coordinates = CoordinateSystem::kPlanar;
  CountParameters parameters = {};
  double leg_length = 1;  // mean length of the history's legs
  std::vector<std::string> ids = {};
  std::vector<std::optional<Position>> positions = {};  // of ids: the last ones
  std::vector<std::string> drivers = {};
  std::vector<SpacePoint> centres = {};  // of zones
  // [D + 1, Z, Z]: legs from zone to zone, those of all drivers first. Zone 0 is the depot, zone
  // Z - 1 = centres + 1 has the stops without a position.
  std::vector<float> zone_legs = {};
  LegCounts legs = {};                      // of all drivers
  std::vector<LegCounts> driver_legs = {};  // [D]

  size_t zones() const { return centres.size() + 2; }
};

}  // namespace vrp
