// The units of an instance's numbers, for people to read.
#pragma once

#include <optional>

namespace vrp {

class Instance;

inline constexpr double kSecondsPerHour = 3600;

// Units that the reader found in the file. They change no rule, and our JSON has no place for them:
// an instance that is written and read back without them is equal.
struct StatedUnits {
  std::optional<double> metres_per_distance = {};  // nullopt: not stated; 0: another unit
  std::optional<double> seconds_per_time = {};

  bool operator==(const StatedUnits&) const { return true; }
};

enum class CostUnit { kOwn, kDistance, kTime };

struct Units {
  double metres_per_distance = 0;  // 0: unknown, as the next
  double seconds_per_time = 0;
  bool times_of_day = false;  // times are counted from midnight
  CostUnit cost = CostUnit::kOwn;

  bool any() const { return metres_per_distance > 0 || seconds_per_time > 0; }
  bool operator==(const Units&) const = default;
};

// Returns what is known. Distances between longitudes and latitudes are metres, and times there are
// seconds unless they are stated to be another unit. Times are of a day where windows, shifts and
// breaks all lie within two days and not all of them within the first hour.
Units UnitsOf(const Instance& instance);

}  // namespace vrp
