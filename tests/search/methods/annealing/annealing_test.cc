#include "core/search/methods/annealing/annealing.h"

#include <gtest/gtest.h>

#include <atomic>

#include "core/problem/checker/checker.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

TEST(AnnealingTest, EndsOnceItOrAnotherLeavesNothingOut) {
  const Instance instance = test::AnInstance()
                                .WithCustomers(6)
                                .Demands({5, 6, 7, 2, 3, 4})
                                .Capacity(9)
                                .Vehicles(3)
                                .Build();
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  routes.Load({{0, {1, 5}}, {0, {2, 4}}});
  ASSERT_GT(routes.missing_weight(), 0);
  FastRandom random(1);
  SearchOptions options;
  options.max_iterations = 100'000;
  std::atomic<bool> complete = false;
  Annealing annealing(routes, random, options, {});
  annealing.EndWhenComplete(complete);
  annealing.Run([](const Plan&, Cost) {});
  EXPECT_TRUE(CheckPlan(instance, annealing.BestPlan()).feasible);
  EXPECT_TRUE(complete);
  EXPECT_LT(annealing.iterations(), options.max_iterations);

  RouteStore others(problem);
  Annealing other(others, random, options, {});
  other.EndWhenComplete(complete);
  other.Run([](const Plan&, Cost) {});
  EXPECT_EQ(other.iterations(), 0);
}

}  // namespace
}  // namespace vrp
