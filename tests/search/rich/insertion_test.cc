// The cost that an insertion is judged by is what it adds.
#include <gtest/gtest.h>

#include <span>

#include "core/search/rich/rich_insertion.h"
#include "core/search/rich/rich_recreate.h"
#include "core/search/rich/rich_ruin.h"
#include "tests/testing/feature_instances.h"

namespace vrp {
namespace {

TEST(RichInsertionTest, AddsExactlyTheCostThatItPromised) {
  int64_t insertions = 0;
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    const Objective objective = seed % 3 == 0 ? Objective::kDuration : Objective::kCost;
    const Instance instance = test::MakeFeatureInstance({.customers = 30,
                                                         .seed = seed,
                                                         .features = test::DrawFeatures(seed),
                                                         .objective = objective});
    const RichProblem problem = RichProblem::Create(instance, {});
    RichRouteSet routes(problem);
    FastRandom random(seed);
    RichInsertion insertion(routes, random);
    RichRuin ruin(routes, random);
    for (int32_t round = 0; round < 20; ++round) {
      const auto removed = ruin.Remove(true);
      std::vector<int32_t> absent = routes.absent();
      absent.insert(absent.end(), removed.begin(), removed.end());
      insertion.SetMood({.blink = 0.2});
      std::vector<int32_t> left;
      for (const int32_t u : absent) {
        const RichSpot spot = insertion.Find(u, RichProblem::kNever);
        if (!spot.found()) {
          left.push_back(u);
          continue;
        }
        const double before = routes.cost();
        insertion.Insert(spot);
        ++insertions;
        ASSERT_GE(routes.RouteOf(spot.node), 0) << instance.name();
        ASSERT_NEAR(routes.cost() - before, spot.cost, 1e-6) << instance.name();
      }
      routes.SetAbsent(left);
    }
  }
  EXPECT_GT(insertions, 10'000);
}

TEST(RichInsertionTest, WhatIsRolledBackIsAsItWas) {
  const Instance instance = test::MakeFeatureInstance(
      {.customers = 40, .features = {Feature::kVehicleTypes, Feature::kPrizes}});
  const RichProblem problem = RichProblem::Create(instance, {});
  RichRouteSet routes(problem);
  FastRandom random(3);
  const StopCondition never;
  RichRecreate recreate(routes, random, never);
  RichRuin ruin(routes, random);
  recreate.InsertAbsent(1);
  const Plan plan = routes.ToPlan();
  const double cost = routes.cost();
  for (int32_t i = 0; i < 50; ++i) {
    routes.Begin();
    const std::span<const int32_t> removed = ruin.Remove(true);
    recreate.InsertSome(removed, ruin.seed());
    routes.Rollback();
    ASSERT_EQ(routes.ToPlan(), plan);
    ASSERT_EQ(routes.cost(), cost);
  }
}

}  // namespace
}  // namespace vrp
