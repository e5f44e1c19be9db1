#include "core/search/build/first_routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "core/search/build/construct.h"
#include "core/search/ruin_recreate/recreate.h"
#include "tests/testing/constrained_instance.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::DrawFeatures;
using test::MakeFeatureInstance;

// Reports every defect except unserved customers.
void ExpectSoundFirstRoutes(const Instance& instance, const Plan& plan, const std::string& where) {
  for (const Violation& violation : CheckPlan(instance, plan).violations) {
    EXPECT_EQ(violation.kind, ViolationKind::kMissingCustomer) << where << violation.message;
  }
}

Instance Featured(uint64_t seed) {
  return MakeFeatureInstance({.customers = 5 + static_cast<int32_t>(seed * seed % 70),
                              .seed = seed,
                              .features = DrawFeatures(seed),
                              .vehicles = seed % 3 == 0 ? 3 : 0});
}

FirstRoutes MakeAll(const Problem& problem, const StopCondition& stop = {}) {
  FastRandom random(7);
  return MakeFirstRoutes(problem, {}, stop, random, [](const RouteStore&) {});
}

TEST(MergeRoutesTest, KeepsEveryLimitWithAnyFeatures) {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    const Instance instance = Featured(seed);
    const Problem problem = Problem::Create(instance, {});
    if (problem.rules().has_groups()) continue;
    RouteStore routes(problem);
    ASSERT_TRUE(MergeRoutes(routes, {}));
    ExpectSoundFirstRoutes(instance, routes.ToPlan(), "seed " + std::to_string(seed));
    for (int32_t type = 0; type < std::ssize(problem.vehicles()); ++type) {
      int32_t used = 0;
      for (int32_t slot = 0; slot < routes.slots(); ++slot) {
        used += !routes.route(slot).empty() && routes.route(slot).type == type;
      }
      EXPECT_LE(used, problem.vehicle(type).count) << seed;
    }
  }
}

TEST(MergeRoutesTest, KeepsEveryLimitWithAllFeaturesAtOnce) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Instance instance = test::RandomConstrainedInstance(seed, 7);
    const Problem problem = Problem::Create(instance, {});
    if (problem.rules().has_groups()) continue;
    RouteStore routes(problem);
    ASSERT_TRUE(MergeRoutes(routes, {}));
    ExpectSoundFirstRoutes(instance, routes.ToPlan(), "seed " + std::to_string(seed));
  }
}

TEST(MergeRoutesTest, GivesEachCustomerTheNearestDepot) {
  InstanceData data;
  data.num_depots = 2;
  data.metric = Metric::kExact;
  data.positions = {{0, 0}, {100, 0}, {8, 1}, {92, 1}, {9, 2}, {91, 2}, {10, 0}, {90, 0}};
  data.demands = {0, 0, 1, 1, 1, 1, 1, 1};
  data.vehicles = {{.depot = 0, .capacity = 3}, {.depot = 1, .capacity = 3}};
  const Instance instance = *Instance::Create(data);
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  ASSERT_TRUE(MergeRoutes(routes, {}));
  const Plan plan = routes.ToPlan();
  ASSERT_EQ(plan.size(), 2);
  for (const PlannedRoute& route : plan) {
    EXPECT_EQ(route.customers.size(), 3);
    for (const NodeIndex node : route.customers) EXPECT_EQ(node % 2, route.vehicle_type) << node;
  }
}

TEST(MergeRoutesTest, SparesVehiclesThatServeAllForThoseWhoNeedThem) {
  InstanceData data;
  data.metric = Metric::kExact;
  data.positions = {{0, 0}, {10, 0}, {11, 0}, {10, 1}, {11, 1}};
  data.demands = {0, 1, 1, 1, 1};
  data.required_skills = {{}, {}, {}, {"crane"}, {"crane"}};
  data.vehicles = {{.count = 1, .capacity = 2, .skills = {"crane"}}, {.count = 1, .capacity = 2}};
  const Instance instance = *Instance::Create(data);
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  ASSERT_TRUE(MergeRoutes(routes, {}));
  EXPECT_TRUE(routes.absent().empty());
  EXPECT_TRUE(CheckPlan(instance, routes.ToPlan()).feasible);
}

TEST(MergeRoutesTest, ChangesNothingWhenStopped) {
  const Instance instance = AnInstance().WithCustomers(300).RandomDemands().Capacity(30).Build();
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  EXPECT_FALSE(MergeRoutes(routes, {absl::InfinitePast(), nullptr}));
  EXPECT_EQ(routes.used(), 0);
  EXPECT_EQ(routes.absent().size(), 300);
}

