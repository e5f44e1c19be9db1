#include "core/problem/plan/driving_labels.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "core/problem/plan/break_leg.h"

namespace vrp {
namespace {

constexpr size_t kMaxRestsOnLeg = 1000;  // bounds the depth of recursion

// Returns the latest time at which a rest may start so that each of `breaks` begins in time.
double LatestRest(std::span<const Break> breaks) { return DepartureBefore(breaks, kNoLimit, 0, 0); }

// Calls `add(time, i)` for the latest time at which a rest may start with each choice of windows of
// the breaks up to the i-th, and perhaps for further times.
template <typename Add>
void ForEachLatestRest(std::span<const Break> breaks, Add add) {
  double paused = 0;
  for (size_t i = 0; i < breaks.size(); ++i) {
    add(breaks[i].window.close - paused, i);
    for (const TimeWindow& window : breaks[i].further_windows) add(window.close - paused, i);
    paused += breaks[i].duration;
  }
}

}  // namespace

size_t DrivingLabels::MaxWork(size_t stops, size_t breaks) {
  return 50'000 + 500 * stops * (breaks + 1) * (breaks + 1);
}

bool DrivingLabels::Spend(size_t work) {
  too_much_work_ = too_much_work_ || work > work_left_;
  if (too_much_work_) return false;
  work_left_ -= work;
  return true;
}

std::optional<DrivingLabels::Outcome> DrivingLabels::Run(const Route& route, double start) {
  route_ = route;
  max_late_cost_ = 0;
  timed_ = false;
  for (const TimedStop& stop : route.stops) {
    timed_ = timed_ || !stop.travel.times().empty();
    if (stop.last().soft()) max_late_cost_ = std::max(max_late_cost_, stop.last().late_cost);
  }
  if (!Forward(start)) return std::nullopt;
  double min_cost = kNoLimit;
  for (size_t i = first_[first_.size() - 2]; i < labels_.size(); ++i) {
    if (labels_[i].begin > route_.last_by + route_.tolerance) continue;
    if (labels_[i].taken == route_.breaks.size()) min_cost = std::min(min_cost, labels_[i].cost);
  }
  if (!Choose(min_cost + max_late_cost_ * route.rounding, kNoLimit)) return std::nullopt;
  return Outcome{labels_[chosen_].cost, labels_[chosen_].begin, labels_[chosen_].driving};
}

bool DrivingLabels::Forward(double start) {
  start_ = start;
  work_left_ = route_.most_work;
  too_much_work_ = false;
  labels_.clear();
  first_.assign(1, 0);
  if (route_.stops.front().IsLate(start, route_.tolerance)) return false;
  labels_.push_back({.begin = start});
  first_.push_back(1);
  for (stop_ = 1; stop_ < route_.stops.size(); ++stop_) {
    for (before_ = first_[stop_ - 1]; before_ < first_[stop_]; ++before_) {
      ExploreLeg();
    }
    if (too_much_work_ || labels_.size() == first_.back()) return false;
    first_.push_back(labels_.size());
  }
  return true;
}

bool DrivingLabels::Choose(double budget, double latest_end) {
  double earliest = kNoLimit;
  for (size_t i = first_[first_.size() - 2]; i < labels_.size(); ++i) {
    const Label& label = labels_[i];
    if (label.taken != route_.breaks.size() || label.cost > budget) continue;
    if (label.begin > std::min(latest_end, route_.last_by + route_.tolerance)) continue;
    const bool tied =
        timed_ && earliest < kNoLimit && std::abs(label.begin - earliest) <= TieAt(earliest);
    if (tied ? label.driving >= labels_[chosen_].driving : label.begin >= earliest) continue;
    earliest = label.begin;
    chosen_ = i;
  }
  return earliest < kNoLimit;
}

bool DrivingLabels::NoWorse(const Position& one, const Position& other) {
  return one.time <= other.time && one.left <= other.left && one.driven <= other.driven &&
         one.taken == other.taken && (one.has_first || !other.has_first);
}

void DrivingLabels::ExploreLeg() {
  explored_.clear();
  const Label from = labels_[before_];
  const double leave = from.begin + route_.stops[stop_ - 1].work;
  travel_ = route_.stops[stop_].travel.From(leave);
  Explore({.time = leave,
           .left = travel_,
           .driven = from.driven,
           .taken = from.taken,
           .has_first = from.has_first});
}

void DrivingLabels::Explore(const Position& at) {
  if (rests_.size() >= kMaxRestsOnLeg) too_much_work_ = true;
  if (!Spend(1 + explored_.size())) return;
  if (at.taken < route_.breaks.size()) {
    if (std::ranges::any_of(explored_, [&](const Position& one) { return NoWorse(one, at); })) {
      return;
    }
    explored_.push_back(at);
  }
  const double room = std::max(0.0, route_.rules->max_driving_before_break - at.driven);
  const double rounding = kRelativeRounding * route_.rules->max_driving_before_break;
  const bool within_limit = at.left <= room + route_.tolerance + rounding;
  if (within_limit) {
    ExploreArrival(at);
  } else {
    ExploreLimit(at, room);
  }
  if (at.taken < route_.breaks.size()) ExplorePlanned(at, within_limit ? at.left : room);
}

double DrivingLabels::Needed(Counts counts, bool has_first) const {
  const DrivingRules& rules = *route_.rules;
  switch (counts) {
    case Counts::kNothing:
      return 0;
    case Counts::kFirstPart:
      return rules.first_part;
    case Counts::kBreak:
      return has_first ? rules.second_part : rules.break_duration;
    case Counts::kBreakAndFirstPart:
      return Needed(Counts::kBreak, has_first) + rules.first_part;
  }
  return 0;
}

// A rest on arrival ends with the start of the stop, so it includes all waiting.
void DrivingLabels::ExploreArrival(const Position& at) {
  const double arrival = at.time + at.left;
  const double driven = at.driven + at.left;
  const bool is_last = stop_ + 1 == route_.stops.size();
  for (size_t to = at.taken; to <= route_.breaks.size() && MayTake(at.taken, to); ++to) {
    const auto planned = route_.breaks.subspan(at.taken, to - at.taken);
    const double ready = ArrivalAfter(planned, arrival, 0, route_.tolerance);
    if (ready == kNoLimit) return;
    const auto rest = [&](Counts counts) {
      const double needed = Needed(counts, at.has_first);
      rests_.push_back({arrival, needed, travel_, at.taken, to, counts, at.has_first});
      Position then{.taken = to};
      then.driven = EndsDriving(counts) ? 0 : driven;
      then.has_first = HasFirstAfter(counts, at.has_first);
      Reach(arrival, std::max(ready, arrival + needed), then);
      rests_.pop_back();
    };
    rest(Counts::kNothing);
    if (is_last) continue;
    if (driven > 0) rest(Counts::kBreak);
    if (!route_.rules->has_parts()) continue;
    if (!at.has_first) rest(Counts::kFirstPart);
    if (driven > 0) rest(Counts::kBreakAndFirstPart);
  }
}

void DrivingLabels::ExploreLimit(const Position& at, double room) {
  const double start = at.time + room;
  const double needed = Needed(Counts::kBreak, at.has_first);
  rests_.push_back(
      {start, needed, travel_ - at.left + room, at.taken, at.taken, Counts::kBreak, at.has_first});
  Explore({.time = start + needed, .left = at.left - room, .taken = at.taken});
  rests_.pop_back();
}

// Tries rests on the way that include planned breaks. Each rest starts as late as possible, but so
// that later planned breaks may still follow on the same leg. Rests on arrival are not tried again.
void DrivingLabels::ExplorePlanned(const Position& at, double room) {
  const std::span<const Break> breaks = route_.breaks;
  const bool arrives = room == at.left;
  for (size_t to = at.taken + 1; to <= breaks.size() && MayTake(at.taken, to); ++to) {
    const double latest = LatestRest(breaks.subspan(at.taken, to - at.taken));
    if (latest < at.time - route_.tolerance) return;
    if (HasFurtherWindows(breaks.subspan(at.taken))) {
      TakeInEachWindow(at, room, to);
      continue;
    }
    double previous = kNoLimit;
    const auto take = [&](double bound) {
      const double start = std::max(at.time, std::min({latest, bound, at.time + room}));
      if (start == previous || (arrives && start - at.time >= at.left)) return;
      previous = start;
      TakePlanned(at, start, to);
    };
    take(latest);
    for (size_t last = to + 1; last <= breaks.size() && MayTake(at.taken, last); ++last) {
      const double bound = LatestRest(breaks.subspan(at.taken, last - at.taken));
      take(bound);
      take(bound - route_.rules->break_duration);
      if (route_.rules->has_parts()) take(bound - route_.rules->second_part);
    }
  }
}

// With each choice of windows, the breaks have one window each. The starts below contain those that
// ExplorePlanned would then try.
void DrivingLabels::TakeInEachWindow(const Position& at, double room, size_t to) {
  size_t last = to;
  while (last < route_.breaks.size() && MayTake(at.taken, last + 1)) ++last;
  std::vector<double> starts;
  const auto add = [&](double start) {
    start = std::max(at.time, std::min(start, at.time + room));
    if (room < at.left || start - at.time < at.left) starts.push_back(start);
  };
  const DrivingRules& rules = *route_.rules;
  ForEachLatestRest(route_.breaks.subspan(at.taken, last - at.taken), [&](double time, size_t i) {
    if (time < at.time - route_.tolerance) return;
    add(time);
    if (at.taken + i < to) return;
    add(time - rules.break_duration);
    if (rules.has_parts()) add(time - rules.second_part);
  });
  std::ranges::sort(starts, std::greater<>());
  const auto repeated = std::ranges::unique(starts);
  starts.erase(repeated.begin(), repeated.end());
  for (const double start : starts) TakePlanned(at, start, to);
}

void DrivingLabels::TakePlanned(const Position& at, double start, size_t to) {
  const auto planned = route_.breaks.subspan(at.taken, to - at.taken);
  const double ready = ArrivalAfter(planned, start, 0, route_.tolerance);
  if (ready == kNoLimit) return;
  const double way = start - at.time;
  const Position then{.left = at.left - way, .driven = at.driven + way, .taken = to};
  const auto rest = [&](Counts counts, Position after) {
    const double needed = Needed(counts, at.has_first);
    after.time = std::max(ready, start + needed);
    after.has_first = HasFirstAfter(counts, at.has_first);
    if (EndsDriving(counts)) after.driven = 0;
    rests_.push_back({start, needed, travel_ - at.left + way, at.taken, to, counts, at.has_first});
    Explore(after);
    rests_.pop_back();
  };
  rest(Counts::kBreak, then);
  if (route_.rules->has_parts()) rest(Counts::kBreakAndFirstPart, then);
  if (then.driven >= route_.rules->max_driving_before_break) return;  // only a break helps here
  rest(Counts::kNothing, then);
  if (route_.rules->has_parts() && !at.has_first) rest(Counts::kFirstPart, then);
}

void DrivingLabels::Reach(double arrival, double ready, const Position& at) {
  const TimedStop& visit = route_.stops[stop_];
  const double begin = visit.StartAt(ready, route_.tolerance);
  if (!visit.last().soft() && visit.IsLate(begin, route_.tolerance)) return;
  const Label& from = labels_[before_];
  const Label label{.begin = begin,
                    .driven = at.driven,
                    .cost = from.cost + visit.LateCost(begin),
                    .travel = travel_,
                    .driving = from.driving + travel_,
                    .paused = ready - from.begin - route_.stops[stop_ - 1].work - travel_,
                    .taken = at.taken,
                    .before = before_,
                    .has_first = at.has_first};
  if (sought_ == nullptr) return Add(label);
  const bool found = label.begin == sought_->begin && label.driven == sought_->driven &&
                     label.cost == sought_->cost && label.taken == sought_->taken &&
                     label.has_first == sought_->has_first;
  if (!found || found_arrival_ != kNoLimit) return;
  found_arrival_ = arrival;
  found_rests_ = rests_;
}

void DrivingLabels::Add(const Label& label) {
  const auto dominates = [](const Label& a, const Label& b) {
    return a.taken == b.taken && a.begin <= b.begin && a.driven <= b.driven && a.cost <= b.cost &&
           (a.has_first || !b.has_first);
  };
  const size_t first = first_.back();
  if (!Spend(1 + labels_.size() - first)) return;
  if (timed_) return AddTimed(label);
  for (size_t i = first; i < labels_.size(); ++i) {
    if (dominates(labels_[i], label)) return;
  }
  for (size_t i = first; i < labels_.size();) {
    if (dominates(label, labels_[i])) {
      labels_[i] = labels_.back();
      labels_.pop_back();
    } else {
      ++i;
    }
  }
  labels_.push_back(label);
}

void DrivingLabels::AddTimed(const Label& label) {
  const double tie = TieAt(label.begin);
  const bool is_last = stop_ + 1 == route_.stops.size();
  const auto no_worse = [&](const Label& a, const Label& b) {
    return a.taken == b.taken && a.begin <= b.begin + tie &&
           a.cost <= b.cost + max_late_cost_ * tie &&
           (is_last || (a.driven <= b.driven + tie && (a.has_first || !b.has_first)));
  };
  const auto begin = labels_.begin() + static_cast<std::ptrdiff_t>(first_.back());
  for (auto other = begin; other != labels_.end(); ++other) {
    if (!no_worse(*other, label)) continue;
    if (no_worse(label, *other) && label.driving < other->driving - tie) *other = label;
    return;
  }
  labels_.erase(std::remove_if(begin, labels_.end(),
                               [&](const Label& other) { return no_worse(label, other); }),
                labels_.end());
  labels_.push_back(label);
}

}  // namespace vrp
