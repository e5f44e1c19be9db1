// The units of an instance's numbers, for display.
#pragma once

#include <optional>
#include <string_view>

namespace vrp {

class Instance;

inline constexpr double kSecondsPerHour = 3600;

// Returns the seconds of "s", "min" and "h", and 0 for any other name.
constexpr double SecondsOfTimeUnit(std::string_view name) {
  return name == "s" ? 1 : name == "min" ? 60 : name == "h" ? kSecondsPerHour : 0;
}

// Units that a file states. They affect no rule and are not part of our JSON, so instances that
// state different units compare equal.
struct StatedUnits {
  // nullopt: not stated; 0: an unknown unit.
  std::optional<double> metres_per_distance = {};
  std::optional<double> seconds_per_time = {};

  bool operator==(const StatedUnits&) const { return true; }
};

// The unit of costs: the instance's own, or that of distances or times.
enum class CostUnit { kOwn, kDistance, kTime };

// The units of an instance's distances, times and costs.
struct Units {
  double metres_per_distance = 0;  // 0: unknown
  double seconds_per_time = 0;     // 0: unknown
  bool times_of_day = false;       // whether times count from midnight
  CostUnit cost = CostUnit::kOwn;

  bool any() const { return metres_per_distance > 0 || seconds_per_time > 0; }
  bool operator==(const Units&) const = default;
};

// Returns the known units. Unless another unit is stated, distances computed from longitudes and
// latitudes are in metres (with Metric::kScaled1000, millimetres). Times of instances with
// longitudes and latitudes are then in seconds.
// Times in a known unit count as times of day if all windows, shifts and breaks lie within two
// days. They must not all lie within the first hour.
Units UnitsOf(const Instance& instance);

}  // namespace vrp
