// Tests rules of drivers' hours by cases from Regulation (EC) No 561/2006, in minutes.
#include "core/problem/instance/driving_rules.h"

#include "core/problem/checker/checker.h"
#include "core/problem/formats/json/json_reader.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/problem/plan/solution.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns an open route over stops whose legs take so many minutes. Each stop has the same service.
InstanceData RouteOf(const std::vector<double>& legs, double service = 0) {
  std::vector<Position> positions = {{0, 0}};
  for (const double leg : legs) positions.push_back({positions.back().x + leg, 0});
  InstanceData data = AnInstance().At(positions).OpenEnd().Service(service).BuildData();
  data.kind = ProblemKind::kVrptw;
  data.windows.assign(positions.size(), {0, 5000});
  data.vehicles[0].driving_rules = *DrivingPreset("eu_561_daily", 60);
  data.vehicles[0].driving_rules.max_driving = kNoLimit;
  return data;
}

Plan WholeRoute(const InstanceData& data) {
  Plan plan(1);
  for (NodeIndex node = 1; node < NodeCount(data); ++node) plan[0].customers.push_back(node);
  return plan;
}

std::vector<std::string> DrivingMessages(const InstanceData& data) {
  std::vector<std::string> messages;
  for (const Violation& violation : CheckPlan(*Instance::Create(data), WholeRoute(data)).violations)
    messages.push_back(
        std::string(ViolationName(violation.kind)).append("; ").append(violation.message));
  return messages;
}

Route TimesOf(const InstanceData& data) {
  return MakeSolution(*Instance::Create(data), WholeRoute(data))->routes[0];
}

double EndOf(const InstanceData& data) {
  EXPECT_THAT(DrivingMessages(data), IsEmpty());
  return TimesOf(data).stops.back().start;
}

TEST(DrivingRulesTest, AllowExactlyFourAndAHalfHours) {
  EXPECT_EQ(EndOf(RouteOf({270})), 270);
  EXPECT_EQ(EndOf(RouteOf({100, 170})), 270);
  EXPECT_EQ(EndOf(RouteOf({271})), 271 + 45);
  EXPECT_EQ(EndOf(RouteOf({100, 171})), 271 + 45);
}

TEST(DrivingRulesTest, WantABreakInEachPeriodOfDriving) {
  EXPECT_EQ(EndOf(RouteOf({540})), 540 + 45);
  EXPECT_EQ(EndOf(RouteOf({541})), 541 + 90);
  EXPECT_EQ(EndOf(RouteOf({200, 200, 200}, 10)), 600 + 20 + 90);
}

TEST(DrivingRulesTest, DoNotCountServiceAsABreak) {
  EXPECT_EQ(EndOf(RouteOf({200, 200}, 60)), 400 + 60 + 45);
}

TEST(DrivingRulesTest, CountWaitingAsABreak) {
  InstanceData data = RouteOf({200, 200}, 10);
  data.windows[0].close = 0;
  data.windows[1].open = 245;
  EXPECT_EQ(EndOf(data), 245 + 10 + 200);
  data.windows[1].open = 230;  // 30 minutes are too few for a whole break: 15 more
  EXPECT_EQ(EndOf(data), 245 + 10 + 200);
}

// The driver waits for 15 minutes at the first stop and for 30 minutes at the second, or the other
// way round.
TEST(DrivingRulesTest, CountFifteenAndThenThirtyMinutesAsABreakButNotThirtyAndThenFifteen) {
  InstanceData data = RouteOf({100, 100, 200}, 10);
  data.windows[0].close = 0;
  data.windows[1].open = 115;
  data.windows[2].open = 115 + 10 + 100 + 30;
  EXPECT_EQ(EndOf(data), 255 + 10 + 200);
  data.windows[1].open = 130;
  data.windows[2].open = 130 + 10 + 100 + 15;
  EXPECT_EQ(EndOf(data), 255 + 10 + 200 + 15);
  data.vehicles[0].driving_rules.first_part = data.vehicles[0].driving_rules.second_part = 0;
  EXPECT_EQ(EndOf(data), 255 + 10 + 200 + 30);
}

