#include "core/search/moves/plain_tail_exchange.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "core/search/model/problem.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/random_plan.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::InstanceBuilder;
using test::RandomFeasiblePlan;

// Two rows of customers along x, the depot before them halfway.
Instance TwoRows(int32_t lower, int32_t upper, double capacity) {
  std::vector<Position> positions = {{-10, 50}};
  for (int32_t x = 0; x < lower; ++x) positions.push_back({static_cast<double>(x), 0});
  for (int32_t x = 0; x < upper; ++x) positions.push_back({static_cast<double>(x), 100});
  return AnInstance().At(positions).Capacity(capacity).Build();
}

// Each route goes along the half of one row and of the other one from there.
Plan Crossed(int32_t lower, int32_t upper) {
  Plan plan(2);
  for (int32_t x = 0; x < lower; ++x) {
    plan[x < lower / 2 ? 0 : 1].customers.push_back(1 + x);
  }
  std::vector<NodeIndex>& second = plan[1].customers;
  for (int32_t x = 0; x < upper / 2; ++x) second.insert(second.begin() + x, 1 + lower + x);
  for (int32_t x = upper / 2; x < upper; ++x) plan[0].customers.push_back(1 + lower + x);
  return plan;
}

// How many exchanges were made until nearly surely none is left.
int32_t ExchangeAll(PlainRouteStore& routes) {
  FastRandom random(5);
  PlainTailExchange tails(routes, random);
  int32_t changes = 0;
  for (int32_t i = 0; i < 2000; ++i) changes += tails.Run(0);
  return changes;
}

TEST(PlainTailExchangeTest, BringsTheHalvesOfTwoCrossedRoutesTogetherAtOnce) {
  const Instance instance = TwoRows(8, 8, 8);
  const Problem problem = Problem::Create(instance, {});
  PlainRouteStore routes(problem);
  routes.Load(Crossed(8, 8));
  const double before = routes.distance();
  EXPECT_EQ(ExchangeAll(routes), 1);
  // Both ways between the rows are gone, and each row has its edge of 1 again.
  EXPECT_NEAR(before - routes.distance(), 2 * (std::hypot(100, 1) - 1), 1e-9);
  EXPECT_TRUE(CheckPlan(instance, routes.ToPlan()).feasible);
}

TEST(PlainTailExchangeTest, LeavesTailsWhoseLoadsDoNotFit) {
  // Eight visits each; uncrossed they have ten and six.
  for (const double capacity : {10.0, 9.0}) {
    const Instance instance = TwoRows(10, 6, capacity);
    const Problem problem = Problem::Create(instance, {});
    PlainRouteStore routes(problem);
    routes.Load(Crossed(10, 6));
    EXPECT_EQ(ExchangeAll(routes), capacity == 10 ? 1 : 0);
    EXPECT_TRUE(CheckPlan(instance, routes.ToPlan()).feasible);
  }
}

TEST(PlainTailExchangeTest, AtNoTemperatureThePlanOnlyBecomesShorter) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const Instance instance =
        AnInstance().WithCustomers(40).Seed(seed).RandomDemands().Capacity(60).Build();
    const Problem problem = Problem::Create(instance, {});
    PlainRouteStore routes(problem);
    routes.Load(RandomFeasiblePlan(instance, seed));
    FastRandom random(seed);
    PlainTailExchange tails(routes, random);
    double before = routes.distance();
    for (int32_t i = 0; i < 200; ++i) {
      const bool changed = tails.Run(0);
      ASSERT_EQ(changed, routes.distance() < before);
      before = routes.distance();
    }
  }
}

std::vector<InstanceBuilder> Kinds() {
  return {AnInstance().RandomDemands().Capacity(60),
          AnInstance().RandomDemands().Capacity(60).As(Metric::kRounded),
          AnInstance().RandomDemands().Capacity(60).ExplicitMatrix(0.5),
          AnInstance().RandomDemands().Capacity(60).RandomWindows().Service(2),
          AnInstance().RandomDemands().Capacity(60).RandomWindows().ExplicitMatrix(0.5)};
}

TEST(PlainTailExchangeTest, HotExchangesKeepEveryRuleAndCustomerAndTheDistanceRight) {
  int32_t changes = 0;
  for (InstanceBuilder& kind : Kinds()) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const Instance instance = kind.WithCustomers(40).Seed(seed).Build();
      const Problem problem = Problem::Create(instance, {});
      PlainRouteStore routes(problem);
      routes.Load(RandomFeasiblePlan(instance, seed));
      FastRandom random(seed);
      PlainTailExchange tails(routes, random);
      for (int32_t i = 0; i < 200; ++i) {
        if (!tails.Run(50)) continue;
        ++changes;
        const Plan plan = routes.ToPlan();
        ASSERT_TRUE(CheckPlan(instance, plan).feasible);
        ASSERT_NEAR(routes.distance(), static_cast<double>(PlanCost(instance, plan)), 1e-6);
      }
    }
  }
  EXPECT_GT(changes, 1000);
}

}  // namespace
}  // namespace vrp
