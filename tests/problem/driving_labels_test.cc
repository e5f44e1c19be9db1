// Tests breaks after driving against an exhaustive simulation in unit time steps.
#include "core/problem/plan/driving_labels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/base/random.h"
#include "core/problem/checker/checker_driving.h"
#include "core/problem/plan/break_leg.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

constexpr int kLastStep = 60;  // bounds the simulation

// The cost of lateness and the start of the last stop, compared lexicographically.
using CostAndEnd = std::pair<int, int>;

// A route whose times are integers. So are the travel times of departures at integers.
struct RandomRoute {
  std::vector<TimedStop> stops = {};
  std::vector<double> departures = {};                 // of travel_times
  std::vector<std::vector<double>> travel_times = {};  // by stop; empty: the same at all times
  std::vector<std::vector<TimeWindow>> further = {};
  VehicleType vehicle = {};
};

// A simulator that tries every action at every integer time: to drive for a unit, to rest for a
// unit, to begin a planned break, to count the current rest as a break or a part of one, and to
// serve. It does not assume where breaks are best.
class SteppingDriver {
 public:
  // `route` must outlive the driver.
  explicit SteppingDriver(const RandomRoute& route)
      : route_(route), rules_(route.vehicle.driving_rules) {}

  std::optional<CostAndEnd> Best(int start) {
    if (start > route_.stops[0].first.close) return std::nullopt;
    best_.reset();
    Simulate(start, {.left = static_cast<int>(route_.stops[1].travel.From(0))}, 0);
    return best_;
  }

