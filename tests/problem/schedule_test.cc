#include "core/problem/plan/schedule.h"

#include "core/problem/checker/checker.h"
#include "core/problem/plan/solution.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::LineWithWindows;

// Returns the schedule of one route. Expects that it is feasible exactly if the checker finds no
// violated window, shift or break.
RouteSchedule ScheduleOf(const InstanceData& data, const std::vector<NodeIndex>& customers) {
  const Instance instance = *Instance::Create(data);
  const PlannedRoute route{0, customers};
  const RouteSchedule schedule = RouteScheduler(instance).Make(route);
  const CheckReport report = CheckPlan(instance, {route});
  bool in_time = true;
  for (const Violation& violation : report.violations) {
    in_time = in_time && violation.kind != ViolationKind::kTimeWindow &&
              violation.kind != ViolationKind::kShift && violation.kind != ViolationKind::kBreak;
  }
  EXPECT_EQ(schedule.feasible, in_time);
  return schedule;
}

TEST(ScheduleTest, StartsServiceInTheFirstWindowThatIsStillOpen) {
  InstanceData data = LineWithWindows();
  data.windows[2] = {0, 15};
  data.further_windows = {{}, {}, {{40, 50}, {70, 80}}, {}};
  data.services = {0, 5, 5, 0};
  const RouteSchedule schedule = ScheduleOf(data, {1, 2});
  EXPECT_EQ(schedule.stops[2].arrival, 25);
  EXPECT_EQ(schedule.stops[2].start, 40);
  EXPECT_EQ(schedule.stops[3].arrival, 65);
  data.services[1] = 36;
  EXPECT_EQ(ScheduleOf(data, {1, 2}).stops[2].start, 70);
  data.services[1] = 61;
  EXPECT_FALSE(ScheduleOf(data, {1, 2}).feasible);
}

TEST(ScheduleTest, ChargesLatenessAfterASoftWindow) {
  InstanceData data = LineWithWindows();
  data.windows[2] = {0, 15, 3};
  const RouteSchedule schedule = ScheduleOf(data, {1, 2});
  EXPECT_TRUE(schedule.feasible);
  EXPECT_EQ(schedule.stops[2].start, 20);
  EXPECT_EQ(schedule.late_cost, 15);
}

TEST(ScheduleTest, DoesNotDelayALateStopToShortenTheDuration) {
  InstanceData data = LineWithWindows();
  data.windows[1] = {0, 5, 2};
  data.windows[2] = {100, 200};
  data.vehicles[0].max_duration = 500;
  const RouteSchedule schedule = ScheduleOf(data, {1, 2});
  EXPECT_EQ(schedule.stops[0].departure, 0);
  EXPECT_EQ(schedule.late_cost, 10);
  EXPECT_EQ(schedule.duration(), 120);
}

TEST(ScheduleTest, AddsTheSetupOncePerLocation) {
  InstanceData data = LineWithWindows();
  data.positions[2] = data.positions[1];
  data.services = {0, 2, 2, 2};
  data.setups = {0, 7, 7, 7};
  const RouteSchedule schedule = ScheduleOf(data, {1, 2, 3});
  EXPECT_EQ(schedule.stops[1].departure, 10 + 7 + 2);
  EXPECT_EQ(schedule.stops[2].departure, 19 + 2);
  EXPECT_EQ(schedule.stops[3].departure, 21 + 20 + 7 + 2);
}

TEST(ScheduleTest, StartsATripAfterTheReleasesOfItsGoods) {
  InstanceData data = LineWithWindows();
  data.releases = {0, 30, 40, 200};
  data.vehicles[0].max_reloads = 1;
  const RouteSchedule schedule = ScheduleOf(data, {1, 2, 0, 3});
  EXPECT_EQ(schedule.stops[0].departure, 40);
  EXPECT_EQ(schedule.stops[3].arrival, 80);
  EXPECT_EQ(schedule.stops[3].start, 200);
  EXPECT_EQ(schedule.stops[4].arrival, 230);
  // The release of the second trip determines the end, so the first trip can start later.
  data.vehicles[0].max_duration = 500;
  EXPECT_EQ(ScheduleOf(data, {1, 2, 0, 3}).stops[0].departure, 160);
  data.windows[0].close = 199;
  EXPECT_FALSE(ScheduleOf(data, {1, 2, 0, 3}).feasible);
}

