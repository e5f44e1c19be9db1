// Costs of routes that may break limits.
#include <gtest/gtest.h>

#include <vector>

#include "core/search/model/fast_random.h"
#include "core/search/model/problem.h"
#include "core/search/model/route_evaluator.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

// Three customers on a line, 10 apart, each with a demand of 4 and a service of 1.
InstanceData Line() {
  InstanceData data;
  data.kind = ProblemKind::kVrptw;
  data.positions = {{0, 0}, {10, 0}, {20, 0}, {30, 0}};
  data.demands = {0, 4, 4, 4};
  data.services = {0, 1, 1, 1};
  data.windows = std::vector<TimeWindow>(4);
  data.vehicles = {{.count = 1, .capacity = 12, .shift = {.open = 0, .close = 500}}};
  return data;
}

// Returns the cost that penalties add to the route over all three customers.
double PenaltyOf(InstanceData data, const Penalties& penalties) {
  const Problem problem = Problem::Create(*Instance::Create(std::move(data)), {});
  const Problem penalised = problem.Penalised(penalties);
  const Vehicle& vehicle = penalised.vehicle(0);
  const std::vector<NodeIndex> nodes = {vehicle.start, 1, 2, 3, vehicle.end};
  const RouteValue value = RouteEvaluator(penalised).Evaluate(vehicle, nodes);
  EXPECT_TRUE(value.feasible);
  return value.cost - value.distance;
}

TEST(PenalisedProblemTest, ChargesLoadsInSharesOfTheCapacity) {
  InstanceData data = Line();
  EXPECT_NEAR(PenaltyOf(data, {.load = 7}), 0, 1e-5);
  data.vehicles[0].capacity = 8;
  EXPECT_NEAR(PenaltyOf(data, {.load = 7}), 7 * 4 / 8.0, 1e-5);
}

TEST(PenalisedProblemTest, ChargesTheLargestLoadOnBoard) {
  InstanceData data = Line();
  data.pickups = {0, 6, 1, 1};  // 12, 14, 11, 8 on board
  EXPECT_NEAR(PenaltyOf(data, {.load = 6}), 6 * 2 / 12.0, 1e-5);
}

TEST(PenalisedProblemTest, ChargesLateStarts) {
  InstanceData data = Line();
  data.windows[2].close = 16;  // reached at 21
  data.windows[3].close = 30;  // reached at 32
  EXPECT_NEAR(PenaltyOf(data, {.time = 3}), 3 * (5 + 2), 1e-5);
}

TEST(PenalisedProblemTest, ChargesLateStartsAfterTheLastOfSeveralWindows) {
  InstanceData data = Line();
  data.windows[2] = {.open = 5, .close = 10};
  data.further_windows = std::vector<std::vector<TimeWindow>>(4);
  data.further_windows[2] = {{.open = 12, .close = 15}};
  EXPECT_NEAR(PenaltyOf(data, {.time = 3}), 3 * (21 - 15), 1e-5);
}

TEST(PenalisedProblemTest, ChargesLateReturnsToDepotsAndShifts) {
  InstanceData data = Line();  // back at 63
  data.windows[0].close = 60;
  EXPECT_NEAR(PenaltyOf(data, {.time = 2}), 2 * 3, 1e-5);
  data.windows[0].close = kNoLimit;
  data.vehicles[0].shift.close = 59;
  EXPECT_NEAR(PenaltyOf(data, {.time = 2}), 2 * 4, 1e-5);
}

TEST(PenalisedProblemTest, ChargesDurationsAndDistances) {
  InstanceData data = Line();
  data.vehicles[0].max_duration = 60;
  EXPECT_NEAR(PenaltyOf(data, {.time = 2}), 2 * 3, 1e-5);
  data.vehicles[0].max_duration = kNoLimit;
  data.vehicles[0].max_distance = 55;
  EXPECT_NEAR(PenaltyOf(data, {.distance = 4}), 4 * 5, 1e-5);
}

TEST(PenalisedProblemTest, ChargesLatenessWithBreaks) {
  InstanceData data = Line();
  data.vehicles[0].breaks = {{.window = {.open = 11, .close = 40}, .duration = 30}};
  data.windows[3].close = 50;  // served at 32, and the break follows
  EXPECT_NEAR(PenaltyOf(data, {.time = 3}), 0, 1e-5);
  data.vehicles[0].breaks[0].window.close = 15;
  EXPECT_NEAR(PenaltyOf(data, {.time = 3}), 3 * (62 - 50), 1e-5);
}

TEST(PenalisedProblemTest, TakesNewPenalties) {
  InstanceData data = Line();
  data.vehicles[0].capacity = 8;
  data.windows[2].close = 16;
  const Problem problem = Problem::Create(*Instance::Create(std::move(data)), {});
  Problem penalised = problem.Penalised({.load = 1, .time = 1});
  penalised.SetPenalties({.load = 10, .time = 20});
  const Vehicle& vehicle = penalised.vehicle(0);
  const std::vector<NodeIndex> nodes = {vehicle.start, 1, 2, 3, vehicle.end};
  EXPECT_NEAR(RouteEvaluator(penalised).Evaluate(vehicle, nodes).cost, 60 + 10 * 0.5 + 20 * 5,
              1e-5);
}

TEST(PenalisedProblemTest, RoutesThatKeepAllLimitsCostTheSame) {
  int32_t kept = 0;
  int32_t broken = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Instance instance = test::MakeFeatureInstance(
        {.customers = 12, .seed = seed, .features = test::DrawFeatures(seed)});
    const Problem problem = Problem::Create(instance, {});
    const Problem penalised = problem.Penalised({.load = 1e4, .time = 1e4, .distance = 1e4});
    RouteEvaluator evaluator(problem);
    RouteEvaluator penalising(penalised);
    FastRandom random(seed);
    for (int32_t trial = 0; trial < 20; ++trial) {
      const int32_t type = random.Below(static_cast<int32_t>(problem.vehicles().size()));
      const Vehicle& vehicle = problem.vehicle(type);
      std::vector<NodeIndex> nodes = {vehicle.start};
      for (int32_t u = 0; u < problem.units(); ++u) {
        if (random.Unit() > 0.3) continue;
        const auto of_unit = problem.NodesOf(problem.unit(u));
        const bool both = problem.unit(u).kind == Unit::Kind::kShipment;
        nodes.insert(nodes.end(), of_unit.begin(), both ? of_unit.end() : of_unit.begin() + 1);
      }
      if (nodes.size() == 1) continue;
      nodes.push_back(vehicle.end);
      const RouteValue value = evaluator.Evaluate(vehicle, nodes);
      const RouteValue soft = penalising.Evaluate(penalised.vehicle(type), nodes);
      if (value.feasible) {
        ASSERT_TRUE(soft.feasible) << "seed " << seed;
        ASSERT_NEAR(soft.cost, value.cost, 1e-6 * (1 + value.cost)) << "seed " << seed;
        ++kept;
      } else if (soft.feasible) {
        ++broken;
      }
    }
  }
  EXPECT_GT(kept, 300);
  EXPECT_GT(broken, 300);
}

}  // namespace
}  // namespace vrp
