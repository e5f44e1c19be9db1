// Tests the VROOM output of solutions.
#include "core/problem/formats/vroom/vroom_solution.h"

#include <string>

#include "core/problem/formats/formats.h"
#include "core/problem/formats/solution_formats.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using nlohmann::json;
using test::AnInstance;
using testing::HasSubstr;

// A file with three locations, two equal vans with a break each, a lorry, jobs, and a shipment. The
// ids of the shipment's tasks equal the id of a job.
constexpr char kVroomText[] = R"({
  "vehicles": [
    {"id": 40, "start_index": 0, "end_index": 0, "capacity": [5], "description": "blue",
     "breaks": [{"id": 71, "time_windows": [[30, 35]], "service": 20}]},
    {"id": 7, "start_index": 0, "capacity": [9]},
    {"id": 41, "start_index": 0, "end_index": 0, "capacity": [5],
     "breaks": [{"id": 72, "description": "lunch", "time_windows": [[30, 35]], "service": 20}]}],
  "jobs": [{"id": 1, "location_index": 1, "delivery": [2], "service": 30, "priority": 4,
            "setup": 5, "description": "baker"},
           {"id": 2, "location_index": 2, "pickup": [3], "time_windows": [[95, 200]]}],
  "shipments": [{"amount": [1], "pickup": {"id": 1, "location_index": 1},
                 "delivery": {"id": 1, "location_index": 2}}],
  "matrices": {"car": {"durations": [[0, 60, 70], [61, 0, 10], [72, 12, 0]],
                       "distances": [[0, 600, 700], [610, 0, 100], [720, 120, 0]]}}})";

struct VroomCase {
  Instance instance = *ParseJson(kVroomText, "v.json");
  VroomNames names = VroomNamesOf(instance, kVroomText);

  json WriteAsVroom(const Plan& plan) const {
    const absl::StatusOr<Solution> solution = MakeSolution(instance, plan);
    EXPECT_TRUE(solution.ok()) << solution.status();
    return json::parse(WriteVroomSolution(instance, *solution, names));
  }
};

TEST(VroomSolution, UsesTheIdsAndLocationsOfTheFile) {
  const json root = VroomCase().WriteAsVroom({{1, {2}}, {0, {3, 4}}, {0, {1}}});
  EXPECT_EQ(root["code"], 0);
  ASSERT_EQ(root["routes"].size(), 3u);
  EXPECT_EQ(root["routes"][0]["vehicle"], 7);
  EXPECT_EQ(root["routes"][1]["vehicle"], 40);
  EXPECT_EQ(root["routes"][1]["description"], "blue");
  EXPECT_EQ(root["routes"][2]["vehicle"], 41);
  const json& steps = root["routes"][1]["steps"];
  EXPECT_EQ(steps[0]["type"], "start");
  EXPECT_EQ(steps[1]["type"], "break");
  EXPECT_EQ(steps[1]["id"], 71);
  EXPECT_EQ(steps[2]["type"], "pickup");
  EXPECT_EQ(steps[2]["id"], 1);
  EXPECT_EQ(steps[3]["type"], "delivery");
  EXPECT_EQ(steps[4]["type"], "end");
  EXPECT_EQ(steps[2]["job"], 1);
  EXPECT_FALSE(steps[1].contains("job"));
  EXPECT_EQ(root["routes"][2]["steps"][1]["id"], 72);
  EXPECT_EQ(root["routes"][2]["steps"][1]["description"], "lunch");
  EXPECT_EQ(root["routes"][2]["steps"][2]["description"], "baker");
  EXPECT_EQ(root["routes"][2]["steps"][2]["location_index"], 1);
}

TEST(VroomSolution, CountsTravelServiceSetupAndWaitingSeparately) {
  const json root = VroomCase().WriteAsVroom({{0, {1, 2}}});
  const json& route = root["routes"][0];
  const json& steps = route["steps"];
  // The vehicle drives for 30, pauses from 30 to 50, and drives for another 30.
  EXPECT_EQ(steps[1]["arrival"], 30);
  EXPECT_EQ(steps[1]["duration"], 30);
  EXPECT_EQ(steps[1]["service"], 20);
  EXPECT_EQ(steps[1]["distance"], 300);
  EXPECT_EQ(steps[2]["arrival"], 80);
  EXPECT_EQ(steps[2]["duration"], 60);
  EXPECT_EQ(steps[2]["distance"], 600);
  EXPECT_EQ(steps[2]["setup"], 5);
  EXPECT_EQ(steps[2]["service"], 30);
  EXPECT_EQ(steps[2]["load"], json({0}));
  EXPECT_EQ(steps[3]["arrival"], 125);
  EXPECT_EQ(steps[3]["waiting_time"], 0);
  EXPECT_EQ(steps[4]["arrival"], 125 + 72);
  EXPECT_EQ(route["duration"], 142);
  EXPECT_EQ(route["service"], 50);
  EXPECT_EQ(route["setup"], 5);
  EXPECT_EQ(route["distance"], 1420);
  EXPECT_EQ(route["cost"], 142);
  EXPECT_EQ(route["delivery"], json({2}));
  EXPECT_EQ(route["pickup"], json({3}));
  EXPECT_EQ(route["priority"], 4);
  EXPECT_EQ(root["summary"]["cost"], 142);
  EXPECT_EQ(root["summary"]["routes"], 1);
  EXPECT_EQ(root["summary"]["unassigned"], 2);
  EXPECT_EQ(root["summary"]["violations"], json::array());
}

