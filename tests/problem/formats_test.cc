// Readers and writers on good input.
#include "core/problem/formats/formats.h"

#include <sstream>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/problem/formats/vrplib/vrplib_solution.h"
#include "core/problem/generate/generators.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"
#include "tests/testing/random_plan.h"
#include "tests/testing/rich_instance.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::ReadData;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Instance Parse(std::string_view text) {
  absl::StatusOr<Instance> instance = ParseInstance(text, "folder/file.vrp");
  EXPECT_TRUE(instance.ok()) << instance.status();
  return *std::move(instance);
}

TEST(VrplibTest, ReadsEn22k4AndItsOptimalPlan) {
  const Instance instance = Parse(ReadData("E-n22-k4.vrp"));
  EXPECT_EQ(instance.name(), "E-n22-k4");
  EXPECT_EQ(instance.kind(), ProblemKind::kCvrp);
  EXPECT_EQ(instance.metric(), Metric::kRounded);
  EXPECT_EQ(instance.num_customers(), 21);
  EXPECT_EQ(instance.capacity(), 6000);
  EXPECT_EQ(instance.vehicles()[0].count, 0);  // the k4 of the name is no limit
  EXPECT_EQ(instance.reference_cost(), 375);
  const SolutionFile solution =
      *ParseVrplibSolution(ReadData("E-n22-k4.sol"), "E-n22-k4.sol", instance);
  EXPECT_TRUE(CheckPlan(instance, solution.plan, solution.cost).feasible);
  EXPECT_EQ(PlanCost(instance, solution.plan), 375);
}

TEST(VrplibTest, ReadsPyvrpsDialectOfSolomonAndItsBestKnownPlan) {
  const Instance instance = Parse(ReadData("RC208.vrp"));
  EXPECT_EQ(instance.kind(), ProblemKind::kVrptw);
  EXPECT_EQ(instance.metric(), Metric::kDimacs);
  EXPECT_EQ(instance.vehicles()[0].count, 25);
  EXPECT_EQ(instance.service(0), 0);
  EXPECT_EQ(instance.service(100), 10);
  const SolutionFile solution = *ParseVrplibSolution(ReadData("RC208.sol"), "RC208.sol", instance);
  const CheckReport report = CheckPlan(instance, solution.plan, solution.cost);
  EXPECT_TRUE(report.feasible);
  EXPECT_EQ(report.cost, 776.1);
}

TEST(VrplibTest, ReadsATsp) {
  const Instance instance = Parse(ReadData("pr107.tsp"));
  EXPECT_EQ(instance.kind(), ProblemKind::kTsp);
  EXPECT_EQ(instance.num_nodes(), 107);
  EXPECT_EQ(instance.position(106).x, 16225);
}

std::string Explicit(std::string_view format, std::string_view weights) {
  return "NAME: m\nTYPE: CVRP\nDIMENSION: 3\nCAPACITY: 9\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
         "EDGE_WEIGHT_FORMAT: " +
         std::string(format) + "\nEDGE_WEIGHT_SECTION\n" + std::string(weights) +
         "\nDEMAND_SECTION\n1 0\n2 4\n3 5\nDEPOT_SECTION\n1\n-1\nEOF\n";
}

TEST(VrplibTest, ReadsEveryFormOfAMatrix) {
  const std::vector<double> symmetric = {0, 1, 2, 1, 0, 3, 2, 3, 0};
  for (const auto& [format, weights] :
       std::vector<std::pair<const char*, const char*>>{{"FULL_MATRIX", "0 1 2\n1 0 3\n2 3 0"},
                                                        {"LOWER_ROW", "1\n2 3"},
                                                        {"UPPER_ROW", "1 2\n3"},
                                                        {"LOWER_DIAG_ROW", "0 1 0 2 3 0"},
                                                        {"UPPER_DIAG_ROW", "0 1 2 0 3 0"},
                                                        {"LOWER_COL", "1 2 3"},
                                                        {"UPPER_COL", "1 2 3"},
                                                        {"LOWER_DIAG_COL", "0 1 2 0 3 0"},
                                                        {"UPPER_DIAG_COL", "0 1 0 2 3 0"}}) {
    EXPECT_EQ(Parse(Explicit(format, weights)).DistanceMatrix(), symmetric) << format;
  }
  const Instance asymmetric = Parse(Explicit("FULL_MATRIX", "7 1 2 5 0 3.5 6 4 0"));
  EXPECT_EQ(asymmetric.Distance(1, 0), 5);
  EXPECT_EQ(asymmetric.Distance(0, 0), 7);
  EXPECT_EQ(asymmetric.metric(), Metric::kExact);  // for its fraction
}

