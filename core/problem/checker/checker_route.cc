#include "core/problem/checker/checker_route.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/number.h"
#include "core/problem/checker/checker_clock.h"

namespace vrp {
namespace {

// Returns the time in which the vehicle serves, sets up and is loaded.
double WorkTime(const CheckerData& data, const VehicleType& vehicle,
                const std::vector<NodeIndex>& path) {
  double busy = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    if (!data.is_depot(path[i])) {
      busy += data.WorkAt(vehicle, path[i - 1], path[i]);
    } else if (i + 1 < path.size() || vehicle.open_end) {
      busy += data.LoadingTime(path[i]);
    }
  }
  return busy;
}

// Returns how much time of a route that drives for `driving` counts as breaks: its planned breaks,
// or a break after each full max_driving_before_break but the last, if that is longer.
double CountedBreaks(const VehicleType& vehicle, double driving) {
  double planned = 0;
  for (const Break& pause : vehicle.breaks) planned += pause.duration;
  const DrivingRules& rules = vehicle.driving_rules;
  if (!rules.has_breaks()) return planned;
  const double periods = std::ceil(driving / rules.max_driving_before_break - 1e-9);
  return std::max(planned, rules.break_duration * (periods - 1));
}

}  // namespace

RouteChecker::RouteChecker(const CheckerData& data, int32_t route, const VehicleType& vehicle,
                           const std::vector<NodeIndex>& path, std::vector<Violation>& violations)
    : data_(data), route_(route), vehicle_(vehicle), path_(path), violations_(violations) {}

RouteFigures RouteChecker::Run() {
  CheckReloads();
  CheckDistance();
  CheckLoads();
  CheckCompartments();
  CheckBackhaulOrder();
  CheckLifo();
  CheckStops();
  CheckSkills();
  CheckRules();
  const ClockReading reading = ReadClock();
  CheckDriving(reading.driving);
  CheckTimes(reading);
  return figures_;
}

// Whether a trip starts at position `i`, which is so at every depot except the end depot.
bool RouteChecker::StartsTrip(size_t i) const {
  return data_.is_depot(path_[i]) && (i == 0 || i + 1 < path_.size() || vehicle_.open_end);
}

void RouteChecker::CheckReloads() {
  const size_t end = path_.size() - (vehicle_.open_end ? 0 : 1);
  int64_t reloads = 0;
  for (size_t i = 1; i < end; ++i) {
    if (!data_.is_depot(path_[i])) continue;
    ++reloads;
    const bool unloads = i == 1 && vehicle_.MayUnloadFirst();
    if ((unloads || !data_.is_depot(path_[i - 1])) && i + 1 < end) continue;
    Add({.kind = ViolationKind::kReload, .node = path_[i], .amount = 1}, "reloads at depot ",
        data_.id(path_[i]), " with no customer ", i + 1 < end ? "before" : "after", " it");
  }
  if (reloads <= vehicle_.max_reloads) return;
  Add({.kind = ViolationKind::kReload,
       .amount = static_cast<double>(reloads) - vehicle_.max_reloads},
      "reloads ", reloads, " times, more than the limit ", vehicle_.max_reloads);
}

void RouteChecker::CheckDistance() {
  double length = 0;
  for (size_t i = 1; i < path_.size(); ++i) {
    figures_.distance += data_.Distance(vehicle_, path_[i - 1], path_[i]);
    length += data_.Length(vehicle_, path_[i - 1], path_[i]);
  }
  const double limit = vehicle_.max_distance;
  if (length <= limit + 1e-6 * std::max(1.0, limit)) return;
  Add({.kind = ViolationKind::kDistance, .amount = length - limit}, "drives ", FormatNumber(length),
      ", farther than the limit ", FormatNumber(limit));
}

void RouteChecker::CheckStops() {
  const int64_t stops =
      std::count_if(path_.begin(), path_.end(), [this](NodeIndex n) { return !data_.is_depot(n); });
  if (stops <= vehicle_.max_stops) return;
  Add({.kind = ViolationKind::kMaxStops, .amount = static_cast<double>(stops - vehicle_.max_stops)},
      "serves ", stops, " customers, more than the limit ", vehicle_.max_stops);
}

