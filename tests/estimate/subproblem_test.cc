// Tests which instances and customers estimates accept.
#include "core/estimate/subproblem.h"

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const Instance& instance, const std::vector<NodeIndex>& customers) {
  Subproblem problem;
  return std::string(problem.Choose(instance, customers).message());
}

TEST(SubproblemTest, HasTheDepotAndTheChosenCustomers) {
  const Instance instance = test::OnALine().Capacity(4).Demands({1, 2, 3}).Build();
  Subproblem problem;
  const std::vector<NodeIndex> chosen = {3, 1};
  ASSERT_TRUE(problem.Choose(instance, chosen).ok());
  EXPECT_EQ(problem.nodes(), 3);
  EXPECT_DOUBLE_EQ(problem.scale(), 20);
  EXPECT_FLOAT_EQ(problem.Distance(0, 1), 1.5F);
  EXPECT_FLOAT_EQ(problem.Distance(1, 2), 1);
  EXPECT_FLOAT_EQ(problem.load(1), 0.75F);
  EXPECT_FALSE(problem.timed());
}

TEST(SubproblemTest, IsFreeOfUnits) {
  const InstanceData data = test::AnInstance().WithCustomers(9).RandomWindows().BuildData();
  InstanceData scaled = data;
  for (Position& position : scaled.positions) position = {7 * position.x, 7 * position.y};
  for (TimeWindow& window : scaled.windows) window = {7 * window.open, 7 * window.close};
  for (double& service : scaled.services) service *= 7;
  Subproblem a, b;
  ASSERT_TRUE(a.ChooseAll(*Instance::Create(data)).ok());
  ASSERT_TRUE(b.ChooseAll(*Instance::Create(scaled)).ok());
  EXPECT_NEAR(b.scale(), 7 * a.scale(), 1e-9);
  EXPECT_TRUE(a.timed());
  for (int32_t i = 0; i < a.nodes(); ++i) {
    EXPECT_NEAR(a.open(i), b.open(i), 1e-5);
    EXPECT_NEAR(a.close(i), b.close(i), 1e-5);
    for (int32_t j = 0; j < a.nodes(); ++j) EXPECT_NEAR(a.Distance(i, j), b.Distance(i, j), 1e-5);
  }
}

TEST(SubproblemTest, RefusesFeaturesByName) {
  const auto refused = [](const Instance& instance) {
    return std::string(Subproblem::CheckInstance(instance).message());
  };
  EXPECT_EQ(refused(test::OnALine().OpenEnd().Build()),
            "vehicles[0].open_end: not supported by estimates");
  EXPECT_THAT(refused(test::OnALine().MaxDistance(90).Build()), HasSubstr("max_distance"));
  EXPECT_THAT(refused(test::OnALine().ExplicitMatrix().Build()), HasSubstr("distance_matrix"));
  EXPECT_THAT(refused(test::AnInstance().Kind(ProblemKind::kTsp).Build()), HasSubstr("tsp"));
  EXPECT_TRUE(Subproblem::CheckInstance(test::OnALine().Build()).ok());
}

TEST(SubproblemTest, NamesTheWrongCustomer) {
  const Instance instance = test::OnALine().Capacity(4).Demands({1, 2, 4}).Build();
  EXPECT_EQ(ErrorOf(instance, {}), "customers: got none, wanted at least 1");
  EXPECT_EQ(ErrorOf(instance, {1, 2, 1}), "customers[0]: chosen twice");
  EXPECT_EQ(ErrorOf(instance, {4}), "customers: got node 4, wanted 1 to 3");
  EXPECT_EQ(ErrorOf(instance, {0}), "customers: got node 0, wanted 1 to 3");
  EXPECT_EQ(ErrorOf(instance, {-1}), "customers: got node -1, wanted 1 to 3");
}

TEST(SubproblemTest, RefusesCustomersThatNoRouteServes) {
  InstanceData late = test::LineWithWindows();
  late.windows[2] = {.open = 0, .close = 5};
  EXPECT_THAT(ErrorOf(*Instance::Create(late), {1, 2}),
              HasSubstr("customers[1].window: no vehicle"));
  EXPECT_EQ(ErrorOf(*Instance::Create(late), {1, 3}), "");
}

TEST(SubproblemTest, RefusesTooManyCustomers) {
  const Instance instance = test::AnInstance().WithCustomers(kMaxEstimatedCustomers + 1).Build();
  Subproblem problem;
  EXPECT_EQ(problem.ChooseAll(instance).message(), "customers: got 1001, wanted at most 1000");
}

}  // namespace
}  // namespace vrp