// The second part on the third leg allows more driving than at the second stop, where the driver
// waits for as long.
TEST(DrivingRulesTest, LetTheDriverChooseWhichRestIsTheSecondPart) {
  InstanceData data = RouteOf({100, 100, 270, 10}, 10);
  data.windows[0].close = 0;
  data.windows[1].open = 115;
  data.windows[2].open = 255;
  EXPECT_EQ(EndOf(data), 255 + 10 + 270 + 30 + 10 + 10);
}

TEST(DrivingRulesTest, CountAPlannedBreakThatIsLongEnough) {
  InstanceData data = RouteOf({200, 200}, 10);
  data.windows[0].close = 0;
  data.vehicles[0].breaks = {{{150, 260}, 45}};
  EXPECT_EQ(EndOf(data), 410 + 45);
  data.vehicles[0].breaks = {{{150, 260}, 30}};  // 15 minutes longer
  EXPECT_EQ(EndOf(data), 410 + 45);
  data.vehicles[0].breaks = {{{0, 20}, 45}};  // too early for a whole break, so it is a first part
  EXPECT_EQ(EndOf(data), 410 + 45 + 30);
  data.vehicles[0].driving_rules.first_part = data.vehicles[0].driving_rules.second_part = 0;
  EXPECT_EQ(EndOf(data), 410 + 90);
}

TEST(DrivingRulesTest, EndABreakAtAStopWithoutService) {
  InstanceData data = RouteOf({200, 200});
  data.vehicles[0].driving_rules.first_part = data.vehicles[0].driving_rules.second_part = 0;
  data.windows[0].close = 0;
  data.windows[1] = {230, 230};  // 30 minutes before it and 15 after it
  EXPECT_EQ(EndOf(data), 230 + 200 + 45);
}

TEST(DrivingRulesTest, RefuseARouteThatABreakMakesLate) {
  InstanceData data = RouteOf({200, 200});
  data.windows[2].close = 445;
  data.windows[0].close = 0;
  EXPECT_EQ(EndOf(data), 445);
  data.windows[2].close = 444;
  EXPECT_THAT(DrivingMessages(data),
              ElementsAre("driving_break; routes[0]: cannot take a break of 45 "
                          "after at most 270 of driving without making a stop or "
                          "the route's end late"));
  data.windows[2].close = 399;
  EXPECT_THAT(DrivingMessages(data), ElementsAre(HasSubstr("time_window; routes[0]: arrives")));
}

TEST(DrivingRulesTest, LimitDrivingAndWorkOfARoute) {
  InstanceData data = RouteOf({200, 340}, 30);
  data.vehicles[0].driving_rules.max_driving = 540;
  data.vehicles[0].driving_rules.max_work = 600;
  EXPECT_THAT(DrivingMessages(data), IsEmpty());
  data.vehicles[0].driving_rules.max_driving = 539;
  data.vehicles[0].driving_rules.max_work = 599;
  EXPECT_THAT(DrivingMessages(data),
              ElementsAre("max_driving; routes[0]: drives for 540, longer than the limit 539",
                          "max_work; routes[0]: drives and works for 600, longer than the limit "
                          "599"));
}

TEST(DrivingRulesTest, ReportTheBreaks) {
  InstanceData data = RouteOf({200, 200}, 10);
  data.windows[0].close = 0;
  const Route on_arrival = TimesOf(data);
  ASSERT_EQ(on_arrival.breaks.size(), 1u);
  EXPECT_EQ(on_arrival.breaks[0].index, kDrivingBreakIndex);
  EXPECT_EQ(on_arrival.breaks[0].end - on_arrival.breaks[0].start, 45);
  data = RouteOf({100, 300});
  data.windows[0].close = 0;
  const Route on_the_way = TimesOf(data);
  ASSERT_EQ(on_the_way.breaks.size(), 1u);
  EXPECT_EQ(on_the_way.breaks[0].end - on_the_way.breaks[0].start, 45);
  data.windows[1].open = 300;  // a wait of 200 minutes, of which the driver needs none
  data.vehicles[0].driving_rules.max_driving_before_break = 400;
  EXPECT_THAT(TimesOf(data).breaks, IsEmpty());
}

