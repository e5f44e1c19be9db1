// Computes times of the stops of a route.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/plan/plan.h"

namespace vrp {

// The times of a stop, in the unit of the instance.
struct StopTimes {
  double arrival = 0;    // arrival of the vehicle
  double start = 0;      // start of setup and service, or of loading: within a window, or late
  double departure = 0;  // at the start depot and at a reload: end of loading
};

// BreakTime::index of a break, or a part of one, that VehicleType::driving_rules want.
inline constexpr int32_t kDrivingBreakIndex = -1;

// A break that is taken. A driving break may overlap with waiting and with other breaks.
struct BreakTime {
  int32_t index = 0;  // index into VehicleType::breaks, or kDrivingBreakIndex
  int32_t after = 0;  // index of the stop before the break
  double start = 0;
  double end = 0;
};

// The times of a route. `stops` are the start depot, the visits (including reloads), and the end
// depot unless the end is open.
struct RouteSchedule {
  std::vector<StopTimes> stops = {};
  std::vector<BreakTime> breaks = {};
  double end = 0;        // start at the end depot; with an open end, end of the last service or
                         // of a break after that service
  double late_cost = 0;  // cost of starts after soft windows
  // Whether all windows, the shift, the breaks and the limit of driving between breaks hold. If a
  // service is late for a hard window, it starts on arrival. If not all breaks can be taken, none
  // is.
  bool feasible = true;

  double duration() const { return end - stops.front().start; }
};

// The restrictions on times that a schedule considers.
enum class VehicleTimes { kAll, kNoBreaks, kNoBreaksNoShift };

// A scheduler of routes, whose times depend only on the vehicle and the order of visits. The travel
// time of a leg is that at the departure from the stop before, even if breaks interrupt the leg.
// 1. A forward pass starts as soon as possible, at the latest of the depot's opening, the shift's
// opening and the releases of the first trip. The vehicle is loaded before it leaves a depot. Each
// service begins at the earliest time within a window, or at once after the last window. To place
// the breaks, labels hold the earliest time at each stop by the number of breaks taken. With a soft
// window, breaks minimise the cost of lateness, then the end of the route (late_breaks.h).
// 2. If the duration matters or there are breaks, the route starts as late as possible without
// delaying its end. Customers in time stay in time, and late ones are not delayed. This minimises
// the duration (Savelsbergh 1992). With breaks and soft windows, the later start must instead not
// raise the cost of lateness. In all other cases, the route starts as late as possible without
// delaying the first visit.
// Driving breaks are placed by labels in both steps (driving_labels.h), as breaks are.
// Thread-safe.
class RouteScheduler {
 public:
  // Takes O(number of windows, shifts and breaks). `instance` must outlive the scheduler.
  explicit RouteScheduler(const Instance& instance);

  // Returns the times of a route with at least one customer and all numbers in range. Takes O(stops
  // * (breaks + 1)^3), or the time of LateBreaks with breaks and soft windows.
  RouteSchedule Make(const PlannedRoute& route, VehicleTimes times = VehicleTimes::kAll) const;

  // Whether the objective, a limit or the balance depends on a route's duration.
  bool NeedsDuration(const VehicleType& vehicle) const;
  bool has_soft_windows() const { return has_soft_windows_; }
  // Returns the difference up to which times count as equal. It is 1e-6 of the span of all windows,
  // shifts and breaks that have an end, and at least 1e-6.
  double tolerance() const { return tolerance_; }

 private:
  const Instance& instance_;
  bool has_soft_windows_ = false;
  double tolerance_ = 0;
};

}  // namespace vrp
