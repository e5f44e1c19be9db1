// Implements the times of stops and breaks of DrivingLabels.
#include <algorithm>
#include <utility>

#include "core/problem/plan/break_leg.h"
#include "core/problem/plan/driving_labels.h"

namespace vrp {
namespace {

constexpr int kMaxPaths = 20;     // paths that LatestStart follows
constexpr int kMaxHalvings = 60;  // bounds a bisection

}  // namespace

// Finds the latest start with the breaks of the chosen labels. Then runs the route from a later
// start: either that delays the end, or other breaks allow a later start, and so on.
double DrivingLabels::LatestStart() {
  const double end = labels_[chosen_].begin;
  const double cost = labels_[chosen_].cost;
  const double budget = cost + kRelativeRounding * (cost + max_late_cost_ * end);
  // A later start must not gain from the tolerance. If travel times depend on the departure, the
  // driving may change slowly with the start, so that a tolerance would change the start by more.
  const double sums = kRelativeRounding * end;
  route_.tolerance = timed_ ? sums : std::min(route_.tolerance, route_.rounding);
  const double step = timed_ ? sums : std::max(route_.rounding, sums);
  const double close = route_.stops.front().last().close;
  const auto worsens_nothing = [&](double start) {
    return Forward(start) && Choose(budget, end + step / 2);
  };
  // Returns the latest good start up to `bad`, which is not good or is the last one to try.
  const auto bisect = [&](double good, double bad) {
    if (worsens_nothing(bad)) return bad;
    for (int i = 0; i < kMaxHalvings && bad - good > step; ++i) {
      const double middle = good + (bad - good) / 2;
      (worsens_nothing(middle) ? good : bad) = middle;
    }
    return good;
  };
  const double last = std::min(end, close);
  if (timed_) {
    // The checker tries the same starts. Later ones may also avoid a rush hour and a break.
    const double bad = std::min(end + route_.stops.back().work, close);
    return bad <= start_ ? start_ : bisect(start_, bad);
  }
  const bool is_exact = route_.breaks.empty();  // whether LatestOnPath is
  double latest = start_;
  for (int i = 0; i < kMaxPaths; ++i) {
    const double candidate = std::max(latest, std::min(LatestOnPath(), last));
    if (!is_exact && i > 0 && candidate <= latest + 2 * step) return bisect(latest, last);
    if (!is_exact && candidate > latest && !worsens_nothing(candidate)) {
      return bisect(latest, candidate);
    }
    latest = candidate;
    if (latest + step > last || !worsens_nothing(latest + step)) break;
  }
  return latest;
}

double DrivingLabels::LatestOnPath() {
  size_t label = chosen_;
  double latest = labels_[label].begin;
  for (size_t stop = route_.stops.size() - 1;; --stop) {
    const double leave = LatestDeparture(stop, labels_[label], latest);
    if (stop == 1) return leave - route_.stops.front().work;
    label = labels_[label].before;
    const TimedStop& visit = route_.stops[stop - 1];
    const double begin = labels_[label].begin;
    // Neither delays late stops nor makes others late.
    const bool is_late = begin > visit.last().close;
    latest = is_late ? begin : std::max(begin, visit.LatestIn(leave - visit.work, route_.rounding));
  }
}

// Rests with planned breaks may move towards the start of the leg, so that the breaks begin in
// time. The driving after them must stay within the limit. The result is too late if the vehicle
// then waits for a planned break, so the caller must check it.
double DrivingLabels::LatestDeparture(size_t stop, const Label& label, double begin) {
  if (label.taken == labels_[label.before].taken) return begin - label.travel - label.paused;
  Replay(stop, label);
  const double most = route_.rules->max_driving_before_break;
  double needed_position = label.travel - most;
  for (const Rest& rest : found_rests_) needed_position -= EndsDriving(rest.counts) ? most : 0;
  double position = 0;
  double paused = 0;
  double latest = kNoLimit;
  for (const Rest& rest : found_rests_) {
    if (EndsDriving(rest.counts)) {
      needed_position += most;
      position = std::max(position, needed_position);
    }
    const auto planned = route_.breaks.subspan(rest.from, rest.to - rest.from);
    latest = std::min(latest, DepartureBefore(planned, kNoLimit, 0, 0) - position - paused);
    double taken = 0;
    for (const Break& pause : planned) taken += pause.duration;
    paused += std::max(rest.needed, taken);
  }
  return std::min(latest, begin - label.travel - paused);
}

double DrivingLabels::Replay(size_t stop, const Label& label) {
  stop_ = stop;
  before_ = label.before;
  sought_ = &label;
  found_arrival_ = kNoLimit;
  found_rests_.clear();
  work_left_ = route_.most_work;
  ExploreLeg();
  sought_ = nullptr;
  return found_arrival_;
}

// Removes the breaks without which the driver keeps the rules, too, such as those that are only
// taken because the vehicle waits anyway. `position` counts from the start of the route here.
void DrivingLabels::KeepNeededRests(std::vector<Rest>& rests, double driven) const {
  const double limit = route_.rules->max_driving_before_break + route_.tolerance;
  const auto complies = [&] {
    double last = 0;
    bool has_first = false;
    for (const Rest& rest : rests) {
      if (rest.counts == Counts::kNothing) continue;
      if (rest.position - last > limit) return false;
      if (EndsDriving(rest.counts)) {
        if (rest.second_part && !has_first) return false;
        last = rest.position;
      }
      has_first = HasFirstAfter(rest.counts, has_first);
    }
    return driven - last <= limit;
  };
  for (Rest& rest : rests) {
    if (rest.delays) continue;
    const Counts counts = std::exchange(rest.counts, Counts::kNothing);
    if (complies()) continue;
    rest.counts = counts;
    if (counts != Counts::kBreakAndFirstPart) continue;
    rest.counts = Counts::kBreak;
    if (complies()) {
      rest.needed -= route_.rules->first_part;
    } else {
      rest.counts = counts;
    }
  }
}

bool DrivingLabels::DelaysStart(size_t stop, const Label& label, const Rest& rest) const {
  if (rest.position < travel_) return true;
  const auto planned = route_.breaks.subspan(rest.from, rest.to - rest.from);
  const double ready = ArrivalAfter(planned, rest.start, 0, route_.tolerance);
  const double begin = route_.stops[stop].StartAt(ready, route_.tolerance);
  return begin < label.begin - TieAt(label.begin);
}

void DrivingLabels::AddTimes(RouteSchedule& schedule) {
  const size_t stops = route_.stops.size();
  std::vector<size_t> path(stops);
  path[stops - 1] = chosen_;
  for (size_t i = stops - 1; i > 0; --i) path[i - 1] = labels_[path[i]].before;
  std::vector<Rest> rests;
  std::vector<int32_t> after;
  double driven = 0;
  for (size_t i = 0; i < stops; ++i) {
    const Label label = labels_[path[i]];
    const double arrival = i == 0 ? label.begin : Replay(i, label);
    schedule.stops.push_back({arrival, label.begin, label.begin + route_.stops[i].work});
    if (i == 0) continue;
    for (const Rest& rest : found_rests_) {
      rests.push_back(rest);
      rests.back().position += driven;
      rests.back().delays = timed_ && DelaysStart(i, label, rest);
      after.push_back(static_cast<int32_t>(i) - 1);
    }
    driven += travel_;
  }
  KeepNeededRests(rests, driven);
  for (size_t i = 0; i < rests.size(); ++i) {
    const Rest& rest = rests[i];
    if (rest.counts != Counts::kNothing) {
      schedule.breaks.push_back(
          {kDrivingBreakIndex, after[i], rest.start, rest.start + rest.needed});
    }
    double time = rest.start;
    for (size_t planned = rest.from; planned < rest.to; ++planned) {
      const double begin = BreakStart(route_.breaks[planned], time, route_.tolerance);
      time = begin + route_.breaks[planned].duration;
      schedule.breaks.push_back({static_cast<int32_t>(planned), after[i], begin, time});
    }
  }
}

}  // namespace vrp