TEST(FirstRoutesTest, AreSoundWithAnyFeatures) {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    const Instance instance = Featured(seed);
    const Problem problem = Problem::Create(instance, {});
    const FirstRoutes first = MakeAll(problem);
    const std::string where = "seed " + std::to_string(seed);
    ExpectSoundFirstRoutes(instance, first.best, where);
    ExpectSoundFirstRoutes(instance, first.start.ToPlan(), where + ", start");
    EXPECT_LE(ValueOf(instance, first.best), ValueOf(instance, first.start.ToPlan())) << where;
    for (const Plan& plan : first.complete)
      ExpectSoundFirstRoutes(instance, plan, where + ", complete");
  }
}

TEST(FirstRoutesTest, AreSoundWhenThereIsNoTime) {
  const StopCondition expired(absl::InfinitePast(), nullptr);
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Instance instance = Featured(seed);
    ExpectSoundFirstRoutes(instance, MakeAll(Problem::Create(instance, expired), expired).best,
                           "seed " + std::to_string(seed));
  }
}

TEST(FirstRoutesTest, CostLessThanInsertionAloneWithSeveralDepots) {
  double insertion = 0, first = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Instance instance = MakeFeatureInstance(
        {.customers = 200, .seed = seed, .features = {Feature::kSeveralDepots}});
    const Problem problem = Problem::Create(instance, {});
    RouteStore routes(problem);
    FastRandom random(1);
    Recreate(routes, random, {}).InsertAbsent(1);
    insertion += routes.cost();
    first += PlanCost(instance, MakeAll(problem).best);
  }
  EXPECT_LT(first, 0.95 * insertion);
}

// Ten villages of 30 customers each, 100 from the depot. A route to one costs a little more than
// its prizes, and a visit alone far more than its own.
TEST(FirstRoutesTest, StartWithRoutesThatPayOnlyWithManyCustomersAndShorterWays) {
  constexpr int kVillages = 10;
  constexpr int kCustomers = 30;
  InstanceData data;
  data.metric = Metric::kExact;
  data.positions = {{0, 0}};
  FastRandom random(3);
  for (int i = 0; i < kVillages * kCustomers; ++i) {
    const double angle = 2 * M_PI * (i % kVillages) / kVillages;
    data.positions.push_back(
        {100 * std::cos(angle) + 5 * random.Unit(), 100 * std::sin(angle) + 5 * random.Unit()});
  }
  data.demands.assign(data.positions.size(), 1);
  data.demands[0] = 0;
  data.prizes.assign(data.positions.size(), 7);
  data.prizes[0] = kNoLimit;
  data.vehicles = {{.capacity = kCustomers}};
  const Instance instance = *Instance::Create(data);
  const Problem problem = Problem::Create(instance, {});
  const FirstRoutes first = MakeAll(problem);
  EXPECT_GE(first.start.used(), kVillages);
  EXPECT_GT(CountServed(first.start.ToPlan()), 0.9 * kVillages * kCustomers);
  EXPECT_LT(CountServed(first.best), CountServed(first.start.ToPlan()));
}

TEST(FirstRoutesTest, AreReportedEachBetterThanThoseBefore) {
  const Instance instance = AnInstance().WithCustomers(300).RandomDemands().Capacity(50).Build();
  const Problem problem = Problem::Create(instance, {});
  FastRandom random(7);
  std::vector<Cost> reported;
  const FirstRoutes first = MakeFirstRoutes(problem, {}, {}, random, [&](const RouteStore& routes) {
    reported.push_back(PlanCost(instance, routes.ToPlan()));
  });
  ASSERT_GE(reported.size(), 2);
  EXPECT_TRUE(std::is_sorted(reported.rbegin(), reported.rend()));
  EXPECT_EQ(reported.back(), PlanCost(instance, first.best));
}

TEST(ReinsertRoutesTest, NeverMakesRoutesWorse) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Instance instance = Featured(seed);
    const Problem problem = Problem::Create(instance, {});
    RouteStore routes(problem);
    FastRandom random(seed);
    Recreate(routes, random, {}).InsertAbsent(1);
    const PlanValue before = ValueOf(instance, routes.ToPlan());
    ReinsertRoutes(routes, random, {});
    const Plan plan = routes.ToPlan();
    ExpectSoundFirstRoutes(instance, plan, "seed " + std::to_string(seed));
    const PlanValue after = ValueOf(instance, plan);
    EXPECT_LE(after.left_out, before.left_out) << seed;
    if (after.left_out == before.left_out && after.routes == before.routes) {
      EXPECT_LE(after.cost, before.cost + 1e-9 * std::abs(before.cost)) << seed;
    }
  }
}

}  // namespace
}  // namespace vrp
