// Tests brute_force.h and random_plan.h, on which other tests rely.
#include "core/problem/checker/checker.h"
#include "gtest/gtest.h"
#include "tests/testing/brute_force.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/random_plan.h"

namespace vrp::test {
namespace {

TEST(BruteForceTest, FindsObviousOptima) {
  // A pair of neighbours is on each side of the depot. A vehicle can carry two demands.
  const Instance pairs =
      AnInstance().At({{0, 0}, {10, 0}, {-10, 0}, {11, 0}, {-11, 0}}).Capacity(2).Build();
  const BruteForceResult result = BruteForceOptimum(pairs);
  EXPECT_TRUE(result.feasible);
  EXPECT_EQ(result.cost, 44);
  EXPECT_EQ(result.plan.size(), 2u);

  const Instance square =
      AnInstance().Kind(ProblemKind::kTsp).At({{0, 0}, {1, 1}, {1, 0}, {0, 1}}).Build();
  EXPECT_EQ(BruteForceOptimum(square).cost, 4);
}

TEST(BruteForceTest, RespectsTheFleetAndReportsInfeasibility) {
  auto builder = AnInstance().At({{0, 0}, {10, 0}, {-10, 0}, {0, 10}}).Capacity(2);
  EXPECT_EQ(BruteForceOptimum(builder.Vehicles(2).Build()).plan.size(), 2u);
  EXPECT_FALSE(BruteForceOptimum(builder.Vehicles(1).Build()).feasible);
}

TEST(BruteForceTest, IsFeasibleAndNoWorseThanAnyRandomPlan) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    auto builder = AnInstance().WithCustomers(6).Capacity(12).RandomDemands().Seed(seed);
    const Instance instance = (seed % 2 == 0 ? builder : builder.RandomWindows()).Build();
    const BruteForceResult best = BruteForceOptimum(instance);
    ASSERT_TRUE(best.feasible);
    EXPECT_TRUE(CheckPlan(instance, best.plan, best.cost).feasible);
    for (uint64_t plan_seed = 0; plan_seed < 50; ++plan_seed) {
      const Plan plan = RandomFeasiblePlan(instance, plan_seed);
      EXPECT_TRUE(CheckPlan(instance, plan).feasible);
      EXPECT_GE(PlanCost(instance, plan), best.cost - 1e-9);
    }
  }
}

}  // namespace
}  // namespace vrp::test
