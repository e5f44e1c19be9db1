// Computes the times of one route for RouteScheduler (schedule.h), which describes the method.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/problem/plan/driving_labels.h"
#include "core/problem/plan/late_breaks.h"
#include "core/problem/plan/schedule.h"
#include "core/problem/plan/timed_stop.h"

namespace vrp {

// A clock for the times of one route, used only once. Not thread-safe.
class RouteClock {
 public:
  // `instance` and `route` must outlive the clock. `tolerance` is RouteScheduler::tolerance.
  RouteClock(const Instance& instance, const PlannedRoute& route, double tolerance,
             VehicleTimes times);

  // Computes the times. `needs_duration` is RouteScheduler::NeedsDuration.
  RouteSchedule Make(bool needs_duration);

 private:
  static constexpr double kNever = kNoLimit;

  size_t columns() const { return breaks_.size() + 1; }
  double& Early(size_t stop, size_t taken) { return early_[stop * columns() + taken]; }
  double& Late(size_t stop, size_t taken) { return late_[stop * columns() + taken]; }

  // Computes the times with driving breaks. Returns nullopt if the route is not possible with them.
  std::optional<RouteSchedule> MakeWithDrivingBreaks();
  void AddVisits();
  // Returns the latest release among the customers of the trip that begins at `index`.
  double ReleaseOf(size_t index) const;
  TimedStop ReloadStop(size_t index, NodeIndex from);
  TimedStop ServiceStop(NodeIndex node, NodeIndex from);
  // Reads the times of departure for which the vehicle's travel times are given.
  void ReadTimes();
  // Returns the travel time of a leg. Adds to travel_times_ if that depends on the departure.
  TravelTime TravelBetween(NodeIndex from, NodeIndex to);
  bool HasSoftStop() const;
  bool IsAfterShift(double end) const { return end > shift_.close + tolerance_; }

  // Sets which breaks the load allows before each stop.
  void AllowBreaks();

  // Simulates the leg to a stop. Calls `reached(taken, ready)` for each possible number
  // of breaks taken by its end, with the time at which the vehicle is ready there.
  template <typename Reached>
  void Drive(double departure, const TimedStop& to, size_t taken, Reached reached) const;
  // Fills early_: the earliest start at each stop by the number of breaks taken. Returns the start
  // at the last stop with all of them taken. Returns kNever if there are breaks and no such start
  // exists.
  double RunFrom(double start);
  // Gives up the breaks: clears breaks_, then fills early_.
  void RunWithoutBreaks(double start);
  // Fills early_ like RunFrom, from Early(0, 0) on, but only with the starts that minimise
  // lateness.
  double RunByLateness();
  // Whether a limit or a cost depends on where the breaks are, although they delay nothing.
  bool NeedsDrivingWithBreaks() const;
  // Places the breaks of the last run again, with the least driving (least_driving.h).
  void PlaceBreaksAgain();
  LateBreaks::Route BreakRoute() const;
  // Sets the times of the stops in early_.
  void Take(const std::vector<LateBreaks::Step>& steps);

  // Returns the latest start of the route that does not delay the last stop. With breaks and
  // soft windows, gives up the breaks if this takes too much work. Requires a run that starts as
  // soon as possible.
  double LatestStart();
  // Fills late_: the latest start at each stop that does not delay the last stop.
  void FillLate();
  // Returns the latest departure, after `taken` breaks, that reaches stop `next` by its time in
  // late_. Returns -kNever if there is none.
  double LatestDepartureTo(size_t next, size_t taken);
  // Returns the latest departure on a leg of travel time `travel` that ends by `ready`. The vehicle
  // takes the breaks from `taken` to `then` - 1 on the leg. Returns -kNever if this is impossible.
  double LatestDeparture(const TravelTime& travel, size_t taken, size_t then, double ready) const;
  // Returns the latest start of the route that does not delay the first visit.
  double StartWithoutFirstWait();

  // Returns the times of the last run.
  RouteSchedule Result();
  void AddLateness(const TimedStop& visit, double start, RouteSchedule& schedule) const;
  // Returns the arrival at stop `i` with the breaks from `before` to `taken` - 1 on the leg. Adds
  // these to `breaks` in reverse order.
  double ReplayLeg(size_t i, size_t before, size_t taken, std::vector<BreakTime>& breaks);

  const Instance& instance_;
  const VehicleType& vehicle_;
  const std::vector<NodeIndex>& route_;
  const double tolerance_;
  const double rounding_;
  TimeWindow shift_ = {};
  std::span<const Break> breaks_ = {};
  size_t wanted_breaks_ = 0;
  bool misses_driving_breaks_ = false;
  std::vector<TimedStop> visits_;
  std::vector<double> departures_;    // of TimedMatricesOf
  std::vector<double> travel_times_;  // of each leg in visits_, one for each of departures_
  // [stops, breaks + 1], by the number of breaks taken before the stop starts.
  std::vector<double> early_;
  std::vector<size_t> before_;  // number of breaks taken at the previous stop
  std::vector<double> late_;
  LateBreaks late_breaks_;
};

}  // namespace vrp
