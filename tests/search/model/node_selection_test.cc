#include "core/search/model/node_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "core/problem/instance/features.h"
#include "core/search/search.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

Instance WithMatrices(const Instance& instance, bool positions) {
  InstanceData data = instance.data();
  data.distance_matrix = instance.DistanceMatrix();
  data.duration_matrix = instance.DurationMatrix();
  data.length_matrix = instance.DurationMatrix();
  for (size_t k = 0; k < data.length_matrix.size(); k += 5) data.length_matrix[k] *= 1.5;
  for (size_t k = 0; k < data.duration_matrix.size(); k += 7) data.duration_matrix[k] *= 1.25;
  if (!positions) data.positions.clear();
  return *Instance::Create(std::move(data));
}

class CurveOrderTest : public testing::TestWithParam<int> {
 protected:
  Instance Make() const {
    const Instance plain = AnInstance().WithCustomers(80).RandomDemands().RandomWindows().Build();
    return GetParam() == 0 ? plain : WithMatrices(plain, GetParam() == 1);
  }
};

TEST_P(CurveOrderTest, KeepsWhatEveryCustomerIs) {
  const Instance instance = Make();
  const std::optional<NodeSelection> numbering = InCurveOrder(instance, {});
  ASSERT_TRUE(numbering.has_value());
  const Instance& numbered = numbering->instance();
  Plan all(1);
  for (NodeIndex node = 1; node < instance.num_nodes(); ++node) all[0].customers.push_back(node);
  const Plan on_curve = numbering->ToSelection(all);
  EXPECT_NE(on_curve, all);
  EXPECT_EQ(numbering->FromSelection(on_curve), all);
  NodeIndex before = 0;
  for (size_t k = 0; k < all[0].customers.size(); ++k) {
    const NodeIndex given = all[0].customers[k];
    const NodeIndex node = on_curve[0].customers[k];
    EXPECT_EQ(numbered.id(node), instance.id(given));
    EXPECT_EQ(numbered.demand(node), instance.demand(given));
    EXPECT_EQ(numbered.window(node), instance.window(given));
    EXPECT_EQ(numbered.service(node), instance.service(given));
    const NodeIndex before_on_curve = k == 0 ? 0 : on_curve[0].customers[k - 1];
    EXPECT_EQ(numbered.Distance(before_on_curve, node), instance.Distance(before, given));
    EXPECT_EQ(numbered.Duration(node, before_on_curve), instance.Duration(given, before));
    EXPECT_EQ(numbered.Length(numbered.vehicles()[0], before_on_curve, node),
              instance.Length(instance.vehicles()[0], before, given));
    before = given;
  }
}

TEST_P(CurveOrderTest, PutsNeighboursSideBySide) {
  const Instance instance = Make();
  const std::optional<NodeSelection> numbering = InCurveOrder(instance, {});
  ASSERT_TRUE(numbering.has_value());
  const auto steps = [](const Instance& one) {
    double sum = 0;
    for (NodeIndex node = 2; node < one.num_nodes(); ++node) sum += one.Distance(node - 1, node);
    return sum;
  };
  EXPECT_LT(steps(numbering->instance()), steps(instance) / 2);
}

TEST_P(CurveOrderTest, ASearchAnswersInTheGivenNumbers) {
  const Instance instance = Make();
  SearchOptions options;
  options.max_iterations = 500;
  const auto found = Search(instance, options, [&](const Plan& plan, Cost cost) {
    EXPECT_TRUE(CheckPlan(instance, plan, cost).feasible);
  });
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(CheckPlan(instance, found->plan, found->cost).feasible);
}

INSTANTIATE_TEST_SUITE_P(PositionsBothMatricesOnly, CurveOrderTest, testing::Range(0, 3));

Plan PlanFor(const Instance& instance) {
  SearchOptions options;
  options.max_iterations = 200;
  return Search(instance, options)->plan;
}

// A plan that is as good and as feasible in either numbering means the same in both.
void ExpectTheSamePlan(const Instance& instance, const Plan& plan) {
  const std::optional<NodeSelection> numbering = InCurveOrder(instance, {});
  ASSERT_TRUE(numbering.has_value()) << instance.name();
  const Plan renumbered = numbering->ToSelection(plan);
  EXPECT_EQ(numbering->FromSelection(renumbered), plan) << instance.name();
  EXPECT_EQ(RoutesAreFeasible(CheckPlan(numbering->instance(), renumbered)),
            RoutesAreFeasible(CheckPlan(instance, plan)))
      << instance.name();
  const PlanValue value = ValueOf(instance, plan);
  const PlanValue value_there = ValueOf(numbering->instance(), renumbered);
  EXPECT_EQ(value_there.left_out, value.left_out) << instance.name();
  EXPECT_EQ(value_there.routes, value.routes) << instance.name();
  EXPECT_NEAR(value_there.cost, value.cost, 1e-6) << instance.name();
}

