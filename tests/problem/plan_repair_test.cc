#include "core/problem/checker/plan_repair.h"

#include <gtest/gtest.h>

#include <set>

#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "tests/testing/constrained_instance.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

size_t NumRemoved(const Instance& instance, const Plan& plan) {
  const RepairedPlan repaired = RepairPlan(instance, plan, StopCondition());
  EXPECT_TRUE(RoutesAreFeasible(CheckPlan(instance, repaired.plan)));
  return repaired.removed.size();
}

TEST(PlanRepairTest, KeepsAFeasiblePlan) {
  const Plan plan = {{0, {4, 2}}, {}, {0, {1}}};
  const RepairedPlan repaired =
      RepairPlan(AnInstance().WithCustomers(4).Build(), plan, StopCondition());
  EXPECT_EQ(repaired.plan, plan);
  EXPECT_TRUE(repaired.removed.empty());
}

TEST(PlanRepairTest, RemovesAsFewCustomersAsPossible) {
  const auto with_demands = [](std::vector<double> demands) {
    return AnInstance().WithCustomers(5).Demands(std::move(demands)).Capacity(10).Build();
  };
  const Plan all = {{0, {1, 2, 3, 4, 5}}};
  EXPECT_EQ(NumRemoved(with_demands({9, 3, 3, 2, 2}), all), 1);
  EXPECT_EQ(NumRemoved(with_demands({4, 4, 4, 4, 4}), all), 3);
  EXPECT_EQ(NumRemoved(with_demands({1, 8, 1, 8, 1}), all), 2);
  // The vehicle always reaches customer 3 too late. Without customer 3, all others are in time.
  const Instance timed = AnInstance()
                             .At({{0, 0}, {10, 0}, {20, 0}, {90, 0}, {30, 0}})
                             .Windows({{0, 50}, {0, 50}, {0, 50}, {0, 60}}, 900)
                             .Build();
  const RepairedPlan repaired = RepairPlan(timed, {{0, {1, 2, 3, 4}}}, StopCondition());
  ASSERT_EQ(repaired.removed.size(), 1);
  EXPECT_EQ(repaired.removed[0].customer, 3);
  EXPECT_EQ(repaired.removed[0].reason, "arrives at customer 3 at 90, after it closes at 50");
}

// Repairs random plans with random features, also if the stop condition holds from the start.
TEST(PlanRepairTest, MakesRoutesFeasible) {
  int repaired_plans = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const Instance instance = test::RandomConstrainedInstance(seed, 12);
    Plan plan = test::RandomConstrainedPlan(instance, seed);
    std::vector<int64_t> used(instance.vehicles().size(), 0);
    std::erase_if(plan, [&](const PlannedRoute& route) {
      const int64_t count = instance.vehicles()[route.vehicle_type].count;
      return ++used[route.vehicle_type] > count && count > 0;
    });
    for (const bool stopped : {false, true}) {
      const StopCondition stop(stopped ? absl::InfinitePast() : absl::InfiniteFuture(), nullptr);
      const RepairedPlan repaired = RepairPlan(instance, plan, stop);
      const CheckReport report = CheckPlan(instance, repaired.plan);
      EXPECT_TRUE(RoutesAreFeasible(report)) << seed << ": " << report.violations.front().message;
      EXPECT_EQ(repaired.plan.size(), plan.size());
      std::set<NodeIndex> removed;
      for (const RemovedVisit& visit : repaired.removed) removed.insert(visit.customer);
      EXPECT_EQ(removed.size(), repaired.removed.size());
      for (size_t r = 0; r < plan.size(); ++r) {
        for (const NodeIndex node : plan[r].customers) {
          if (instance.is_depot(node)) continue;
          const auto& kept = repaired.plan[r].customers;
          EXPECT_NE(std::find(kept.begin(), kept.end(), node) != kept.end(),
                    removed.contains(node));
        }
      }
      repaired_plans += !removed.empty();
    }
  }
  EXPECT_GT(repaired_plans, 50);
}

TEST(PlanRepairTest, KeepsCustomersTogetherThatMustShareARoute) {
  InstanceData data = AnInstance().WithCustomers(5).BuildData();
  data.customer_rules = {{.kind = RuleKind::kSameRoute, .customers = {1, 2, 3}}};
  const Instance free = *Instance::Create(data);
  const Plan plan = {{0, {1, 4}}, {0, {2, 5, 3}}};
  EXPECT_EQ(RepairPlan(free, plan, StopCondition()).plan, (Plan{{0, {4}}, {0, {2, 5, 3}}}));
  const auto frozen = Freeze(free, {{.visits = {1}}});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  const RepairedPlan repaired = RepairPlan(*frozen, plan, StopCondition());
  EXPECT_EQ(repaired.plan, (Plan{{0, {1, 4}}, {0, {5}}}));
  ASSERT_EQ(repaired.removed.size(), 2u);
  EXPECT_EQ(repaired.removed[0].reason, "it must share a route with customers on another one");
}

TEST(PlanRepairTest, KeepsAFirstReloadThatUnloadsAnInitialLoad) {
  InstanceData data =
      AnInstance().WithCustomers(2).Demands(std::vector<double>{9, 9}).Capacity(10).BuildData();
  data.vehicles[0].max_reloads = 2;
  const Plan plan = {{0, {0, 1, 2}}};
  EXPECT_EQ(RepairPlan(*Instance::Create(data), plan, StopCondition()).plan[0].customers.size(), 1);
  data.vehicles[0].initial_load = {8};
  const RepairedPlan repaired = RepairPlan(*Instance::Create(data), plan, StopCondition());
  ASSERT_EQ(repaired.plan[0].customers.size(), 2);
  EXPECT_EQ(repaired.plan[0].customers[0], 0);
}

TEST(PlanRepairTest, KeepsFrozenStops) {
  const Instance free = AnInstance().WithCustomers(5).Capacity(3).Build();
  const auto frozen = Freeze(free, {{.visits = {5, 4}}});
  const RepairedPlan repaired = RepairPlan(*frozen, {{0, {5, 4, 3, 2, 1}}}, StopCondition());
  EXPECT_TRUE(RoutesAreFeasible(CheckPlan(*frozen, repaired.plan)));
  EXPECT_EQ(repaired.removed.size(), 2);
}

}  // namespace
}  // namespace vrp
