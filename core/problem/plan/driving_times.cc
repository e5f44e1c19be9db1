// Implements the times of stops and breaks of DrivingLabels.
#include <algorithm>
#include <utility>

#include "core/problem/plan/driving_labels.h"

namespace vrp {

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
      const double begin = std::max(time, route_.breaks[planned].window.open);
      time = begin + route_.breaks[planned].duration;
      schedule.breaks.push_back({static_cast<int32_t>(planned), after[i], begin, time});
    }
  }
}

}  // namespace vrp
