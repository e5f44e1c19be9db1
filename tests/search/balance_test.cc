// Plans whose routes are balanced: limits and prices on the spread between routes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "core/search/search.h"
#include "core/solve/parallel_search.h"
#include "tests/search/search_expectations.h"
#include "tests/testing/every_plan.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::ExpectSound;
using test::SearchFor;
using testing::HasSubstr;

constexpr BalanceMeasure kMeasures[] = {BalanceMeasure::kDuration, BalanceMeasure::kDistance,
                                        BalanceMeasure::kLoad, BalanceMeasure::kStops};

void ExpectBestOfEveryPlan(const Instance& instance, int64_t iterations = 20'000) {
  const test::EnumerationResult best = test::BestOfEveryPlan(instance);
  const SearchResult found = SearchFor(instance, iterations);
  ExpectSound(instance, found);
  const PlanValue value = ValueOf(instance, found.plan);
  EXPECT_EQ(value.left_out, best.value.left_out) << instance.name();
  EXPECT_EQ(value.routes, best.value.routes) << instance.name();
  EXPECT_NEAR(value.cost, best.value.cost, 1e-6) << instance.name();
}

Instance WithBalance(InstanceData data, const Balance& balance) {
  data.balance = balance;
  data.name += " " + std::to_string(static_cast<int>(balance.measure)) + " " +
               std::to_string(balance.max_spread) + " " + std::to_string(balance.cost);
  return *Instance::Create(std::move(data));
}

class MeasureTest : public testing::TestWithParam<BalanceMeasure> {
 protected:
  bool IsLong() const { return GetParam() < BalanceMeasure::kLoad; }
  // A spread that binds with routes of about three customers.
  double TightSpread() const { return IsLong() ? 25 : 1; }
};

TEST_P(MeasureTest, FindsTheOptimumWithALimitAndWithAPrice) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const InstanceData data =
        AnInstance().WithCustomers(6).Seed(seed).RandomDemands().Capacity(15).BuildData();
    ExpectBestOfEveryPlan(WithBalance(data, {.measure = GetParam(), .max_spread = TightSpread()}));
    ExpectBestOfEveryPlan(WithBalance(data, {.measure = GetParam(), .max_spread = 0}));
    ExpectBestOfEveryPlan(WithBalance(data, {.measure = GetParam(), .cost = 2}));
    ExpectBestOfEveryPlan(WithBalance(data, {.measure = GetParam(), .cost = 0.3}));
    ExpectBestOfEveryPlan(
        WithBalance(data, {.measure = GetParam(), .max_spread = 2 * TightSpread(), .cost = 1}));
  }
}

TEST_P(MeasureTest, FindsTheOptimumOfEightCustomers) {
  const InstanceData data =
      AnInstance().WithCustomers(8).Seed(5).RandomDemands().Capacity(20).BuildData();
  const Instance instance =
      WithBalance(data, {.measure = GetParam(), .max_spread = TightSpread(), .cost = 0.5});
  double best = kNoLimit;
  test::ForEachPlan(instance, false, [&](const Plan& plan) {
    if (PlanCost(instance, plan) < best && CheckPlan(instance, plan).feasible) {
      best = PlanCost(instance, plan);
    }
  });
  const SearchResult found = SearchFor(instance, 10'000);
  ExpectSound(instance, found);
  EXPECT_NEAR(found.cost, best, 1e-6);
}

TEST_P(MeasureTest, FindsTheOptimumOfAWholeFleet) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const InstanceData data = AnInstance()
                                  .WithCustomers(6)
                                  .Seed(seed)
                                  .RandomDemands()
                                  .Capacity(40)
                                  .Vehicles(3)
                                  .BuildData();
    const Balance balance = {
        .measure = GetParam(), .max_spread = 2 * TightSpread(), .all_vehicles = true};
    ExpectBestOfEveryPlan(WithBalance(data, balance));
    ExpectBestOfEveryPlan(
        WithBalance(data, {.measure = GetParam(), .cost = 3, .all_vehicles = true}));
  }
}

INSTANTIATE_TEST_SUITE_P(All, MeasureTest, testing::ValuesIn(kMeasures));

class BalancedFeatureTest : public testing::TestWithParam<int32_t> {};

TEST_P(BalancedFeatureTest, FindsTheOptimumThatTryingEverythingFinds) {
  const auto feature = static_cast<Feature>(GetParam());
  if (feature == Feature::kReloads) return;  // plans with reloads are not all tried
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    std::vector<Feature> features = {feature, Feature::kBalance};
    if (seed % 2 == 0) features.push_back(Feature::kObjective);
    ExpectBestOfEveryPlan(test::MakeFeatureInstance(
        {.customers = 4,
         .seed = seed,
         .features = features,
         .objective = seed == 2 ? Objective::kCost : Objective::kVehiclesThenDistance,
         .vehicles = seed > 2 ? 2 : 0}));
  }
}

INSTANTIATE_TEST_SUITE_P(All, BalancedFeatureTest,
                         testing::Range(0, static_cast<int32_t>(Feature::kAlternatives) + 1));

