// When the stops of a route take place.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/plan/plan.h"

namespace vrp {

struct StopTimes {
  double arrival = 0;    // when it has driven there
  double start = 0;      // of setup and service: in a window, or late
  double departure = 0;  // of the vehicle's start and of a reload: once it is loaded
};

struct BreakTime {
  int32_t index = 0;  // into VehicleType::breaks
  int32_t after = 0;  // the last stop that the vehicle has left by then
  double start = 0;
  double end = 0;
};

// `stops`: the start depot, the route's visits (reloads among them), and the end depot unless the
// end is open.
struct RouteSchedule {
  std::vector<StopTimes> stops = {};
  std::vector<BreakTime> breaks = {};
  double end = 0;        // of the last service, or of a break after it
  double late_cost = 0;  // of service that starts after a soft window
  // All windows, the shift and the breaks hold. Else services late for a hard window begin on
  // arrival; and where the breaks cannot all be taken, none is.
  bool feasible = true;

  double duration() const { return end - stops.front().departure; }
};

// Which of a vehicle's times hold.
enum class VehicleTimes { kAll, kNoBreaks, kNoBreaksNoShift };

// Depends on the vehicle and the order alone. First as soon as possible, from max(depot's opening,
// shift's opening, latest release of the first trip): each service begins at the earliest time in
// one of its windows (after the last, soft one: at once, at a cost), breaks are placed by labels
// (the earliest time at each stop by the number of breaks taken). Breaks of a route with a soft
// window go where lateness costs least and, of the ways to do that, where the route ends soonest
// (late_breaks.h). Where the duration matters or there are breaks, the route then starts as late as
// neither delays its end nor makes any customer later (with breaks and soft windows: as makes
// lateness no dearer; Savelsbergh 1992), which makes the duration least; else as late as causes no
// waiting before the first visit. Thread-safe.
class RouteScheduler {
 public:
  // O(N). `instance` must outlive this.
  explicit RouteScheduler(const Instance& instance);

  // The route's numbers must be in range and at least one customer in it.
  // O(stops * (breaks + 1)^2); with soft windows too as LateBreaks.
  RouteSchedule Make(const PlannedRoute& route, VehicleTimes times = VehicleTimes::kAll) const;

  // Whether an answer depends on a route's duration.
  bool NeedsDuration(const VehicleType& vehicle) const;
  bool has_soft_windows() const { return has_soft_windows_; }
  // Times that differ by no more are taken to be equal: 1e-6 of the span of all windows that end.
  double tolerance() const { return tolerance_; }

 private:
  const Instance& instance_;
  bool has_soft_windows_ = false;
  double tolerance_ = 0;
};

}  // namespace vrp
