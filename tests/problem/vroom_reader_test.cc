// Tests that VROOM's JSON input becomes an instance, or that the reader refuses it and names the
// field.
#include "core/problem/formats/vroom/vroom_reader.h"

#include <string>

#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/instance_writer.h"
#include "core/problem/formats/solution_formats.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/formats/vroom/vroom_solution.h"
#include "core/problem/formats/vroom/vroom_writer.h"
#include "core/problem/plan/plan_value.h"
#include "core/problem/plan/solution.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/problem/vroom_texts.h"

namespace vrp {
namespace {

using test::FileWithMatrix;
using test::kJobs;
using test::kVehicle;
using test::ReadVroom;
using test::VroomError;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(VroomReader, MinimisesTravelTimeByTheMatrix) {
  const absl::StatusOr<Instance> instance = ReadVroom(FileWithMatrix(kVehicle, kJobs));
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(instance->name(), "v");
  EXPECT_EQ(instance->kind(), ProblemKind::kVrptw);
  EXPECT_EQ(instance->data().objective, Objective::kDistance);
  EXPECT_EQ(instance->num_depots(), 1);
  EXPECT_EQ(instance->id(1), "job:1");
  EXPECT_EQ(instance->Distance(0, 2), 70);
  EXPECT_EQ(instance->Duration(2, 0), 72);
  EXPECT_EQ(instance->demand(2), 3);
  EXPECT_EQ(instance->service(1), 30);
  EXPECT_EQ(instance->window(2), (TimeWindow{5, 90}));
  EXPECT_EQ(instance->capacity(), 5);
  EXPECT_EQ(instance->vehicles()[0].count, 1);
}

TEST(VroomReader, GroupsEqualVehicles) {
  const std::string twice = std::string(kVehicle) + R"(, {"id": 9, "start_index": 0, "end_index": 0,
      "capacity": [5]}, {"id": 10, "start_index": 0, "capacity": [6]})";
  const absl::StatusOr<Instance> instance = ReadVroom(FileWithMatrix(twice, kJobs));
  ASSERT_TRUE(instance.ok()) << instance.status();
  ASSERT_EQ(instance->vehicles().size(), 2u);
  EXPECT_EQ(instance->vehicles()[0].count, 2);
  EXPECT_TRUE(instance->vehicles()[1].open_end);
}

TEST(VroomReader, AddsCostsOfTimeAndDistance) {
  const std::string vehicle = R"({"id": 1, "start_index": 0, "end_index": 0,
      "costs": {"fixed": 7, "per_hour": 1800, "per_km": 2000}})";
  const absl::StatusOr<Instance> instance = ReadVroom(
      FileWithMatrix(vehicle, kJobs, R"(, "distances": [[0, 5, 6], [5, 0, 1], [6, 1, 0]])"));
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(instance->data().objective, Objective::kCost);
  EXPECT_EQ(instance->vehicles()[0].fixed_cost, 7);
  EXPECT_DOUBLE_EQ(instance->Distance(0, 1), 60 * 0.5 + 5 * 2);
  EXPECT_EQ(instance->Duration(0, 1), 60);
}

TEST(VroomReader, ReadsShipmentsAndVehicleLimits) {
  const std::string shipments = R"("shipments": [{"amount": [2], "skills": [3], "priority": 10,
      "pickup": {"id": 1, "location_index": 1, "setup": 4},
      "delivery": {"id": 1, "location_index": 2, "time_windows": [[0, 50], [80, 90]]}}])";
  const std::string vehicle = R"({"id": 4, "start_index": 0, "end_index": 0, "capacity": [5],
      "skills": [3, 8], "time_window": [10, 500], "max_tasks": 6, "speed_factor": 2,
      "breaks": [{"id": 1, "time_windows": [[100, 200]], "service": 15}]})";
  const absl::StatusOr<Instance> instance = ReadVroom(FileWithMatrix(vehicle, shipments));
  ASSERT_TRUE(instance.ok()) << instance.status();
  const InstanceData& data = instance->data();
  ASSERT_EQ(data.shipments.size(), 1u);
  EXPECT_EQ(data.shipments[0].pickup, 1);
  EXPECT_EQ(data.shipments[0].delivery, 2);
  EXPECT_THAT(data.shipments[0].amounts, ElementsAre(2));
  EXPECT_EQ(data.further_windows[2][0], (TimeWindow{80, 90}));
  EXPECT_EQ(data.setups[1], 4);
  EXPECT_THAT(data.priorities, ElementsAre(0, 10, 10));
  EXPECT_THAT(data.required_skills[2], ElementsAre("3"));
  const VehicleType& type = data.vehicles[0];
  EXPECT_THAT(type.skills, ElementsAre("3", "8"));
  EXPECT_EQ(type.shift, (TimeWindow{10, 500}));
  EXPECT_EQ(type.max_stops, 6);
  EXPECT_EQ(type.breaks[0], (Break{{100, 200}, 15}));
  EXPECT_EQ(instance->Duration(type, 0, 1), 30);
}

