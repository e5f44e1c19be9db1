// Annealing among plans that may break limits.
#include "core/search/methods/penalised/penalised_annealing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

Instance DrawnInstance(uint64_t seed, int32_t customers) {
  return test::MakeFeatureInstance(
      {.customers = customers, .seed = seed, .features = test::DrawFeatures(seed), .vehicles = 3});
}

// Vehicles that leave full and collect as much as they have room for, with windows around the times
// of a plan that serves all. Every vehicle has room for 3 % more.
Instance FullVehicles(uint64_t seed) {
  constexpr int32_t kVehicles = 5;
  constexpr int32_t kStops = 8;
  constexpr double kLoad = 96;
  FastRandom random(seed);
  InstanceData data;
  data.kind = ProblemKind::kVrptw;
  data.positions = {{50, 50}};
  data.demands = data.pickups = data.services = {0};
  data.windows = {{.open = 0, .close = 1000}};
  for (int32_t v = 0; v < kVehicles; ++v) {
    double time = 0;
    Position at = data.positions.front();
    double room = 0;
    for (int32_t k = 0; k < kStops; ++k) {
      const Position next = {100 * random.Unit(), 100 * random.Unit()};
      time += std::hypot(next.x - at.x, next.y - at.y);
      at = next;
      room += kLoad / kStops;
      const double picked = std::floor(room * random.Unit());
      room -= picked;
      data.positions.push_back(at);
      data.demands.push_back(kLoad / kStops);
      data.pickups.push_back(picked);
      data.services.push_back(1);
      data.windows.push_back({.open = std::max(0.0, time - 25), .close = time + 25});
      time += 1;
    }
  }
  data.vehicles = {{.count = kVehicles, .capacity = kLoad * 1.03}};
  return *Instance::Create(std::move(data));
}

SearchOptions Iterations(int64_t count) {
  SearchOptions options;
  options.max_iterations = count;
  return options;
}

TEST(AnnealPenalisedTest, ReturnsPlansThatKeepAllLimitsAndServeAllThatIsRequired) {
  int32_t found = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Instance instance = DrawnInstance(seed, 20);
    const Problem problem = Problem::Create(instance, {});
    if (problem.plain()) continue;
    FastRandom random(seed);
    int64_t iterations = 0;
    int32_t reported = 0;
    const RouteStore empty(problem);
    const Plan plan = AnnealPenalised(empty, kSeekingCourse, Iterations(2'000), random, iterations,
                                      [&](const Plan& better) {
                                        ++reported;
                                        EXPECT_TRUE(RoutesAreFeasible(CheckPlan(instance, better)));
                                      });
    EXPECT_LE(iterations, 2'000);
    if (plan.empty()) continue;
    EXPECT_GT(reported, 0);
    ++found;
    RouteStore routes(problem);
    routes.Load(plan);
    routes.SetRestAbsent();
    EXPECT_EQ(routes.missing_weight(), 0) << "seed " << seed;
  }
  EXPECT_GT(found, 30);
}

TEST(AnnealPenalisedTest, GivesTheSamePlanForTheSameSeedAndIterations) {
  const Instance instance = FullVehicles(3);
  const Problem problem = Problem::Create(instance, {});
  const auto run = [&] {
    FastRandom random(5);
    int64_t iterations = 0;
    return AnnealPenalised(RouteStore(problem), kImprovingCourse, Iterations(1'000), random,
                           iterations, [](const Plan&) {});
  };
  EXPECT_EQ(run(), run());
}

TEST(AnnealPenalisedTest, FindsPlansForVehiclesThatAreNearlyFull) {
  int32_t found = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Instance instance = FullVehicles(seed);
    const Problem problem = Problem::Create(instance, {});
    FastRandom random(seed);
    int64_t iterations = 0;
    const Plan plan = AnnealPenalised(RouteStore(problem), kSeekingCourse, Iterations(20'000),
                                      random, iterations, [](const Plan&) {});
    if (plan.empty()) continue;
    ++found;
    EXPECT_TRUE(RoutesAreFeasible(CheckPlan(instance, plan)));
  }
  EXPECT_GE(found, 3);
}

TEST(AnnealPenalisedTest, StopsAtTheDeadline) {
  const Instance instance = FullVehicles(1);
  const Problem problem = Problem::Create(instance, {});
  SearchOptions options;
  options.stop = StopCondition(SteadyNow() - absl::Seconds(1), nullptr);
  FastRandom random(1);
  int64_t iterations = 0;
  EXPECT_TRUE(AnnealPenalised(RouteStore(problem), kSeekingCourse, options, random, iterations,
                              [](const Plan&) {})
                  .empty());
  EXPECT_EQ(iterations, 0);
}

}  // namespace
}  // namespace vrp
