#include "core/search/methods/regions/region_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "core/search/methods/annealing/annealing.h"
#include "core/search/methods/regions/route_pool.h"
#include "core/search/portfolio.h"
#include "core/search/search.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::AnyOf;
using testing::ElementsAre;

// In kinds 1 and 3 with windows, in 2 and 3 with matrices alone.
Instance Large(int kind, int32_t customers, int32_t vehicles = 0) {
  auto builder = AnInstance().WithCustomers(customers).RandomDemands().Capacity(60);
  if (vehicles > 0) builder.Vehicles(vehicles);
  const Instance plain = kind % 2 == 0 ? builder.Build() : builder.RandomWindows().Build();
  if (kind < 2) return plain;
  InstanceData data = plain.data();
  data.distance_matrix = plain.DistanceMatrix();
  for (size_t k = 0; k < data.distance_matrix.size(); k += 7) data.distance_matrix[k] *= 1.1;
  data.duration_matrix = plain.DurationMatrix();
  data.positions.clear();
  return *Instance::Create(std::move(data));
}

Plan FirstPlan(const Instance& instance) {
  SearchOptions options;
  options.max_iterations = 0;
  return Search(instance, options)->plan;
}

// Runs the search by regions of a plain instance.
SearchResult SearchRegionsOf(const Instance& instance, const Plan& first,
                             const SearchOptions& options, ImprovementFn on_improvement) {
  const Problem problem = Problem::Create(instance, {});
  RouteStore routes(problem);
  routes.Load(first);
  const auto near = [&](NodeIndex customer) { return problem.Near(customer); };
  return RegionSearch({instance, near, UsualTemperatures(routes), problem.epsilon()}, first,
                      options, on_improvement);
}

class RegionSearchTest : public testing::TestWithParam<int> {};

TEST_P(RegionSearchTest, ImprovesAPlanAndKeepsItFeasible) {
  const Instance instance = Large(GetParam(), 600);
  const Plan first = FirstPlan(instance);
  for (const int32_t threads : {1, 3}) {
    SearchOptions options;
    options.max_iterations = 60'000;
    options.threads = threads;
    double last = PlanCost(instance, first);
    const SearchResult found =
        SearchRegionsOf(instance, first, options, [&](const Plan& plan, Cost cost) {
          EXPECT_TRUE(CheckPlan(instance, plan, cost).feasible);
          EXPECT_LT(cost, last);
          last = cost;
        });
    EXPECT_TRUE(CheckPlan(instance, found.plan, found.cost).feasible);
    EXPECT_LT(found.cost, 0.995 * PlanCost(instance, first));
    EXPECT_EQ(found.cost, last);
    EXPECT_EQ(found.iterations, options.max_iterations);
    EXPECT_EQ(found.ended_by, SearchEnd::kIterations);
  }
}

INSTANTIATE_TEST_SUITE_P(PlainWindowsMatricesBoth, RegionSearchTest, testing::Range(0, 4));

TEST(RegionSearchTest, ThrowsOnTheCallingThreadIfMemoryRunsOut) {
  const Instance instance = Large(0, 500);
  SearchOptions options;
  options.max_iterations = 60'000;
  options.threads = 3;
  const auto fail = [](const Plan&, Cost) { throw std::bad_alloc(); };
  EXPECT_THROW(SearchRegionsOf(instance, FirstPlan(instance), options, fail), std::bad_alloc);
}

TEST(RegionSearchTest, IsTheSameAgainOnOneThread) {
  const Instance instance = Large(0, 500);
  const Plan first = FirstPlan(instance);
  SearchOptions options;
  options.max_iterations = 30'000;
  const auto search = [&] {
    return SearchRegionsOf(instance, first, options, [](const Plan&, Cost) {}).plan;
  };
  const Plan found = search();
  EXPECT_EQ(search(), found);
  options.seed = 2;
  EXPECT_NE(search(), found);
}

TEST(RegionSearchTest, UsesNoMoreVehiclesThanThereAre) {
  const Instance open = Large(0, 500);
  const auto fleet = static_cast<int32_t>(FirstPlan(open).size()) + 1;
  const Instance instance = Large(0, 500, fleet);
  SearchOptions options;
  options.max_iterations = 40'000;
  options.threads = 2;
  ASSERT_TRUE(SearchesTogether(instance, options.stop));
  const auto found = Search(instance, options);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(CheckPlan(instance, found->plan, found->cost).feasible);
  EXPECT_LE(found->plan.size(), fleet);
}

