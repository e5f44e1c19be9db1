// Tests the quick plans of estimates by the checker.
#include "core/estimate/quick_savings.h"

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
