// The probabilities of all legs of an instance by a habit model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/habits/habit_model.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// The limits below bound the instances that habits can guide: their nodes, the numbers in all their
// matrices, those of the probabilities included (160 MB), and the probabilities that are computed,
// of all drivers and depots together.
inline constexpr int32_t kMaxGuidedNodes = 2'000;
inline constexpr int64_t kMaxGuidedNumbers = 20'000'000;
inline constexpr int64_t kMaxLegProbabilities = 100'000'000;

// The logarithms of the probabilities with which vehicles go from one node to another. Vehicles
// whose id is a driver that the model knows have the driver's own, all others those of all drivers.
//
// Past routes have one depot. Each depot of the instance therefore stands for it in turn: legs from
// or to a depot have the probabilities of a day at that depot, and legs between customers those of
// a day at the first depot of the driver's vehicles.
//
// Immutable; thread-safe.
class LegProbabilities {
 public:
  // The vehicle types with a number from 0 in `group_of` (InterchangeableDrivers; empty: none) have
  // the probabilities of all drivers, because any of these may get their routes. Returns
  // kInvalidArgument above the limits. Takes O(drivers * depots * N^2) time and O(drivers * N^2)
  // memory.
  static absl::StatusOr<LegProbabilities> Create(const Instance& instance, const HabitModel& model,
                                                 std::span<const int32_t> group_of = {});

  // Returns the number of drivers that differ, and that of the vehicle type.
  int32_t num_drivers() const { return static_cast<int32_t>(logs_.size()); }
  int32_t DriverOf(int32_t vehicle_type) const {
    return driver_of_[static_cast<size_t>(vehicle_type)];
  }
  // Returns the logarithm, at most 0; 0 for a leg between two depots.
  double Log(int32_t driver, NodeIndex from, NodeIndex to) const {
    return logs_[static_cast<size_t>(driver)][static_cast<size_t>(from) * size_ + to];
  }

 private:
  struct Driver {
    std::string name;  // empty: all drivers
    std::vector<NodeIndex> depots = {};
  };

  explicit LegProbabilities(const Instance& instance);
  std::vector<Driver> FindDrivers(const Instance& instance, const HabitModel& model,
                                  std::span<const int32_t> group_of);

  static absl::Status CheckNumbers(const Instance& instance, const std::vector<Driver>& drivers);

  size_t size_;                           // N
  std::vector<int32_t> driver_of_ = {0};  // by vehicle type; one entry for a TSP
  std::vector<std::vector<float>> logs_;  // by driver, [N, N]
};

}  // namespace vrp
