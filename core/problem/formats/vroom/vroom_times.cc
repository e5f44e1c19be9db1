#include "core/problem/formats/vroom/vroom_times.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

namespace vrp {
namespace {

// Times are whole numbers of milliseconds, so that sums and comparisons are exact.
constexpr double kTicksPerSecond = 1000;
// Bounds the work and the memory for one route: a second and 25 MB.
constexpr size_t kMaxCells = 200'000'000;

double Ticks(double seconds) { return std::round(seconds * kTicksPerSecond); }

// The value of the first steps of a route, which is minimised lexicographically.
struct Value {
  double outside = 0;  // sum of times outside windows; kNoLimit: a bound does not hold
  double span = 0;     // from the route's start to its end
  double sum = 0;      // of the starts of the steps between

  Value operator+(const Value& other) const {
    return {outside + other.outside, span + other.span, sum + other.sum};
  }
  bool operator<(const Value& other) const {
    return std::tie(outside, span, sum) < std::tie(other.outside, other.span, other.sum);
  }
};
constexpr Value kImpossible = {.outside = kNoLimit};

// A dynamic program over the steps. It measures each step's start from the earliest possible start
// of the step on a route that begins at 0 and takes breaks as soon as possible. These relative
// starts do not decrease from step to step, except that breaks may be later than the next step by
// up to the travel time around them. In some optimal solution, all relative starts are those of
// steps that start at a bound or at an end of a window (`grid_`), possibly shifted by the travel
// time around breaks.
class RouteTimer {
 public:
  explicit RouteTimer(const std::vector<VroomTimedStep>& steps) : steps_(steps) {
    for (VroomTimedStep& step : steps_) {
      for (double* time : {&step.travel, &step.work, &step.earliest, &step.latest}) {
        *time = Ticks(*time);
      }
      for (TimeWindow& window : step.windows) {
        window = {.open = Ticks(window.open), .close = Ticks(window.close)};
      }
    }
    SetOffsets();
    SetGrid();
  }

  VroomTimes Run() && {
    if (CountCells() > kMaxCells) return {.error = VroomTimesError::kTooManySteps};
    reached_.assign(grid_.size(), Value{});
    for (size_t s = 0; s < steps_.size(); ++s) {
      const size_t breaks = BreaksBefore(s);
      if (breaks > 0) JoinBreaks(s, breaks);
      if (steps_[s].is_break) before_breaks_.push_back(reached_);
      AddStep(s);
    }
    if (reached_.back().outside == kNoLimit) return {.error = VroomTimesError::kInfeasible};
    return {.starts = Starts()};
  }

 private:
  void SetOffsets() {
    double offset = 0;
    travel_around_.assign(steps_.size(), 0);
    for (size_t s = 0; s < steps_.size(); ++s) {
      offset += steps_[s].travel;
      offsets_.push_back(offset);
      offset += steps_[s].work;
      for (size_t b = s - BreaksBefore(s); b < s; ++b) travel_around_[b] = steps_[s].travel;
    }
  }

  void SetGrid() {
    grid_.push_back(0);
    for (size_t s = 0; s < steps_.size(); ++s) {
      const auto add = [&](double time) {
        if (time == kNoLimit) return;
        grid_.push_back(time - offsets_[s]);
        if (travel_around_[s] > 0) grid_.push_back(time - offsets_[s] - travel_around_[s]);
      };
      if (steps_[s].earliest > 0) add(steps_[s].earliest);
      add(steps_[s].latest);
      for (const TimeWindow& window : steps_[s].windows) {
        add(window.open);
        add(window.close);
      }
    }
    SortGrid();
    const size_t size = grid_.size();
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (BreaksBefore(s) == 0) continue;
      for (size_t g = 0; g < size; ++g) grid_.push_back(grid_[g] + steps_[s].travel);
    }
    SortGrid();
  }

  void SortGrid() {
    std::sort(grid_.begin(), grid_.end());
    grid_.erase(std::unique(grid_.begin(), grid_.end()), grid_.end());
  }

  // Returns the number of breaks directly before a step that is not a break.
  size_t BreaksBefore(size_t s) const {
    size_t count = 0;
    while (!steps_[s].is_break && count < s && steps_[s - count - 1].is_break) ++count;
    return count;
  }

  // Returns one past the last point of the grid at which a break before `s` may start if `s` is at
  // point `g`.
  size_t EndOfBreaks(size_t s, size_t g) const {
    const auto first = grid_.begin() + static_cast<std::ptrdiff_t>(g);
    return static_cast<size_t>(std::upper_bound(first, grid_.end(), grid_[g] + steps_[s].travel) -
                               grid_.begin());
  }

  size_t CountCells() const {
    size_t cells = steps_.size() * grid_.size();
    for (size_t s = 0; s < steps_.size() && cells <= kMaxCells; ++s) {
      const size_t breaks = BreaksBefore(s);
      if (breaks == 0) continue;
      for (size_t g = 0; g < grid_.size(); ++g) cells += breaks * (EndOfBreaks(s, g) - g);
    }
    return cells;
  }

