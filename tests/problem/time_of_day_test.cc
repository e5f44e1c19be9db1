// Tests travel times that depend on the time of departure: rules, formats, schedule and checker.
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/problem/instance/travel_time.h"
#include "core/problem/plan/plan_value.h"
#include "core/problem/plan/schedule.h"
#include "core/problem/plan/solution.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/constrained_instance.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/timed_matrices.h"

namespace vrp {
namespace {

using test::LineWithWindows;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Returns the travel times of a line of four nodes, `pace` per step of ten.
std::vector<double> LineTimes(double pace) {
  std::vector<double> times;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) times.push_back(pace * std::abs(from - to));
  }
  return times;
}

// Returns LineWithWindows, where a step takes 10 until 100, 30 from 140 to 200, and 20 from 240 on.
InstanceData LineWithRush() {
  InstanceData data = LineWithWindows();
  data.duration_matrices = {
      {100, LineTimes(10)}, {140, LineTimes(30)}, {200, LineTimes(30)}, {240, LineTimes(20)}};
  return data;
}

TEST(TravelTimeTest, IsLinearBetweenTimesAndConstantOutside) {
  const std::vector<double> at = {10, 20, 40};
  const std::vector<double> values = {6, 10, 0};
  const TravelTime travel(at, values.data());
  for (const auto& [departure, expected] : std::vector<std::pair<double, double>>{
           {0, 6}, {10, 6}, {15, 8}, {20, 10}, {30, 5}, {40, 0}, {90, 0}}) {
    EXPECT_EQ(travel.From(departure), expected) << departure;
  }
  for (const auto& [arrival, expected] : std::vector<std::pair<double, double>>{
           {0, -6}, {16, 10}, {23, 15}, {30, 20}, {35, 30}, {40, 40}, {41, 41}}) {
    EXPECT_EQ(travel.LatestDeparture(arrival), expected) << arrival;
  }
  EXPECT_EQ(travel.LatestDeparture(30, 7), 15);
  EXPECT_EQ(TravelTime(3).From(5), 3);
  EXPECT_EQ(TravelTime(3).LatestDeparture(5), 2);
}

TEST(TravelTimeTest, LeavesAtTheEndOfATimeInWhichAllArriveTogether) {
  const std::vector<double> at = {0.1, 0.7};
  const std::vector<double> values = {0.9, 0.9 - (0.7 - 0.1)};
  const TravelTime travel(at, values.data());
  for (const double departure : {0.1, 0.2, 0.3, 0.45, 0.7}) {
    EXPECT_NEAR(travel.LatestDeparture(departure + travel.From(departure)), 0.7, 1e-9);
  }
}

TEST(TravelTimeTest, HasALatestDepartureThatArrivesInTimeFromAnyHint) {
  CounterRandom random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> at;
    std::vector<double> values;
    for (const TimedMatrix& timed : test::DrawTimedMatrices(random, {20}, 100)) {
      at.push_back(timed.at);
      values.push_back(timed.durations[0]);
    }
    const TravelTime travel(at, values.data());
    for (int i = 0; i < 50; ++i) {
      const double arrival = 200 * random.UniformDouble();
      const double latest = travel.LatestDeparture(arrival);
      EXPECT_NEAR(latest + travel.From(latest), arrival, 1e-9);
      EXPECT_GT(latest + 1e-3 + travel.From(latest + 1e-3), arrival);
      for (size_t hint = 0; hint <= at.size() + 1; ++hint) {
        size_t period = hint;
        EXPECT_EQ(travel.LatestDeparture(arrival, period), latest);
        period = hint;
        EXPECT_EQ(travel.From(arrival, period), travel.From(arrival));
      }
    }
  }
}

struct WrongList {
  std::string error;
  std::function<void(InstanceData&)> corrupt;
};

