// A habit model that counts: smoothed frequencies of legs between stops and zones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/habits/counts/count_tables.h"
#include "core/habits/habit_model.h"

namespace vrp {

// The habit model of tables. Ids and drivers that the tables do not have are new: their
// probabilities come from zones and distances. Ignores demands and windows.
class CountModel final : public HabitModel {
 public:
  // The tables must be consistent, see CheckTables.
  explicit CountModel(CountTables tables);

  const CountTables& tables() const { return tables_; }
  // Replaces the parameters, without counting again. Not thread-safe.
  void SetParameters(const CountParameters& parameters) { tables_.parameters = parameters; }

  // Returns the node of an id, 1 + its index, or -1.
  int32_t NodeOf(std::string_view id) const;
  // Returns the index of a driver, or -1.
  int32_t DriverOf(std::string_view driver) const;

  bool KnowsDriver(std::string_view driver) const override { return DriverOf(driver) >= 0; }
  bool KnowsStop(std::string_view id) const override { return NodeOf(id) > 0; }
  // O(N^2 + C + S), C: number of counts of today's stops, S: number of stops of the tables.
  std::vector<float> EdgeLogProbabilities(std::span<const HabitStop> stops,
                                          std::string_view driver) const override;
  // O(N + C + S).
  std::vector<float> NextStopLogProbabilities(std::span<const HabitStop> stops,
                                              std::string_view driver,
                                              std::span<const int32_t> route) const override;

 private:
  CountTables tables_;
  std::unordered_map<std::string, int32_t> nodes_;
  std::unordered_map<std::string, int32_t> drivers_;
};

}  // namespace vrp
