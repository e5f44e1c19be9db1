// Tests the checker's rules for features beyond the plain problem.
#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/problem/checker_messages.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::CheckData;
using test::kWholeLine;
using test::LineWithWindows;
using test::Messages;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CheckerConstraintsTest, ReportsReloadsWithoutCustomersOrTooOften) {
  InstanceData data = LineWithWindows();
  data.vehicles[0].max_reloads = 1;
  EXPECT_THAT(Messages(data, {{0, {0, 1, 2, 3}}}),
              ElementsAre("reload; routes[0]: reloads at depot 0 with no customer before it"));
  EXPECT_THAT(Messages(data, {{0, {1, 2, 3, 0}}}),
              ElementsAre("reload; routes[0]: reloads at depot 0 with no customer after it"));
  EXPECT_THAT(Messages(data, {{0, {1, 0, 2, 0, 3}}}),
              ElementsAre("reload; routes[0]: reloads 2 times, more than the limit 1"));
  data.vehicles[0].max_reloads = 2;
  EXPECT_THAT(Messages(data, {{0, {1, 0, 0, 2, 3}}}),
              ElementsAre("reload; routes[0]: reloads at depot 0 with no customer before it"));
}

TEST(CheckerConstraintsTest, ReportsALateStart) {
  InstanceData data = LineWithWindows();
  data.releases = {0, 0, 6, 0};
  data.vehicles[0].latest_start = 6;
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  data.vehicles[0].latest_start = 5;
  EXPECT_THAT(
      Messages(data, kWholeLine),
      ElementsAre("time_window; routes[0]: leaves depot 0 at 6, after its latest start, 5"));
}

TEST(CheckerConstraintsTest, ReportsReloadsAtAnotherDepot) {
  InstanceData data = LineWithWindows();
  data.num_depots = 2;
  data.demands[1] = 0;
  data.vehicles[0].max_reloads = 1;
  EXPECT_THAT(Messages(data, {{0, {2, 1, 3}}}),
              ElementsAre("reload; routes[0]: reloads at depot 1, wanted one of 0"));
  data.vehicles[0].reload_depots = {1};
  EXPECT_THAT(Messages(data, {{0, {2, 1, 3}}}), IsEmpty());
}

TEST(CheckerConstraintsTest, ReportsBackhaulsBeforeDeliveriesOfTheirTrip) {
  InstanceData data = LineWithWindows();
  data.demands = {0, 1, 0, 1};
  data.backhauls = {0, 0, 1, 0};
  data.vehicles[0].max_reloads = 1;
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("backhaul_order; routes[0]: delivers to customer 3 after a backhaul"));
  EXPECT_THAT(Messages(data, {{0, {1, 2, 0, 3}}}), IsEmpty());
}

TEST(CheckerConstraintsTest, EndsAtTheEndDepot) {
  InstanceData data = LineWithWindows();
  data.num_depots = 2;
  data.demands[1] = 0;
  data.windows[1].close = 59;
  data.vehicles[0].end_depot = 1;
  EXPECT_THAT(Messages(data, {{0, {2, 3}}}), IsEmpty());
  EXPECT_EQ(CheckData(data, {{0, {2, 3}}}).cost, 50);
  data.windows[1].close = 49;
  EXPECT_THAT(
      Messages(data, {{0, {2, 3}}}),
      ElementsAre("time_window; routes[0]: returns to depot 1 at 50, after it closes at 49"));
}

TEST(CheckerConstraintsTest, ReportsAnEndAfterTheShift) {
  InstanceData data = LineWithWindows();
  data.vehicles[0].shift = {40, 99};
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("shift; routes[0]: ends at 100, after its shift closes at 99"));
  data.vehicles[0].shift.close = 100;
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
}

TEST(CheckerConstraintsTest, StartsAfterTheReleases) {
  InstanceData data = LineWithWindows();
  data.releases = {0, 0, 0, 80};
  data.windows[1].close = 89;
  EXPECT_THAT(
      Messages(data, kWholeLine),
      ElementsAre("time_window; routes[0]: arrives at customer 1 at 90, after it closes at 89"));
  EXPECT_THAT(Messages(data, {{0, {1, 2}}, {0, {3}}}), IsEmpty());
  data.windows[0].close = 79;
  EXPECT_THAT(
      Messages(data, {{0, {1, 2}}, {0, {3}}}),
      ElementsAre("time_window; routes[1]: leaves depot 0 at 80, after it closes at 79",
                  "time_window; routes[1]: returns to depot 0 at 140, after it closes at 79"));
}

