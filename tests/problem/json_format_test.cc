// Tests reading and writing instances as our JSON.
#include <sstream>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/problem/generate/generators.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/constrained_instance.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::ReadData;
using testing::HasSubstr;

Instance FromJson(std::string_view text) {
  absl::StatusOr<Instance> instance = ParseInstance(text, "folder/file.json");
  EXPECT_TRUE(instance.ok()) << instance.status();
  return *std::move(instance);
}

// Returns instances that together use most fields.
std::vector<Instance> ManyInstances() {
  std::vector<Instance> instances;
  for (const ProblemKind kind : {ProblemKind::kTsp, ProblemKind::kCvrp, ProblemKind::kVrptw}) {
    instances.push_back(*GenerateInstance({.kind = kind, .customers = 12}, 3));
  }
  instances.push_back(AnInstance().As(Metric::kDimacs).RandomWindows().Service(0.1).Build());
  instances.push_back(AnInstance().ExplicitMatrix(0.7).Backhauls({0, 0, 1, 2, 0.3}).Build());
  instances.push_back(AnInstance().Kind(ProblemKind::kTsp).ExplicitMatrix().Build());
  InstanceData data = AnInstance().RandomWindows().Service(2).BuildData();
  data.name = "Z\xC3\xBCrich \"1\"";
  data.ids = {"depot", "d2", "a", "b", "c", "d"};
  data.num_depots = 2;
  data.demands[1] = data.services[1] = 0;
  data.windows[3].close = kNoLimit;
  data.windows[0].close = kNoLimit;
  data.speed = 1.0 / 3;
  data.metric = Metric::kScaled1000;
  data.reference_cost = 0.1 + 0.2;
  data.duration_matrix.assign(36, 2.5);
  data.length_matrix.assign(36, 3);
  data.vehicles = {{.id = "x",
                    .count = 2,
                    .depot = 1,
                    .capacity = 7,
                    .max_duration = 99,
                    .max_distance = 12.5,
                    .open_end = true},
                   {.id = "y"}};
  instances.push_back(*Instance::Create(data));
  data.num_depots = 1;
  data.vehicles = {{}};
  instances.push_back(*Instance::Create(data));
  for (uint64_t seed = 0; seed < 300; ++seed) {
    instances.push_back(test::RandomConstrainedInstance(seed, 2 + static_cast<int32_t>(seed % 7)));
  }
  data = AnInstance().At({{13.4, 52.5}, {11.6, 48.1}}).BuildData();
  data.coordinates = CoordinateSystem::kLonLat;
  instances.push_back(*Instance::Create(data));
  return instances;
}

TEST(JsonFormatTest, ReadsTheRandomSetsAndTheirReferencePlans) {
  int checked = 0;
  for (const char* set : {"cvrp20", "cvrp50", "cvrp100", "vrptw50", "vrptw100"}) {
    std::istringstream lines(ReadData(std::string("random/") + set + "_seed1234_first5.jsonl"));
    for (std::string line; std::getline(lines, line); ++checked) {
      const Instance instance = FromJson(line);
      const nlohmann::json object = *ParseJsonText(line, set);
      Plan plan;
      for (const auto& route : object["ref_routes"]) {
        plan.push_back({.customers = route.get<std::vector<NodeIndex>>()});
      }
      const CheckReport report = CheckPlan(instance, plan, instance.reference_cost());
      for (const Violation& violation : report.violations) ADD_FAILURE() << violation.message;
    }
  }
  EXPECT_EQ(checked, 25);
}

TEST(JsonFormatTest, ReadsBackAnEqualInstance) {
  for (const Instance& instance : ManyInstances()) {
    const std::string text = WriteJson(instance);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const auto reread = ParseJson(text, "again");
    ASSERT_TRUE(reread.ok()) << reread.status() << text;
    EXPECT_TRUE(reread->data() == instance.data()) << text;
    EXPECT_EQ(WriteJson(*reread), text);
  }
}

TEST(JsonFormatTest, ReadsABalance) {
  const auto read = [](std::string_view balance) {
    return ParseJson(Concat(R"({"kind": "cvrp", "coords": [[0, 0], [1, 0]], "demands": [0, 1],
        "capacity": 5, "balance": )",
                            balance, "}"),
                     "b.json");
  };
  const auto instance = read(R"({"measure": "duration", "max_spread": null, "cost": 3})");
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(instance->data().balance, Balance{.cost = 3});
  EXPECT_THAT(WriteJson(*instance), HasSubstr(R"("balance":{"measure":"duration","cost":3})"));
  EXPECT_THAT(
      read(R"({"cost": 3})").status().message(),
      HasSubstr("b.json: balance.measure: absent, wanted duration, distance, load or stops"));
  EXPECT_THAT(read(R"({"measure": "time", "cost": 3})").status().message(),
              HasSubstr("balance.measure: got \"time\", wanted duration, distance, load or stops"));
  EXPECT_THAT(read(R"({"measure": "load"})").status().message(),
              HasSubstr("balance: has neither max_spread nor a cost above 0"));
  EXPECT_THAT(read("7").status().message(), HasSubstr("balance: got 7, wanted an object"));
}

TEST(JsonFormatTest, InfersTheCostObjectiveFromVehicleCosts) {
  const auto objective = [](std::string_view more, std::string_view vehicle) {
    return FromJson(Concat(R"({"kind": "cvrp", "coords": [[0, 0], [1, 0]], "demands": [0, 1], )",
                           more, R"("vehicles": [{"capacity": 5}, {"capacity": 5)", vehicle, "}]}"))
        .data()
        .objective;
  };
  EXPECT_EQ(objective("", ""), Objective::kDistance);
  for (const char* cost : {"fixed_cost", "cost_per_distance", "cost_per_time"}) {
    EXPECT_EQ(objective("", Concat(R"(, ")", cost, R"(": 2)")), Objective::kCost) << cost;
  }
  EXPECT_EQ(objective(R"("objective": "duration", )", ""), Objective::kDuration);
  EXPECT_EQ(ParseInstance(R"({"kind": "cvrp", "coords": [[0, 0], [1, 0]], "demands": [0, 1],
                              "objective": "distance", "vehicles": [{"fixed_cost": 2}]})",
                          "file.json")
                .status()
                .message(),
            "file.json: vehicles[0].fixed_cost: given, but the objective is distance; wanted "
            "objective cost");
}

TEST(JsonFormatTest, AppliesOneServiceTimeToCustomersAndTheHorizonToTheDepot) {
  const Instance instance = FromJson(
      R"({"kind": "vrptw", "capacity": 5, "coords": [[0, 0], [1, 1]], "demands": [0, 1],
          "time_windows": [[0, null], [2, 3]], "service": 4, "horizon": 50})");
  EXPECT_EQ(instance.service(0), 0);
  EXPECT_EQ(instance.service(1), 4);
  EXPECT_EQ(instance.window(0).close, 50);
  EXPECT_EQ(instance.metric(), Metric::kExact);
}

}  // namespace
}  // namespace vrp
