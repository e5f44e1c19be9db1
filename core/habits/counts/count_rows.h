// The probabilities of one day's legs, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/habits/counts/count_model.h"
#include "core/habits/counts/count_tables.h"
#include "core/habits/habit_model.h"

namespace vrp {

// The stops of one day, looked up once. Not thread-safe: rows share scratch memory. The model must
// outlive the object.
class CountRows {
 public:
  CountRows(const CountModel& model, std::span<const HabitStop> stops, std::string_view driver);

  // Computes the logarithms of the probabilities of the legs from stop `from` to the stops for
  // which `open` [N] is not 0, of which there must be one at least. open[from] must be 0. Writes
  // only these entries of `logs` [N].
  void Row(size_t from, std::span<const uint8_t> open, float* logs);

 private:
  // The counts of legs between today's stops.
  struct TodayLegs {
    std::vector<size_t> first = {};  // [N + 1]
    std::vector<size_t> to = {};     // today's index
    std::vector<float> counts = {};
  };

  TodayLegs Select(const LegCounts& legs) const;
  // Computes probabilities by distance alone.
  void SpreadOverDistances(size_t from, std::span<const uint8_t> open);
  // Shares the probabilities out to the zones anew, by their counts.
  void MixZones(size_t from);
  void MixZoneCounts(size_t driver, size_t from, double strength);
  // Replaces each probability by its posterior mean.
  void MixStops(const TodayLegs& legs, size_t from, std::span<const uint8_t> open, double strength);

  const CountTables& tables_;
  const int32_t driver_;  // -1: unknown, all drivers
  std::vector<std::optional<SpacePoint>> points_;
  std::vector<size_t> zone_of_;
  std::vector<int32_t> nodes_;  // of the tables; -1: unknown
  // Today's stops of each node, as a list: the first one, and the next one of the same node.
  std::vector<int32_t> first_of_node_;
  std::vector<int32_t> next_of_node_;
  TodayLegs legs_;
  TodayLegs driver_legs_;
  // Scratch of a row.
  std::vector<double> probabilities_;   // [N]; 0: not open
  std::vector<double> zone_distances_;  // [Z] probabilities by distance
  std::vector<double> zone_mixed_;      // [Z] those with counts
};

}  // namespace vrp