TEST(TimeOfDayRulesTest, NameTheEntryAndItsNumbers) {
  using D = InstanceData;
  const std::vector<WrongList> cases = {
      {"duration_matrices[3].durations[0][1]: got 9 at 209, which is less than 30 at 200 by more "
       "than the 9 between them, so that leaving later would arrive earlier; wanted at least 21",
       [](D& d) {
         d.duration_matrices[3] = {209, LineTimes(9)};
       }},
      {"duration_matrices[1].at: got 100, wanted more than 100, the time of the entry before",
       [](D& d) { d.duration_matrices[1].at = 100; }},
      {"duration_matrices[0].at: got -1", [](D& d) { d.duration_matrices[0].at = -1; }},
      {"duration_matrices[2].at: got nan", [](D& d) { d.duration_matrices[2].at = std::nan(""); }},
      {"duration_matrices[1].durations: absent, wanted 4 x 4",
       [](D& d) { d.duration_matrices[1].durations.clear(); }},
      {"duration_matrices[1].durations: has 15 entries, wanted 4 x 4",
       [](D& d) { d.duration_matrices[1].durations.pop_back(); }},
      {"duration_matrices[2].durations[1][3]: got -2",
       [](D& d) { d.duration_matrices[2].durations[7] = -2; }},
      {"duration_matrices: given together with duration_matrix; wanted only one of them",
       [](D& d) { d.duration_matrix = LineTimes(10); }},
      {"duration_matrices: has 49 entries, wanted at most 48",
       [](D& d) {
         d.duration_matrices.assign(49, {0, LineTimes(10)});
       }},
      {"vehicles[0].duration_matrices[1].durations[0][1]: got 1 at 5, which is less than 10 at 0",
       [](D& d) {
         d.vehicles[0].duration_matrices = {{0, LineTimes(10)}, {5, LineTimes(1)}};
       }},
      {"vehicles[0].duration_matrices: given together with duration_matrix",
       [](D& d) {
         d.vehicles[0].duration_matrix = LineTimes(1);
         d.vehicles[0].duration_matrices = {{0, LineTimes(10)}};
       }},
  };
  for (const WrongList& wrong : cases) {
    InstanceData data = LineWithRush();
    EXPECT_THAT(Instance::Validate(data), IsEmpty());
    wrong.corrupt(data);
    const std::vector<std::string> errors = Instance::Validate(data);
    ASSERT_FALSE(errors.empty()) << wrong.error;
    EXPECT_THAT(errors.front(), StartsWith(wrong.error));
  }
}

TEST(TimeOfDayRulesTest, BoundTheNumbersOfAllEntriesTogether) {
  constexpr size_t kNodes = 800;
  InstanceData data = test::AnInstance().WithCustomers(kNodes - 1).BuildData();
  for (int at = 0; at < 40; ++at) data.duration_matrices.push_back({1.0 * at, {}});
  EXPECT_THAT(Instance::Validate(data),
              ElementsAre("duration_matrices: 40 entries of 800 x 800 numbers exceed the limit of "
                          "25000000 numbers; wanted fewer entries"));
  data.duration_matrices.resize(1);
  EXPECT_THAT(Instance::Validate(data),
              ElementsAre("duration_matrices[0].durations: absent, wanted 800 x 800"));
}

// 0.9 - 0.3 is less than 0.6 by the rounding of doubles.
TEST(TimeOfDayRulesTest, AllowAFallByTheTimeBetweenInRoundedNumbers) {
  InstanceData data = LineWithRush();
  data.duration_matrices = {{0.1, std::vector<double>(16, 0.9)},
                            {0.4, std::vector<double>(16, 0.6)}};
  EXPECT_THAT(Instance::Validate(data), IsEmpty());
  data.duration_matrices[1].durations[5] = 0.5999;
  EXPECT_THAT(Instance::Validate(data),
              ElementsAre(StartsWith("duration_matrices[1].durations[1][1]: got 0.5999 at 0.4")));
}

TEST(TimeOfDayRulesTest, RefuseATsp) {
  InstanceData data = test::AnInstance().Kind(ProblemKind::kTsp).WithCustomers(3).BuildData();
  data.duration_matrices = {{0, std::vector<double>(16, 1)}};
  EXPECT_THAT(Instance::Validate(data),
              ElementsAre("duration_matrices: given, wanted none for a TSP"));
}

