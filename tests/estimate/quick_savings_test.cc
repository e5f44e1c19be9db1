// Tests the quick plans of estimates by the checker.
#include "core/estimate/quick_savings.h"

#include <set>
#include <utility>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

// Returns the routes as a plan.
Plan PlanOfSavings(const QuickSavings& savings, int32_t nodes) {
  Plan plan;
  for (int32_t i = 1; i < nodes; ++i) {
    if (savings.previous(i) != 0) continue;
    PlannedRoute& route = plan.emplace_back();
    for (int32_t at = i; at != 0; at = savings.next(at)) route.customers.push_back(at);
  }
  return plan;
}

void ExpectFeasible(const Instance& instance) {
  Subproblem problem;
  ASSERT_TRUE(problem.ChooseAll(instance).ok());
  QuickSavings savings;
  savings.Plan(problem);
  const Plan plan = PlanOfSavings(savings, problem.nodes());
  const CheckReport report = CheckPlan(instance, plan);
  EXPECT_TRUE(report.feasible) << report.violations.front().message;
  EXPECT_EQ(std::ssize(plan), savings.routes());
  EXPECT_NEAR(report.cost, savings.cost() * problem.scale(), 1e-4 * report.cost);
}

TEST(QuickSavingsTest, KeepsCapacity) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    ExpectFeasible(test::AnInstance()
                       .WithCustomers(static_cast<int32_t>(3 * seed))
                       .Seed(seed)
                       .Capacity(25)
                       .RandomDemands()
                       .Build());
  }
}

TEST(QuickSavingsTest, KeepsWindows) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    ExpectFeasible(test::AnInstance()
                       .WithCustomers(static_cast<int32_t>(3 * seed))
                       .Seed(seed)
                       .Capacity(40)
                       .RandomDemands()
                       .Service(seed % 2 == 0 ? 3 : 0)
                       .RandomWindows()
                       .Build());
  }
}

TEST(QuickSavingsTest, KeepsCapacityAndWindowsInOtherShapes) {
  const Instance instance =
      test::AnInstance().WithCustomers(80).Capacity(30).RandomDemands().RandomWindows().Build();
  Subproblem problem;
  ASSERT_TRUE(problem.ChooseAll(instance).ok());
  QuickSavings savings;
  savings.Plan(problem);
  const double cost = savings.cost();
  std::set<double> costs;
  for (const float shape : {0.6F, 1.0F, 1.5F}) {
    savings.PlanAgain(problem, shape);
    const CheckReport report = CheckPlan(instance, PlanOfSavings(savings, problem.nodes()));
    EXPECT_TRUE(report.feasible) << report.violations.front().message;
    EXPECT_NEAR(report.cost, savings.cost() * problem.scale(), 1e-4 * report.cost);
    if (shape == 1) {
      EXPECT_EQ(savings.cost(), cost);
    }
    costs.insert(savings.cost());
  }
  EXPECT_EQ(costs.size(), 3);
}

TEST(QuickSavingsTest, JoinsRoutesThatAreFarFromEachOther) {
  // Two far clusters with more neighbours than legs are considered to at first.
  std::vector<Position> positions = {{0, 0}};
  for (int i = 0; i < 120; ++i) {
    positions.push_back({i < 60 ? 1000.0 + i : 1000.0, i < 60 ? 0.0 : 400.0 + i});
  }
  Subproblem problem;
  ASSERT_TRUE(problem.ChooseAll(test::AnInstance().At(positions).Capacity(1000).Build()).ok());
  QuickSavings savings;
  savings.Plan(problem);
  EXPECT_EQ(savings.routes(), 1);
}

TEST(QuickSavingsTest, CountsLegsThatWindowsForbid) {
  const auto forbidden = [](std::vector<TimeWindow> windows) {
    Subproblem problem;
    EXPECT_TRUE(problem
                    .ChooseAll(*Instance::Create(
                        test::OnALine().Windows(std::move(windows), 1000).BuildData()))
                    .ok());
    QuickSavings savings;
    savings.Plan(problem);
    return savings.forbidden();
  };
  EXPECT_EQ(forbidden({{0, 900}, {0, 900}, {0, 900}}), 0);
  // Of the six legs, those from later windows to earlier ones.
  EXPECT_EQ(forbidden({{100, 110}, {300, 310}, {500, 510}}), 0.5);
}

TEST(QuickSavingsTest, JoinsCustomersOnALine) {
  Subproblem problem;
  ASSERT_TRUE(problem.ChooseAll(test::OnALine().Build()).ok());
  QuickSavings savings;
  savings.Plan(problem);
  EXPECT_EQ(savings.routes(), 1);
  EXPECT_NEAR(savings.cost() * problem.scale(), 60, 1e-4);
}

TEST(QuickSavingsTest, PlansTheSameAgainAfterAnotherProblem) {
  Subproblem problem;
  QuickSavings savings;
  const Instance first = test::AnInstance().WithCustomers(40).Seed(3).RandomWindows().Build();
  ASSERT_TRUE(problem.ChooseAll(first).ok());
  savings.Plan(problem);
  const double cost = savings.cost();
  ASSERT_TRUE(problem.ChooseAll(test::AnInstance().WithCustomers(70).Build()).ok());
  savings.Plan(problem);
  ASSERT_TRUE(problem.ChooseAll(first).ok());
  savings.Plan(problem);
  EXPECT_EQ(savings.cost(), cost);
}

}  // namespace
}  // namespace vrp