TEST(VrplibTest, PutsDepotsFirstWhateverTheirNumbers) {
  const Instance instance = Parse(
      "TYPE: MDVRP\nDIMENSION: 4\nVEHICLES: 3\nCAPACITY: 9\nEDGE_WEIGHT_TYPE: CEIL_2D\n"
      "NODE_COORD_SECTION\n4 40 0\n1 10 0\n2 20 0\n3 30 0\nDEMAND_SECTION\n1 5\n2 0\n3 6\n4 0\n"
      "VEHICLES_DEPOT_SECTION\n1 4\n2 4\n3 2\nVEHICLES_MAX_DURATION_SECTION\n1 90\n2 90\n3 80\n"
      "DEPOT_SECTION\n4\n2\n-1\n");
  EXPECT_EQ(instance.name(), "file");
  EXPECT_EQ(instance.metric(), Metric::kCeiled);
  ASSERT_EQ(instance.num_depots(), 2);
  std::vector<double> xs;
  for (NodeIndex i = 0; i < 4; ++i) xs.push_back(instance.position(i).x);
  EXPECT_THAT(xs, ElementsAre(20, 40, 10, 30));
  EXPECT_EQ(instance.demand(2), 5);
  ASSERT_EQ(instance.vehicles().size(), 2u);
  EXPECT_EQ(instance.vehicles()[0].count, 2);
  EXPECT_EQ(instance.vehicles()[0].depot, 1);
  EXPECT_EQ(instance.vehicles()[1].depot, 0);
  EXPECT_EQ(instance.vehicles()[1].max_duration, 80);
}

constexpr std::string_view kSolomon =
    "C1\n\nVEHICLE\nNUMBER     CAPACITY\n  25         200\n\nCUSTOMER\n"
    "CUST NO.  XCOORD.   YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE   TIME\n \n"
    "    0      40         50          0          0       1236          0   \r\n"
    "    1      45         68         10        912        967         90   \r\n";

TEST(SolomonTest, ReadsTheTables) {
  const Instance instance = Parse(kSolomon);
  EXPECT_EQ(instance.name(), "C1");
  EXPECT_EQ(instance.kind(), ProblemKind::kVrptw);
  EXPECT_EQ(instance.metric(), Metric::kDimacs);
  EXPECT_EQ(instance.vehicles()[0].count, 25);
  EXPECT_EQ(instance.capacity(), 200);
  EXPECT_EQ(instance.demand(1), 10);
  EXPECT_EQ(instance.window(1), (TimeWindow{912, 967}));
  EXPECT_EQ(instance.service(1), 90);
  EXPECT_EQ(instance.Distance(0, 1), 18.6);
}

TEST(JsonFormatTest, ReadsTheRandomSetsAndTheirReferencePlans) {
  int checked = 0;
  for (const char* set : {"cvrp20", "cvrp50", "cvrp100", "vrptw50", "vrptw100"}) {
    std::istringstream lines(ReadData(std::string("random/") + set + "_seed1234_first5.jsonl"));
    for (std::string line; std::getline(lines, line); ++checked) {
      const Instance instance = Parse(line);
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

// Instances that together use every field.
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
    instances.push_back(test::RandomRichInstance(seed, 2 + static_cast<int32_t>(seed % 7)));
  }
  data = AnInstance().At({{13.4, 52.5}, {11.6, 48.1}}).BuildData();
  data.coordinates = CoordinateSystem::kLonLat;
  instances.push_back(*Instance::Create(data));
  return instances;
}

TEST(JsonFormatTest, WritesWhatItReadsBackToAnEqualInstance) {
  for (const Instance& instance : ManyInstances()) {
    const std::string text = WriteJson(instance);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const auto again = ParseJson(text, "again");
    ASSERT_TRUE(again.ok()) << again.status() << text;
    EXPECT_TRUE(again->data() == instance.data()) << text;
    EXPECT_EQ(WriteJson(*again), text);
  }
}

TEST(JsonFormatTest, VehiclesThatStateACostMakeItTheObjective) {
  const auto objective = [](std::string_view more, std::string_view vehicle) {
    return Parse(Concat(R"({"kind": "cvrp", "coords": [[0, 0], [1, 0]], "demands": [0, 1], )", more,
                        R"("vehicles": [{"capacity": 5}, {"capacity": 5)", vehicle, "}]}"))
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

TEST(JsonFormatTest, OneServiceTimeIsForAllCustomersAndTheHorizonForTheDepot) {
  const Instance instance = Parse(
      R"({"kind": "vrptw", "capacity": 5, "coords": [[0, 0], [1, 1]], "demands": [0, 1],
          "time_windows": [[0, null], [2, 3]], "service": 4, "horizon": 50})");
  EXPECT_EQ(instance.service(0), 0);
  EXPECT_EQ(instance.service(1), 4);
  EXPECT_EQ(instance.window(0).close, 50);
  EXPECT_EQ(instance.metric(), Metric::kExact);
}

TEST(SolutionFileTest, WritesWhatItReadsBack) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Instance instance = AnInstance().WithCustomers(15).Capacity(4).Seed(seed).Build();
    const Plan plan = test::RandomFeasiblePlan(instance, seed);
    const SolutionFile file =
        *ParseVrplibSolution(WriteVrplibSolution(instance, plan), "x.sol", instance);
    EXPECT_EQ(file.plan, plan);
    EXPECT_EQ(file.cost, PlanCost(instance, plan));
  }
}