TEST(DrivingRulesTest, LeaveAsLateAsTheBreaksAllow) {
  InstanceData data = RouteOf({200, 200}, 10);
  data.objective = Objective::kDuration;
  data.windows[2].open = 1000;
  EXPECT_EQ(EndOf(data), 1000);
  EXPECT_EQ(TimesOf(data).duration, 200 + 10 + 200 + 45 + 10);
  EXPECT_EQ(CheckPlan(*Instance::Create(data), WholeRoute(data), 465).violations.size(), 0u);
}

// The second leg takes 60 in light traffic, but 90 for departures from 100 on.
TEST(DrivingRulesTest, CountTravelTimesAtTheDeparture) {
  InstanceData data = RouteOf({200, 60});
  data.windows[0].close = 0;
  const std::vector<double> light = Instance::Create(data)->DurationMatrix();
  data.duration_matrices = {{0, light}, {100, light}};
  for (double& heavy : data.duration_matrices[1].durations) heavy *= 1.5;
  EXPECT_NEAR(EndOf(data), 200 + 90 + 45, 1e-9);
  EXPECT_EQ(TimesOf(data).breaks.size(), 1u);
  data.vehicles[0].driving_rules.max_driving = 290;
  EXPECT_THAT(DrivingMessages(data), IsEmpty());
  data.vehicles[0].driving_rules.max_driving = 289;
  EXPECT_THAT(DrivingMessages(data),
              ElementsAre("max_driving; routes[0]: drives for 290, longer than the limit 289"));
}

// The driver may leave at 100, when the only leg takes 300 and needs a break on the way. The leg
// would take 250 at 200, but nobody waits for that.
TEST(DrivingRulesTest, RestNoLongerToAvoidARushHour) {
  InstanceData data = RouteOf({250});
  data.windows[0] = {100, 5000};
  data.duration_matrices = {{100, Instance::Create(data)->DurationMatrix()}};
  data.duration_matrices.push_back(data.duration_matrices[0]);
  data.duration_matrices[1].at = 200;
  for (double& heavy : data.duration_matrices[0].durations) heavy *= 1.2;
  EXPECT_NEAR(EndOf(data), 100 + 300 + 45, 1e-6);
}

// The first window of the planned break is too early to end the driving, and the second is not.
TEST(DrivingRulesTest, CountAPlannedBreakInALaterWindow) {
  InstanceData data = RouteOf({200, 200});
  data.windows[0].close = 0;
  data.demands = {0, 1, 1};
  data.vehicles[0].capacity = 2;
  data.vehicles[0].breaks = {{.window = {0, 50}, .duration = 45}};
  EXPECT_EQ(EndOf(data), 45 + 200 + 200 + 30);  // the planned break is the first part
  data.vehicles[0].breaks[0].further_windows = {{100, 130}, {190, 240}};
  EXPECT_EQ(EndOf(data), 200 + 45 + 200);
  data.vehicles[0].breaks[0].max_load = {1};  // only after the first customer
  EXPECT_EQ(EndOf(data), 200 + 45 + 200);
  data.vehicles[0].breaks[0].further_windows = {{100, 130}, {180, 190}};
  EXPECT_THAT(DrivingMessages(data), ElementsAre(HasSubstr("break 0 cannot begin")));
}

