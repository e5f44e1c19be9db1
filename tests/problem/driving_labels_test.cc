// Tests breaks after driving against an exhaustive simulation in unit time steps.
#include "core/problem/plan/driving_labels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/problem/checker/checker_driving.h"
#include "core/problem/plan/break_leg.h"
#include "gtest/gtest.h"
#include "tests/problem/random_route.h"
#include "tests/problem/stepping_driver.h"

namespace vrp {
namespace {

using test::CostAndEnd;
using test::RandomRoute;
using test::RouteDraws;
using test::SteppingDriver;

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