TEST(ScheduleTest, LoadsAtTheStartAndAtReloads) {
  InstanceData data = LineWithWindows();
  data.services = {5, 1, 1, 1};
  data.windows[1].open = 50;
  data.releases = {0, 0, 100, 0};
  data.vehicles[0].max_reloads = 1;
  data.vehicles[0].max_duration = 500;
  const Instance instance = *Instance::Create(data);
  const RouteSchedule schedule = RouteScheduler(instance).Make({0, {1, 0, 2}});
  ASSERT_EQ(schedule.stops.size(), 5u);
  EXPECT_TRUE(schedule.feasible);
  EXPECT_NEAR(schedule.stops[1].start, 89, 1e-6);  // as late as the release allows
  EXPECT_NEAR(schedule.stops[0].start, 74, 1e-6);
  EXPECT_NEAR(schedule.stops[0].departure, 79, 1e-6);
  EXPECT_NEAR(schedule.stops[2].start, 100, 1e-6);
  EXPECT_NEAR(schedule.stops[2].departure, 105, 1e-6);
  EXPECT_NEAR(schedule.stops[3].start, 125, 1e-6);
  EXPECT_NEAR(schedule.duration(), 146 - 74, 1e-6);
}

TEST(ScheduleTest, TakesMoreThanThirtyTwoBreaks) {
  InstanceData data = LineWithWindows();
  data.demands.assign(4, 0);
  data.pickups = {0, 0, 1, 0};
  data.windows[1].close = 60;
  for (int i = 0; i < 40; ++i) {
    const double open = 2 * i;
    data.vehicles[0].breaks.push_back(
        {.window = {open, open + 1}, .duration = 1, .max_load = {i < 35 ? 1.0 : 0.0}});
  }
  // The goods of customer 2 may be on board only after the last break, at 80.
  const RouteSchedule schedule = ScheduleOf(data, {1, 2});
  EXPECT_TRUE(schedule.feasible);
  EXPECT_EQ(schedule.breaks.size(), 40u);
  EXPECT_GE(schedule.stops[2].start, 79);
  EXPECT_FALSE(ScheduleOf(data, {2, 1}).feasible);
}

TEST(ScheduleTest, KeepsStartAndEndWithinTheShift) {
  InstanceData data = LineWithWindows();
  data.vehicles[0].shift = {50, 90};
  const RouteSchedule schedule = ScheduleOf(data, {1, 2});
  EXPECT_EQ(schedule.stops[0].departure, 50);
  EXPECT_TRUE(schedule.feasible);
  EXPECT_FALSE(ScheduleOf(data, {1, 3}).feasible);
  data.vehicles[0].open_end = true;
  EXPECT_TRUE(ScheduleOf(data, {1, 3}).feasible);
  data.services = {0, 0, 0, 11};
  EXPECT_FALSE(ScheduleOf(data, {1, 3}).feasible);
}

TEST(ScheduleTest, EndsAtTheEndDepot) {
  InstanceData data = LineWithWindows();
  data.num_depots = 2;
  data.demands[1] = 0;
  data.windows[1] = {100, 200};
  data.vehicles[0].end_depot = 1;
  const RouteSchedule schedule = ScheduleOf(data, {2, 3});
  EXPECT_EQ(schedule.stops[3].arrival, 50);
  EXPECT_EQ(schedule.stops[3].start, 100);
  data.vehicles[0].max_duration = 500;
  EXPECT_EQ(ScheduleOf(data, {2, 3}).duration(), 50);
}

TEST(ScheduleTest, DelaysTheArrivalByABreakOnTheWay) {
  InstanceData data = LineWithWindows();
  data.vehicles[0].breaks = {{{15, 18}, 30}};
  const RouteSchedule schedule = ScheduleOf(data, {1, 2});
  ASSERT_EQ(schedule.breaks.size(), 1u);
  EXPECT_EQ(schedule.breaks[0].after, 1);
  EXPECT_EQ(schedule.breaks[0].start, 15);
  EXPECT_EQ(schedule.breaks[0].end, 45);
  EXPECT_EQ(schedule.stops[2].arrival, 50);
  EXPECT_EQ(schedule.stops[3].start, 70);
}

