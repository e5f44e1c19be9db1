#include "core/problem/checker/checker_route.h"

#include <algorithm>
#include <cmath>

#include "core/base/number.h"
#include "core/problem/checker/checker_clock.h"

namespace vrp {
namespace {

// Returns the time in which the vehicle drives and works, without breaks.
double BusyTime(const CheckerData& data, const VehicleType& vehicle,
                const std::vector<NodeIndex>& path) {
  double busy = 0;
  for (size_t i = 1; i < path.size(); ++i) {
    busy += data.TravelTime(vehicle, path[i - 1], path[i]);
    if (!data.is_depot(path[i])) busy += data.WorkAt(vehicle, path[i - 1], path[i]);
  }
  return busy;
}

}  // namespace

RouteChecker::RouteChecker(const CheckerData& data, int32_t route, const VehicleType& vehicle,
                           const std::vector<NodeIndex>& path, std::vector<Violation>& violations)
    : data_(data), route_(route), vehicle_(vehicle), path_(path), violations_(violations) {}

RouteFigures RouteChecker::Run() {
  CheckReloads();
  CheckDistance();
  CheckLoads();
  CheckBackhaulOrder();
  CheckStops();
  CheckSkills();
  CheckDriving();
  CheckTimes();
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
    if (!data_.is_depot(path_[i - 1]) && i + 1 < end) continue;
    Add({.kind = ViolationKind::kReload, .node = path_[i], .amount = 1}, "reloads at depot ",
        data_.id(path_[i]), " with no customer ", i + 1 < end ? "before" : "after", " it");
  }
  if (reloads <= vehicle_.max_reloads) return;
  Add({.kind = ViolationKind::kReload,
       .amount = static_cast<double>(reloads) - vehicle_.max_reloads},
      "reloads ", reloads, " times, more than the limit ", vehicle_.max_reloads);
}

void RouteChecker::CheckDistance() {
  double distance = 0;
  for (size_t i = 1; i < path_.size(); ++i) {
    distance += data_.Distance(vehicle_, path_[i - 1], path_[i]);
  }
  figures_.distance = distance;
  const double limit = vehicle_.max_distance;
  if (distance <= limit + 1e-6 * std::max(1.0, limit)) return;
  Add({.kind = ViolationKind::kDistance, .amount = distance - limit}, "drives ",
      FormatNumber(distance), ", farther than the limit ", FormatNumber(limit));
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

double RouteChecker::PeakLoad(size_t begin, size_t end, size_t dimension) const {
  double on_board = 0;
  for (size_t i = begin; i < end; ++i) on_board += data_.Demand(path_[i], dimension);
  double peak = on_board;
  for (size_t i = begin; i < end; ++i) {
    const NodeIndex node = path_[i];
    on_board += data_.Pickup(node, dimension) + data_.Backhaul(node, dimension) +
                data_.Shipped(node, dimension) - data_.Demand(node, dimension);
    peak = std::max(peak, on_board);
  }
  return peak;
}

std::string RouteChecker::CapacityText(double peak, double capacity, size_t dimension) const {
  const std::string dimension_text = dimension == 0 ? "" : Concat(" of dimension ", dimension);
  return Concat("load ", FormatNumber(peak), dimension_text, " exceeds vehicle capacity ",
                FormatNumber(capacity));
}

void RouteChecker::CheckLoads() {
  for (size_t k = 0; k < static_cast<size_t>(data_.raw().load_dimensions); ++k) {
    double capacity = vehicle_.capacity;
    if (k > 0) {
      capacity =
          k <= vehicle_.further_capacities.size() ? vehicle_.further_capacities[k - 1] : kNoLimit;
    }
    double peak = 0;
    for (size_t begin = 0; begin < path_.size();) {
      size_t end = begin + 1;
      while (end < path_.size() && !StartsTrip(end)) ++end;
      peak = std::max(peak, PeakLoad(begin, end, k));
      begin = end;
    }
    if (peak <= CapacityWithRounding(capacity)) continue;
    Add({.kind = ViolationKind::kCapacity, .amount = peak - capacity},
        CapacityText(peak, capacity, k));
  }
}

void RouteChecker::CheckBackhaulOrder() {
  const auto dimensions = static_cast<size_t>(data_.raw().load_dimensions);
  bool picked_up = false;
  for (const NodeIndex node : path_) {
    if (data_.is_depot(node)) picked_up = false;
    double demand = 0;
    double backhaul = 0;
    for (size_t k = 0; k < dimensions; ++k) {
      demand += data_.Demand(node, k);
      backhaul += data_.Backhaul(node, k);
    }
    if (picked_up && demand > 0) {
      Add({.kind = ViolationKind::kBackhaulOrder, .node = node, .amount = demand},
          "delivers to customer ", data_.id(node), " after a backhaul");
    }
    picked_up = picked_up || backhaul > 0;
  }
}

void RouteChecker::CheckShift(double end) {
  const double close = vehicle_.shift.close;
  if (end <= close + data_.time_tolerance()) return;
  Add({.kind = ViolationKind::kShift, .amount = end - close}, "ends at ", FormatNumber(end),
      ", after its shift closes at ", FormatNumber(close));
}

void RouteChecker::CheckDriving() {
  const DrivingRules& rules = vehicle_.driving_rules;
  double driving = 0;
  for (size_t i = 1; i < path_.size(); ++i) {
    driving += data_.TravelTime(vehicle_, path_[i - 1], path_[i]);
  }
  const auto exceeds = [&](double time, double limit) {
    return time > limit + std::max(data_.time_tolerance(), 1e-6 * limit);
  };
  if (exceeds(driving, rules.max_driving)) {
    Add({.kind = ViolationKind::kMaxDriving, .amount = driving - rules.max_driving}, "drives for ",
        FormatNumber(driving), ", longer than the limit ", FormatNumber(rules.max_driving));
  }
  const double busy = BusyTime(data_, vehicle_, path_);
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
      data_.id(path_[late.index]), " at ", FormatNumber(late.ready), ", after it closes at ",
      FormatNumber(late.window.close));
}

void RouteChecker::CheckTimes() {
  const Objective objective = data_.raw().objective;
  const bool latest = vehicle_.limits_duration() || objective == Objective::kDuration ||
                      (objective == Objective::kCost && vehicle_.cost_per_time > 0);
  const ClockReading reading = CheckerClock(data_, vehicle_, path_).Read(latest);
  figures_.duration = reading.end - reading.start;
  figures_.late_cost = reading.late_cost;
  const bool breaks_taken = !reading.missed_break.has_value() && !reading.too_many_labels;
  const size_t before = violations_.size();
  for (const LateStop& late : reading.late) CheckLateStop(late);
  CheckShift(reading.end);
  if (reading.missed_break.has_value() && violations_.size() == before) {
    const Break& missed = vehicle_.breaks[*reading.missed_break];
    Add({.kind = ViolationKind::kBreak, .amount = 1}, "break ", *reading.missed_break,
        " cannot begin from ", FormatNumber(missed.window.open), " to ",
        FormatNumber(missed.window.close), " without making a stop or the route's end late");
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
  double waiting = figures_.duration - BusyTime(data_, vehicle_, path_);
  for (const Break& pause : vehicle_.breaks) waiting -= breaks_taken ? pause.duration : 0;
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
