#include "core/search/build/construct.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "core/problem/checker/checker.h"
#include "core/search/model/problem.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

struct Builder {
  std::string name;
  std::function<Plan(const Instance&)> build;
};

class ConstructTest : public testing::TestWithParam<Builder> {
 protected:
  static int64_t Visited(const Plan& plan) {
    int64_t count = 0;
    for (const PlannedRoute& route : plan) count += std::ssize(route.customers);
    return count;
  }
};

TEST_P(ConstructTest, ServesAllCustomersWithinCapacity) {
  for (const int customers : {1, 2, 7, 60, 450}) {
    const Instance instance =
        AnInstance().WithCustomers(customers).RandomDemands().Capacity(25).Build();
    const CheckReport report = CheckPlan(instance, GetParam().build(instance));
    EXPECT_TRUE(report.feasible) << customers << ": " << report.violations.front().message;
  }
}

TEST_P(ConstructTest, KeepsTimeWindows) {
  for (const int customers : {1, 5, 60, 450}) {
    const Instance instance = AnInstance()
                                  .WithCustomers(customers)
                                  .RandomDemands()
                                  .Capacity(40)
                                  .RandomWindows()
                                  .Service(3)
                                  .Build();
    const CheckReport report = CheckPlan(instance, GetParam().build(instance));
    EXPECT_TRUE(report.feasible) << customers << ": " << report.violations.front().message;
  }
}

TEST_P(ConstructTest, KeepsCapacityWithAnAsymmetricMatrix) {
  const Instance instance = AnInstance().WithCustomers(30).ExplicitMatrix(0.4).Capacity(7).Build();
  EXPECT_TRUE(CheckPlan(instance, GetParam().build(instance)).feasible);
}

TEST_P(ConstructTest, MakesOneTourOfATsp) {
  const Instance instance = AnInstance().Kind(ProblemKind::kTsp).WithCustomers(40).Build();
  EXPECT_TRUE(CheckPlan(instance, GetParam().build(instance)).feasible);
}

TEST_P(ConstructTest, LeavesOutWhoTheFleetCannotServe) {
  const Instance instance = AnInstance().WithCustomers(10).Capacity(3).Vehicles(2).Build();
  const Plan plan = GetParam().build(instance);
  EXPECT_EQ(Visited(plan), 6);
  for (const Violation& violation : CheckPlan(instance, plan).violations) {
    EXPECT_EQ(violation.kind, ViolationKind::kMissingCustomer) << violation.message;
  }
}

TEST_P(ConstructTest, LeavesOutWhoCannotBeReachedInTime) {
  const Instance instance =
      AnInstance().At({{0, 0}, {10, 0}, {90, 0}}).Windows({{0, 50}, {0, 20}}, 500).Build();
  const Plan plan = GetParam().build(instance);
  ASSERT_EQ(plan.size(), 1);
  EXPECT_EQ(plan[0].customers, std::vector<NodeIndex>{1});
}

TEST_P(ConstructTest, GivesAnEmptyPlanForWhatTheSearchDoesNotKnow) {
  EXPECT_TRUE(GetParam().build(AnInstance().MaxDuration(500).Build()).empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, ConstructTest,
    testing::Values(Builder{"Savings", [](const Instance& i) { return SavingsPlan(i); }},
                    Builder{"Insertion", [](const Instance& i) { return InsertionPlan(i); }},
                    Builder{"NearestNeighbour",
                            [](const Instance& i) { return NearestNeighbourPlan(i); }},
                    Builder{"Packed",
                            [](const Instance& i) {
                              if (!SavingsPlan(i).empty() || i.num_customers() == 0) {
                                return PackedPlan(Problem::Create(i, {}));
                              }
                              return Plan{};
                            }}),
    [](const auto& variant) { return variant.param.name; });

TEST(SavingsPlanTest, JoinsCustomersThatLieOnOneWay) {
  const Instance instance =
      AnInstance().At({{0, 0}, {10, 0}, {20, 0}, {30, 0}, {-10, 0}, {-20, 0}}).Capacity(3).Build();
  const Plan plan = SavingsPlan(instance);
  EXPECT_EQ(plan.size(), 2);
  EXPECT_DOUBLE_EQ(PlanCost(instance, plan), 100);
}

TEST(SavingsPlanTest, PacksWhereThereWasNoTimeForLists) {
  const Instance instance = AnInstance().WithCustomers(30).Capacity(10).Build();
  const Problem without = Problem::Create(instance, {absl::InfinitePast(), nullptr});
  ASSERT_TRUE(without.Related(1).empty());
  EXPECT_EQ(SavingsPlan(without, {}).size(), PackedPlan(without).size());
}

TEST(PackedPlanTest, SendsNoVehicleAcrossForTheNextWindow) {
  // Two towns, whose customers are due in turns; a vehicle has room for three.
  std::vector<Position> positions = {{0, 0}};
  std::vector<TimeWindow> windows;
  for (int32_t i = 0; i < 50; ++i) {
    positions.push_back({i % 2 == 0 ? -40.0 : 40.0, 0.1 * i});
    windows.push_back({0, 100.0 + i});
  }
  const Instance instance = AnInstance().At(positions).Windows(windows, 1000).Capacity(3).Build();
  for (const auto& route : PackedPlan(Problem::Create(instance, {}))) {
    for (const NodeIndex node : route.customers) {
      EXPECT_EQ(node % 2, route.customers.front() % 2) << node;
    }
  }
}

TEST(NearestNeighbourPlanTest, GoesToTheNearestThatFitsEachTime) {
  const Instance instance =
      AnInstance().At({{0, 0}, {10, 0}, {11, 0}, {5, 0}}).Demands({6, 5, 2}).Capacity(8).Build();
  const Plan plan = NearestNeighbourPlan(instance);
  ASSERT_EQ(plan.size(), 2);
  EXPECT_EQ(plan[0].customers, (std::vector<NodeIndex>{3, 1}));
  EXPECT_EQ(plan[1].customers, std::vector<NodeIndex>{2});
}

TEST(ConstructStopTest, PacksTheRestWhenThereIsNoTime) {
  const Instance instance = AnInstance().WithCustomers(300).RandomDemands().Capacity(30).Build();
  const StopCondition expired(absl::InfinitePast(), nullptr);
  EXPECT_TRUE(CheckPlan(instance, SavingsPlan(instance, expired)).feasible);
  EXPECT_TRUE(CheckPlan(instance, InsertionPlan(instance, expired)).feasible);
}

}  // namespace
}  // namespace vrp
