#include "core/problem/generate/generators.h"

#include <cmath>
#include <map>

#include "core/problem/checker/checker.h"
#include "core/problem/plan/solution.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

class GeneratorTest : public testing::TestWithParam<ProblemKind> {};

TEST_P(GeneratorTest, DependsOnSeedAndIndexOnly) {
  const GeneratorOptions options{.kind = GetParam(), .customers = 10, .seed = 5};
  const std::vector<Instance> instances = *GenerateInstances(options, 4);
  ASSERT_EQ(instances.size(), 4u);
  EXPECT_TRUE(GenerateInstance(options, 3)->data() == instances[3].data());
  EXPECT_FALSE(instances[2].data().positions == instances[3].data().positions);
  GeneratorOptions other = options;
  other.seed = 6;
  EXPECT_FALSE(GenerateInstance(other, 3)->data().positions == instances[3].data().positions);
}

TEST_P(GeneratorTest, AllowsARouteOfItsOwnForEveryCustomer) {
  for (const int32_t customers : {2, 20, 100}) {
    for (int64_t index = 0; index < 50; ++index) {
      const Instance instance =
          *GenerateInstance({.kind = GetParam(), .customers = customers}, index);
      Plan plan;
      for (NodeIndex i = 1; i < instance.num_nodes(); ++i) {
        if (plan.empty() || GetParam() != ProblemKind::kTsp) plan.emplace_back();
        plan.back().customers.push_back(i);
      }
      const CheckReport report = CheckPlan(instance, plan);
      for (const Violation& violation : report.violations) ADD_FAILURE() << violation.message;
    }
  }
}

TEST_P(GeneratorTest, RefusesSizesOutOfRange) {
  for (const int32_t customers : {-1, 0, 100'001}) {
    EXPECT_EQ(GenerateInstance({.kind = GetParam(), .customers = customers}, 0).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_FALSE(GenerateInstance({.kind = GetParam()}, -1).ok());
  EXPECT_FALSE(GenerateInstances({.kind = GetParam()}, -1).ok());
  EXPECT_FALSE(GenerateInstances({.kind = GetParam(), .customers = 1000}, 1'000'000'000).ok());
  EXPECT_TRUE(GenerateInstances({.kind = GetParam()}, 0)->empty());
}

INSTANTIATE_TEST_SUITE_P(Kinds, GeneratorTest,
                         testing::Values(ProblemKind::kTsp, ProblemKind::kCvrp,
                                         ProblemKind::kVrptw),
                         [](const auto& param_info) {
                           return std::string(KindName(param_info.param));
                         });

TEST(GeneratorsTest, UsesTheCapacitiesOfKoolEtAl) {
  for (const auto& [customers, capacity] : std::map<int32_t, double>{
           {5, 20}, {10, 20}, {15, 25}, {20, 30}, {35, 35}, {50, 40}, {75, 45}, {100, 50}}) {
    EXPECT_EQ(GenerateInstance({.customers = customers}, 0)->capacity(), capacity) << customers;
  }
  EXPECT_EQ(GenerateInstance({.capacity = 77}, 0)->capacity(), 77);
  for (const double capacity : {8.0, -1.0, std::nan("")}) {
    EXPECT_FALSE(GenerateInstance({.capacity = capacity}, 0).ok()) << capacity;
  }
}

TEST(GeneratorsTest, DrawsUniformPositionsAndDemandsFromOneToNine) {
  std::map<double, int> demands;
  double sum = 0;
  const std::vector<Instance> instances = *GenerateInstances({.customers = 20}, 500);
  for (const Instance& instance : instances) {
    EXPECT_EQ(instance.demand(0), 0);
    for (NodeIndex i = 1; i <= 20; ++i) {
      ++demands[instance.demand(i)];
      const Position position = instance.position(i);
      EXPECT_TRUE(position.x >= 0 && position.x < 1 && position.y >= 0 && position.y < 1);
      sum += position.x + position.y;
    }
  }
  EXPECT_EQ(demands.size(), 9u);
  for (const auto& [demand, count] : demands) EXPECT_NEAR(count, 10000 / 9.0, 170) << demand;
  EXPECT_NEAR(sum / 20000, 0.5, 0.011);
}

TEST(GeneratorsTest, DrawsIntegerWindowsThatLeaveTimeToReturn) {
  double width = 0;
  int windows = 0;
  const GeneratorOptions options{.kind = ProblemKind::kVrptw, .customers = 50};
  const std::vector<Instance> instances = *GenerateInstances(options, 200);
  for (const Instance& instance : instances) {
    EXPECT_EQ(instance.window(0), (TimeWindow{0, 480}));
    for (NodeIndex i = 1; i <= 50; ++i) {
      const TimeWindow window = instance.window(i);
      const double distance = instance.Distance(0, i);
      EXPECT_EQ(window.open, std::floor(window.open));
      EXPECT_EQ(window.close, std::floor(window.close));
      EXPECT_LT(window.open, window.close);
      EXPECT_GE(window.open, std::floor(distance) - 1);
      EXPECT_GE(window.close, distance);
      EXPECT_LE(window.close + distance, 480);
      EXPECT_LE(instance.position(i).x, 150);
      EXPECT_EQ(instance.service(i), 0);
      width += window.close - window.open;
      ++windows;
    }
  }
  // Two uniform ends differ by a third of the range on average. The range is 480 less twice the
  // mean distance, 78.2.
  EXPECT_NEAR(width / windows, (480 - 2 * 78.2) / 3, 3);
}

TEST(GeneratorsTest, WidensWindowsThatCloseBeforeTheEarliestArrival) {
  // In these instances, both ends of a window lie in the time unit before the earliest arrival.
  // This happens about once in 250,000 windows.
  for (const int64_t index : {114, 331, 681, 738, 1717, 1842}) {
    const Instance instance =
        *GenerateInstance({.kind = ProblemKind::kVrptw, .customers = 100, .seed = 1234}, index);
    for (NodeIndex i = 1; i <= 100; ++i) {
      EXPECT_GE(instance.window(i).close, instance.Distance(0, i)) << index << ", customer " << i;
    }
  }
}

}  // namespace
}  // namespace vrp
