// Tests the search with travel times that depend on the time of departure.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "core/search/methods/penalised/penalised_search.h"
#include "core/search/model/node_selection.h"
#include "core/search/model/problem.h"
#include "core/search/route/penalised_routes.h"
#include "core/search/search.h"
#include "tests/search/search_expectations.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/timed_matrices.h"

namespace vrp {
namespace {

using test::ExpectOptimal;
using test::ExpectSound;

SearchResult SearchTimed(const Instance& instance, int64_t iterations, int threads = 1) {
  SearchOptions options;
  options.max_iterations = iterations;
  options.threads = threads;
  options.seed = 1;
  return *Search(instance, options);
}

// Returns an instance with windows and a rush hour that makes ways take from 1 to 2.5 times as
// long.
InstanceData AtRushHour(int32_t customers, uint64_t seed) {
  const Instance plain = test::AnInstance()
                             .WithCustomers(customers)
                             .Seed(seed)
                             .RandomDemands()
                             .Capacity(60)
                             .RandomWindows()
                             .Service(2)
                             .Build();
  InstanceData data = plain.data();
  CounterRandom random(seed);
  const double end = data.windows[0].close;
  data.windows[0].close *= 2;
  for (size_t node = 1; node < data.windows.size(); ++node) data.windows[node].close += end / 4;
  data.duration_matrices = test::DrawTimedMatrices(random, plain.DurationMatrix(), end);
  return data;
}

// The way from the depot to customer 1 takes 50 before 60, so that nobody who goes there first
// reaches customer 3 in time.
TEST(TimeOfDayTest, VisitsInAnOrderThatTrafficAllows) {
  InstanceData data = test::LineWithWindows();
  std::vector<double> times;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) times.push_back(10.0 * std::abs(from - to));
  }
  data.windows[3] = {30, 40};
  data.duration_matrices = {{60, times}, {100, times}};
  data.duration_matrices[0].durations[1] = 50;
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchTimed(instance, 300);
  ExpectSound(instance, found);
  EXPECT_NEAR(found.cost, 60, 1e-9);
  EXPECT_NE(found.plan[0].customers[0], 1);
  EXPECT_FALSE(CheckPlan(instance, {{0, {1, 2, 3}}}).feasible);
}

class TimeOfDayObjectiveTest : public testing::TestWithParam<Objective> {};

TEST_P(TimeOfDayObjectiveTest, FindsTheOptimumThatTryingEverythingFinds) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    InstanceData data = AtRushHour(6, seed);
    data.objective = GetParam();
    if (data.objective == Objective::kCost) {
      data.vehicles[0].fixed_cost = 20;
      data.vehicles[0].cost_per_time = 1;
    }
    ExpectOptimal(*Instance::Create(data));
  }
}

INSTANTIATE_TEST_SUITE_P(All, TimeOfDayObjectiveTest,
                         testing::Values(Objective::kDistance, Objective::kVehiclesThenDistance,
                                         Objective::kDuration, Objective::kCost));

TEST(TimeOfDayTest, FindsTheOptimaOfMixtures) {
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    std::vector<Feature> features = test::DrawFeatures(seed);
    features.push_back(Feature::kTimeOfDay);
    features.push_back(Feature::kObjective);
    const Objective objective = seed % 2 == 0 ? Objective::kDuration : Objective::kCost;
    ExpectOptimal(test::MakeFeatureInstance(
        {.customers = 5, .seed = seed, .features = features, .objective = objective}));
  }
}

TEST(TimeOfDayTest, FindsTheOptimaOfCostsOfTravelTime) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    std::vector<Feature> features = {Feature::kTimeOfDay, Feature::kTravelTimeCost,
                                     Feature::kObjective};
    if (seed % 2 == 0) features.push_back(Feature::kVehicleTypes);
    if (seed % 3 == 0) features.push_back(Feature::kBreaks);
    if (seed % 8 == 4) features.push_back(Feature::kDrivingRules);
    InstanceData data =
        test::MakeFeatureInstance({.customers = 5, .seed = seed, .features = features}).data();
    for (VehicleType& type : data.vehicles) type.cost_per_travel_time *= 3;
    ExpectOptimal(*Instance::Create(data));
  }
}

TEST(TimeOfDayTest, IsKeptByEveryMethodOnOneThreadAndTwo) {
  for (const Objective objective : {Objective::kDistance, Objective::kVehiclesThenDistance}) {
    for (const int32_t customers : {60, 300}) {
      InstanceData data = AtRushHour(customers, 5);
      data.objective = objective;
      const Instance instance = *Instance::Create(data);
      for (const int threads : {1, 2}) {
        const SearchResult found = SearchTimed(instance, 400, threads);
        ExpectSound(instance, found);
        EXPECT_EQ(ValueOf(instance, found.plan).left_out, 0) << customers << " " << threads;
      }
    }
  }
}

TEST(TimeOfDayTest, IsKeptByPenalisedCompletionOfAScarceFleet) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    InstanceData data = AtRushHour(50, seed);
    data.vehicles[0].count =
        static_cast<int32_t>(SearchTimed(*Instance::Create(data), 2000).plan.size());
    const Instance instance = *Instance::Create(data);
    const Problem problem = Problem::Create(instance, {});
    EXPECT_FALSE(CanPenalise(problem));
    EXPECT_TRUE(PenalisedSearchKnows(problem));
    ExpectSound(instance, SearchTimed(instance, 3000));
  }
}

TEST(TimeOfDayTest, IsSelectedWithTheNodes) {
  const Instance instance = *Instance::Create(AtRushHour(60, 2));
  const auto curve = InCurveOrder(instance, {});
  ASSERT_TRUE(curve.has_value());
  const SearchResult found = SearchTimed(instance, 300);
  EXPECT_NEAR(PlanCost(curve->instance(), curve->ToSelection(found.plan)), found.cost, 1e-9);
  EXPECT_TRUE(CheckPlan(curve->instance(), curve->ToSelection(found.plan)).feasible);
}

// Nodes that share rows of the matrices have the travel times of the expanded matrices.
TEST(TimeOfDayTest, IsTheSameWithMatrixRows) {
  InstanceData data = AtRushHour(40, 3);
  data.objective = Objective::kDuration;
  data.distance_matrix = Instance::Create(data)->DistanceMatrix();
  data.matrix_rows.assign(41, 0);
  for (int32_t node = 1; node <= 40; ++node) data.matrix_rows[node] = 1 + node % 20;
  const Instance by_row = *Instance::Create(data);
  ExpandMatrices(data);
  const Instance by_node = *Instance::Create(data);
  const SearchResult found = SearchTimed(by_row, 300);
  EXPECT_EQ(found.plan, SearchTimed(by_node, 300).plan);
  ExpectSound(by_node, found);
}

// The search of a matrix and that of the same matrix at each of several times.
TEST(TimeOfDayTest, CostsAsMuchAsAMatrixWhereNothingChanges) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    InstanceData data = AtRushHour(6, seed);
    data.objective = Objective::kDuration;
    data.duration_matrix = data.duration_matrices.front().durations;
    data.duration_matrices.clear();
    const Instance by_matrix = *Instance::Create(data);
    for (const double at : {5.0, 50.0, 90.0}) {
      data.duration_matrices.push_back({at, data.duration_matrix});
    }
    data.duration_matrix.clear();
    const Instance by_time = *Instance::Create(data);
    EXPECT_NEAR(SearchTimed(by_time, 2000).cost, SearchTimed(by_matrix, 2000).cost, 1e-9);
  }
}

}  // namespace
}  // namespace vrp