TEST(RegionSearchTest, StopsSoonAfterItsDeadlineAndWhenCancelled) {
  const Instance instance = Large(1, 600);
  SearchOptions options;
  options.threads = 2;
  options.stop = StopCondition(SteadyNow() + absl::Milliseconds(800), nullptr);
  EXPECT_EQ(Search(instance, options)->ended_by, SearchEnd::kDeadline);
  EXPECT_LT(SteadyNow(), options.stop.deadline() + absl::Seconds(5));

  const auto flag = std::make_shared<CancelFlag>();
  options.stop = StopCondition(absl::InfiniteFuture(), flag);
  std::thread canceller([&] {
    absl::SleepFor(absl::Milliseconds(100));
    flag->Cancel();
  });
  EXPECT_EQ(Search(instance, options)->ended_by, SearchEnd::kCancelled);
  canceller.join();
}

TEST(RegionSearchTest, IsForLargeInstancesAndEnoughTime) {
  EXPECT_TRUE(SearchesTogether(Large(0, 500), {}));
  EXPECT_TRUE(SearchesTogether(Large(1, 200), {}));
  EXPECT_FALSE(SearchesTogether(Large(0, 200), {})) << "the population's";
  EXPECT_TRUE(SearchesTogether(AnInstance().WithCustomers(600).OpenEnd().Build(), {}));
  EXPECT_FALSE(
      SearchesTogether(AnInstance().WithCustomers(600).Kind(ProblemKind::kTsp).Build(), {}));
  const StopCondition stop(SteadyNow() + absl::Milliseconds(100), nullptr);
  EXPECT_FALSE(SearchesTogether(Large(0, 500), stop));
}

// Each of two threads then begins as the one does.
TEST(SeveralThreadsTest, ServeNoLessThanOneWhereTheFleetIsTooSmall) {
  const Instance instance = Large(1, 240, 12);
  SearchOptions options;
  options.max_iterations = 20'000;
  const PlanValue one = ValueOf(instance, Search(instance, options)->plan);
  options.max_iterations *= 2;
  options.threads = 2;
  const auto found = Search(instance, options);
  EXPECT_LE(ValueOf(instance, found->plan), one);
  EXPECT_GT(one.left_out, 0);
  EXPECT_EQ(found->iterations, options.max_iterations);
}

class RegionFeatureTest : public testing::TestWithParam<Feature> {};

TEST_P(RegionFeatureTest, ImprovesAPlanOnTwoThreadsAndKeepsItFeasible) {
  const Instance instance =
      test::MakeFeatureInstance({.customers = 260, .seed = 5, .features = {GetParam()}});
  SearchOptions options;
  options.max_iterations = 0;
  const PlanValue first = ValueOf(instance, Search(instance, options)->plan);
  options.max_iterations = 20'000;
  options.threads = 2;
  ASSERT_TRUE(SearchesTogether(instance, options.stop));
  const auto found = Search(instance, options);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(RoutesAreFeasible(CheckPlan(instance, found->plan)));
  const PlanValue value = ValueOf(instance, found->plan);
  EXPECT_LE(value.left_out, first.left_out);
  EXPECT_LT(value, first);
  EXPECT_NEAR(found->cost, value.cost, 1e-9 * value.cost);  // summed in another order
}

std::vector<Feature> AllFeatures() {
  std::vector<Feature> features;
  for (int32_t f = 0; f <= static_cast<int32_t>(Feature::kInOrder); ++f) {
    features.push_back(static_cast<Feature>(f));
  }
  return features;
}

INSTANTIATE_TEST_SUITE_P(All, RegionFeatureTest, testing::ValuesIn(AllFeatures()),
                         [](const auto& param) { return std::to_string(param.index); });

TEST(RegionFeatureTest, IsTheSameAgainOnOneThreadWithPrizes) {
  const Instance instance = test::MakeFeatureInstance(
      {.customers = 240, .seed = 7, .features = {Feature::kPrizes, Feature::kSkills}});
  SearchOptions options;
  options.max_iterations = 10'000;
  const Plan found = Search(instance, options)->plan;
  EXPECT_EQ(Search(instance, options)->plan, found);
  options.seed = 2;
  EXPECT_NE(Search(instance, options)->plan, found);
}

TEST(RegionFeatureTest, KeepsFrozenBeginnings) {
  const Instance free = test::MakeFeatureInstance(
      {.customers = 240, .seed = 5, .features = {Feature::kShipments, Feature::kSkills}});
  SearchOptions options;
  options.max_iterations = 0;
  const Plan plan = Search(free, options)->plan;
  ASSERT_GE(plan[0].customers.size(), 2u);
  const Instance instance =
      *Freeze(free, {{.vehicle_type = plan[0].vehicle_type,
                      .visits = {plan[0].customers.begin(), plan[0].customers.begin() + 2}}});
  options.max_iterations = 10'000;
  options.threads = 2;
  const auto found = Search(instance, options);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(CheckPlan(instance, found->plan, found->cost).feasible);
}

