// Counts the legs of past routes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/habits/counts/count_tables.h"
#include "core/habits/history.h"

namespace vrp {

// A counter of the legs of a history's first routes. Thread-safe.
class LegCounter {
 public:
  // Reads the first `routes` routes of `history` (at least 1), and finds at most `zones` zones of
  // their stops with `seed`. `history` must outlive the object.
  LegCounter(const RouteHistory& history, size_t routes, int32_t zones, uint64_t seed);

  // Counts the legs with the half-life and the availability of `parameters`, which become those of
  // the tables. The age of a route is the number of days to the last route's.
  // O(L log L + C), L: legs, C: sum over all visits of the number of stops that ever followed.
  CountTables Count(const CountParameters& parameters) const;

 private:
  // A leg from node to node (-1: a stop without an id).
  struct Leg {
    int32_t from = 0;
    int32_t to = 0;
    float weight = 0;
  };

  double WeightOf(const PastRoute& route, double half_life) const;
  void AddZoneLegs(const PastRoute& route, double weight, CountTables& tables) const;
  LegCounts CountRoutes(std::span<const int32_t> routes, const CountParameters& parameters) const;
  // Multiplies each count by its correction for stops that are rarely there.
  void CorrectForAvailability(std::span<const int32_t> routes, const CountParameters& parameters,
                              LegCounts& legs) const;

  std::span<const PastRoute> routes_;
  std::vector<int32_t> all_;                     // indices of all routes
  std::vector<std::vector<int32_t>> by_driver_;  // indices of the routes of each driver
  CountTables base_;                             // without counts
};

}  // namespace vrp