TEST(CurveOrderTest, KeepsWhatEachFeatureIs) {
  for (int32_t feature = 0; feature <= static_cast<int32_t>(Feature::kInOrder); ++feature) {
    if (static_cast<Feature>(feature) == Feature::kVehicleMatrix) continue;
    const Instance instance = test::MakeFeatureInstance(
        {.customers = 30, .seed = 3, .features = {static_cast<Feature>(feature)}, .vehicles = 2});
    const Plan plan = PlanFor(instance);
    ExpectTheSamePlan(instance, plan);
    Plan worse = plan;  // which breaks what the search kept to
    std::reverse(worse.begin(), worse.end());
    for (PlannedRoute& route : worse) {
      route.vehicle_type = 0;
      std::reverse(route.customers.begin(), route.customers.end());
    }
    ExpectTheSamePlan(instance, worse);
  }
}

TEST(CurveOrderTest, KeepsFrozenBeginnings) {
  const Instance free = test::MakeFeatureInstance(
      {.customers = 30, .seed = 5, .features = {Feature::kShipments, Feature::kSkills}});
  const Plan plan = PlanFor(free);
  ASSERT_GE(plan[0].customers.size(), 2u);
  const Instance instance =
      *Freeze(free, {{.visits = {plan[0].customers.begin(), plan[0].customers.begin() + 2}}});
  ExpectTheSamePlan(instance, plan);
  Plan other = plan;
  std::swap(other[0].customers[0], other[0].customers[1]);
  ExpectTheSamePlan(instance, other);
}

TEST(NodeSelectionTest, KeepsWhatTheFeaturesOfSomeRoutesAre) {
  for (int32_t feature = 0; feature <= static_cast<int32_t>(Feature::kInOrder); ++feature) {
    const Instance instance = test::MakeFeatureInstance(
        {.customers = 30, .seed = 3, .features = {static_cast<Feature>(feature)}});
    const Plan plan = PlanFor(instance);
    const Plan some = {plan.front(), plan.back()};
    std::vector<NodeIndex> nodes(instance.num_depots());
    std::iota(nodes.begin(), nodes.end(), 0);
    for (const PlannedRoute& route : some) {
      for (const NodeIndex node : route.customers) {
        if (!instance.is_depot(node)) nodes.push_back(node);
      }
    }
    for (const std::vector<NodeIndex>& group : instance.data().alternative_groups) {
      const bool selected =
          std::find_first_of(group.begin(), group.end(), nodes.begin(), nodes.end()) != group.end();
      for (const NodeIndex node : group) {
        if (selected && std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
          nodes.push_back(node);
        }
      }
    }
    std::vector<VehicleCount> vehicles = {{some[0].vehicle_type, 2}};
    if (some[1].vehicle_type != some[0].vehicle_type) vehicles.push_back({some[1].vehicle_type, 1});
    const auto selection = NodeSelection::Of(instance, nodes, vehicles);
    ASSERT_TRUE(selection.ok()) << selection.status();
    const Plan there = selection->ToSelection(some);
    EXPECT_TRUE(CheckPlan(selection->instance(), there).feasible) << instance.name();
    EXPECT_EQ(selection->FromSelection(there), some) << instance.name();
    // What the routes do not serve is lost in one of the instances only.
    CostSplit split = MakeSolution(instance, some)->split;
    CostSplit split_there = MakeSolution(selection->instance(), there)->split;
    EXPECT_NEAR(split.total() - split.prizes, split_there.total() - split_there.prizes, 1e-6)
        << instance.name();
  }
}

TEST(CurveOrderTest, LeavesVehiclesWithMatricesOfTheirOwnAsTheyAre) {
  EXPECT_FALSE(InCurveOrder(test::MakeFeatureInstance({.features = {Feature::kVehicleMatrix}}), {})
                   .has_value());
}

TEST(CurveOrderTest, CopiesNoMatrixWhereThatWouldTakeMuchOfTheTime) {
  const Instance instance =
      WithMatrices(AnInstance().WithCustomers(400).RandomDemands().Build(), true);
  EXPECT_TRUE(InCurveOrder(instance, {}).has_value());
  const StopCondition soon(SteadyNow() + absl::Milliseconds(5), nullptr);
  EXPECT_FALSE(InCurveOrder(instance, soon).has_value());
}

}  // namespace
}  // namespace vrp