// A pool of the routes of a plain instance.
struct PlainPool {
  PlainPool(const Instance& instance, const Plan& plan)
      : problem(Problem::Create(instance, {})),
        routes(problem.instance(), near, plan, problem.epsilon()) {}

  Problem problem;
  std::function<std::span<const NodeIndex>(NodeIndex)> near = [this](NodeIndex customer) {
    return problem.Near(customer);
  };
  RoutePool routes;
};

TEST(RoutePoolTest, NeverHandsOutARouteTwice) {
  const Instance instance = Large(0, 300);
  const Plan plan = FirstPlan(instance);
  PlainPool pool(instance, plan);
  FastRandom random(1);
  std::vector<Region> claimed;
  std::vector<int32_t> slots;
  size_t largest = 0;
  while (const auto region = pool.routes.Claim(80, random)) {
    slots.insert(slots.end(), region->slots.begin(), region->slots.end());
    largest = std::max(largest, region->slots.size());
    claimed.push_back(*region);
  }
  std::sort(slots.begin(), slots.end());
  EXPECT_EQ(std::adjacent_find(slots.begin(), slots.end()), slots.end());
  EXPECT_EQ(slots.size(), plan.size());
  EXPECT_GT(largest, 1);
  const PlanValue value = ValueOf(instance, plan);
  for (const Region& region : claimed) pool.routes.Return(region, region.plan, value, value);
  EXPECT_FALSE(pool.routes.BestBelow(value).has_value());
  EXPECT_TRUE(pool.routes.Claim(80, random).has_value());
}

// The nearest customers of each are all of its own town, whose only route is claimed already.
TEST(RoutePoolTest, GoesOnInTheNearestTownIfThatOfARegionHasNoMoreRoutes) {
  constexpr int32_t kTown = 20;
  constexpr double kTowns[] = {100, 200, 400};
  std::vector<Position> positions = {{0, 0}};
  Plan plan;
  for (const double town : kTowns) {
    plan.push_back({.vehicle_type = 0, .customers = {}});
    for (int32_t k = 0; k < kTown; ++k) {
      plan.back().customers.push_back(static_cast<NodeIndex>(positions.size()));
      positions.push_back({town + 0.1 * k, 0});
    }
  }
  const Instance instance = AnInstance().At(positions).Capacity(1000).Build();
  PlainPool pool(instance, plan);
  FastRandom random(1);
  for (int draw = 0; draw < 10; ++draw) {
    const Region region = *pool.routes.Claim(2 * kTown + kTown / 2, random);
    std::vector<int32_t> slots = region.slots;
    std::sort(slots.begin(), slots.end());
    EXPECT_THAT(slots, AnyOf(ElementsAre(0, 1), ElementsAre(1, 2)));
    pool.routes.Return(region, region.plan, {}, {});
  }
}

TEST(RoutePoolTest, KeepsABetterPlan) {
  const Instance instance =
      AnInstance().At({{0, 0}, {1, 0}, {2, 0}, {0, 5}, {0, 6}}).Capacity(9).Build();
  const Plan plan = {{0, {1}}, {0, {2}}, {0, {3}}, {0, {4}}};
  PlainPool pool(instance, plan);
  FastRandom random(1);
  const Region region = *pool.routes.Claim(4, random);
  ASSERT_EQ(region.plan.size(), 4);
  EXPECT_FALSE(pool.routes.Claim(4, random).has_value());
  const Plan better = {{0, {1, 2}}, {0, {3, 4}}};
  pool.routes.Return(region, better, ValueOf(instance, region.plan), ValueOf(instance, better));
  EXPECT_EQ(pool.routes.BestBelow(ValueOf(instance, plan)), better);
  EXPECT_FALSE(pool.routes.BestBelow(ValueOf(instance, better)).has_value());
}

TEST(RoutePoolTest, HandsOutUnservedCustomersWithTheRoutesNearThem) {
  InstanceData data =
      AnInstance().At({{0, 0}, {1, 0}, {2, 0}, {0, 50}, {0, 60}}).Capacity(9).Build().data();
  data.prizes = {kNoLimit, kNoLimit, 1, 1, kNoLimit};
  const Instance instance = *Instance::Create(std::move(data));
  const std::vector<std::vector<NodeIndex>> nearest = {{}, {2}, {1}, {4}, {3}};
  const auto near = [&](NodeIndex customer) { return std::span(nearest[customer]); };
  RoutePool routes(instance, near, {{0, {1}}, {0, {4}}}, 0);
  FastRandom random(1);
  const Region first = *routes.Claim(1, random);
  const Region second = *routes.Claim(1, random);
  EXPECT_THAT(first.unserved, ElementsAre(first.plan[0].customers[0] == 1 ? 2 : 3));
  EXPECT_THAT(second.unserved, ElementsAre(second.plan[0].customers[0] == 1 ? 2 : 3));
}

}  // namespace
}  // namespace vrp
