// Tests the evaluation of the steps of VROOM files. The expected answers are those of VROOM 1.15
// (`vroom -c`).
#include "core/problem/formats/vroom/vroom_plan.h"

#include <string>
#include <utility>

#include "core/problem/formats/formats.h"
#include "core/problem/formats/vroom/vroom_solution.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kMatrices[] =
    R"("matrices": {"car": {"durations": [[0, 2000, 3000], [2000, 0, 1500], [3000, 1500, 0]]}})";

// The result for a file with these vehicles and jobs, and VROOM's output.
struct Evaluated {
  absl::StatusOr<VroomPlan> plan;
  json written = {};

  std::vector<std::string> Messages() const {
    std::vector<std::string> messages;
    for (const Violation& violation : plan->violations) messages.push_back(violation.message);
    return messages;
  }
  json ViolationsOf(size_t route, size_t step) const {
    return written["routes"][route]["steps"][step]["violations"];
  }
};

Evaluated Evaluate(const std::string& vehicles, const std::string& tasks) {
  const std::string text = R"({"vehicles": [)" + vehicles + "], " + tasks + ", " + kMatrices + "}";
  const absl::StatusOr<Instance> instance = ParseJson(text, "v.json");
  EXPECT_TRUE(instance.ok()) << instance.status();
  const VroomNames names = VroomNamesOf(*instance, text);
  Evaluated result{.plan = EvaluateVroomPlan(*instance, names)};
  if (result.plan.ok())
    result.written = json::parse(WriteVroomPlan(*instance, *result.plan, names));
  return result;
}

std::string ErrorOf(const std::string& vehicles, const std::string& tasks) {
  return std::string(Evaluate(vehicles, tasks).plan.status().message());
}

constexpr char kTwoJobs[] =
    R"("jobs": [{"id": 1, "location_index": 1}, {"id": 2, "location_index": 2}])";

// A route of one vehicle from and to location 0.
std::string AVehicle(const std::string& steps, const std::string& more = "") {
  return R"({"id": 5, "start_index": 0, "end_index": 0, "steps": [)" + steps + "]" + more + "}";
}

TEST(VroomPlan, ReportsAnOverloadedRouteAtTheStepsWithTheLoad) {
  const Evaluated result =
      Evaluate(AVehicle(R"({"type": "start"}, {"type": "job", "id": 1}, {"type": "job", "id": 2})",
                        R"(, "capacity": [4], "time_window": [10000, 20000])"),
               R"("jobs": [{"id": 1, "location_index": 1, "delivery": [3], "service": 300},
                  {"id": 2, "location_index": 2, "delivery": [2], "service": 300}])");
  const json load = {{{"cause", "load"}}};
  EXPECT_EQ(result.ViolationsOf(0, 0), load);
  EXPECT_EQ(result.ViolationsOf(0, 1), json::array());
  EXPECT_EQ(result.written["routes"][0]["violations"], load);
  EXPECT_EQ(result.written["summary"]["violations"], load);
  EXPECT_EQ(result.written["routes"][0]["steps"][3]["arrival"], 17100);
  EXPECT_THAT(result.Messages(), ElementsAre("routes[0]: load 5 exceeds vehicle capacity 4"));
}

TEST(VroomPlan, SumsLeadTimesAndDelaysOfForcedTimes) {
  const Evaluated result =
      Evaluate(AVehicle(R"({"type": "start", "service_after": 9200}, {"type": "job", "id": 1},
                  {"type": "job", "id": 2}, {"type": "end"})",
                        R"(, "time_window": [10000, 15000])"),
               R"("jobs": [
          {"id": 1, "location_index": 1, "service": 300, "time_windows": [[10000, 11000]]},
          {"id": 2, "location_index": 2, "service": 300, "time_windows": [[10000, 13000]]}])");
  EXPECT_EQ(result.ViolationsOf(0, 0), json({{{"cause", "lead_time"}, {"duration", 800}}}));
  EXPECT_EQ(result.ViolationsOf(0, 1), json({{{"cause", "delay"}, {"duration", 200}}}));
  EXPECT_EQ(result.ViolationsOf(0, 3), json({{{"cause", "delay"}, {"duration", 1300}}}));
  EXPECT_EQ(result.written["summary"]["violations"],
            json({{{"cause", "lead_time"}, {"duration", 800}},
                  {{"cause", "delay"}, {"duration", 1500}}}));
  EXPECT_THAT(result.Messages(),
              ElementsAre("routes[0]: leaves at 9200, 800 before its shift",
                          "routes[0]: serves customer job:1 at 11200, 200 after its window",
                          "routes[0]: ends at 16300, 1300 after its shift"));
}