TEST(VroomReader, UsesGreatCirclesWithoutMatrices) {
  const absl::StatusOr<Instance> instance = ReadVroom(
      R"({"vehicles": [{"id": 1, "start": [2.35, 48.85], "end": [2.35, 48.85]}],
          "jobs": [{"id": 1, "location": [2.35, 48.95]}]})");
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_NEAR(instance->Distance(0, 1), 11119.5, 0.1);  // a tenth of a degree along a meridian
  EXPECT_NEAR(instance->Duration(0, 1), 11119.5 / kVroomSpeed, 0.1);
}

TEST(VroomReader, ReadsOldKeysAndVroomExpressOptions) {
  const absl::StatusOr<Instance> instance = ReadVroom(
      R"({"vehicles": [{"id": 1, "start_index": 0, "capacity": [4]}],
          "jobs": [{"id": 1, "location_index": 1, "amount": [3]}],
          "matrix": [[0, 8], [9, 0]], "options": {"g": true, "c": false}})");
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(instance->Distance(0, 1), 8);
  EXPECT_EQ(instance->demand(1), 3);
  EXPECT_THAT(VroomError(R"({"vehicles": [], "jobs": [], "options": {"c": 1}})"),
              HasSubstr("options.c: got 1, wanted true or false"));
}

TEST(VroomReader, RefusesAmountNextToDeliveryOrPickup) {
  for (const std::string key : {"delivery", "pickup"}) {
    EXPECT_THAT(VroomError(FileWithMatrix(kVehicle, R"("jobs": [{"id": 1, "location_index": 1,
                    "amount": [3], ")" + key + R"(": [1]}])")),
                HasSubstr("v.json: jobs[0].amount: given, and " + key + " too; wanted delivery"));
  }
}

TEST(VroomReader, NamesTasksAndCostsByTheirPathsInTheFile) {
  const std::string pairs = R"("jobs": [{"id": 5, "location_index": 1}],
      "shipments": [{"pickup": {"id": 1, "location_index": 1, "service": -3},
                     "delivery": {"id": 1, "location_index": 2, "time_windows": [[9, 2]]}}])";
  const std::string vehicles = std::string(kVehicle) + ", " + kVehicle +
                               R"(, {"id": 7, "start_index": 0, "costs": {"fixed": -1}})";
  const std::string errors = VroomError(FileWithMatrix(vehicles, pairs));
  EXPECT_THAT(errors, HasSubstr("v.json: shipments[0].pickup.service: got -3"));
  EXPECT_THAT(errors, HasSubstr("v.json: shipments[0].delivery.time_windows[0]: opens at 9"));
  EXPECT_THAT(errors, HasSubstr("v.json: vehicles[2].costs.fixed: got -1"));
  EXPECT_THAT(VroomError(FileWithMatrix(kVehicle, R"("jobs": [{"id": 5, "location_index": 1},
                                             {"id": 5, "location_index": 2}])")),
              HasSubstr("v.json: jobs[1].id: 5 is also the id of jobs[0]"));
}

TEST(VroomReader, StartsAtTheFirstTaskWithoutAStartLocation) {
  const std::string text = FileWithMatrix(
      R"({"id": 4, "end_index": 0, "time_window": [100, 900], "costs": {"fixed": 7}})", kJobs);
  const absl::StatusOr<Instance> instance = ReadVroom(text);
  ASSERT_TRUE(instance.ok()) << instance.status();
  ASSERT_EQ(instance->num_depots(), 2);
  const Plan plan = {{0, {3}}, {0, {2}}};
  const CheckReport report = CheckPlan(*instance, plan);
  EXPECT_EQ(report.routes[0].distance, 72);  // leg from the second job to the end
  EXPECT_EQ(report.routes[1].distance, 61);
  EXPECT_EQ(report.cost, 72 + 61 + 2 * 7);
  const Solution solution = *MakeSolution(*instance, {{0, {2}}});
  EXPECT_EQ(solution.routes[0].stops[1].arrival, 100);
  // VROOM's output states that the route starts at its first task.
  const auto written =
      nlohmann::json::parse(WriteVroomSolution(*instance, solution, VroomNamesOf(*instance, text)));
  const nlohmann::json& start = written["routes"][0]["steps"][0];
  EXPECT_EQ(start["type"], "start");
  EXPECT_EQ(start["location_index"], 1);
  EXPECT_EQ(written["routes"][0]["duration"], 61);
}