TEST(TimeOfDayJsonTest, ReadsBackWhatItWrites) {
  InstanceData data = LineWithRush();
  data.vehicles.push_back(data.vehicles[0]);
  data.vehicles[0].duration_matrices = {{0.5, LineTimes(7)}};
  data.vehicles[1].duration_matrix = LineTimes(8);
  const Instance instance = *Instance::Create(data);
  const auto reread = ParseInstance(WriteJson(instance), "file.json");
  ASSERT_TRUE(reread.ok()) << reread.status();
  EXPECT_EQ(reread->data().duration_matrices, data.duration_matrices);
  EXPECT_EQ(reread->data().vehicles, data.vehicles);
}

TEST(TimeOfDayJsonTest, ReadsARowForEachPlace) {
  const auto instance = ParseInstance(
      R"({"kind": "cvrp", "coords": [[0, 0], [1, 0], [2, 0]], "demands": [0, 1, 1],
          "capacity": 5, "matrix_rows": [0, 1, 1],
          "duration_matrices": [{"at": 0, "durations": [[0, 4], [5, 1]]},
                                {"at": 9, "durations": [[0, 6], [7, 1]]}]})",
      "file.json");
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(instance->Duration(instance->vehicles()[0], 0, 2, 4.5), 5);
  EXPECT_EQ(instance->Duration(instance->vehicles()[0], 2, 0), 5);
  InstanceData data = instance->data();
  ExpandMatrices(data);
  EXPECT_EQ(Instance::Create(data)->Duration(data.vehicles[0], 2, 1, 7), 1);
}

TEST(TimeOfDayJsonTest, NamesWhatIsWrong) {
  const auto error = [](const std::string& list) {
    return std::string(ParseInstance(R"({"kind": "cvrp", "coords": [[0, 0], [1, 0]],
                                         "demands": [0, 1], "capacity": 5,
                                         "duration_matrices": )" +
                                         list + "}",
                                     "f.json")
                           .status()
                           .message());
  };
  EXPECT_EQ(error("5"), "f.json: duration_matrices: got 5, wanted an array");
  EXPECT_EQ(error("[7]"), "f.json: duration_matrices[0]: got 7, wanted an object");
  EXPECT_EQ(error(R"([{"durations": [[0, 1], [1, 0]]}])"),
            "f.json: duration_matrices[0].at: absent, wanted a number");
  EXPECT_THAT(
      error(R"([{"at": 0, "duration": [[0, 1], [1, 0]]}])"),
      HasSubstr("duration_matrices[0].\"duration\": unknown key; did you mean \"durations\"?"));
  EXPECT_THAT(error(R"([{"at": 0, "durations": [[0, 1], [1]]}])"),
              HasSubstr("duration_matrices[0].durations[1]"));
}

// Leaving at 120, the first step takes 20, and the way back from 170 on 30.
TEST(TimeOfDayScheduleTest, DrivesAsLongAsTheDepartureSays) {
  InstanceData data = LineWithRush();
  data.windows[0] = {120, 1000};
  data.services = {0, 30, 0, 0};
  data.objective = Objective::kDuration;
  const Instance instance = *Instance::Create(data);
  const RouteSchedule schedule = RouteScheduler(instance).Make({0, {1}});
  EXPECT_EQ(schedule.stops[0].departure, 120);
  EXPECT_EQ(schedule.stops[1].arrival, 140);
  EXPECT_EQ(schedule.stops[1].departure, 170);
  EXPECT_EQ(schedule.end, 200);
}

// Leaving at 137, the way to customer 1 takes 28.5.
TEST(TimeOfDayScheduleTest, LeavesAsLateAsTrafficAllows) {
  InstanceData data = LineWithRush();
  data.windows[1].open = 165.5;
  data.vehicles[0].max_duration = 500;
  const Instance instance = *Instance::Create(data);
  const RouteSchedule schedule = RouteScheduler(instance).Make({0, {1}});
  EXPECT_NEAR(schedule.stops[0].departure, 137, 1e-9);
  EXPECT_NEAR(schedule.stops[1].arrival, 165.5, 1e-9);
  EXPECT_EQ(schedule.end, 195.5);
  EXPECT_TRUE(CheckPlan(instance, {{0, {1}}, {0, {2, 3}}}).feasible);
}

