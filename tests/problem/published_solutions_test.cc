// Tests that every file that best_known.csv of the public benchmark folder lists loads, and that
// every published solution is feasible at its published cost. Skips the tests if that table is
// missing.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/number.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/vrplib/vrplib_solution.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

fs::path DataDir() {
  const char* folder = std::getenv("VRP_DATA_DIR");
  return folder == nullptr ? "../shared/data" : folder;
}

class PublishedSolutionsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(DataDir() / "best_known.csv")) {
      GTEST_SKIP() << "no best_known.csv in " << DataDir()
                   << "; set VRP_DATA_DIR to the benchmark folder";
    }
  }
};

Instance Load(const fs::path& path) {
  const absl::StatusOr<std::string> text = ReadFile(path.string());
  EXPECT_TRUE(text.ok()) << text.status();
  absl::StatusOr<Instance> instance = ParseInstance(*text, path.string());
  EXPECT_TRUE(instance.ok()) << instance.status();
  return *std::move(instance);
}

std::string Violations(const CheckReport& report) {
  std::string text;
  for (const Violation& violation : report.violations) text += violation.message + "\n";
  return text;
}

struct BestKnown {
  std::string kind;
  int customers = 0;
  double cost = 0;
  std::string file;
};

std::vector<BestKnown> ReadTable() {
  std::istringstream lines(*ReadFile((DataDir() / "best_known.csv").string()));
  std::vector<BestKnown> table;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<std::string> fields;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
    table.push_back({fields[1], std::stoi(fields[2]), *ParseNumber(fields[4]), fields[7]});
  }
  return table;
}

TEST_F(PublishedSolutionsTest, LoadsEveryListedFileWithItsSize) {
  int loaded = 0;
  for (const BestKnown& row : ReadTable()) {
    if (row.file.empty()) continue;
    SCOPED_TRACE(row.file);
    const Instance instance = Load(DataDir() / row.file);
    const int size = row.kind == "tsp" ? instance.num_nodes() : instance.num_customers();
    EXPECT_EQ(size, row.customers);
    ++loaded;
  }
  std::printf("%d files loaded\n", loaded);
  EXPECT_GE(loaded, 100);
}

TEST_F(PublishedSolutionsTest, AreFeasibleAtTheirPublishedCost) {
  std::map<std::string, double> best;
  for (const BestKnown& row : ReadTable()) best[row.file] = row.cost;
  int checked = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(DataDir())) {
    if (entry.path().extension() != ".sol") continue;
    SCOPED_TRACE(entry.path());
    fs::path problem = fs::path(entry.path()).replace_extension(".vrp");
    if (!fs::exists(problem)) problem.replace_extension(".txt");
    const Instance instance = Load(problem);
    const std::string text = *ReadFile(entry.path().string());
    const auto solution = ParseVrplibSolution(text, entry.path().string(), instance);
    ASSERT_TRUE(solution.ok()) << solution.status();
    ASSERT_TRUE(solution->cost.has_value());
    const CheckReport report = CheckPlan(instance, solution->plan, solution->cost);
    EXPECT_TRUE(report.feasible) << Violations(report);
    EXPECT_NEAR(report.cost, best[fs::relative(problem, DataDir())], 1e-6);
    EXPECT_EQ(PlanCost(instance, solution->plan), report.cost);
    ++checked;
  }
  std::printf("%d published solutions checked\n", checked);
  EXPECT_GE(checked, 80);
}

TEST_F(PublishedSolutionsTest, OfRandomSetsAreFeasibleAtTheirReferenceCost) {
  int checked = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(DataDir() / "random")) {
    if (entry.path().extension() != ".jsonl") continue;
    std::istringstream lines(*ReadFile(entry.path().string()));
    for (std::string line; std::getline(lines, line); ++checked) {
      const auto instance = ParseJson(line, entry.path().string());
      ASSERT_TRUE(instance.ok()) << instance.status();
      Plan plan;
      const nlohmann::json object = *ParseJsonText(line, "line");
      for (const auto& route : object["ref_routes"]) {
        plan.push_back({.customers = route.get<std::vector<NodeIndex>>()});
      }
      const CheckReport report = CheckPlan(*instance, plan, instance->reference_cost());
      EXPECT_TRUE(report.feasible) << instance->name() << ": " << Violations(report);
      EXPECT_NEAR(report.cost, *instance->reference_cost(), 1e-5) << instance->name();
    }
  }
  std::printf("%d reference solutions checked\n", checked);
  EXPECT_GE(checked, 400);
}

}  // namespace
}  // namespace vrp
