#include "core/problem/checker/checker_clock.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/problem/checker/checker.h"

namespace vrp {
namespace {

// Bounds the relative rounding error of sums of times.
constexpr double kRounding = 1e-12;

// Returns the largest number of extensions of labels to try on a route.
size_t MaxLabels(size_t stops, size_t breaks) {
  return 200'000 + 16 * stops * (breaks + 1) * (breaks + 2);
}

// Returns the start of service at a stop that the vehicle reaches at `ready`.
double ServiceStart(const std::vector<TimeWindow>& windows, double ready, double slack) {
  for (const TimeWindow& window : windows) {
    if (ready <= window.close + slack) return std::max(ready, window.open);
  }
  return ready;
}

bool MissesHardWindow(const std::vector<TimeWindow>& windows, double begin, double slack) {
  return std::isinf(windows.back().late_cost) && begin > windows.back().close + slack;
}

}  // namespace

CheckerClock::CheckerClock(const CheckerData& data, const VehicleType& vehicle,
                           const std::vector<NodeIndex>& path)
    : vehicle_(vehicle), tolerance_(data.time_tolerance()), stops_(path.size()) {
  double release = 0;  // the latest release on the current trip, scanning backwards
  for (size_t i = path.size(); i-- > 0;) {
    stops_[i].windows = data.WindowsOf(path[i]);
    if (i > 0) stops_[i].travel = data.TravelTimes(vehicle, path[i - 1], path[i]);
    if (!data.is_depot(path[i])) {
      stops_[i].work = i > 0 ? data.WorkAt(vehicle, path[i - 1], path[i]) : 0;
      release = std::max(release, data.ReleaseOf(path[i]));
      continue;
    }
    TimeWindow& window = stops_[i].windows.front();
    window.open = std::max(window.open, release);
    release = 0;
    const bool departs = i + 1 < path.size() || vehicle.open_end;
    if (departs) stops_[i].work = data.LoadingTime(path[i]);
  }
  if (vehicle.open_end && !vehicle.breaks.empty()) {
    stops_.push_back({.travel = {{0, 0}}, .windows = {{}}});  // for breaks after the last service
  }
  by_rules_ = vehicle.driving_rules.has_breaks();
  timed_ = std::any_of(stops_.begin(), stops_.end(),
                       [](const CheckerStop& stop) { return stop.travel.size() > 1; });
  const bool any_limit = std::any_of(vehicle.breaks.begin(), vehicle.breaks.end(),
                                     [](const Break& pause) { return !pause.max_load.empty(); });
  if (any_limit) BarBreaks(data, path);
  TimeWindow& start = stops_.front().windows.front();
  start.open = std::max(start.open, vehicle.shift.open);
  start.close = std::min(start.close, vehicle.latest_start);
}

double CheckerClock::AllowedEnd(const Run& first) const {
  return timed_ ? first.end + kRounding * first.end : first.end;
}

double CheckerClock::DrivingFrom(double start, size_t breaks, double slack) const {
  if (timed_ && (breaks > 0 || by_rules_)) {
    std::optional<Label> best = BestLabel(start, slack);
    if (!best.has_value()) best = BestLabel(start, tolerance_);
    return best.has_value() ? best->driving : 0;
  }
  const Run run = Simulate(start, tolerance_);
  double driving = 0;
  for (size_t i = 1; i < stops_.size(); ++i) {
    driving += stops_[i].TravelFrom(run.begins[i - 1] + stops_[i - 1].work);
  }
  return driving;
}

void CheckerClock::BarBreaks(const CheckerData& data, const std::vector<NodeIndex>& path) {
  for (size_t k = 0; k < static_cast<size_t>(data.raw().load_dimensions); ++k) {
    double load = 0;
    double shipped = vehicle_.initial_load.empty() ? 0 : vehicle_.initial_load[k];
    for (size_t i = 0; i < path.size(); ++i) {
      if (data.is_depot(path[i])) {  // the vehicle is unloaded, except of shipments, and loaded
        load = shipped;
        if (i == 0) shipped = 0;
        for (size_t j = i + 1; j < path.size() && !data.is_depot(path[j]); ++j) {
          load += data.Demand(path[j], k);
        }
      } else {
        shipped += data.Shipped(path[i], k);
        load += data.Pickup(path[i], k) + data.Backhaul(path[i], k) + data.Shipped(path[i], k) -
                data.Demand(path[i], k);
      }
      if (i + 1 == stops_.size()) break;
      std::vector<bool>& barred = stops_[i + 1].barred_breaks;
      barred.resize(vehicle_.breaks.size());
      for (size_t b = 0; b < barred.size(); ++b) {
        const std::vector<double>& most = vehicle_.breaks[b].max_load;
        if (k < most.size() && load > CapacityWithRounding(most[k])) barred[b] = true;
      }
    }
  }
}

bool CheckerClock::TakeBreak(size_t stop, size_t index, double slack, double& now,
                             double& remaining_travel) const {
  const std::vector<bool>& barred = stops_[stop].barred_breaks;
  if (!barred.empty() && barred[index]) return false;
  const Break& pause = vehicle_.breaks[index];
  const TimeWindow* window = &pause.window;
  for (const TimeWindow& further : pause.further_windows) {
    if (now > window->close + slack) window = &further;
  }
  if (now > window->close + slack) return false;
  if (now < window->open) {
    remaining_travel = std::max(0.0, remaining_travel - (window->open - now));
    now = window->open;
  }
  now += pause.duration;
  return true;
}

CheckerClock::Run CheckerClock::Simulate(double start, double slack) const {
  Run run;
  run.begins.reserve(stops_.size());
  run.begins.push_back(start);
  double time = start + stops_.front().work;
  for (size_t i = 1; i < stops_.size(); ++i) {
    time = ServiceStart(stops_[i].windows, time + stops_[i].TravelFrom(time), slack);
    run.begins.push_back(time);
    time += stops_[i].work;
  }
  run.end = time;
  return run;
}

double CheckerClock::EndWithBreaks(double start, size_t count, double slack) const {
  std::vector<double>& times = times_;  // departure times, by number of breaks taken
  std::vector<double>& next = next_;
  times.assign(count + 1, kNoLimit);
  if (!MissesHardWindow(stops_.front().windows, start, slack)) {
    times[0] = start + stops_.front().work;
  }
  for (size_t i = 1; i < stops_.size(); ++i) {
    next.assign(count + 1, kNoLimit);
    for (size_t taken = 0; taken <= count; ++taken) {
      double now = times[taken];
      if (now == kNoLimit) continue;
      double remaining_travel = stops_[i].TravelFrom(now);
      for (size_t done = taken;; ++done) {
        const double begin = ServiceStart(stops_[i].windows, now + remaining_travel, slack);
        if (!MissesHardWindow(stops_[i].windows, begin, slack)) {
          next[done] = std::min(next[done], begin + stops_[i].work);
        }
        if (done == count || !TakeBreak(i, done, slack, now, remaining_travel)) break;
      }
    }
    std::swap(times, next);
  }
  return times[count] > vehicle_.shift.close + slack ? kNoLimit : times[count];
}

void CheckerClock::AddLabel(const Label& label, Labels& labels) const {
  const double tie = timed_ ? CheckerTie(label.leaves) : 0;
  const double cost_tie = timed_ ? MostLateCost() * tie : 0;
  const auto no_better_than = [&](const Label& one, const Label& other) {
    return one.leaves >= other.leaves - tie && one.late_cost >= other.late_cost - cost_tie;
  };
  for (Label& other : labels) {
    if (!no_better_than(label, other)) continue;
    const bool equal = no_better_than(other, label);
    if (timed_ && equal && label.driving < other.driving - tie) other = label;
    return;
  }
  std::erase_if(labels, [&](const Label& other) { return no_better_than(other, label); });
  labels.push_back(label);
}

void CheckerClock::ExtendLabel(size_t stop, size_t taken, const Label& from, double slack,
                               std::vector<Labels>& reached) const {
  const std::vector<TimeWindow>& windows = stops_[stop].windows;
  double now = from.leaves;
  const double travel = stops_[stop].TravelFrom(now);
  double remaining_travel = travel;
  for (size_t done = taken;; ++done) {
    const double begin = ServiceStart(windows, now + remaining_travel, slack);
    if (!MissesHardWindow(windows, begin, slack)) {
      const double late = begin - windows.back().close;
      const bool costs = !std::isinf(windows.back().late_cost) && late > 0;
      const double cost = costs ? windows.back().late_cost * late : 0;
      AddLabel({begin + stops_[stop].work, from.late_cost + cost, from.driving + travel},
               reached[done]);
    }
    if (done == vehicle_.breaks.size()) return;
    if (!TakeBreak(stop, done, slack, now, remaining_travel)) return;
  }
}

CheckerClock::Labels CheckerClock::LabelsWithBreaks(double start, double slack) const {
  if (by_rules_) {
    auto ends = CheckerDriving(vehicle_, stops_).Ends(start, slack);
    too_many_labels_ = !ends.has_value();
    return too_many_labels_ ? Labels() : *std::move(ends);
  }
  std::vector<Labels> labels(vehicle_.breaks.size() + 1);
  if (!MissesHardWindow(stops_.front().windows, start, slack)) {
    labels[0] = {{start + stops_.front().work, 0}};
  }
  size_t left = MaxLabels(stops_.size(), vehicle_.breaks.size());
  for (size_t i = 1; i < stops_.size(); ++i) {
    std::vector<Labels> next(labels.size());
    for (size_t taken = 0; taken < labels.size(); ++taken) {
      const size_t tried = labels[taken].size() * (labels.size() - taken);
      too_many_labels_ = tried > left;
      if (too_many_labels_) return {};
      left -= tried;
      for (const Label& label : labels[taken]) ExtendLabel(i, taken, label, slack, next);
    }
    labels = std::move(next);
  }
  std::erase_if(labels.back(),
                [&](const Label& label) { return label.leaves > vehicle_.shift.close + slack; });
  return std::move(labels.back());
}

bool CheckerClock::HasSoftStop() const {
  return std::any_of(stops_.begin(), stops_.end(), [](const CheckerStop& stop) {
    return !std::isinf(stop.windows.back().late_cost);
  });
}

double CheckerClock::MostLateCost() const {
  double largest = 0;
  for (const CheckerStop& stop : stops_) {
    const double cost = stop.windows.back().late_cost;
    if (!std::isinf(cost)) largest = std::max(largest, cost);
  }
  return largest;
}

double CheckerClock::CostTolerance() const { return 1e-3 * tolerance_ * MostLateCost(); }

std::optional<CheckerClock::Label> CheckerClock::BestLabel(double start, double slack) const {
  const Labels labels = LabelsWithBreaks(start, slack);
  if (labels.empty()) return std::nullopt;
  Label best = *std::min_element(labels.begin(), labels.end(), [](const Label& a, const Label& b) {
    return a.late_cost < b.late_cost;
  });
  const double allowed = best.late_cost + CostTolerance();
  for (const Label& label : labels) {
    if (label.late_cost > allowed) continue;
    const bool tied = timed_ && std::abs(label.leaves - best.leaves) <= CheckerTie(best.leaves);
    if (tied ? label.driving < best.driving : label.leaves < best.leaves) best = label;
  }
  return best;
}

// Repeats the route from `start`. Sums and comparisons of doubles are monotonic, so if a start
// delays nothing, all earlier starts delay nothing either. Travel times by departure are rounded,
// which AllowedEnd and `slack` cover.
bool CheckerClock::DelaysNothing(double start, const Run& first, size_t breaks) const {
  const double allowed_end = AllowedEnd(first);
  if (UsesLabels(breaks)) {
    const double allowed = first.late_cost + CostTolerance();
    const Labels labels = LabelsWithBreaks(start, kRounding * first.end);
    // Other driving breaks sum the same times in another order.
    const double end = by_rules_ ? first.end * (1 + kRounding) : allowed_end;
    return std::any_of(labels.begin(), labels.end(), [&](const Label& label) {
      return label.leaves <= end && label.late_cost <= allowed;
    });
  }
  if (breaks > 0) return EndWithBreaks(start, breaks, kRounding * first.end) <= allowed_end;
  const double slack = allowed_end - first.end;
  double time = start + stops_.front().work;
  for (size_t i = 1; i < stops_.size(); ++i) {
    const std::vector<TimeWindow>& windows = stops_[i].windows;
    const double begin = ServiceStart(windows, time + stops_[i].TravelFrom(time), tolerance_);
    const auto used = std::find_if(windows.begin(), windows.end(), [&](const TimeWindow& window) {
      return begin <= window.close + tolerance_;
    });
    const double close = used == windows.end() ? windows.back().close : used->close;
    if (begin > std::max(first.begins[i], close) + slack) return false;
    time = begin + stops_[i].work;
  }
  return time <= allowed_end;
}

// Narrows the interval by steps of the delay. If a start delays the end by d, every start less than
// d earlier also delays the end, unless a window is missed or travel times rise in between.
// Therefore usually no start remains between `latest_good` and `earliest_bad`.
void CheckerClock::NarrowByDelay(const Run& first, size_t breaks, double& latest_good,
                                 double& earliest_bad) const {
  for (int i = 0; i < 3; ++i) {
    const double end = breaks > 0 ? EndWithBreaks(earliest_bad, breaks, kRounding * first.end)
                                  : Simulate(earliest_bad, tolerance_).end;
    const double guess = earliest_bad - (end - first.end);
    if (!(guess > latest_good) || !(guess < earliest_bad)) return;
    if (DelaysNothing(guess, first, breaks)) {
      latest_good = guess;
      const double above = guess + kRounding * earliest_bad;
      if (above < earliest_bad && !DelaysNothing(above, first, breaks)) earliest_bad = above;
      return;
    }
    earliest_bad = guess;
  }
}

double CheckerClock::LatestStart(const Run& first, size_t breaks) const {
  double latest_good = first.begins.front();
  double earliest_bad = std::min(first.end, stops_.front().windows.front().close);
  if (earliest_bad <= latest_good) return latest_good;
  if (DelaysNothing(earliest_bad, first, breaks)) return earliest_bad;
  // With breaks after driving, a later start may avoid a rush hour and then a break. The bisection
  // finds a start from which a little later is worse, the same as DrivingLabels::LatestStart does.
  if (!timed_ || !by_rules_) NarrowByDelay(first, breaks, latest_good, earliest_bad);
  for (int i = 0; i < 100 && earliest_bad - latest_good > kRounding * earliest_bad; ++i) {
    const double middle = latest_good + (earliest_bad - latest_good) / 2;
    (DelaysNothing(middle, first, breaks) ? latest_good : earliest_bad) = middle;
  }
  // Chooses the earliest start if the starts differ by at most the rounding of the end.
  return latest_good - first.begins.front() <= kRounding * first.end ? first.begins.front()
                                                                     : latest_good;
}

std::optional<size_t> CheckerClock::MissedBreak() const {
  const double start = stops_.front().windows.front().open;
  if (vehicle_.breaks.empty()) return std::nullopt;
  if (EndWithBreaks(start, vehicle_.breaks.size(), tolerance_) != kNoLimit) return std::nullopt;
  size_t count = 1;
  while (count < vehicle_.breaks.size() && EndWithBreaks(start, count, tolerance_) != kNoLimit) {
    ++count;
  }
  return count - 1;
}

ClockReading CheckerClock::Read(bool latest) const {
  ClockReading reading;
  reading.missed_break = MissedBreak();
  const double earliest = stops_.front().windows.front().open;
  size_t breaks = reading.missed_break.has_value() ? 0 : vehicle_.breaks.size();
  by_rules_ = by_rules_ && !reading.missed_break.has_value();
  Run run = Simulate(earliest, tolerance_);
  std::optional<Label> best;
  if (UsesLabels(breaks)) {
    best = BestLabel(earliest, tolerance_);
    reading.too_many_labels = too_many_labels_;
    reading.misses_driving_break = by_rules_ && !best.has_value() && !too_many_labels_;
    if (too_many_labels_ || reading.misses_driving_break) {
      breaks = 0;
      by_rules_ = false;
    }
  }
  if (breaks > 0 || by_rules_) {
    run.end = best.has_value() ? best->leaves : EndWithBreaks(earliest, breaks, tolerance_);
    run.late_cost = best.has_value() ? best->late_cost : 0;
  }
  reading.start = latest ? LatestStart(run, breaks) : earliest;
  reading.end = run.end;
  reading.late_cost = run.late_cost;
  const double rounding = kRounding * run.end;
  if (timed_ && by_rules_ && latest) {
    if (best = BestLabel(reading.start, rounding); best.has_value()) {
      reading.end = best->leaves;
      reading.late_cost = best->late_cost;
    }
  }
  const DrivingRules& rules = vehicle_.driving_rules;
  if (vehicle_.max_waiting != kNoLimit || rules.max_driving != kNoLimit ||
      rules.max_work != kNoLimit || vehicle_.cost_per_travel_time != 0) {
    reading.driving = DrivingFrom(reading.start, breaks, rounding);
  }
  if (breaks > 0 || by_rules_) return reading;
  double ready = earliest;
  for (size_t i = 0; i < stops_.size(); ++i) {
    if (i > 0) {
      const double leave = run.begins[i - 1] + stops_[i - 1].work;
      ready = leave + stops_[i].TravelFrom(leave);
    }
    const TimeWindow& last = stops_[i].windows.back();
    if (run.begins[i] > last.close)
      reading.late.push_back({i, std::max(ready, run.begins[i]), last});
  }
  return reading;
}

}  // namespace vrp