// Leaving at 137 takes 28.5, and the way back from 165.5 on 30. Leaving at once would take 40.
TEST(TimeOfDayScheduleTest, ChargesTheTravelTimesFromTheLatestStartOn) {
  InstanceData data = LineWithRush();
  data.windows[1].open = 165.5;
  data.objective = Objective::kCost;
  data.vehicles[0].cost_per_distance = 0;
  data.vehicles[0].cost_per_travel_time = 2;
  const Instance instance = *Instance::Create(data);
  const Plan plan = {{0, {1}}, {0, {2, 3}}};
  const RouteSchedule schedule = RouteScheduler(instance).Make(plan[0]);
  EXPECT_NEAR(schedule.stops[0].departure, 137, 1e-9);
  EXPECT_NEAR(RouteDriving(instance, plan[0], schedule.stops), 58.5, 1e-9);
  const CheckReport report = CheckPlan(instance, plan);
  EXPECT_TRUE(report.feasible);
  EXPECT_NEAR(report.cost, PlanCost(instance, plan), 1e-9);
}

// The leg takes 30, as at its departure at 150, although it ends after the rush hour.
TEST(TimeOfDayScheduleTest, KeepsTheTravelTimeOfALegWithABreak) {
  InstanceData data = LineWithRush();
  data.windows[0] = {150, 1000};
  data.vehicles[0].breaks = {{{160, 160}, 100}};
  const Instance instance = *Instance::Create(data);
  const RouteSchedule schedule = RouteScheduler(instance).Make({0, {1}});
  EXPECT_EQ(schedule.stops[0].departure, 150);
  EXPECT_EQ(schedule.stops[1].arrival, 280);
  EXPECT_EQ(schedule.end, 300);
}

// With the break before customer 1, the vehicle can leave at 160 without delay. A slightly later
// start would make two customers later, and a break on the way back would then cost less.
TEST(TimeOfDayScheduleTest, KeepsItsBreakWhenItStartsLater) {
  InstanceData data = LineWithRush();
  data.objective = Objective::kDuration;
  data.windows = {{100, 1000}, {200, 300}, {0, 50, 1}, {0, 50, 1}};
  data.vehicles[0].breaks = {
      {.window = {150, 180}, .duration = 10, .further_windows = {{300, 400}}}};
  const Instance instance = *Instance::Create(data);
  const Plan plan = {{0, {1, 2, 3}}};
  const RouteSchedule schedule = RouteScheduler(instance).Make(plan[0]);
  EXPECT_NEAR(schedule.stops[0].departure, 160, 1e-6);
  EXPECT_NEAR(schedule.end, 312.5, 1e-6);
  ASSERT_EQ(schedule.breaks.size(), 1);
  EXPECT_EQ(schedule.breaks[0].after, 0);
  EXPECT_NEAR(CheckPlan(instance, plan).routes[0].duration, schedule.duration(), 1e-6);
}

TEST(TimeOfDayScheduleTest, NeedsASetupUnlessTheShortestTravelTimeIsZero) {
  InstanceData data = LineWithRush();
  data.positions[2] = data.positions[1];
  data.setups = {0, 5, 5, 5};
  data.windows[0] = {200, 1000};
  for (const double shortest : {0.0, 1.0}) {
    for (TimedMatrix& timed : data.duration_matrices) timed.durations[1 * 4 + 2] = 3;
    data.duration_matrices[0].durations[1 * 4 + 2] = shortest;
    const Instance instance = *Instance::Create(data);
    const Plan plan = {{0, {1, 2}}};
    const RouteSchedule schedule = RouteScheduler(instance).Make(plan[0]);
    const StopTimes& second = schedule.stops[2];
    EXPECT_EQ(second.departure - second.start, shortest == 0 ? 0 : 5);
    EXPECT_NEAR(CheckPlan(instance, plan).routes[0].duration, schedule.duration(), 1e-6);
  }
}

