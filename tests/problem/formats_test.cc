// Tests the detection of a format, and readers of valid files.
#include "core/problem/formats/formats.h"

#include <string>
#include <utility>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/formats/vrplib/vrplib_solution.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

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
  EXPECT_EQ(instance.vehicles()[0].count, 0);  // the "k4" in the name does not limit the count
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

std::string ExplicitMatrixFile(std::string_view format, std::string_view weights) {
  return "NAME: m\nTYPE: CVRP\nDIMENSION: 3\nCAPACITY: 9\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
         "EDGE_WEIGHT_FORMAT: " +
         std::string(format) + "\nEDGE_WEIGHT_SECTION\n" + std::string(weights) +
         "\nDEMAND_SECTION\n1 0\n2 4\n3 5\nDEPOT_SECTION\n1\n-1\nEOF\n";
}

TEST(VrplibTest, ReadsEveryMatrixFormat) {
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
    EXPECT_EQ(Parse(ExplicitMatrixFile(format, weights)).DistanceMatrix(), symmetric) << format;
  }
  const Instance asymmetric = Parse(ExplicitMatrixFile("FULL_MATRIX", "7 1 2 5 0 3.5 6 4 0"));
  EXPECT_EQ(asymmetric.Distance(1, 0), 5);
  EXPECT_EQ(asymmetric.Distance(0, 0), 7);
  EXPECT_EQ(asymmetric.metric(), Metric::kExact);  // since a distance has a fraction
}

TEST(VrplibTest, PutsDepotsFirst) {
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

TEST(FormatsTest, NamesTheInstanceAfterTheFileIfTheTextHasNoName) {
  EXPECT_EQ(ParseJson(R"({"kind": "tsp", "coords": [[0, 0], [1, 1]]})", "a/b.c.json")->name(),
            "b.c");
}

TEST(FormatsTest, RefusesUnknownFormatsAndListsTheKnownOnes) {
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
      {R"({"name": "left-pad", "version": "1.3.0"})",
       "(it is a JSON object without keys of an instance)"},
      {"[1, 2]", "(it is a JSON array, wanted one object)"},
      {"Route #1: 1 2\nCost 7\n", "(it is a solution: give it together with its instance)"},
      {"1 2 3\n4 5\n", "format: wanted"},
  };
  for (const auto& [text, reason] : texts) {
    const absl::Status status = ParseInstance(text, "README.md").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), StartsWith("README.md: no known format"));
    EXPECT_THAT(std::string(status.message()), HasSubstr(reason)) << text;
    for (const char* format : {"CVRPLIB", "TSPLIB", "Solomon", "Li and Lim", "Cordeau", "VROOM"}) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(format));
    }
  }
}

TEST(FormatsTest, FindsTheMatricesThatJsonRefersTo) {
  EXPECT_TRUE(RefersToMatrices(R"({"matrices": "matrices/a"})", "matrices/a"));
  EXPECT_TRUE(RefersToMatrices("\xEF\xBB\xBF{\"matrices\": \"matrices/a\"}", "matrices/a"));
  EXPECT_TRUE(RefersToMatrices(R"({"m\u0061trices": "matrices\/a"})", "matrices/a"));
  EXPECT_TRUE(RefersToMatrices(R"({"vehicles": [{}, {"matrices": "matrices/a"}]})", "matrices/a"));
  EXPECT_FALSE(RefersToMatrices(R"({"matrices": "matrices/ab"})", "matrices/a"));
  EXPECT_FALSE(RefersToMatrices(R"({"name": "matrices/a", "vehicles": 1})", "matrices/a"));
  EXPECT_FALSE(RefersToMatrices(R"(["matrices/a"])", "matrices/a"));
  EXPECT_FALSE(RefersToMatrices("NAME : matrices/a", "matrices/a"));
  EXPECT_FALSE(RefersToMatrices("", "matrices/a"));
}

TEST(FormatsTest, ReportsErrorsOfTheDetectedFormat) {
  EXPECT_THAT(std::string(ParseInstance("DIMENSION : many\n", "x").status().message()),
              HasSubstr("x:1: "));
  EXPECT_THAT(std::string(ParseInstance(R"({"coords": [[0, 0]]})", "x").status().message()),
              HasSubstr("kind"));
}

}  // namespace
}  // namespace vrp