TEST(SolutionFileTest, TheKthRouteIsOfTheKthVehicle) {
  InstanceData data = AnInstance().WithCustomers(4).BuildData();
  data.num_depots = 2;
  data.demands[1] = 0;
  data.vehicles = {{.count = 2, .depot = 0}, {.count = 2, .depot = 1}};
  const Instance instance = *Instance::Create(data);
  const auto file =
      ParseVrplibSolution("Route #1: 2\nRoute #2:\nRoute #3: 4 3\nCost: 12.5\n", "x", instance);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->plan[2].vehicle_type, 1);
  EXPECT_EQ(file->cost, 12.5);
  const Plan plan = {{1, {4, 3}}, {0, {2}}};
  const SolutionFile again =
      *ParseVrplibSolution(WriteVrplibSolution(instance, plan), "x", instance);
  EXPECT_THAT(again.plan, ElementsAre(plan[1], PlannedRoute{0, {}}, plan[0]));
}

TEST(FormatsTest, ANameIsTakenFromTheFileWhereTheTextHasNone) {
  EXPECT_EQ(ParseJson(R"({"kind": "tsp", "coords": [[0, 0], [1, 1]]})", "a/b.c.json")->name(),
            "b.c");
}

TEST(FormatsTest, TextOfNoKnownFormatIsRefusedWithTheFormatsThatAre) {
  using std::string_literals::operator""s;
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"", "(it is empty)"},
      {" \r\n\t", "(it is empty)"},
      {"hello", "format: wanted"},
      {"# Customer data\nVehicle routing is a problem.\ndimension of it: many\ncustomer 7 is far\n",
       "format: wanted"},
      {"PK\x03\x04", "(it is compressed: unpack it first)"},
      {"\x1f\x8b\x08", "(it is compressed: unpack it first)"},
      {"a\0b"s, "(it is binary)"},
      {"<!DOCTYPE html><html>", "(it is a web page or XML)"},
      {R"({"name": "left-pad", "version": "1.3.0"})", "(it is a JSON object, but of no instance)"},
      {"[1, 2]", "(it is a JSON array, wanted one object)"},
      {"Route #1: 1 2\nCost 7\n", "(it is a solution: give it together with its instance)"},
      {"1 2 3\n4 5\n", "format: wanted"},
  };
  for (const auto& [text, why] : texts) {
    const absl::Status status = ParseInstance(text, "README.md").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), StartsWith("README.md: no known format"));
    EXPECT_THAT(std::string(status.message()), HasSubstr(why)) << text;
    for (const char* format : {"CVRPLIB", "TSPLIB", "Solomon", "Li and Lim", "Cordeau", "VROOM"}) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(format));
    }
  }
}

TEST(FormatsTest, ATextOfAKnownFormatWithAnErrorGetsThatFormatsError) {
  EXPECT_THAT(std::string(ParseInstance("DIMENSION : many\n", "x").status().message()),
              HasSubstr("x:1: "));
  EXPECT_THAT(std::string(ParseInstance(R"({"coords": [[0, 0]]})", "x").status().message()),
              HasSubstr("kind"));
}

}  // namespace
}  // namespace vrp