TEST(CheckerConstraintsTest, AcceptsServiceInAnyWindow) {
  InstanceData data = LineWithWindows();
  data.windows[1] = {0, 5};
  data.further_windows = {{}, {{50, 60}}, {}, {}};
  data.windows[2].close = 60;
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  data.windows[2].close = 59;
  EXPECT_THAT(
      Messages(data, kWholeLine),
      ElementsAre("time_window; routes[0]: arrives at customer 2 at 60, after it closes at 59"));
}

TEST(CheckerConstraintsTest, ChargesLatenessAfterASoftWindow) {
  InstanceData data = LineWithWindows();
  data.windows[2] = {0, 15, 4};
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  EXPECT_EQ(CheckData(data, kWholeLine).cost, 60 + 4 * 5);
  EXPECT_EQ(CheckData(data, kWholeLine).routes[0].late_cost, 20);
}

TEST(CheckerConstraintsTest, AddsTheSetupOncePerLocation) {
  InstanceData data = LineWithWindows();
  data.setups = {0, 5, 5, 5};
  data.windows[3].close = 40;
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  data.windows[3].close = 39;
  EXPECT_EQ(Messages(data, kWholeLine).size(), 1u);
  data.positions[2] = data.positions[1];
  data.windows[3].close = 35;
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
}

TEST(CheckerConstraintsTest, ReportsMissingSkillsAndTooManyStops) {
  InstanceData data = LineWithWindows();
  data.required_skills = {{}, {"crane"}, {"crane", "cold"}, {}};
  data.vehicles[0].skills = {"crane", "other"};
  data.vehicles[0].max_stops = 2;
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("max_stops; routes[0]: serves 3 customers, more than the limit 2",
                          "skill; routes[0]: customer 2 needs the skill \"cold\", which the "
                          "vehicle does not have"));
}

// Customer 1 closes at 20 and customer 2, ten away, opens at 50.
TEST(CheckerConstraintsTest, AllowsWaitingUpToItsLimit) {
  InstanceData data = LineWithWindows();
  data.windows[1].close = 20;
  data.windows[2].open = 50;
  data.vehicles[0].max_waiting = 20;
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  data.vehicles[0].max_waiting = 19.5;
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("max_waiting; routes[0]: waits 20, longer than the limit 19.5"));
  EXPECT_THAT(Messages(data, {{0, {1}}, {0, {2, 3}}}), IsEmpty());
  data.vehicles[0].max_waiting = 0;
  EXPECT_THAT(Messages(data, {{0, {1}}, {0, {2, 3}}}), IsEmpty());
}

TEST(CheckerConstraintsTest, DoesNotCountABreakAsWaiting) {
  InstanceData data = LineWithWindows();
  data.windows[1].close = 20;
  data.windows[2].open = 50;
  data.vehicles[0].breaks = {{{25, 40}, 5}};
  data.vehicles[0].max_waiting = 15;
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  data.vehicles[0].max_waiting = 14;
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("max_waiting; routes[0]: waits 15, longer than the limit 14"));
}

// The vehicle stands for 20 before customer 2, and must rest for 8 after customer 3. Its driving of
// 60 needs two breaks. A planned break of 20 takes longer than both.
TEST(CheckerConstraintsTest, DoesNotCountTheBreaksThatDrivingNeedsAsWaiting) {
  InstanceData data = LineWithWindows();
  data.windows[1].close = 20;
  data.windows[2].open = 50;
  VehicleType& vehicle = data.vehicles[0];
  vehicle.driving_rules = {.max_driving_before_break = 25, .break_duration = 8};
  for (const double counted : {16, 20}) {
    if (counted > 16) vehicle.breaks = {{{25, 40}, counted}};
    vehicle.max_waiting = 28 - counted;
    EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
    vehicle.max_waiting = 27.5 - counted;
    EXPECT_THAT(Messages(data, kWholeLine), ElementsAre(HasSubstr("longer than the limit")));
  }
  vehicle.breaks.clear();
  vehicle.driving_rules.max_driving_before_break = 30;  // one break, since 60 is no more than twice
  vehicle.max_waiting = 20;
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  vehicle.max_waiting = 19.5;
  EXPECT_THAT(Messages(data, kWholeLine), ElementsAre(HasSubstr("waits 20, longer than")));
}