void RouteChecker::CheckSkills() {
  if (data_.raw().required_skills.empty()) return;
  for (const NodeIndex node : path_) {
    for (const std::string& skill : data_.raw().required_skills[static_cast<size_t>(node)]) {
      if (std::find(vehicle_.skills.begin(), vehicle_.skills.end(), skill) !=
          vehicle_.skills.end()) {
        continue;
      }
      Add({.kind = ViolationKind::kSkill, .node = node, .amount = 1}, "customer ", data_.id(node),
          " needs the skill ", Quoted(skill), ", which the vehicle does not have");
    }
  }
}

void RouteChecker::CheckRules() {
  if (data_.raw().customer_rules.empty()) return;
  std::map<size_t, std::vector<size_t>> places;  // by rule
  for (const NodeIndex node : path_) {
    for (const CheckerData::RulePlace& in : data_.RulesOf(node)) {
      places[in.rule].push_back(in.place);
    }
  }
  for (const auto& [rule, visited] : places) CheckRule(rule, visited);
}

void RouteChecker::CheckRule(size_t index, const std::vector<size_t>& places) {
  const CustomerRule& rule = data_.raw().customer_rules[index];
  const auto id = [&](size_t place) { return data_.id(rule.customers[place]); };
  if (rule.kind == RuleKind::kInOrder) {
    for (size_t i = 1; i < places.size(); ++i) {
      if (places[i - 1] <= places[i]) continue;
      Add({.kind = ViolationKind::kInOrder, .node = rule.customers[places[i]], .amount = 1},
          "visits customer ", id(places[i]), " after customer ", id(places[i - 1]),
          ", wanted the order of customer_rules[", index, "]");
    }
    return;
  }
  const bool apart = rule.kind == RuleKind::kDifferentRoutes;
  if (rule.kind == RuleKind::kSameRoute) return;  // concerns the whole plan
  const size_t most = apart ? 1 : static_cast<size_t>(rule.max);
  if (places.size() <= most) return;
  Add({.kind = apart ? ViolationKind::kDifferentRoutes : ViolationKind::kMaxPerRoute,
       .node = rule.customers[places[most]],
       .amount = static_cast<double>(places.size() - most)},
      "serves ", places.size(), " customers of customer_rules[", index, "], wanted at most ", most);
}

void RouteChecker::CheckShift(double end) {
  const double close = vehicle_.shift.close;
  if (end <= close + data_.time_tolerance()) return;
  Add({.kind = ViolationKind::kShift, .amount = end - close}, "ends at ", FormatNumber(end),
      ", after its shift closes at ", FormatNumber(close));
}

void RouteChecker::CheckDriving(double driving) {
  const DrivingRules& rules = vehicle_.driving_rules;
  if (rules.max_driving == kNoLimit && rules.max_work == kNoLimit) return;
  const auto exceeds = [&](double time, double limit) {
    return time > limit + std::max(data_.time_tolerance(), 1e-6 * limit);
  };
  if (exceeds(driving, rules.max_driving)) {
    Add({.kind = ViolationKind::kMaxDriving, .amount = driving - rules.max_driving}, "drives for ",
        FormatNumber(driving), ", longer than the limit ", FormatNumber(rules.max_driving));
  }
  const double busy = driving + WorkTime(data_, vehicle_, path_);
  if (!exceeds(busy, rules.max_work)) return;
  Add({.kind = ViolationKind::kMaxWork, .amount = busy - rules.max_work}, "drives and works for ",
      FormatNumber(busy), ", longer than the limit ", FormatNumber(rules.max_work));
}

void RouteChecker::CheckLateStop(const LateStop& late) {
  const double amount = late.ready - late.window.close;
  if (late.window.late_cost != kNoLimit) {
    figures_.late_cost += late.window.late_cost * amount;
    return;
  }
  if (amount <= data_.time_tolerance()) return;
  const bool back = late.index + 1 == path_.size() && !vehicle_.open_end;
  const bool depot = data_.is_depot(path_[late.index]);
  Add({.kind = ViolationKind::kTimeWindow, .node = path_[late.index], .amount = amount},
      late.index == 0 ? "leaves depot "
      : back          ? "returns to depot "
      : depot         ? "reloads at depot "
                      : "arrives at customer ",
      data_.id(path_[late.index]), " at ", FormatNumber(late.ready),
      late.index == 0 && late.window.close == vehicle_.latest_start ? ", after its latest start, "
                                                                    : ", after it closes at ",
      FormatNumber(late.window.close));
}

