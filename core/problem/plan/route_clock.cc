#include "core/problem/plan/route_clock.h"

#include <algorithm>
#include <optional>

#include "core/problem/plan/break_leg.h"
#include "core/problem/plan/least_driving.h"
#include "core/problem/plan/route_loads.h"

namespace vrp {

RouteClock::RouteClock(const Instance& instance, const PlannedRoute& route, double tolerance,
                       VehicleTimes times)
    : instance_(instance),
      vehicle_(VehicleOf(instance, route)),
      route_(route.customers),
      tolerance_(tolerance),
      rounding_(1e-3 * tolerance) {
  if (times != VehicleTimes::kNoBreaksNoShift) shift_ = vehicle_.shift;
  if (times == VehicleTimes::kAll) breaks_ = vehicle_.breaks;
  wanted_breaks_ = breaks_.size();
  misses_driving_breaks_ = times == VehicleTimes::kAll && vehicle_.driving_rules.has_breaks();
  ReadTimes();
  AddVisits();
  if (HasLoadLimits(breaks_)) AllowBreaks();
}

RouteSchedule RouteClock::Make(bool needs_duration) {
  const double earliest = visits_.front().first.open;
  if (misses_driving_breaks_) {
    if (auto schedule = MakeWithDrivingBreaks(); schedule.has_value()) return *schedule;
    breaks_ = {};
  }
  if (RunFrom(earliest) == kNever) RunWithoutBreaks(earliest);
  const double start = needs_duration || !breaks_.empty() ? LatestStart() : StartWithoutFirstWait();
  if (start > earliest + rounding_ && RunFrom(start) == kNever) RunFrom(earliest);
  if (NeedsDrivingWithBreaks()) PlaceBreaksAgain();
  return Result();
}

std::optional<RouteSchedule> RouteClock::MakeWithDrivingBreaks() {
  const DrivingLabels::Route route = {
      .stops = visits_,
      .breaks = breaks_,
      .rules = &vehicle_.driving_rules,
      .last_by = shift_.close - visits_.back().work,
      .tolerance = tolerance_,
      .rounding = rounding_,
      .most_work = 2 * DrivingLabels::MaxWork(visits_.size(), breaks_.size())};
  const double earliest = visits_.front().first.open;
  DrivingLabels labels;
  if (!labels.Run(route, earliest).has_value()) return std::nullopt;
  const double latest = labels.LatestStart();
  if (!labels.Run(route, latest).has_value()) labels.Run(route, earliest);
  RouteSchedule schedule;
  labels.AddTimes(schedule);
  for (size_t i = 0; i < visits_.size(); ++i) {
    AddLateness(visits_[i], schedule.stops[i].start, schedule);
  }
  schedule.end = schedule.stops.back().departure;
  if (vehicle_.open_end) schedule.stops.resize(route_.size() + 1);
  return schedule;
}

double RouteClock::ReleaseOf(size_t index) const {
  const std::vector<double>& releases = instance_.data().releases;
  double latest = 0;
  if (releases.empty()) return latest;
  for (; index < route_.size() && !instance_.is_depot(route_[index]); ++index) {
    latest = std::max(latest, releases[static_cast<size_t>(route_[index])]);
  }
  return latest;
}

void RouteClock::ReadTimes() {
  const std::vector<TimedMatrix>& timed = TimedMatricesOf(instance_.data(), vehicle_);
  for (const TimedMatrix& entry : timed) departures_.push_back(entry.at);
  travel_times_.reserve(timed.size() * (route_.size() + 1));
}

TravelTime RouteClock::TravelBetween(NodeIndex from, NodeIndex to) {
  if (departures_.empty()) return instance_.Duration(vehicle_, from, to);
  const size_t begin = travel_times_.size();
  for (const TimedMatrix& entry : TimedMatricesOf(instance_.data(), vehicle_)) {
    travel_times_.push_back(instance_.Duration(entry, from, to));
  }
  return {departures_, travel_times_.data() + begin};
}

void RouteClock::AddVisits() {
  const TimeWindow start = instance_.window(vehicle_.depot);
  visits_.reserve(route_.size() + 2);
  visits_.push_back({.work = instance_.service(vehicle_.depot)});
  visits_.back().first = {std::max({start.open, shift_.open, ReleaseOf(0)}),
                          std::min(start.close, vehicle_.latest_start)};
  NodeIndex from = vehicle_.depot;
  for (size_t i = 0; i < route_.size(); ++i) {
    visits_.push_back(instance_.is_depot(route_[i]) ? ReloadStop(i, from)
                                                    : ServiceStop(route_[i], from));
    from = route_[i];
  }
  if (vehicle_.open_end) {
    if (!breaks_.empty()) visits_.push_back({});  // for breaks after the last service
    return;
  }
  const TimeWindow end = instance_.window(vehicle_.end());
  visits_.push_back({.travel = TravelBetween(from, vehicle_.end())});
  visits_.back().first = {end.open, std::min(end.close, shift_.close)};
}

TimedStop RouteClock::ReloadStop(size_t index, NodeIndex from) {
  const TimeWindow window = instance_.window(route_[index]);
  return {.travel = TravelBetween(from, route_[index]),
          .work = instance_.service(route_[index]),
          .first = {std::max(window.open, ReleaseOf(index + 1)), window.close}};
}

TimedStop RouteClock::ServiceStop(NodeIndex node, NodeIndex from) {
  const InstanceData& data = instance_.data();
  TimedStop visit{.travel = TravelBetween(from, node),
                  .work = instance_.Work(vehicle_, from, node),
                  .first = instance_.window(node)};
  if (!data.further_windows.empty())
    visit.further = data.further_windows[static_cast<size_t>(node)];
  return visit;
}

void RouteClock::AllowBreaks() {
  const std::vector<double> loads = LoadsAfterStops(instance_, vehicle_, route_);
  const auto dimensions = static_cast<size_t>(instance_.load_dimensions());
  for (size_t i = 1; i < visits_.size(); ++i) {
    visits_[i].breaks_before =
        BreaksAllowedWith(breaks_, std::span(loads).subspan((i - 1) * dimensions, dimensions));
  }
}

template <typename Reached>
void RouteClock::Drive(double departure, const TimedStop& to, size_t taken, Reached reached) const {
  double time = departure;
  double left = to.travel.From(departure);
  reached(taken, time + left);
  for (; taken < breaks_.size() && AllowsBreaks(to.breaks_before, taken, taken + 1); ++taken) {
    const double begin = BreakStart(breaks_[taken], time, tolerance_);
    left -= std::clamp(begin - time, 0.0, left);
    time = std::max(time, begin);
    if (IsBreakLate(breaks_[taken], time, tolerance_)) return;
    time += breaks_[taken].duration;
    reached(taken + 1, time + left);
  }
}

double RouteClock::RunFrom(double start) {
  const bool strict = !breaks_.empty();
  early_.assign(visits_.size() * columns(), kNever);
  before_.assign(early_.size(), 0);
  Early(0, 0) = start;
  if (strict && HasSoftStop()) return RunByLateness();
  if (strict && visits_.front().IsLate(start, tolerance_)) return kNever;
  for (size_t i = 1; i < visits_.size(); ++i) {
    const TimedStop& visit = visits_[i];
    for (size_t taken = 0; taken < columns(); ++taken) {
      if (Early(i - 1, taken) == kNever) continue;
      const double departure = Early(i - 1, taken) + visits_[i - 1].work;
      Drive(departure, visit, taken, [&](size_t then, double ready) {
        const double begin = visit.StartAt(ready, tolerance_);
        if ((strict && visit.IsLate(begin, tolerance_)) || begin >= Early(i, then)) return;
        Early(i, then) = begin;
        before_[i * columns() + then] = taken;
      });
    }
  }
  const double last = Early(visits_.size() - 1, breaks_.size());
  return strict && IsAfterShift(last + visits_.back().work) ? kNever : last;
}

void RouteClock::RunWithoutBreaks(double start) {
  breaks_ = {};
  RunFrom(start);
}

bool RouteClock::HasSoftStop() const {
  return std::any_of(visits_.begin(), visits_.end(),
                     [](const TimedStop& visit) { return visit.last().soft(); });
}

LateBreaks::Route RouteClock::BreakRoute() const {
  return {.stops = visits_,
          .breaks = breaks_,
          .last_by = shift_.close - visits_.back().work,
          .tolerance = tolerance_,
          .rounding = rounding_,
          .most_work = 2 * LateBreaks::MaxWork(visits_.size(), breaks_.size())};
}

void RouteClock::Take(const std::vector<LateBreaks::Step>& steps) {
  for (size_t i = 1; i < steps.size(); ++i) {
    Early(i, steps[i].taken) = steps[i].begin;
    before_[i * columns() + steps[i].taken] = steps[i - 1].taken;
  }
}

double RouteClock::RunByLateness() {
  if (!late_breaks_.Run(BreakRoute(), Early(0, 0)).has_value()) return kNever;
  const std::vector<LateBreaks::Step> steps = late_breaks_.Steps();
  Take(steps);
  return steps.back().begin;
}

bool RouteClock::NeedsDrivingWithBreaks() const {
  if (breaks_.empty() || departures_.empty()) return false;
  return vehicle_.max_waiting != kNoLimit || NeedsTimedDriving(instance_.data(), vehicle_);
}

void RouteClock::PlaceBreaksAgain() {
  const auto placement = PlaceBreaksWithLeastDriving(BreakRoute(), Early(0, 0));
  if (placement.has_value()) Take(placement->steps);
}

double RouteClock::LatestDeparture(const TravelTime& travel, size_t taken, size_t then,
                                   double ready) const {
  const std::span<const Break> on_leg = breaks_.subspan(taken, then - taken);
  if (HasFurtherWindows(on_leg)) {
    const double leave = DepartureBefore(on_leg, ready, travel, rounding_);
    const double arrival = ArrivalAfter(on_leg, leave, travel.From(leave), tolerance_);
    return arrival <= ready + rounding_ ? leave : -kNever;
  }
  // Each break begins at its opening or at the end of the previous one. Driving fills the gaps.
  double latest = kNever;
  double pause = 0;
  double busy_until = -kNever;
  for (size_t i = taken; i < then; ++i) {
    const TimeWindow& window = breaks_[i].window;
    busy_until = std::max(busy_until, window.open);
    if (busy_until > window.close + tolerance_) return -kNever;
    latest = std::min(latest, window.close - pause);
    busy_until += breaks_[i].duration;
    pause += breaks_[i].duration;
  }
  if (busy_until > ready + rounding_) return -kNever;
  return std::min(latest, travel.LatestDeparture(ready, pause));
}

double RouteClock::LatestDepartureTo(size_t next, size_t taken) {
  double latest = -kNever;
  const BreakSet allowed = visits_[next].breaks_before;
  for (size_t then = taken; then < columns() && AllowsBreaks(allowed, taken, then); ++then) {
    if (Late(next, then) == -kNever) continue;
    latest = std::max(latest, LatestDeparture(visits_[next].travel, taken, then, Late(next, then)));
  }
  return latest;
}

double RouteClock::LatestStart() {
  if (!breaks_.empty() && HasSoftStop()) {
    const std::optional<double> latest = late_breaks_.LatestStart();
    if (latest.has_value()) return *latest;
    RunWithoutBreaks(Early(0, 0));
  }
  FillLate();
  const double latest = LatestDepartureTo(1, 0) - visits_.front().work;
  return std::max(Early(0, 0), std::min(latest, visits_.front().first.close));
}

void RouteClock::FillLate() {
  late_.assign(early_.size(), -kNever);
  const size_t last = visits_.size() - 1;
  Late(last, breaks_.size()) = Early(last, breaks_.size());
  for (size_t i = last; i-- > 1;) {
    for (size_t taken = 0; taken < columns(); ++taken) {
      const double earliest = Early(i, taken);
      if (earliest == kNever) continue;
      const double bound = LatestDepartureTo(i + 1, taken) - visits_[i].work;
      if (breaks_.empty()) {
        Late(i, taken) = visits_[i].IsLate(earliest, tolerance_)
                             ? earliest
                             : std::max(earliest, visits_[i].LatestIn(bound, rounding_));
      } else {
        Late(i, taken) = visits_[i].LatestIn(bound, rounding_);
      }
    }
  }
}

double RouteClock::StartWithoutFirstWait() {
  const TravelTime& travel = visits_[1].travel;
  const double loading = visits_.front().work;
  const double leave = Early(0, 0) + loading;
  const double wait = Early(1, 0) - (leave + travel.From(leave));
  if (wait <= rounding_) return Early(0, 0);
  return std::max(Early(0, 0), std::min(travel.LatestDeparture(Early(1, 0)) - loading,
                                        visits_.front().first.close));
}

RouteSchedule RouteClock::Result() {
  RouteSchedule schedule;
  const size_t count = visits_.size();
  schedule.stops.resize(count);
  schedule.feasible = breaks_.size() == wanted_breaks_ && !misses_driving_breaks_;
  size_t taken = breaks_.size();
  for (size_t i = count; i-- > 0;) {
    const size_t before = before_[i * columns() + taken];
    StopTimes& stop = schedule.stops[i];
    stop.start = Early(i, taken);
    stop.departure = stop.start + visits_[i].work;
    stop.arrival = stop.start;
    if (i > 0) stop.arrival = ReplayLeg(i, before, taken, schedule.breaks);
    AddLateness(visits_[i], stop.start, schedule);
    taken = before;
  }
  std::reverse(schedule.breaks.begin(), schedule.breaks.end());
  schedule.end = schedule.stops.back().departure;
  if (IsAfterShift(schedule.end)) schedule.feasible = false;
  if (vehicle_.open_end) schedule.stops.resize(route_.size() + 1);
  return schedule;
}

void RouteClock::AddLateness(const TimedStop& visit, double start, RouteSchedule& schedule) const {
  schedule.late_cost += visit.LateCost(start);
  if (!visit.last().soft() && visit.IsLate(start, tolerance_)) schedule.feasible = false;
}

double RouteClock::ReplayLeg(size_t i, size_t before, size_t taken,
                             std::vector<BreakTime>& breaks) {
  double time = Early(i - 1, before) + visits_[i - 1].work;
  double left = visits_[i].travel.From(time);
  double arrival = time + left;
  const size_t position = breaks.size();
  for (size_t b = before; b < taken; ++b) {
    const double begin = BreakStart(breaks_[b], time, tolerance_);
    left -= std::clamp(begin - time, 0.0, left);
    time = std::max(time, begin);
    const double end = time + breaks_[b].duration;
    breaks.insert(breaks.begin() + static_cast<std::ptrdiff_t>(position),
                  {.index = static_cast<int32_t>(b),
                   .after = static_cast<int32_t>(i - 1),
                   .start = time,
                   .end = end});
    if (left > 0) arrival = end + left;
    time = end;
  }
  return arrival;
}

}  // namespace vrp