TEST(TimeOfDayCheckerTest, ReportsWhoIsLateByTraffic) {
  InstanceData data = LineWithRush();
  data.windows[0] = {140, 1000};
  data.windows[2].close = 199;
  const auto messages = [&] {
    std::vector<std::string> found;
    const Instance instance = *Instance::Create(data);
    for (const Violation& v : CheckPlan(instance, {{0, {1, 2, 3}}}).violations) {
      found.push_back(v.message);
    }
    return found;
  };
  EXPECT_THAT(messages(),
              ElementsAre("routes[0]: arrives at customer 2 at 200, after it closes at 199"));
  data.windows[2].close = 200;
  EXPECT_THAT(messages(), IsEmpty());
  data.vehicles[0].max_duration = 140;
  EXPECT_THAT(messages(), ElementsAre(HasSubstr("longer than the limit 140")));
  data.vehicles[0].duration_matrix = LineTimes(10);
  EXPECT_THAT(messages(), IsEmpty()) << "the type has travel times of its own";
}

// With the break of 60 on the first leg, the second takes 22.5 instead of 30, and the vehicle waits
// for 7.5 instead of not at all. The way with less driving counts.
TEST(TimeOfDayCheckerTest, CountsTheBreakWithTheLeastDriving) {
  InstanceData data = LineWithRush();
  data.windows[0] = {140, 1000, kNoLimit};
  data.windows[2].open = 260;
  VehicleType& vehicle = data.vehicles[0];
  vehicle.latest_start = 140;
  vehicle.breaks = {{{140, 300}, 60}};
  const auto feasible = [&] {
    return RoutesAreFeasible(CheckPlan(*Instance::Create(data), {{0, {1, 2}}}));
  };
  vehicle.max_waiting = 7.5;
  EXPECT_TRUE(feasible());
  const RouteSchedule schedule = RouteScheduler(*Instance::Create(data)).Make({0, {1, 2}});
  ASSERT_EQ(schedule.breaks.size(), 1u);
  EXPECT_EQ(schedule.breaks[0].after, 0);
  vehicle.max_waiting = 7.4;
  EXPECT_FALSE(feasible());
  vehicle.max_waiting = kNoLimit;
  vehicle.driving_rules.max_driving = 30 + 22.5 + 40;
  EXPECT_TRUE(feasible());
  vehicle.driving_rules.max_driving = 92.4;
  EXPECT_FALSE(feasible());
}

// From 140 on a step takes 30, so the vehicle waits for customer 2 from 200 to 260, but for
// customer 1 only at the depot.
TEST(TimeOfDayCheckerTest, CountsWaitingBesideTrueTravelTimes) {
  InstanceData data = LineWithRush();
  data.windows[1] = {170, 170};
  data.windows[2].open = 260;
  data.vehicles[0].max_waiting = 60;
  const auto feasible = [&] {
    return CheckPlan(*Instance::Create(data), {{0, {1, 2}}, {0, {3}}}).feasible;
  };
  EXPECT_TRUE(feasible());
  data.vehicles[0].max_waiting = 59.9;
  EXPECT_FALSE(feasible());
}

// With the same travel times at all times, schedules and costs are those of one matrix.
TEST(TimeOfDayTest, GivesTheCostsOfAMatrixWhereNothingChanges) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    InstanceData data = test::RandomConstrainedData(seed, 8);
    data.duration_matrices.clear();
    for (VehicleType& vehicle : data.vehicles) {
      vehicle.duration_matrices.clear();
      vehicle.driving_rules = {};
      vehicle.cost_per_travel_time = 0;
    }
    data.duration_matrix = Instance::Create(data)->DurationMatrix();
    const Instance by_matrix = *Instance::Create(data);
    for (const double at : {3.0, 100.0, 250.0}) {
      data.duration_matrices.push_back({at, data.duration_matrix});
    }
    data.duration_matrix.clear();
    const absl::StatusOr<Instance> by_time = Instance::Create(data);
    ASSERT_TRUE(by_time.ok()) << by_time.status();
    const Plan plan = test::RandomConstrainedPlan(by_matrix, seed);
    EXPECT_NEAR(ValueOf(*by_time, plan).cost, ValueOf(by_matrix, plan).cost, 1e-6) << seed;
    const CheckReport expected = CheckPlan(by_matrix, plan);
    const CheckReport found = CheckPlan(*by_time, plan);
    ASSERT_EQ(found.violations.size(), expected.violations.size()) << seed;
    for (size_t r = 0; r < plan.size(); ++r) {
      EXPECT_NEAR(found.routes[r].duration, expected.routes[r].duration, 1e-6) << seed;
    }
  }
}

}  // namespace
}  // namespace vrp