TEST(VroomReader, StartsAtTheFirstTaskWithoutMatrices) {
  const absl::StatusOr<Instance> instance = ReadVroom(R"({
      "vehicles": [{"id": 1, "end": [0, 0]}, {"id": 2, "start": [0, 0], "speed_factor": 2}],
      "jobs": [{"id": 1, "location": [0, 1]}, {"id": 2, "location": [0, 2]}]})");
  ASSERT_TRUE(instance.ok()) << instance.status();
  const double degree = instance->Distance(instance->vehicles()[0], 2, 1);
  EXPECT_NEAR(degree, 111'195, 1);
  EXPECT_NEAR(PlanCost(*instance, {{0, {3, 2}}}), 2 * degree / kVroomSpeed, 1e-6);
  EXPECT_NEAR(PlanCost(*instance, {{1, {2, 3}}}), 2 * degree / kVroomSpeed / 2, 1e-6);
}

TEST(VroomReader, DropsVehiclesThatMayDoNoTask) {
  const absl::StatusOr<Instance> instance = ReadVroom(FileWithMatrix(
      R"({"id": 1, "start_index": 0, "max_tasks": 0}, {"id": 2, "start_index": 0})", kJobs));
  ASSERT_TRUE(instance.ok()) << instance.status();
  ASSERT_EQ(instance->vehicles().size(), 1u);
  EXPECT_EQ(instance->vehicles()[0].id, "2");
  EXPECT_THAT(VroomError(FileWithMatrix(R"({"id": 1, "start_index": 0, "max_tasks": 0})", kJobs)),
              HasSubstr("vehicles: max_tasks is 0 for all"));
}

TEST(VroomReader, SuggestsTheMostSimilarKey) {
  EXPECT_THAT(VroomError(FileWithMatrix(kVehicle, R"("jobs": [{"id": 1, "location_index": 1,
                                              "time_window": [0, 9]}])")),
              HasSubstr("jobs[0].\"time_window\": unknown key; did you mean \"time_windows\"?"));
}

TEST(VroomReader, SuggestsSecondsForTimesInMilliseconds) {
  EXPECT_THAT(VroomError(FileWithMatrix(R"({"id": 1, "start_index": 0,
                                     "time_window": [1474488000000, 1474524000000]})",
                                        kJobs)),
              HasSubstr("vehicles[0].time_window[0]: got 1.474488e+12, wanted at most 1e+12; give "
                        "times since 1970 in seconds"));
}

TEST(VroomReader, IgnoresTimesOfStepsAsVroomDoesWhenItSolves) {
  const absl::StatusOr<Instance> instance = ReadVroom(
      FileWithMatrix(R"({"id": 1, "start_index": 0, "steps": [{"type": "start", "service_after": 5},
          {"type": "job", "id": 1, "service_at": 5, "service_before": 9}]})",
                     kJobs));
  EXPECT_TRUE(instance.ok()) << instance.status();
}

// VROOM takes breaks in the order of their first windows, and sorts windows.
TEST(VroomReader, ReadsBreaksWithSeveralWindowsAndLimitsOnTheLoad) {
  const std::string van =
      R"({"id": 4, "start_index": 0, "end_index": 0, "capacity": [5], "breaks": [
      {"id": 8, "time_windows": [[200, 210], [120, 130]], "service": 5, "max_load": [3]},
      {"id": 7, "time_windows": [[10, 20], [60, 65]], "service": 9}]})";
  const std::string text = FileWithMatrix(van, kJobs);
  const absl::StatusOr<Instance> instance = ReadVroom(text);
  ASSERT_TRUE(instance.ok()) << instance.status();
  const std::vector<Break> wanted = {{{10, 20}, 9, {{60, 65}}}, {{120, 130}, 5, {{200, 210}}, {3}}};
  EXPECT_EQ(instance->vehicles()[0].breaks, wanted);
  const Solution solution = *MakeSolution(*instance, {{0, {2, 1}}});
  const auto written =
      nlohmann::json::parse(WriteVroomSolution(*instance, solution, VroomNamesOf(*instance, text)));
  std::vector<int> ids;
  for (const auto& step : written["routes"][0]["steps"]) {
    if (step["type"] == "break") ids.push_back(step["id"]);
  }
  EXPECT_THAT(ids, ElementsAre(7, 8));
  EXPECT_THAT(VroomError(FileWithMatrix(R"({"id": 4, "start_index": 0, "capacity": [5], "breaks": [
      {"id": 8, "time_windows": [[50, 60]], "max_load": [3, 4]},
      {"id": 7, "time_windows": [[10, 20]]}]})",
                                        kJobs)),
              HasSubstr("vehicles[0].breaks[0].max_load: has 2 dimensions, wanted 1"));
}

