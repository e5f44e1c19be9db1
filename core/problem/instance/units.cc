#include "core/problem/instance/units.h"

#include <algorithm>

#include "core/problem/instance/instance.h"

namespace vrp {
namespace {

constexpr double kSecondsOfTwoDays = 48 * kSecondsPerHour;

// The range of an instance's windows, shifts and breaks, widened to include 0.
class StatedTimes {
 public:
  explicit StatedTimes(const Instance& instance) {
    const InstanceData& data = instance.data();
    for (const TimeWindow& window : data.windows) Add(window);
    for (const auto& windows : data.further_windows) {
      for (const TimeWindow& window : windows) Add(window);
    }
    for (const VehicleType& vehicle : data.vehicles) {
      Add(vehicle.shift);
      for (const Break& pause : vehicle.breaks) {
        Add(pause.window);
        for (const TimeWindow& window : pause.further_windows) Add(window);
      }
    }
  }
  double earliest() const { return earliest_; }
  double latest() const { return latest_; }

 private:
  void Add(const TimeWindow& window) {
    earliest_ = std::min(earliest_, window.open);
    latest_ = std::max(latest_, window.open);
    if (window.close != kNoLimit) latest_ = std::max(latest_, window.close);
  }
  double earliest_ = 0;
  double latest_ = 0;
};

bool HasDistanceMatrix(const Instance& instance) {
  return instance.has_distance_matrix() ||
         std::any_of(instance.vehicles().begin(), instance.vehicles().end(),
                     [](const VehicleType& type) { return !type.distance_matrix.empty(); });
}

CostUnit CostUnitOf(Objective objective) {
  switch (objective) {
    case Objective::kDistance:
    case Objective::kVehiclesThenDistance:
      return CostUnit::kDistance;
    case Objective::kDuration:
      return CostUnit::kTime;
    case Objective::kCost:
      return CostUnit::kOwn;
  }
  return CostUnit::kOwn;
}

}  // namespace

Units UnitsOf(const Instance& instance) {
  const InstanceData& data = instance.data();
  const bool on_earth = data.coordinates == CoordinateSystem::kLonLat;
  const double metre = data.metric == Metric::kScaled1000 ? 1e-3 : 1;
  const double default_metres = on_earth && !HasDistanceMatrix(instance) ? metre : 0;
  Units units{.metres_per_distance = data.units.metres_per_distance.value_or(default_metres),
              .seconds_per_time = data.units.seconds_per_time.value_or(on_earth ? 1 : 0),
              .times_of_day = false,
              .cost = CostUnitOf(data.objective)};
  if (units.seconds_per_time == 0) return units;
  const StatedTimes times(instance);
  units.times_of_day = times.earliest() >= 0 &&
                       times.latest() * units.seconds_per_time > kSecondsPerHour &&
                       times.latest() * units.seconds_per_time <= kSecondsOfTwoDays;
  return units;
}

}  // namespace vrp