// A tenth of a degree takes 800.6 s, so separately rounded arrivals would not add up.
TEST(VroomSolution, AddsUpStepsInWholeSeconds) {
  const std::string text = R"({"vehicles": [{"id": 1, "start": [0, 0],
      "breaks": [{"id": 5, "time_windows": [[90000, 90000]], "service": 60}]}],
    "jobs": [{"id": 1, "location": [0.1, 0], "service": 10},
             {"id": 2, "location": [0.2, 0], "service": 10, "time_windows": [[5000, 9000]]},
             {"id": 3, "location": [0.3, 0]}, {"id": 4, "location": [0.4, 0]}]})";
  const Instance instance = *ParseJson(text, "v.json");
  const Solution solution = *MakeSolution(instance, {{0, {1, 2, 3, 4}}});
  const json root =
      json::parse(WriteVroomSolution(instance, solution, VroomNamesOf(instance, text)));
  const json& steps = root["routes"][0]["steps"];
  ASSERT_EQ(steps.size(), 7u);
  const auto seconds = [](const json& step, const char* key) { return step[key].get<int64_t>(); };
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    EXPECT_EQ(seconds(steps[i + 1], "arrival"),
              seconds(steps[i], "arrival") + seconds(steps[i], "setup") +
                  seconds(steps[i], "service") + seconds(steps[i], "waiting_time") +
                  seconds(steps[i + 1], "duration") - seconds(steps[i], "duration"))
        << i;
  }
  // The break is taken at the open end, and the route ends with the break.
  EXPECT_EQ(steps[5]["type"], "break");
  EXPECT_EQ(steps[6]["arrival"], 90060);
  for (const char* key : {"cost", "duration", "service", "waiting_time"}) {
    EXPECT_EQ(root["summary"][key], root["routes"][0][key]) << key;
  }
}

TEST(VroomSolution, WaitsForAWindowAndListsUnassignedTasks) {
  const json root = VroomCase().WriteAsVroom({{1, {2}}});
  const json& job = root["routes"][0]["steps"][1];
  EXPECT_EQ(job["arrival"].get<int>() + job["waiting_time"].get<int>(), 95);
  ASSERT_EQ(root["unassigned"].size(), 3u);
  EXPECT_EQ(root["unassigned"][0],
            json({{"id", 1}, {"type", "job"}, {"description", "baker"}, {"location_index", 1}}));
  EXPECT_EQ(root["unassigned"][2]["type"], "delivery");
}

TEST(VroomSolution, EndsAtTheLastTaskWithoutAnEndLocation) {
  const json root = VroomCase().WriteAsVroom({{1, {2}}});
  EXPECT_EQ(root["routes"][0]["steps"].back(), json::parse(R"({
    "type": "end", "location_index": 2, "setup": 0, "service": 0, "waiting_time": 0, "load": [3],
    "arrival": 95, "duration": 70, "distance": 700, "violations": []})"));
}

TEST(VroomSolution, OmitsDistancesThatTheFileDoesNotHave) {
  const std::string text = R"({"vehicles": [{"id": 1, "start_index": 0}],
    "jobs": [{"id": 1, "location_index": 1}],
    "matrices": {"car": {"durations": [[0, 6], [6, 0]]}}})";
  const Instance instance = *ParseJson(text, "v.json");
  const json root = json::parse(WriteVroomSolution(instance, *MakeSolution(instance, {{0, {1}}}),
                                                   VroomNamesOf(instance, text)));
  EXPECT_FALSE(root["routes"][0].contains("distance"));
  for (const json& step : root["routes"][0]["steps"]) EXPECT_FALSE(step.contains("distance"));
}

TEST(VroomSolution, ReadsBackTheSamePlan) {
  const VroomCase vroom;
  const Plan plan = {{0, {1}}, {0, {3, 4}}, {1, {2}}};
  const absl::StatusOr<SolutionFile> read =
      ReadSolution(vroom.WriteAsVroom(plan).dump(), "s.json", SolutionFormat::kAuto, vroom.names,
                   vroom.instance);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->plan, plan);
}

TEST(VroomSolution, NumbersVehiclesThroughAllTypesWithoutAVroomFile) {
  InstanceData data = AnInstance().WithCustomers(3).BuildData();
  data.vehicles = {{.count = 2, .capacity = 10}, {.count = 0, .capacity = 20}};
  const Instance instance = *Instance::Create(data);
  const VroomNames names(instance);
  const Plan plan = {{0, {1}}, {1, {2}}, {1, {3}}};
  const std::string text = WriteVroomSolution(instance, *MakeSolution(instance, plan), names);
  const json root = json::parse(text);
  EXPECT_EQ(root["routes"][0]["vehicle"], 1);
  EXPECT_EQ(root["routes"][1]["vehicle"], 3);
  EXPECT_EQ(root["routes"][2]["vehicle"], 4);
  EXPECT_EQ(root["routes"][2]["steps"][1]["id"], 3);
  EXPECT_EQ(ReadSolution(text, "s", SolutionFormat::kVroom, names, instance)->plan, plan);
}

TEST(VroomSolution, RefusesReloads) {
  InstanceData data = AnInstance().BuildData();
  data.vehicles[0].max_reloads = 1;
  const absl::Status status = CheckWritable(SolutionFormat::kVroom, *Instance::Create(data));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("vehicles[0].max_reloads"));
}

}  // namespace
}  // namespace vrp