TEST(CheckerConstraintsTest, AllowsOvertimeUpToItsLimit) {
  InstanceData data = LineWithWindows();
  data.objective = Objective::kCost;
  data.vehicles[0].max_duration = 50;
  data.vehicles[0].max_overtime = 10;
  data.vehicles[0].overtime_cost = 3;
  data.vehicles[0].fixed_cost = 7;
  data.vehicles[0].cost_per_distance = 2;
  data.vehicles[0].cost_per_time = 0.5;
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  EXPECT_EQ(CheckData(data, kWholeLine).cost, 7 + 2 * 60 + 0.5 * 60 + 3 * 10);
  data.vehicles[0].max_overtime = 9;
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("duration; routes[0]: takes 60, longer than the limit 59"));
}

TEST(CheckerConstraintsTest, ReportsBreaksThatCannotBeTaken) {
  InstanceData data = LineWithWindows();
  data.vehicles[0].breaks = {{{5, 8}, 30}};
  data.windows[3].close = 60;
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  data.windows[3].close = 59;
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("break; routes[0]: break 0 cannot begin from 5 to 8 "
                          "without making a stop or the route's end late"));
  data.vehicles[0].breaks = {{{50, 60}, 1}, {{0, 40}, 1}};
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("break; routes[0]: break 1 cannot begin from 0 to 40 "
                          "without making a stop or the route's end late"));
}

TEST(CheckerConstraintsTest, NamesTheWindowsAndTheLoadOfABreakThatCannotBeTaken) {
  InstanceData data = LineWithWindows();
  data.load_dimensions = 2;
  data.demands = {0, 0, 2, 0, 1, 0, 1, 3};
  data.vehicles[0].breaks = {{{0, 5}, 1, {{12, 19}}, {2, 3}}};
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  data.vehicles[0].breaks[0].max_load = {2, 2};
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("break; routes[0]: break 0 cannot begin from 0 to 5 or from 12 to 19 "
                          "with a load of at most 2,2 without making a stop or the route's end "
                          "late"));
  data.vehicles[0].breaks[0].max_load = {1, 3};
  data.vehicles[0].breaks[0].further_windows = {{12, 20}};
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
}

TEST(CheckerConstraintsTest, UnloadsBeforeABreakAtAReload) {
  InstanceData data = LineWithWindows();
  data.demands = {0, 0, 0, 0};
  data.pickups = {0, 5, 0, 5};
  data.vehicles[0].max_reloads = 1;
  data.windows[1].close = 14;
  data.vehicles[0].breaks = {{{15, 40}, 1, {}, {4}}};
  EXPECT_THAT(Messages(data, {{0, {1, 0, 2, 3}}}), IsEmpty());
  data.vehicles[0].breaks[0].window.close = 19;
  EXPECT_EQ(Messages(data, {{0, {1, 0, 2, 3}}}).size(), 1u);
}

TEST(CheckerConstraintsTest, UsesTheTimesOfTheVehicleType) {
  InstanceData data = LineWithWindows();
  data.services = {0, 5, 5, 5};
  data.setups = {0, 1, 1, 1};
  data.objective = Objective::kDuration;
  data.vehicles[0].customer_times = {{.customer = 3, .service = 9, .setup = 2},
                                     {.customer = 1, .service = 0},
                                     {.customer = 2, .setup = 0}};
  EXPECT_EQ(CheckData(data, kWholeLine).cost, 60 + (0 + 1) + (5 + 0) + (9 + 2));
  EXPECT_EQ(PlanCost(*Instance::Create(data), kWholeLine), CheckData(data, kWholeLine).cost);
}