  // Returns the cost, the end and the driving of the driver who goes from stop to stop and drops
  // each way to a stop that starts no earlier, with no less driving since the last break.
  std::optional<std::tuple<int, int, int>> BestByLeg(int start) {
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

 private:
  // The start of a stop.
  struct Start {
    int begin = 0;
    int driven = 0;
    bool has_first = false;
    size_t taken = 0;
    int cost = 0;
    int driving = 0;  // since the start of the route
  };
  struct State {
    size_t stop = 1;  // the next one
    int left = 0;     // travel time to it
    int driven = 0;
    bool has_first = false;
    size_t taken = 0;
    int rested = 0;  // time of the current rest that counts for nothing yet
    int pause = 0;   // remaining time of a planned break
    bool operator==(const State&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const State& s) {
      const size_t key =
          ((((s.stop * 16 + static_cast<size_t>(s.left)) * 8 + static_cast<size_t>(s.driven)) * 4 +
            s.taken) *
               8 +
           static_cast<size_t>(s.rested)) *
              8 +
          static_cast<size_t>(s.pause);
      return H::combine(std::move(h), key * 2 + (s.has_first ? 1 : 0));
    }
  };

  std::vector<Start> DriveLeg(const Start& from) {
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

  static void Add(const Start& start, std::vector<Start>& starts) {
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

  void Simulate(int start, const State& first, int cost_before) {
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

  void Put(int time, const State& state, int cost) {
    const auto [entry, added] = costs_[static_cast<size_t>(time)].emplace(state, cost);
    if (!added && entry->second <= cost) return;
    entry->second = cost;
    if (time == now_) waiting_.push_back(state);
  }

  void Act(int now, const State& state, int cost) {
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

  void Rest(int now, const State& state, int cost) {
    State next = state;
    const auto whole = static_cast<int>(rules_.break_duration);
    next.rested = std::min(next.rested + 1, whole);
    if (next.pause > 0) --next.pause;
    Put(now + 1, next, cost);
    const int needed =
        static_cast<int>(state.has_first ? rules_.second_part : rules_.break_duration);
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

  void BeginPlanned(int now, const State& state, int cost) {
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

  static bool IsIn(int now, const TimeWindow& window) {
    return now >= window.open && now <= window.close;
  }

  void Serve(int now, const State& state, int cost) {
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

  const RandomRoute& route_;
  const DrivingRules& rules_;
  std::vector<absl::flat_hash_map<State, int>> costs_;  // by time, then by state
  std::vector<State> waiting_;                          // states at now_ still to act on
  int now_ = -1;
  std::optional<CostAndEnd> best_;
  size_t leg_ = 0;              // the stop at which BestByLeg ends the current leg; 0: none
  std::vector<Start> reached_;  // at the end of that leg
};

class RouteDraws {
 public:
  explicit RouteDraws(uint64_t seed) : random_(seed, 12, 0) {}

  RandomRoute Route() {
    RandomRoute route;
    const int stops = Between(2, 5);
    route.further.resize(static_cast<size_t>(stops));
    for (int i = 0; i < stops; ++i) {
      TimedStop& stop = route.stops.emplace_back();
      if (i == 0) {
        stop.first.close = Between(0, 12);
        continue;
      }
      stop.travel = Between(0, 9);
      if (i + 1 < stops) stop.work = Between(0, 2);
      AddWindows(stop, route.further[static_cast<size_t>(i)]);
    }
    DrivingRules& rules = route.vehicle.driving_rules;
    rules.max_driving_before_break = Between(3, 7);
    rules.break_duration = Between(1, 5);
    const auto whole = static_cast<int>(rules.break_duration);
    if (Chance(0.7)) {
      rules.first_part = Between(1, whole);
      rules.second_part = Between(std::max(1, whole - static_cast<int>(rules.first_part)), whole);
    }
    for (int i = Chance(0.5) ? 0 : Between(1, 3); i > 0; --i) {
      const int open = Between(0, 25);
      route.vehicle.breaks.push_back(
          {{static_cast<double>(open), static_cast<double>(open + Between(0, 9))},
           static_cast<double>(Between(0, 4))});
    }
    route.vehicle.shift.close = Between(15, kLastStep - 15);
    return route;
  }

  // Returns a route whose planned breaks have several windows and are not allowed on all legs.
  RandomRoute RouteWithBreakLimits() {
    RandomRoute route = Route();
    for (Break& pause : route.vehicle.breaks) {
      double close = pause.window.close;
      for (int i = Between(0, 2); i > 0; --i) {
        const double open = close + Between(1, 8);
        close = open + Between(0, 5);
        pause.further_windows.push_back({open, close});
      }
    }
    for (TimedStop& stop : route.stops) {
      for (int i = 0; i < 3; ++i) {
        if (Chance(0.25)) stop.breaks_before &= ~(uint32_t{1} << i);
      }
    }
    return route;
  }

  // Makes travel times depend on the departure.
  void AddRushHours(RandomRoute& route) {
    int at = Between(0, 10);
    for (int i = Between(2, 4); i > 0; --i) {
      route.departures.push_back(at);
      at += Between(1, 10);
    }
    route.travel_times.resize(route.stops.size());
    for (size_t i = 1; i < route.stops.size(); ++i) {
      double travel = Between(0, 9);
      for (size_t k = 0; k < route.departures.size(); ++k) {
        if (k > 0) {
          const double gap = route.departures[k] - route.departures[k - 1];
          const double next = travel + gap * Between(-1, 1);
          if (next >= 0 && next <= 15) travel = next;
        }
        route.travel_times[i].push_back(travel);
      }
      route.stops[i].travel = {route.departures, route.travel_times[i].data()};
    }
  }

 private:
  bool Chance(double chance) { return random_.UniformDouble() < chance; }
  int Between(int low, int high) { return static_cast<int>(random_.UniformInt(low, high)); }

  void AddWindows(TimedStop& stop, std::vector<TimeWindow>& further) {
    if (Chance(0.4)) return;
    stop.first.open = Between(0, 25);
    stop.first.close = stop.first.open + Between(0, 10);
    TimeWindow* last = &stop.first;
    if (Chance(0.3)) {
      const double open = stop.first.close + Between(1, 6);
      further.push_back({open, open + Between(0, 6)});
      last = &further.back();
    }
    if (Chance(0.3)) last->late_cost = Between(1, 3);
    stop.further = further;
  }

  CounterRandom random_;
};

DrivingLabels::Route InputOf(const RandomRoute& route) {
  return {.stops = route.stops,
          .breaks = route.vehicle.breaks,
          .rules = &route.vehicle.driving_rules,
          .last_by = route.vehicle.shift.close,
          .tolerance = 1e-9,
          .rounding = 1e-9,
          .most_work = DrivingLabels::MaxWork(route.stops.size(), route.vehicle.breaks.size())};
}

// Returns the least cost of lateness and the earliest end that the checker finds, and the driving
// until then.
std::optional<std::tuple<int, int, int>> CheckersBestByLeg(const RandomRoute& route, int start) {
  std::vector<CheckerStop> stops;
  for (size_t i = 0; i < route.stops.size(); ++i) {
    const TimedStop& stop = route.stops[i];
    stops.push_back({{{0, stop.travel.From(0)}}, stop.work, {stop.first}});
    if (i > 0 && !route.departures.empty()) stops.back().travel.clear();
    for (size_t k = 0; i > 0 && k < route.departures.size(); ++k) {
      stops.back().travel.push_back({route.departures[k], route.travel_times[i][k]});
    }
    for (size_t b = 0; b < route.vehicle.breaks.size(); ++b) {
      stops.back().barred_breaks.push_back((stop.breaks_before >> b & 1) == 0);
    }
    stops.back().windows.insert(stops.back().windows.end(), stop.further.begin(),
                                stop.further.end());
  }
  const auto ends = CheckerDriving(route.vehicle, stops).Ends(start, 1e-9);
  if (!ends.has_value()) ADD_FAILURE() << "too many sequences";
  std::optional<std::tuple<int, int, int>> best;
  for (const CheckerEnd& end : ends.value_or(std::vector<CheckerEnd>())) {
    const std::tuple<int, int, int> found(static_cast<int>(std::lround(end.late_cost)),
                                          static_cast<int>(std::lround(end.leaves)),
                                          static_cast<int>(std::lround(end.driving)));
    if (!best.has_value() || found < *best) best = found;
  }
  return best;
}

std::optional<CostAndEnd> CheckersBest(const RandomRoute& route, int start) {
  const auto best = CheckersBestByLeg(route, start);
  if (!best.has_value()) return std::nullopt;
  return CostAndEnd(std::get<0>(*best), std::get<1>(*best));
}

TEST(DrivingLabelsTest, FindTheBestBreaksThatTryingEverythingFinds) {
  int feasible = 0;
  int with_planned = 0;
  for (uint64_t seed = 0; seed < 250 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const RandomRoute route = RouteDraws(seed).Route();
    const auto best = SteppingDriver(route).Best(0);
    EXPECT_EQ(CheckersBest(route, 0), best);
    DrivingLabels labels;
    const auto found = labels.Run(InputOf(route), 0);
    ASSERT_EQ(found.has_value(), best.has_value());
    if (!found.has_value()) continue;
    EXPECT_EQ(found->late_cost, best->first);
    EXPECT_EQ(found->last, best->second);
    ++feasible;
    with_planned += route.vehicle.breaks.empty() ? 0 : 1;
  }
  EXPECT_GT(feasible, 80);
  EXPECT_GT(with_planned, 20);
}

TEST(DrivingLabelsTest, FindTheBestOfSeveralWindowsOfBreaksAllowedOnSomeLegs) {
  int feasible = 0;
  for (uint64_t seed = 0; seed < 250 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const RandomRoute route = RouteDraws(seed).RouteWithBreakLimits();
    if (route.vehicle.breaks.empty()) continue;
    const auto best = SteppingDriver(route).Best(0);
    EXPECT_EQ(CheckersBest(route, 0), best);
    DrivingLabels labels;
    const auto found = labels.Run(InputOf(route), 0);
    ASSERT_EQ(found.has_value(), best.has_value());
    if (!found.has_value()) continue;
    EXPECT_EQ(found->late_cost, best->first);
    EXPECT_EQ(found->last, best->second);
    ++feasible;
  }
  EXPECT_GT(feasible, 30);
}

TEST(DrivingLabelsTest, DriveEachLegForItsTravelTimeAtTheDeparture) {
  int feasible = 0;
  int with_planned = 0;
  for (uint64_t seed = 0; seed < 250 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RouteDraws draws(seed);
    RandomRoute route = seed % 2 == 0 ? draws.Route() : draws.RouteWithBreakLimits();
    draws.AddRushHours(route);
    const auto best = SteppingDriver(route).BestByLeg(0);
    EXPECT_EQ(CheckersBestByLeg(route, 0), best);
    DrivingLabels labels;
    const auto found = labels.Run(InputOf(route), 0);
    ASSERT_EQ(found.has_value(), best.has_value());
    if (!found.has_value()) continue;
    EXPECT_NEAR(found->late_cost, std::get<0>(*best), 1e-6);
    EXPECT_NEAR(found->last, std::get<1>(*best), 1e-6);
    EXPECT_NEAR(found->driving, std::get<2>(*best), 1e-6);
    ++feasible;
    with_planned += route.vehicle.breaks.empty() ? 0 : 1;
  }
  EXPECT_GT(feasible, 50);
  EXPECT_GT(with_planned, 15);
}

// A start a little later than the found one is worse, and the found one is not.
TEST(DrivingLabelsTest, FindAStartThatMayNotBeDelayedIfTravelTimesChange) {
  int later = 0;
  for (uint64_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RouteDraws draws(seed);
    RandomRoute route = draws.Route();
    draws.AddRushHours(route);
    DrivingLabels labels;
    const auto first = labels.Run(InputOf(route), 0);
    if (!first.has_value()) continue;
    const double latest = labels.LatestStart();
    const auto worsens_nothing = [&](double start) {
      const auto found = DrivingLabels().Run(InputOf(route), start);
      return found.has_value() && found->last <= first->last + 1e-6 &&
             found->late_cost <= first->late_cost + 1e-6;
    };
    EXPECT_TRUE(worsens_nothing(latest));
    if (latest < std::min(route.stops[0].first.close, first->last) - 1e-6) {
      EXPECT_FALSE(worsens_nothing(latest + 1e-5));
    }
    later += latest > 0 ? 1 : 0;
  }
  EXPECT_GT(later, 30);
}

TEST(DrivingLabelsTest, FindTheLatestStartThatWorsensNothing) {
  int later = 0;
  for (uint64_t seed = 0; seed < 100 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const RandomRoute route = RouteDraws(seed).Route();
    DrivingLabels labels;
    if (!labels.Run(InputOf(route), 0).has_value()) continue;
    const double latest = labels.LatestStart();
    const auto best = SteppingDriver(route).Best(0);
    int wanted = 0;
    for (int start = 1; start <= route.stops[0].first.close; ++start) {
      const auto delayed = SteppingDriver(route).Best(start);
      if (!delayed.has_value() || delayed->first > best->first) break;
      if (delayed->second > best->second) break;
      wanted = start;
    }
    EXPECT_NEAR(latest, wanted, 1e-6);
    later += wanted > 0 ? 1 : 0;
  }
  EXPECT_GT(later, 15);
}

// Checks the reported times and breaks one after another.
void ExpectRulesKept(const RandomRoute& route, const RouteSchedule& schedule) {
  const DrivingRules& rules = route.vehicle.driving_rules;
  double driven = 0;
  bool has_first = false;
  size_t at = 0;
  for (size_t i = 1; i < route.stops.size(); ++i) {
    double now = schedule.stops[i - 1].departure;
    double left = route.stops[i].travel.From(now);
    const auto drive_until = [&](double time) {
      const double room = rules.max_driving_before_break - driven;
      const double way = std::min({left, room, std::max(0.0, time - now)});
      left -= way, driven += way;
    };
    for (; at < schedule.breaks.size() && schedule.breaks[at].after + 1 == static_cast<int>(i);
         ++at) {
      const BreakTime& pause = schedule.breaks[at];
      if (pause.index != kDrivingBreakIndex) {
        const Break& planned = route.vehicle.breaks[static_cast<size_t>(pause.index)];
        EXPECT_TRUE(AllowsBreaks(route.stops[i].breaks_before, static_cast<size_t>(pause.index),
                                 static_cast<size_t>(pause.index) + 1));
        EXPECT_NEAR(BreakStart(planned, pause.start, 1e-6), pause.start, 1e-9);
        EXPECT_FALSE(IsBreakLate(planned, pause.start, 1e-6));
      }
      drive_until(pause.start);
      now = std::max(now, pause.end);
      if (pause.index != kDrivingBreakIndex) continue;
      const double duration = pause.end - pause.start;
      const double whole = has_first ? rules.second_part : rules.break_duration;
      if (duration >= whole - 1e-9) {
        driven = 0;
        has_first = rules.has_parts() && duration >= whole + rules.first_part - 1e-9;
      } else {
        EXPECT_GE(duration, rules.first_part - 1e-9);
        has_first = true;
      }
    }
    driven += left;
    EXPECT_LE(driven, rules.max_driving_before_break + 1e-6);
    EXPECT_LE(schedule.stops[i].arrival, schedule.stops[i].start + 1e-9);
    EXPECT_GE(schedule.stops[i].start, now + left - 1e-6);
  }
  EXPECT_EQ(at, schedule.breaks.size());
}

TEST(DrivingLabelsTest, ReportBreaksThatKeepTheRules) {
  size_t driving_breaks = 0;
  for (uint64_t seed = 0; seed < 2000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RouteDraws draws(seed);
    RandomRoute route = seed < 1000 ? draws.Route() : draws.RouteWithBreakLimits();
    if (seed % 3 == 0) draws.AddRushHours(route);
    const DrivingRules& rules = route.vehicle.driving_rules;
    if (rules.first_part == rules.break_duration) continue;  // a first part would look like both
    DrivingLabels labels;
    if (!labels.Run(InputOf(route), 0).has_value()) continue;
    RouteSchedule schedule;
    labels.AddTimes(schedule);
    ASSERT_EQ(schedule.stops.size(), route.stops.size());
    ExpectRulesKept(route, schedule);
    for (const BreakTime& pause : schedule.breaks) {
      driving_breaks += pause.index == kDrivingBreakIndex ? 1 : 0;
    }
  }
  EXPECT_GT(driving_breaks, 200u);
}

TEST(DrivingLabelsTest, EndARouteThatNeedsTooMuchWork) {
  RandomRoute route = RouteDraws(1).Route();
  route.stops = {{}, {.travel = 1e12}};
  route.vehicle.driving_rules = {.max_driving_before_break = 1e-3, .break_duration = 1};
  route.vehicle.breaks.clear();
  route.vehicle.shift.close = kNoLimit;
  EXPECT_FALSE(DrivingLabels().Run(InputOf(route), 0).has_value());
}

}  // namespace
}  // namespace vrp
