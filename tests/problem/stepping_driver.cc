#include "tests/problem/stepping_driver.h"

#include <algorithm>
#include <cmath>

namespace vrp::test {
namespace {

bool IsIn(int now, const TimeWindow& window) { return now >= window.open && now <= window.close; }

}  // namespace

std::optional<CostAndEnd> SteppingDriver::Best(int start) {
  if (start > route_.stops[0].first.close) return std::nullopt;
  best_.reset();
  Simulate(start, {.left = static_cast<int>(route_.stops[1].travel.From(0))}, 0);
  return best_;
}

std::optional<std::tuple<int, int, int>> SteppingDriver::BestByLeg(int start) {
  if (start > route_.stops[0].first.close) return std::nullopt;
  std::vector<Start> starts = {{.begin = start}};
  for (leg_ = 1; leg_ < route_.stops.size(); ++leg_) {
    std::vector<Start> next;
    for (const Start& from : starts) {
      for (const Start& reached : DriveLeg(from)) Add(reached, next);
    }
    starts = std::move(next);
  }
  leg_ = 0;
  std::optional<std::tuple<int, int, int>> best;
  for (const Start& end : starts) {
    if (end.taken < route_.vehicle.breaks.size()) continue;
    if (end.begin > route_.vehicle.shift.close) continue;
    const std::tuple<int, int, int> found(end.cost, end.begin, end.driving);
    if (!best.has_value() || found < *best) best = found;
  }
  return best;
}

std::vector<SteppingDriver::Start> SteppingDriver::DriveLeg(const Start& from) {
  reached_.clear();
  const int leave = from.begin + static_cast<int>(route_.stops[leg_ - 1].work);
  const auto travel = static_cast<int>(std::lround(route_.stops[leg_].travel.From(leave)));
  Simulate(leave,
           {.stop = leg_,
            .left = travel,
            .driven = from.driven,
            .has_first = from.has_first,
            .taken = from.taken},
           from.cost);
  for (Start& reached : reached_) {
    reached.driving = from.driving + travel;
    if (leg_ + 1 == route_.stops.size()) reached.driven = 0, reached.has_first = false;
  }
  return reached_;
}

void SteppingDriver::Add(const Start& start, std::vector<Start>& starts) {
  const auto no_worse = [](const Start& a, const Start& b) {
    return a.taken == b.taken && a.begin <= b.begin && a.driven <= b.driven && a.cost <= b.cost &&
           (a.has_first || !b.has_first);
  };
  for (Start& other : starts) {
    if (!no_worse(other, start)) continue;
    if (no_worse(start, other)) other.driving = std::min(other.driving, start.driving);
    return;
  }
  std::erase_if(starts, [&](const Start& other) { return no_worse(start, other); });
  starts.push_back(start);
}

void SteppingDriver::Simulate(int start, const State& first, int cost_before) {
  costs_.assign(kLastStep + 10, {});
  now_ = -1;
  if (start > kLastStep) return;
  Put(start, first, cost_before);
  for (int now = start; now <= kLastStep; ++now) {
    waiting_.clear();
    for (const auto& [state, cost] : costs_[static_cast<size_t>(now)]) waiting_.push_back(state);
    now_ = now;
    while (!waiting_.empty()) {
      const State state = waiting_.back();
      waiting_.pop_back();
      Act(now, state, costs_[static_cast<size_t>(now)].at(state));
    }
  }
}

void SteppingDriver::Put(int time, const State& state, int cost) {
  const auto [entry, added] = costs_[static_cast<size_t>(time)].emplace(state, cost);
  if (!added && entry->second <= cost) return;
  entry->second = cost;
  if (time == now_) waiting_.push_back(state);
}

void SteppingDriver::Act(int now, const State& state, int cost) {
  Rest(now, state, cost);
  if (state.pause > 0) return;
  BeginPlanned(now, state, cost);
  if (state.left > 0 && state.driven < rules_.max_driving_before_break) {
    State next = state;
    --next.left, ++next.driven, next.rested = 0;
    Put(now + 1, next, cost);
  }
  if (state.left == 0) Serve(now, state, cost);
}

void SteppingDriver::Rest(int now, const State& state, int cost) {
  State next = state;
  const auto whole = static_cast<int>(rules_.break_duration);
  next.rested = std::min(next.rested + 1, whole);
  if (next.pause > 0) --next.pause;
  Put(now + 1, next, cost);
  const int needed = static_cast<int>(state.has_first ? rules_.second_part : rules_.break_duration);
  State counted = state;
  counted.rested = 0;
  if (state.rested >= needed) {
    counted.driven = 0, counted.has_first = false;
    Put(now, counted, cost);
  }
  if (rules_.has_parts() && !state.has_first && state.rested >= rules_.first_part) {
    counted = state;
    counted.rested = 0, counted.has_first = true;
    Put(now, counted, cost);
  }
}

void SteppingDriver::BeginPlanned(int now, const State& state, int cost) {
  if (state.taken == route_.vehicle.breaks.size()) return;
  const Break& pause = route_.vehicle.breaks[state.taken];
  if ((route_.stops[state.stop].breaks_before >> state.taken & 1) == 0) return;
  if (!IsIn(now, pause.window) && std::ranges::none_of(pause.further_windows, [&](auto& window) {
        return IsIn(now, window);
      })) {
    return;
  }
  State next = state;
  ++next.taken, next.pause = static_cast<int>(pause.duration);
  Put(now, next, cost);
}

void SteppingDriver::Serve(int now, const State& state, int cost) {
  const TimedStop& stop = route_.stops[state.stop];
  std::vector<TimeWindow> windows = {stop.first};
  windows.insert(windows.end(), stop.further.begin(), stop.further.end());
  if (std::ranges::none_of(windows, [&](const TimeWindow& window) {
        return now >= window.open && now <= window.close;
      })) {
    if (!stop.last().soft() || now < stop.last().close) return;
    cost += static_cast<int>(stop.LateCost(now));
  }
  if (leg_ > 0) {
    reached_.push_back({now, state.driven, state.has_first, state.taken, cost});
    return;
  }
  if (state.stop + 1 == route_.stops.size()) {
    if (state.taken < route_.vehicle.breaks.size() || now > route_.vehicle.shift.close) return;
    if (!best_.has_value() || CostAndEnd(cost, now) < *best_) best_ = CostAndEnd(cost, now);
    return;
  }
  State next = state;
  next.left = static_cast<int>(route_.stops[++next.stop].travel.From(0));
  next.rested = 0;
  Put(now + static_cast<int>(stop.work), next, cost);
}

}  // namespace vrp::test