TEST(VroomReader, ReadsTimesPerVehicleType) {
  const std::string vans =
      R"({"id": 1, "start_index": 0, "type": "slow", "costs": {"per_task_hour": 7200}},
                              {"id": 2, "start_index": 0, "type": "other"},
                              {"id": 3, "start_index": 0}, {"id": 4, "end_index": 0, "type": "slow"})";
  const std::string jobs = R"("jobs": [
      {"id": 1, "location_index": 1, "service": 30, "service_per_type": {"slow": 50, "unknown": 1}},
      {"id": 2, "location_index": 2, "setup": 4, "setup_per_type": {"slow": 0}}])";
  const std::string text = FileWithMatrix(vans, jobs);
  const absl::StatusOr<Instance> instance = ReadVroom(text);
  ASSERT_TRUE(instance.ok()) << instance.status();
  // Only the times of the first vehicle depend on its type, so the others stay as they are.
  ASSERT_EQ(instance->vehicles().size(), 3u);
  const VehicleType& slow = instance->vehicles()[0];
  const NodeIndex first = instance->num_depots();
  EXPECT_EQ(instance->Work(slow, 0, first), 50);
  EXPECT_EQ(instance->Work(slow, 0, first + 1), 0);
  EXPECT_EQ(instance->Work(instance->vehicles()[1], 0, first), 30);
  EXPECT_EQ(instance->Work(instance->vehicles()[1], 0, first + 1), 4);
  const Plan plan = {{0, {first, first + 1}}};
  EXPECT_EQ(PlanCost(*instance, plan), 60 + 10 + 2 * 50);
  EXPECT_EQ(CheckPlan(*instance, plan).cost, 170);
  const Solution solution = *MakeSolution(*instance, plan);
  const auto written =
      nlohmann::json::parse(WriteVroomSolution(*instance, solution, VroomNamesOf(*instance, text)));
  EXPECT_EQ(written["routes"][0]["steps"][1]["service"], 50);
  EXPECT_EQ(written["summary"]["cost"], 170);
}

// VROOM charges the setup of a route's first task unless the vehicle starts at its location.
TEST(VroomReader, ChargesTheSetupOfTheFirstTaskWithoutAStart) {
  const std::string jobs = R"("jobs": [{"id": 1, "location_index": 1, "setup": 3, "service": 4},
                                       {"id": 2, "location_index": 1, "setup": 5}])";
  for (const char* speed : {"1", "2"}) {
    const std::string text =
        FileWithMatrix(Concat(R"({"id": 1, "end_index": 0, "speed_factor": )", speed, "}"), jobs);
    const absl::StatusOr<Instance> instance = ReadVroom(text);
    ASSERT_TRUE(instance.ok()) << instance.status();
    const Solution solution = *MakeSolution(*instance, {{0, {2, 3}}});
    EXPECT_EQ(solution.routes[0].stops[1].departure, 7);
    EXPECT_EQ(solution.routes[0].stops[2].departure, 7);
    if (speed[0] != '1') continue;  // durations that are not whole numbers
    const absl::StatusOr<std::string> written =
        WriteInstance(*instance, {.format = WrittenFormat::kVroom, .renumber = true});
    ASSERT_TRUE(written.ok()) << written.status();
    const absl::StatusOr<Instance> reread = ReadVroom(*written);
    ASSERT_TRUE(reread.ok()) << reread.status();
    EXPECT_EQ(MakeSolution(*reread, {{0, {2, 3}}})->routes[0].stops[2].departure, 7);
  }
  const absl::StatusOr<Instance> by_position = ReadVroom(R"({"vehicles": [{"id": 1, "end": [0, 0]}],
      "jobs": [{"id": 1, "location": [0, 1], "setup": 3}]})");
  ASSERT_TRUE(by_position.ok()) << by_position.status();
  EXPECT_EQ(MakeSolution(*by_position, {{0, {2}}})->routes[0].stops[1].departure, 3);
}

