#include "core/problem/plan/late_breaks.h"

#include <algorithm>
#include <tuple>

#include "core/problem/plan/break_leg.h"

namespace vrp {

size_t LateBreaks::MaxWork(size_t stops, size_t breaks) {
  return 50'000 + 4 * stops * (breaks + 1) * (breaks + 2);
}

bool LateBreaks::Spend(size_t work) {
  if (work > work_left_) return false;
  work_left_ -= work;
  return true;
}

std::optional<LateBreaks::Outcome> LateBreaks::Run(const Route& route, double start) {
  route_ = route;
  work_left_ = route.most_work;
  double max_late_cost = 0;
  for (const TimedStop& stop : route.stops) {
    if (stop.last().soft()) max_late_cost = std::max(max_late_cost, stop.last().late_cost);
  }
  cost_rounding_ = max_late_cost * route.rounding;
  labels_.clear();
  first_.assign(route.stops.size() * columns() + 1, 0);
  if (!route.stops.front().IsLate(start, route.tolerance)) labels_.push_back({.begin = start});
  std::fill_n(first_.begin() + 1, columns(), labels_.size());
  for (size_t stop = 1; stop < route.stops.size(); ++stop) {
    for (size_t taken = 0; taken < columns(); ++taken) {
      if (!Extend(stop, taken)) return std::nullopt;
      first_[stop * columns() + taken + 1] = labels_.size();
    }
  }
  if (!ChooseLast()) return std::nullopt;
  return Outcome{labels_[chosen_].cost, labels_[chosen_].begin};
}

bool LateBreaks::Extend(size_t stop, size_t taken) {
  const TimedStop& visit = route_.stops[stop];
  const bool soft = visit.last().soft();
  const size_t begin_of_state = labels_.size();
  const size_t first = (stop - 1) * columns();
  if (!Spend(first_[first + taken + 1] - first_[first])) return false;
  for (size_t from = 0; from <= taken; ++from) {
    const size_t state = first + from;
    if (!AllowsBreaks(visit.breaks_before, from, taken)) continue;
    const auto breaks = route_.breaks.subspan(from, taken - from);
    for (size_t before = first_[state]; before < first_[state + 1]; ++before) {
      const double leave = labels_[before].begin + route_.stops[stop - 1].work;
      const double travel = visit.travel.From(leave);
      const double ready = ArrivalAfter(breaks, leave, travel, route_.tolerance);
      if (ready == kNoLimit) continue;
      const double begin = visit.StartAt(ready, route_.tolerance);
      if (!soft && visit.IsLate(begin, route_.tolerance)) continue;
      labels_.push_back({begin, labels_[before].cost + visit.LateCost(begin), before});
    }
  }
  RemoveDominated(visit, begin_of_state);
  return true;
}

// Keeps a dominated label of equal cost if its start is late. LatestStart does not move late
// starts, so it needs all of their possible times.
void LateBreaks::RemoveDominated(const TimedStop& visit, size_t begin_of_state) {
  const auto begin = labels_.begin() + static_cast<std::ptrdiff_t>(begin_of_state);
  std::sort(begin, labels_.end(), [](const Label& a, const Label& b) {
    return std::tie(a.begin, a.cost, a.before) < std::tie(b.begin, b.cost, b.before);
  });
  double min_cost = kNoLimit;
  double previous_begin = -kNoLimit;
  const auto dominated = [&](const Label& label) {
    const bool is_duplicate = label.begin == previous_begin;
    const bool is_dominated = min_cost <= label.cost;
    const bool is_tied_late =
        label.cost <= min_cost + cost_rounding_ && visit.LateCost(label.begin) > 0;
    previous_begin = label.begin;
    min_cost = std::min(min_cost, label.cost);
    return is_duplicate || (is_dominated && !is_tied_late);
  };
  labels_.erase(std::remove_if(begin, labels_.end(), dominated), labels_.end());
}

bool LateBreaks::ChooseLast() {
  const size_t begin = first_[first_.size() - 2];
  const auto in_time = [&](size_t i) {
    return labels_[i].begin <= route_.last_by + route_.tolerance;
  };
  double min_cost = kNoLimit;
  for (size_t i = begin; i < labels_.size(); ++i) {
    if (in_time(i)) min_cost = std::min(min_cost, labels_[i].cost);
  }
  budget_ = min_cost + cost_rounding_;
  double earliest = kNoLimit;
  for (size_t i = begin; i < labels_.size(); ++i) {
    if (!in_time(i) || labels_[i].cost > budget_ || labels_[i].begin >= earliest) continue;
    earliest = labels_[i].begin;
    chosen_ = i;
  }
  return earliest < kNoLimit;
}

std::vector<LateBreaks::Step> LateBreaks::Steps() const {
  std::vector<Step> steps(route_.stops.size());
  size_t label = chosen_;
  for (size_t stop = steps.size(); stop-- > 0;) {
    const auto after = std::upper_bound(first_.begin(), first_.end(), label);
    steps[stop] = {labels_[label].begin,
                   static_cast<size_t>(after - first_.begin() - 1) - stop * columns()};
    label = labels_[label].before;
  }
  return steps;
}

template <typename Take>
void LateBreaks::ForEachDeparture(size_t stop, size_t taken, Take take) {
  const TravelTime& travel = route_.stops[stop + 1].travel;
  const BreakSet allowed = route_.stops[stop + 1].breaks_before;
  for (size_t then = taken; then < columns() && AllowsBreaks(allowed, taken, then); ++then) {
    const auto breaks = route_.breaks.subspan(taken, then - taken);
    for (const BackwardLabel& label : BackwardAt(stop + 1, then)) {
      const double leave = DepartureBefore(breaks, label.begin, travel, route_.rounding);
      const double ready = ArrivalAfter(breaks, leave, travel.From(leave), route_.tolerance);
      if (ready <= label.begin + route_.rounding) take(leave, label.cost);
    }
  }
}

std::optional<double> LateBreaks::LatestStart() {
  const size_t last = route_.stops.size() - 1;
  work_left_ = route_.most_work;
  backward_.resize(std::max(backward_.size(), route_.stops.size() * columns()));
  for (size_t state = 0; state < route_.stops.size() * columns(); ++state) backward_[state].clear();
  const double end = labels_[chosen_].begin;
  BackwardAt(last, route_.breaks.size()) = {{end, route_.stops[last].LateCost(end)}};
  for (size_t stop = last; stop-- > 1;) {
    for (size_t taken = 0; taken < columns(); ++taken) {
      if (!ExtendBackward(stop, taken)) return std::nullopt;
    }
  }
  const double earliest = labels_.front().begin;
  double latest = earliest;
  ForEachDeparture(0, 0, [&](double leave, double cost) {
    if (cost <= budget_) latest = std::max(latest, leave - route_.stops.front().work);
  });
  return std::max(earliest, std::min(latest, route_.stops.front().last().close));
}

bool LateBreaks::ExtendBackward(size_t stop, size_t taken) {
  const size_t labels = LabelsAt(stop, taken).size();
  if (labels == 0) return true;
  for (size_t then = taken; then < columns(); ++then) {
    if (!Spend(labels * BackwardAt(stop + 1, then).size())) return false;
  }
  ForEachDeparture(stop, taken, [&](double leave, double cost) {
    AddBackward(stop, taken, leave - route_.stops[stop].work, cost);
  });
  RemoveDominatedBackward(BackwardAt(stop, taken));
  return true;
}

// Adds a label for each late start, and one for starts in time. A late stop of an optimal path
// starts as soon as possible for any start of the route. Therefore its time is that of a forward
// label. A stop without lateness may start as late as its window allows.
void LateBreaks::AddBackward(size_t stop, size_t taken, double bound, double cost) {
  const TimedStop& visit = route_.stops[stop];
  const bool free = visit.last().late_cost == 0;
  const double in_time =
      free && bound > visit.last().close ? bound : visit.LatestIn(bound, route_.rounding);
  for (const Label& label : LabelsAt(stop, taken)) {
    if (label.cost + cost > budget_) continue;
    const double late = visit.LateCost(label.begin);
    if (late > 0) {
      if (label.begin <= bound + route_.rounding) {
        BackwardAt(stop, taken).push_back({label.begin, cost + late});
      }
    } else if (label.begin <= in_time + route_.rounding) {
      BackwardAt(stop, taken).push_back({in_time, cost});
    }
  }
}

void LateBreaks::RemoveDominatedBackward(std::vector<BackwardLabel>& labels) {
  std::sort(labels.begin(), labels.end(), [](const BackwardLabel& a, const BackwardLabel& b) {
    return a.begin != b.begin ? a.begin > b.begin : a.cost < b.cost;
  });
  double min_cost = kNoLimit;
  std::erase_if(labels, [&](const BackwardLabel& label) {
    const bool is_dominated = label.cost >= min_cost;
    min_cost = std::min(min_cost, label.cost);
    return is_dominated;
  });
}

}  // namespace vrp