  // Returns the value of the step alone if it starts at a point of the grid.
  Value ValueOf(size_t s, size_t g) const {
    const VroomTimedStep& step = steps_[s];
    const double time = grid_[g] + offsets_[s];
    if (time < step.earliest || time > step.latest) return kImpossible;
    Value value = {.outside = std::abs(TimeOutsideWindows(step.windows, time))};
    if (s == 0) {
      value.span = -time;
    } else if (s + 1 == steps_.size()) {
      value.span = time;
    } else {
      value.sum = time;
    }
    return value;
  }

  // Extends reached_, the least values of the previous steps if they start up to each point.
  void AddStep(size_t s) {
    std::vector<bool>& improves = improves_.emplace_back(grid_.size());
    for (size_t g = 0; g < grid_.size(); ++g) {
      reached_[g] = reached_[g] + ValueOf(s, g);
      improves[g] = g == 0 || reached_[g] < reached_[g - 1];
      if (!improves[g]) reached_[g] = reached_[g - 1];
    }
  }

  // Returns the least values of the last `later` breaks before `s`, one row for each, if they start
  // from each point of the grid on, from `g` to the end of the breaks.
  std::vector<std::vector<Value>> LaterBreaks(size_t s, size_t g, size_t later) const {
    const size_t size = EndOfBreaks(s, g) - g;
    std::vector<std::vector<Value>> least(later + 1, std::vector<Value>(size));
    for (size_t b = later; b-- > 0;) {
      for (size_t i = size; i-- > 0;) {
        least[b][i] = ValueOf(s - later + b, g + i) + least[b + 1][i];
        if (i + 1 < size && !(least[b][i] < least[b][i + 1])) least[b][i] = least[b][i + 1];
      }
    }
    return least;
  }

  // Adds to reached_ that breaks before step `s` may start later than `s`. Chooses how many do.
  void JoinBreaks(size_t s, size_t breaks) {
    std::vector<uint8_t>& later = later_breaks_.emplace_back(s, std::vector<uint8_t>()).second;
    later.assign(grid_.size(), 0);
    for (size_t g = 0; g < grid_.size(); ++g) {
      const std::vector<std::vector<Value>> least = LaterBreaks(s, g, breaks);
      for (size_t count = 1; count <= breaks; ++count) {
        const Value value = before_breaks_[breaks - count][g] + least[breaks - count].front();
        if (!(value < reached_[g])) continue;
        reached_[g] = value;
        later[g] = static_cast<uint8_t>(count);
      }
    }
    before_breaks_.clear();
  }

  // Traces the choices back from the last step.
  std::vector<double> Starts() const {
    std::vector<double> starts(steps_.size());
    size_t g = grid_.size() - 1;
    auto later = later_breaks_.rbegin();
    for (size_t s = steps_.size(); s-- > 0;) {
      while (!improves_[s][g]) --g;
      starts[s] = (grid_[g] + offsets_[s]) / kTicksPerSecond;
      if (later == later_breaks_.rend() || later->first != s) continue;
      const size_t count = later++->second[g];
      SetLaterBreaks(s, g, count, starts);
      s -= count;
    }
    return starts;
  }

  void SetLaterBreaks(size_t s, size_t g, size_t count, std::vector<double>& starts) const {
    const std::vector<std::vector<Value>> least = LaterBreaks(s, g, count);
    size_t i = 0;
    for (size_t b = 0; b < count; ++b) {
      while (i + 1 < least[b].size() && !(least[b][i] < least[b][i + 1])) ++i;
      starts[s - count + b] = (grid_[g + i] + offsets_[s - count + b]) / kTicksPerSecond;
    }
  }

  std::vector<VroomTimedStep> steps_;  // in ticks
  std::vector<double> offsets_;        // by step: its start on a route without waiting
  std::vector<double> travel_around_;  // by step: for a break, the travel time to the next step
  std::vector<double> grid_;           // relative starts, ascending
  std::vector<Value> reached_;
  std::vector<std::vector<Value>> before_breaks_;  // reached_ before each break since the last step
  std::vector<std::vector<bool>> improves_;  // whether a step starts at a point, by step and point
  // By step after breaks: the number of breaks that are later than the step, by point.
  std::vector<std::pair<size_t, std::vector<uint8_t>>> later_breaks_;
};

}  // namespace

double TimeOutsideWindows(const std::vector<TimeWindow>& windows, double time) {
  double nearest = windows.empty() ? 0 : kNoLimit;
  for (const TimeWindow& window : windows) {
    const double late = time - std::clamp(time, window.open, window.close);
    if (std::abs(late) < std::abs(nearest)) nearest = late;
  }
  return nearest;
}

VroomTimes ChooseVroomTimes(const std::vector<VroomTimedStep>& steps) {
  return RouteTimer(steps).Run();
}

}  // namespace vrp