TEST(VroomReader, NamesTheWrongField) {
  EXPECT_THAT(VroomError(FileWithMatrix(kVehicle, R"("jobs": [{"id": 1, "location_index": 3}])")),
              HasSubstr("v.json: jobs[0].location_index: got 3, wanted a row of the matrices"));
  EXPECT_THAT(VroomError(FileWithMatrix(
                  kVehicle, R"("jobs": [{"id": 1, "location_index": 1, "pickup": [1, 2]}])")),
              HasSubstr("jobs[0].pickup: has 2 dimensions, wanted 1"));
  EXPECT_THAT(VroomError(FileWithMatrix(R"({"id": 1})", kJobs)),
              HasSubstr("vehicles[0].start: absent, and the end too"));
  EXPECT_THAT(VroomError(FileWithMatrix(R"({"id": 1, "start_index": 0,
                                    "steps": [{"type": "job", "id": 9}]})",
                                        kJobs)),
              HasSubstr("vehicles[0].steps[0].id: got 9, wanted the id of a task"));
  EXPECT_THAT(VroomError(FileWithMatrix(R"({"id": 1, "start_index": 0, "colour": 3})", kJobs)),
              HasSubstr("vehicles[0].\"colour\": unknown key; leave it out"));
  EXPECT_THAT(
      VroomError(FileWithMatrix(R"({"id": 1, "start_index": 0, "max_distance": 5})", kJobs)),
      HasSubstr("vehicles[0].max_distance"));
  EXPECT_THAT(
      VroomError(FileWithMatrix(R"({"id": 1, "start_index": 0, "costs": {"per_km": 5}})", kJobs)),
      HasSubstr("vehicles[0].costs.per_km: given, but profile"));
  EXPECT_THAT(VroomError(R"({"vehicles": [{"id": 1, "start": [1]}], "jobs": []})"),
              HasSubstr("vehicles[0].start: has 1 numbers"));
  EXPECT_THAT(VroomError(R"({"vehicles": [], "jobs": []})"),
              HasSubstr("vehicles: absent or empty"));
  EXPECT_THAT(VroomError(R"({"vehicles": [{"id": "x"}], "jobs": []})"),
              HasSubstr("vehicles[0].id: got \"x\", wanted an integer"));
  EXPECT_THAT(
      VroomError(FileWithMatrix(R"({"id": 18446744073709551615, "start_index": 0})", kJobs)),
      HasSubstr("vehicles[0].id: got 18446744073709551615, wanted an integer below 2^63"));
}

TEST(VroomReader, RefusesTasksWithoutALocation) {
  // An absent location must not pass for the open start of a vehicle without `start`.
  constexpr char kJob[] = R"("jobs": [{"id": 1, "location_index": 1}, {"id": 2}])";
  for (const char* start : {R"("start_index": 0)", R"("end_index": 0)"}) {
    const std::string vehicle = Concat(R"({"id": 1, )", start, "}");
    EXPECT_THAT(VroomError(FileWithMatrix(vehicle, kJob)),
                HasSubstr("v.json: jobs[1].location_index: absent, wanted a row of the matrices"));
  }
  EXPECT_THAT(VroomError(R"({"vehicles": [{"id": 1, "start": [2.35, 48.85]}],
                             "shipments": [{"pickup": {"id": 1, "location": [2.35, 48.95]},
                                            "delivery": {"id": 2}}]})"),
              HasSubstr("v.json: shipments[0].delivery.location: absent, wanted [longitude"));
}

TEST(VroomReader, NamesWindowsAndBreaksByTheirPathsInTheFile) {
  const std::string van = R"({"id": 4, "start_index": 0, "time_window": [9, 3],
      "breaks": [{"id": 1, "time_windows": [[8, 2]], "service": -1}]})";
  const std::string errors =
      VroomError(FileWithMatrix(van, R"("jobs": [{"id": 1, "location_index": 1,
      "delivery": [-2], "time_windows": [[5, 9], [7, 12]]}])"));
  EXPECT_THAT(errors, HasSubstr("v.json: vehicles[0].time_window: opens at 9"));
  EXPECT_THAT(errors, HasSubstr("v.json: vehicles[0].breaks[0].time_windows[0]: opens at 8"));
  EXPECT_THAT(errors, HasSubstr("v.json: vehicles[0].breaks[0].service: got -1"));
  EXPECT_THAT(errors, HasSubstr("v.json: jobs[0].delivery[0]: got -2"));
  EXPECT_THAT(errors, HasSubstr("v.json: jobs[0].time_windows[1]: opens at 7"));
}

}  // namespace
}  // namespace vrp
