#include "core/problem/plan/schedule.h"

#include <algorithm>

#include "core/problem/plan/route_clock.h"

namespace vrp {

RouteScheduler::RouteScheduler(const Instance& instance) : instance_(instance) {
  const InstanceData& data = instance.data();
  double first = kNoLimit;
  double last = -kNoLimit;
  const auto add = [&](const TimeWindow& window) {
    has_soft_windows_ = has_soft_windows_ || window.soft();
    if (window.close == kNoLimit) return;
    first = std::min(first, window.open);
    last = std::max(last, window.close);
  };
  for (const TimeWindow& window : data.windows) add(window);
  for (const auto& windows : data.further_windows) {
    for (const TimeWindow& window : windows) add(window);
  }
  for (const VehicleType& vehicle : data.vehicles) {
    add(vehicle.shift);
    for (const Break& pause : vehicle.breaks) {
      add(pause.window);
      for (const TimeWindow& window : pause.further_windows) add(window);
    }
  }
  tolerance_ = 1e-6 * std::max(1.0, last - first);
}

bool RouteScheduler::NeedsDuration(const VehicleType& vehicle) const {
  const Objective objective = instance_.data().objective;
  const std::optional<Balance>& balance = instance_.data().balance;
  if (balance.has_value() && balance->measure == BalanceMeasure::kDuration) return true;
  return vehicle.limits_duration() || NeedsTimedDriving(instance_.data(), vehicle) ||
         objective == Objective::kDuration ||
         (objective == Objective::kCost && vehicle.cost_per_time != 0);
}

RouteSchedule RouteScheduler::Make(const PlannedRoute& route, VehicleTimes times) const {
  return RouteClock(instance_, route, tolerance_, times)
      .Make(NeedsDuration(VehicleOf(instance_, route)));
}

}  // namespace vrp