// Loading takes 5 at the start and at each reload, and counts in the duration. It may end after the
// depot closes.
TEST(CheckerConstraintsTest, LoadsBeforeEachDepartureFromADepot) {
  InstanceData data = LineWithWindows();
  data.services = {5, 0, 0, 0};
  data.vehicles[0].max_reloads = 1;
  data.objective = Objective::kDuration;
  EXPECT_EQ(CheckData(data, {{0, {1}}}).cost, 25);
  EXPECT_EQ(CheckData(data, {{0, {1, 0, 2}}}).cost, 20 + 40 + 2 * 5);
  data.windows[1].close = 14;
  data.prizes = {kNoLimit, 0, 0, 0};
  EXPECT_THAT(Messages(data, {{0, {1}}}),
              ElementsAre("time_window; routes[0]: arrives at customer 1 at 15, after it closes at "
                          "14"));
  data.windows[1].close = 1000;
  data.windows[0].close = 25;
  EXPECT_THAT(Messages(data, {{0, {1}}}), IsEmpty());
  data.vehicles[0].open_end = true;
  EXPECT_THAT(Messages(data, {{0, {1, 0, 2}}}), IsEmpty());
}

TEST(CheckerConstraintsTest, ChargesTravelTimes) {
  InstanceData data = LineWithWindows();
  data.objective = Objective::kCost;
  data.services = {5, 7, 0, 0};
  data.speed = 2;
  data.vehicles[0].cost_per_travel_time = 3;
  EXPECT_EQ(CheckData(data, {{0, {1}}}).cost, 20 + 3 * 10);
  data.vehicles[0].cost_per_service_time = 2;
  EXPECT_EQ(CheckData(data, {{0, {1}}}).cost, 20 + 3 * 10 + 2 * 12);
  data.vehicles[0].open_end = true;
  EXPECT_EQ(CheckData(data, {{0, {1}}}).cost, 10 + 3 * 5 + 2 * 12);
}

TEST(CheckerConstraintsTest, ChargesServiceAndSetupTimes) {
  InstanceData data = LineWithWindows();
  data.services = {0, 5, 5, 5};
  data.setups = {0, 1, 1, 1};
  data.objective = Objective::kCost;
  data.vehicles[0].cost_per_service_time = 3;
  EXPECT_EQ(CheckData(data, kWholeLine).cost, 60 + 3 * 18);
  EXPECT_EQ(PlanCost(*Instance::Create(data), kWholeLine), 60 + 3 * 18);
}

TEST(CheckerConstraintsTest, ComputesTheCostOfEachObjective) {
  InstanceData data = LineWithWindows();
  data.services = {0, 5, 5, 5};
  data.objective = Objective::kVehiclesThenDistance;
  EXPECT_EQ(CheckData(data, kWholeLine).cost, 60);
  data.objective = Objective::kDuration;
  EXPECT_EQ(CheckData(data, kWholeLine).cost, 75);
}

TEST(CheckerConstraintsTest, UsesTheMatricesOfTheVehicleType) {
  InstanceData data = LineWithWindows();
  data.objective = Objective::kDuration;
  data.vehicles[0].duration_matrix = {0, 1, 2, 3, 1, 0, 4, 5, 2, 4, 0, 6, 3, 5, 6, 0};
  EXPECT_EQ(CheckData(data, kWholeLine).cost, 1 + 4 + 6 + 3);
  EXPECT_EQ(CheckData(data, kWholeLine).routes[0].distance, 60);
  data.vehicles[0].distance_matrix = data.vehicles[0].duration_matrix;
  EXPECT_EQ(CheckData(data, kWholeLine).routes[0].distance, 14);
}

TEST(CheckerConstraintsTest, MeasuresLonLatOnTheSphere) {
  InstanceData data = AnInstance().At({{0, 0}, {0, 1}, {90, 0}}).BuildData();
  data.coordinates = CoordinateSystem::kLonLat;
  const double degree = 6'371'008.8 * 3.14159265358979 / 180;
  EXPECT_NEAR(CheckData(data, {{0, {1}}}).cost, 2 * degree, 1e-3);
  EXPECT_NEAR(CheckData(data, {{0, {2}}}).cost, 180 * degree, 1e-3);
}

}  // namespace
}  // namespace vrp