TEST(VroomPlan, KeepsEachKindOfForcedTime) {
  const auto start_of = [](const std::string& forced) {
    const Evaluated result =
        Evaluate(AVehicle(R"({"type": "job", "id": 1, )" + forced + "}"), kTwoJobs);
    const json& step = result.written["routes"][0]["steps"][1];
    return step["arrival"].get<int>() + step["waiting_time"].get<int>();
  };
  EXPECT_EQ(start_of(R"("service_at": 2500)"), 2500);
  EXPECT_EQ(start_of(R"("service_after": 2600)"), 2600);
  EXPECT_EQ(start_of(R"("service_before": 2700)"), 2000);
}

TEST(VroomPlan, TakesBreaksWhereTheStepsSay) {
  const std::string breaks = R"(, "breaks": [
      {"id": 8, "service": 60, "time_windows": [[100, 200]], "max_load": [0]},
      {"id": 9, "service": 30, "time_windows": [[5000, 5100]]}])";
  const Evaluated result =
      Evaluate(AVehicle(R"({"type": "start", "service_at": 0}, {"type": "break", "id": 8},
                  {"type": "job", "id": 1})",
                        breaks),
               R"("jobs": [{"id": 1, "location_index": 1, "delivery": [1]}])");
  const json& pause = result.written["routes"][0]["steps"][1];
  EXPECT_EQ(pause["id"], 8);
  EXPECT_EQ(pause["arrival"], 100);
  EXPECT_EQ(pause["duration"], 100);
  EXPECT_EQ(pause["violations"], json({{{"cause", "max_load"}}}));
  EXPECT_EQ(result.written["routes"][0]["steps"][2]["arrival"], 2060);
  EXPECT_EQ(result.written["routes"][0]["violations"],
            json({{{"cause", "missing_break"}}, {{"cause", "max_load"}}}));
  EXPECT_THAT(result.Messages(),
              ElementsAre("routes[0]: takes break 8 with a load above its max_load",
                          "routes[0]: omits break 9"));
}

TEST(VroomPlan, ReportsLimitsOfTheVehicleFromTheStepThatExceedsThem) {
  const Evaluated result = Evaluate(
      AVehicle(R"({"type": "job", "id": 1}, {"type": "job", "id": 2})",
               R"(, "max_tasks": 1, "max_travel_time": 3000)"),
      R"("jobs": [{"id": 1, "location_index": 1, "skills": [4]}, {"id": 2, "location_index": 2}])");
  EXPECT_EQ(result.ViolationsOf(0, 1), json({{{"cause", "skills"}}}));
  EXPECT_EQ(result.ViolationsOf(0, 2),
            json({{{"cause", "max_tasks"}}, {{"cause", "max_travel_time"}}}));
  EXPECT_EQ(result.ViolationsOf(0, 3), json({{{"cause", "max_travel_time"}}}));
  EXPECT_EQ(result.plan->violations.size(), 3u);
}