TEST(ScheduleTest, TakesABreakInALaterWindow) {
  InstanceData data = LineWithWindows();
  data.vehicles[0].shift = {5, kNoLimit};
  data.vehicles[0].breaks = {{{0, 4}, 30, {{12, 13}, {70, 90}}}};
  const RouteSchedule schedule = ScheduleOf(data, {1, 2});
  ASSERT_EQ(schedule.breaks.size(), 1u);
  EXPECT_EQ(schedule.breaks[0].start, 12);
  EXPECT_EQ(schedule.stops[1].arrival, 45);
  data.vehicles[0].shift = {14, kNoLimit};
  EXPECT_EQ(ScheduleOf(data, {1, 2}).breaks[0].start, 70);
}

// One unit is on board until customer 1, and another one until customer 2.
TEST(ScheduleTest, TakesABreakOnceTheLoadIsLightEnough) {
  InstanceData data = LineWithWindows();
  data.demands = {0, 1, 1, 0};
  data.vehicles[0].breaks = {{{0, 15}, 30}};
  for (const auto& [most, last_start] : {std::pair{2.0, 0.0}, {1.0, 10.0}, {0.0, 20.0}}) {
    data.vehicles[0].breaks[0].max_load = {most};
    data.vehicles[0].breaks[0].window.close = last_start;
    EXPECT_TRUE(ScheduleOf(data, {1, 2}).feasible) << most;
    if (last_start == 0) continue;
    data.vehicles[0].breaks[0].window.close = last_start - 0.1;
    EXPECT_FALSE(ScheduleOf(data, {1, 2}).feasible) << most;
  }
}

TEST(ScheduleTest, TakesBreaksDuringWaiting) {
  InstanceData data = LineWithWindows();
  data.windows[2] = {100, 200};
  data.vehicles[0].breaks = {{{0, 300}, 30}, {{0, 300}, 40}};
  const RouteSchedule schedule = ScheduleOf(data, {1, 2});
  EXPECT_EQ(schedule.stops[2].start, 100);
  EXPECT_EQ(schedule.stops.back().start, 120);
  EXPECT_EQ(schedule.breaks.size(), 2u);
  // The vehicle leaves as late as possible.
  EXPECT_EQ(schedule.stops[0].departure, 100 - 20 - 70);
}

TEST(ScheduleTest, WaitsForABreakAfterTheLastService) {
  InstanceData data = LineWithWindows();
  data.vehicles[0].breaks = {{{80, 90}, 10}};
  const RouteSchedule schedule = ScheduleOf(data, {1});
  EXPECT_EQ(schedule.breaks[0].start, 80);
  EXPECT_EQ(schedule.stops.back().start, 90);
  EXPECT_EQ(schedule.duration(), 30);
}

TEST(ScheduleTest, LeavesOutBreaksThatCannotBeTaken) {
  InstanceData data = LineWithWindows();
  data.services = {0, 100, 0, 0};
  data.vehicles[0].breaks = {{{20, 50}, 10}};
  data.windows[1] = {0, 15};
  const RouteSchedule schedule = ScheduleOf(data, {1});
  EXPECT_FALSE(schedule.feasible);
  EXPECT_TRUE(schedule.breaks.empty());
  EXPECT_EQ(schedule.stops.back().start, 120);
}

TEST(ScheduleTest, FindsLatenessOfAMinuteInSecondsSinceTheEpoch) {
  const double day = 1'760'000'000;
  InstanceData data = LineWithWindows();
  for (TimeWindow& window : data.windows) window = {day, day + 86'400};
  data.windows[1].close = day + 100;
  data.services = {0, 0, 150, 0};
  EXPECT_TRUE(ScheduleOf(data, {1, 2}).feasible);
  EXPECT_FALSE(ScheduleOf(data, {2, 1}).feasible);
}

}  // namespace
}  // namespace vrp