TEST(BalanceTest, IsKeptWithAnyFeatures) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    std::vector<Feature> features = test::DrawFeatures(seed);
    features.push_back(Feature::kBalance);
    const Instance instance = test::MakeFeatureInstance(
        {.customers = static_cast<int32_t>(5 + seed % 40),
         .seed = seed,
         .features = features,
         .objective = seed % 3 == 0 ? Objective::kVehiclesThenDistance : Objective::kCost,
         .vehicles = static_cast<int32_t>(seed % 4)});
    SearchOptions options;
    options.max_iterations = 200;
    options.threads = 1 + static_cast<int32_t>(seed % 2);
    const SearchResult found = *Search(instance, options, [&](const Plan& plan, Cost cost) {
      ExpectSound(instance, {.plan = plan, .cost = cost});
    });
    ExpectSound(instance, found);
  }
}

TEST(BalanceTest, IsKeptByLargePlansOnSeveralThreads) {
  for (const BalanceMeasure measure : kMeasures) {
    const InstanceData data =
        AnInstance().WithCustomers(200).RandomDemands().Capacity(60).Service(5).BuildData();
    const double limit = measure < BalanceMeasure::kLoad ? 60 : 10;
    const Instance instance = WithBalance(data, {.measure = measure, .max_spread = limit});
    SearchOptions options;
    options.max_iterations = 3000;
    const SearchResult found = *ParallelSearch(instance, options, 2, nullptr);
    ExpectSound(instance, found);
    EXPECT_EQ(ValueOf(instance, found.plan).left_out, 0);
  }
}

// Customers of 10 and 1 units do not fit into one vehicle, and differ by more than the limit.
TEST(BalanceTest, LeavesCustomersOutRatherThanExceedTheLimit) {
  const InstanceData data =
      AnInstance().WithCustomers(3).Demands({10, 1, 1}).Capacity(10).BuildData();
  const Instance instance = WithBalance(data, {.measure = BalanceMeasure::kLoad, .max_spread = 2});
  for (const int64_t iterations : {0, 1, 300}) {
    const SearchResult found = SearchFor(instance, iterations);
    ExpectSound(instance, found);
    EXPECT_EQ(ValueOf(instance, found.plan).left_out, 1) << iterations;
  }
}

TEST(BalanceTest, BeginsWithAPlanAboveTheLimit) {
  const InstanceData data = AnInstance().WithCustomers(12).Capacity(12).BuildData();
  const Instance instance = WithBalance(data, {.measure = BalanceMeasure::kStops, .max_spread = 1});
  SearchOptions options;
  options.max_iterations = 300;
  options.initial = {{{0, {1}}, {0, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}}};
  const SearchResult found = *Search(instance, options);
  ExpectSound(instance, found);
  EXPECT_EQ(ValueOf(instance, found.plan).left_out, 0);
}

// One vehicle has served four customers and the other one, and nobody is left.
TEST(BalanceTest, NamesALimitThatFrozenStopsPrevent) {
  InstanceData data = AnInstance().WithCustomers(5).BuildData();
  data.balance = Balance{.measure = BalanceMeasure::kStops, .max_spread = 2};
  const std::vector<FrozenRoute> frozen = {{.route = 0, .visits = {1, 2, 3, 4}},
                                           {.route = 1, .visits = {5}}};
  SearchOptions options;
  options.max_iterations = 100;
  const auto found = Search(*Freeze(*Instance::Create(data), frozen), options);
  EXPECT_EQ(found.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(found.status().message(),
              HasSubstr("balance.max_spread: found no plan that keeps it with the frozen stops"));
  data.balance->max_spread = 3;
  const Instance allowed = *Freeze(*Instance::Create(data), frozen);
  ExpectSound(allowed, *Search(allowed, options));
}

// A frozen route of one stop may reach a longer one by further stops.
TEST(BalanceTest, FillsFrozenRoutesUpToTheLimit) {
  InstanceData data = AnInstance().WithCustomers(8).BuildData();
  data.balance = Balance{.measure = BalanceMeasure::kStops, .max_spread = 0};
  const Instance instance = *Freeze(
      *Instance::Create(data), {{.route = 0, .visits = {1, 2, 3, 4}}, {.route = 1, .visits = {5}}});
  const SearchResult found = SearchFor(instance, 300);
  ExpectSound(instance, found);
  EXPECT_EQ(ValueOf(instance, found.plan).left_out, 0);
}

TEST(BalanceTest, GetsTheSamePlanFromTheSameSeed) {
  for (const BalanceMeasure measure : kMeasures) {
    const Instance instance = WithBalance(AnInstance().WithCustomers(40).BuildData(),
                                          {.measure = measure, .max_spread = 15, .cost = 0.1});
    EXPECT_EQ(SearchFor(instance, 500, 3).plan, SearchFor(instance, 500, 3).plan);
  }
}

TEST(BalanceTest, CostsLittleDistanceForLessSpread) {
  const InstanceData data = AnInstance().WithCustomers(60).RandomDemands().Capacity(60).BuildData();
  double spread = 0;
  double cost = 0;
  for (const double price : {1e-6, 1.0}) {
    const Instance instance =
        WithBalance(data, {.measure = BalanceMeasure::kDistance, .cost = price});
    const SearchResult found = SearchFor(instance, 20'000);
    ExpectSound(instance, found);
    if (price == 1) {
      EXPECT_LT(SpreadOf(instance, found.plan), 0.8 * spread);
      EXPECT_LT(found.cost, 1.15 * cost);
    }
    spread = SpreadOf(instance, found.plan);
    cost = found.cost;
  }
}

}  // namespace
}  // namespace vrp
