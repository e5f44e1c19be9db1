#include "core/search/node_selection.h"

#include <gtest/gtest.h>

#include "core/base/steady_time.h"
#include "core/problem/checker.h"
#include "core/search/search.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

Instance WithMatrices(const Instance& instance, bool positions) {
  InstanceData data = instance.data();
  data.distance_matrix = instance.DistanceMatrix();
  data.duration_matrix = instance.DurationMatrix();
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

TEST(CurveOrderTest, CopiesNoMatrixWhereThatWouldTakeMuchOfTheTime) {
  const Instance instance =
      WithMatrices(AnInstance().WithCustomers(400).RandomDemands().Build(), true);
  EXPECT_TRUE(InCurveOrder(instance, {}).has_value());
  const StopCondition soon(SteadyNow() + absl::Milliseconds(5), nullptr);
  EXPECT_FALSE(InCurveOrder(instance, soon).has_value());
}

}  // namespace
}  // namespace vrp