TEST(DrivingPresetTest, KnowsTheRegulationInEachUnit) {
  for (const double seconds : {1.0, 60.0, 3600.0}) {
    const DrivingRules rules = *DrivingPreset("eu_561_daily", seconds);
    EXPECT_DOUBLE_EQ(rules.max_driving_before_break * seconds, 4.5 * 3600);
    EXPECT_DOUBLE_EQ(rules.break_duration * seconds, 45 * 60);
    EXPECT_DOUBLE_EQ(rules.first_part * seconds, 15 * 60);
    EXPECT_DOUBLE_EQ(rules.second_part * seconds, 30 * 60);
    EXPECT_DOUBLE_EQ(rules.max_driving * seconds, 9 * 3600);
    EXPECT_EQ(rules.max_work, kNoLimit);
  }
  EXPECT_EQ(std::string(DrivingPreset("us_hos", 1).status().message()),
            "preset: got \"us_hos\", wanted \"eu_561_daily\" or none");
  EXPECT_THAT(std::string(DrivingPreset("eu_561_daily", 0).status().message()),
              HasSubstr("time_unit: absent or unknown, wanted \"s\", \"min\" or \"h\""));
}

absl::StatusOr<Instance> ReadWithRules(const std::string& rules) {
  const auto root = nlohmann::json::parse(
      R"({"kind": "cvrp", "coords": [[0, 0], [1, 0]], "demands": [0, 1],
          "vehicles": [{"capacity": 1, "driving_rules": )" +
      rules + "}]}");
  return InstanceFromJson(root, "x.json", nullptr);
}

TEST(DrivingJsonTest, ReadsPresetsAndNumbers) {
  const DrivingRules preset = *DrivingPreset("eu_561_daily", 60);
  EXPECT_EQ(ReadWithRules(R"({"preset": "eu_561_daily", "time_unit": "min"})")
                ->vehicles()[0]
                .driving_rules,
            preset);
  DrivingRules changed = preset;
  changed.max_driving = 600;
  const Instance instance =
      *ReadWithRules(R"({"preset": "eu_561_daily", "time_unit": "min", "max_driving": 600})");
  EXPECT_EQ(instance.vehicles()[0].driving_rules, changed);
  EXPECT_EQ(InstanceFromJson(nlohmann::json::parse(WriteJson(instance)), "x.json", nullptr)
                ->vehicles()[0]
                .driving_rules,
            changed);
}

struct BadRules {
  std::string rules;
  std::string error;
};

TEST(DrivingJsonTest, NamesRulesThatContradictOneAnother) {
  const std::string at = "vehicles[0].driving_rules";
  for (const auto& [rules, error] : std::vector<BadRules>{
           {R"({"preset": "eu_561_daily"})", at + ".time_unit: absent or unknown, wanted"},
           {R"({"preset": "eu_561_daily", "time_unit": "day"})", at + ".time_unit: absent or"},
           {R"({"preset": "us", "time_unit": "s"})", at + ".preset: got \"us\", wanted"},
           {R"({"time_unit": "s", "max_driving": 5})", at + ".time_unit: given, but there is no"},
           {R"({})", at + ": got an object, wanted a preset or at least one limit"},
           {R"([])", at + ": got an array, wanted an object"},
           {R"({"max_drive": 5})", at + ".\"max_drive\": unknown key"},
           {R"({"max_driving": 0})", at + ".max_driving: got 0, wanted a positive number"},
           {R"({"max_work": -1})", at + ".max_work: got -1"},
           {R"({"max_driving_before_break": 0, "break_duration": 1})",
            at + ".max_driving_before_break: got 0, wanted a positive number"},
           {R"({"max_driving_before_break": 9})", at + ".break_duration: absent or 0, wanted"},
           {R"({"break_duration": 9})", at + ".break_duration: given, but there is no max_driving"},
           {R"({"max_driving_before_break": 9, "break_duration": 3, "first_part": 1})",
            at + ".second_part: absent or 0, but the other part is given"},
           {R"({"max_driving_before_break": 9, "break_duration": 3, "first_part": 1,
                "second_part": 1})",
            at + ".second_part: got 1 after a first_part of 1, wanted both to sum to"},
           {R"({"max_driving_before_break": 9, "break_duration": 3, "first_part": 4,
                "second_part": 1})",
            at + ".first_part: got 4, wanted at most break_duration 3"}}) {
    const auto instance = ReadWithRules(rules);
    ASSERT_FALSE(instance.ok()) << rules;
    EXPECT_THAT(std::string(instance.status().message()), HasSubstr(error));
  }
}

}  // namespace
}  // namespace vrp