void RouteChecker::AddMissedBreak(size_t index) {
  const Break& missed = vehicle_.breaks[index];
  std::string when =
      Concat("from ", FormatNumber(missed.window.open), " to ", FormatNumber(missed.window.close));
  for (const TimeWindow& window : missed.further_windows) {
    when += Concat(" or from ", FormatNumber(window.open), " to ", FormatNumber(window.close));
  }
  for (size_t k = 0; k < missed.max_load.size(); ++k) {
    when += Concat(k == 0 ? " with a load of at most " : ",", FormatNumber(missed.max_load[k]));
  }
  Add({.kind = ViolationKind::kBreak, .amount = 1}, "break ", index, " cannot begin ", when,
      " without making a stop or the route's end late");
}

ClockReading RouteChecker::ReadClock() const {
  const Objective objective = data_.raw().objective;
  const bool balanced =
      data_.raw().balance.has_value() && data_.raw().balance->measure == BalanceMeasure::kDuration;
  const bool latest = balanced || vehicle_.limits_duration() ||
                      NeedsTimedDriving(data_.raw(), vehicle_) ||
                      objective == Objective::kDuration ||
                      (objective == Objective::kCost && vehicle_.cost_per_time > 0);
  return CheckerClock(data_, vehicle_, path_).Read(latest);
}

void RouteChecker::CheckTimes(const ClockReading& reading) {
  figures_.duration = reading.end - reading.start;
  figures_.late_cost = reading.late_cost;
  figures_.work = WorkTime(data_, vehicle_, path_);
  figures_.driving = reading.driving;
  const bool breaks_taken = !reading.missed_break.has_value() && !reading.too_many_labels &&
                            !reading.misses_driving_break;
  const size_t before = violations_.size();
  for (const LateStop& late : reading.late) CheckLateStop(late);
  CheckShift(reading.end);
  if (reading.missed_break.has_value() && violations_.size() == before) {
    AddMissedBreak(*reading.missed_break);
  }
  if (reading.too_many_labels) {
    Add({.kind = ViolationKind::kBreak, .amount = 1}, "has ", vehicle_.breaks.size(),
        " breaks with too many possible positions to check among stops with soft windows",
        vehicle_.driving_rules.has_breaks() ? " or with driving rules" : "");
  }
  if (reading.misses_driving_break && violations_.size() == before) {
    const DrivingRules& rules = vehicle_.driving_rules;
    Add({.kind = ViolationKind::kDrivingBreak, .amount = 1}, "cannot take a break of ",
        FormatNumber(rules.break_duration), " after at most ",
        FormatNumber(rules.max_driving_before_break),
        " of driving without making a stop or the route's end late");
  }
  double waiting = figures_.duration - WorkTime(data_, vehicle_, path_);
  if (vehicle_.max_waiting < kNoLimit) waiting -= reading.driving;
  if (breaks_taken) waiting -= CountedBreaks(vehicle_, reading.driving);
  const double most = vehicle_.max_waiting;
  const double rounding = 1e-9 * figures_.duration;
  if (waiting > most + std::max(data_.time_tolerance(), 1e-6 * most) + rounding) {
    Add({.kind = ViolationKind::kMaxWaiting, .amount = waiting - most}, "waits ",
        FormatNumber(std::round(1e6 * waiting) / 1e6), ", longer than the limit ",
        FormatNumber(most));
  }
  const double limit = vehicle_.max_duration + vehicle_.max_overtime;
  if (figures_.duration <= limit + std::max(data_.time_tolerance(), 1e-6 * limit)) return;
  Add({.kind = ViolationKind::kDuration, .amount = figures_.duration - limit}, "takes ",
      FormatNumber(figures_.duration), ", longer than the limit ", FormatNumber(limit));
}

}  // namespace vrp