TEST(VroomPlan, ReportsDeliveriesBeforeAndWithoutTheirPickup) {
  constexpr char kShipments[] = R"("shipments": [
      {"amount": [1], "pickup": {"id": 1, "location_index": 1},
       "delivery": {"id": 2, "location_index": 2}},
      {"pickup": {"id": 3, "location_index": 1}, "delivery": {"id": 4, "location_index": 2}}])";
  const Evaluated result =
      Evaluate(AVehicle(R"({"type": "delivery", "id": 2}, {"type": "pickup", "id": 1},
                  {"type": "pickup", "id": 3})"),
               kShipments);
  const json precedence = {{{"cause", "precedence"}}};
  for (const size_t step : {1, 2, 3}) EXPECT_EQ(result.ViolationsOf(0, step), precedence);
  EXPECT_EQ(result.written["summary"]["unassigned"], 1);
  EXPECT_FALSE(result.plan->violations.empty());
}

TEST(VroomPlan, NamesTheVehicleThatHasTheSteps) {
  const Evaluated result = Evaluate(
      R"({"id": 4, "start_index": 0, "end_index": 0},)" + AVehicle(R"({"type": "job", "id": 1})"),
      R"("jobs": [{"id": 1, "location_index": 1}])");
  EXPECT_EQ(result.written["routes"][0]["vehicle"], 5);
  EXPECT_EQ(result.written["summary"]["routes"], 1);
  EXPECT_THAT(result.Messages(), IsEmpty());
}

TEST(VroomPlan, EvaluatesRoutesWithoutTasks) {
  const Evaluated result = Evaluate(
      R"({"id": 1, "end_index": 2, "steps": [{"type": "start"}, {"type": "end"}]},
         {"id": 2, "start_index": 1, "steps": [{"type": "start"}], "costs": {"fixed": 70}},
         {"id": 3, "start_index": 0, "end_index": 1, "steps": [{"type": "end"}]})",
      kTwoJobs);
  ASSERT_TRUE(result.plan.ok()) << result.plan.status();
  EXPECT_EQ(result.written["summary"]["cost"], 2070);
  EXPECT_EQ(result.written["routes"][0]["steps"][0]["location_index"], 2);
  EXPECT_EQ(result.written["routes"][1]["steps"][1]["location_index"], 1);
  EXPECT_EQ(result.written["routes"][2]["duration"], 2000);
}

TEST(VroomPlan, RefusesStepsThatAreNoRoute) {
  EXPECT_THAT(ErrorOf(AVehicle(R"({"type": "job", "id": 1}, {"type": "job", "id": 1})"), kTwoJobs),
              HasSubstr("vehicles[0].steps[1].id: got 1, a task that is in the steps already"));
  EXPECT_THAT(ErrorOf(AVehicle(R"({"type": "break"}, {"type": "job", "id": 1})"), kTwoJobs),
              HasSubstr("vehicles[0].steps[0].id: absent, wanted the id of a break"));
  EXPECT_THAT(
      ErrorOf(AVehicle(R"({"type": "job", "id": 1}, {"type": "break", "id": 3})"), kTwoJobs),
      HasSubstr("vehicles[0].steps[1].id: got 3, wanted the id of a break"));
  EXPECT_THAT(ErrorOf(AVehicle(R"({"type": "job", "id": 1}, {"type": "start"})"), kTwoJobs),
              HasSubstr("vehicles[0].steps[1].type: got start, wanted it only as the first step"));
  EXPECT_THAT(ErrorOf(AVehicle(R"({"type": "end"}, {"type": "job", "id": 1})"), kTwoJobs),
              HasSubstr("vehicles[0].steps[0].type: got end, wanted it only as the last step"));
  EXPECT_THAT(ErrorOf(AVehicle(""), kTwoJobs), HasSubstr("no vehicle has steps"));
  EXPECT_THAT(ErrorOf(AVehicle(R"({"type": "job", "id": 1})", R"(, "max_tasks": 0)") +
                          R"(, {"id": 6, "start_index": 0})",
                      kTwoJobs),
              HasSubstr("vehicles[0].steps: given, but max_tasks is 0"));
}

TEST(VroomPlan, RefusesForcedTimesThatNoVehicleCanKeep) {
  EXPECT_THAT(ErrorOf(AVehicle(R"({"type": "job", "id": 1, "service_before": 1000})"), kTwoJobs),
              HasSubstr("vehicles[0].steps: no times keep service_at"));
}

}  // namespace
}  // namespace vrp
