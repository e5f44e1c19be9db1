#include "core/search/regions/region_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <thread>
#include <vector>

#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/search/regions/lent_routes.h"
#include "core/search/search.h"
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

class RegionSearchTest : public testing::TestWithParam<int> {};

TEST_P(RegionSearchTest, ImprovesAPlanAndKeepsItFeasible) {
  const Instance instance = Large(GetParam(), 600);
  const SearchProblem problem = SearchProblem::Create(instance, {});
  const Plan first = FirstPlan(instance);
  for (const int32_t threads : {1, 3}) {
    SearchOptions options;
    options.max_iterations = 60'000;
    options.threads = threads;
    double last = PlanCost(instance, first);
    const SearchResult found =
        RegionSearch(problem, first, options, [&](const Plan& plan, Cost cost) {
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
  const SearchProblem problem = SearchProblem::Create(instance, {});
  SearchOptions options;
  options.max_iterations = 60'000;
  options.threads = 3;
  const auto fail = [](const Plan&, Cost) { throw std::bad_alloc(); };
  EXPECT_THROW(RegionSearch(problem, FirstPlan(instance), options, fail), std::bad_alloc);
}

TEST(RegionSearchTest, IsTheSameAgainOnOneThread) {
  const Instance instance = Large(0, 500);
  const SearchProblem problem = SearchProblem::Create(instance, {});
  const Plan first = FirstPlan(instance);
  SearchOptions options;
  options.max_iterations = 30'000;
  const auto search = [&] {
    return RegionSearch(problem, first, options, [](const Plan&, Cost) {}).plan;
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
  ASSERT_TRUE(SearchesByRegions(instance, options));
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

TEST(RegionSearchTest, IsForLargePlainInstancesAndEnoughTime) {
  EXPECT_TRUE(SearchesByRegions(Large(0, 500), {}));
  EXPECT_TRUE(SearchesByRegions(Large(1, 200), {}));
  EXPECT_FALSE(SearchesByRegions(Large(0, 200), {})) << "the population's";
  EXPECT_FALSE(SearchesByRegions(AnInstance().WithCustomers(600).OpenEnd().Build(), {}));
  EXPECT_FALSE(
      SearchesByRegions(AnInstance().WithCustomers(600).Kind(ProblemKind::kTsp).Build(), {}));
  EXPECT_FALSE(SearchesByRegions(Large(0, 500, 3), {})) << "too few vehicles";
  SearchOptions options;
  options.stop = StopCondition(SteadyNow() + absl::Milliseconds(100), nullptr);
  EXPECT_FALSE(SearchesByRegions(Large(0, 500), options));
  options = {};
  options.needs_detours = true;
  EXPECT_FALSE(SearchesByRegions(Large(0, 500), options));
}

TEST(LentRoutesTest, NeverLendARouteTwice) {
  const Instance instance = Large(0, 300);
  const SearchProblem problem = SearchProblem::Create(instance, {});
  const Plan plan = FirstPlan(instance);
  LentRoutes routes(problem, plan);
  FastRandom random(1);
  std::vector<Region> out;
  std::vector<int32_t> slots;
  size_t largest = 0;
  while (const auto region = routes.Lend(80, random)) {
    slots.insert(slots.end(), region->slots.begin(), region->slots.end());
    largest = std::max(largest, region->slots.size());
    out.push_back(*region);
  }
  std::sort(slots.begin(), slots.end());
  EXPECT_EQ(std::adjacent_find(slots.begin(), slots.end()), slots.end());
  EXPECT_EQ(slots.size(), plan.size());
  EXPECT_GT(largest, 1);
  for (const Region& region : out) routes.TakeBack(region, region.plan);
  EXPECT_FALSE(routes.BestBelow(PlanCost(instance, plan)).has_value());
  EXPECT_TRUE(routes.Lend(80, random).has_value());
}

// Each customer's nearest are all of its own town, whose only route is lent already.
TEST(LentRoutesTest, GoOnInTheNearestTownWhereARegionsOwnEnds) {
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
  const SearchProblem problem = SearchProblem::Create(instance, {});
  LentRoutes routes(problem, plan);
  FastRandom random(1);
  for (int draw = 0; draw < 10; ++draw) {
    const Region region = *routes.Lend(2 * kTown + kTown / 2, random);
    std::vector<int32_t> slots = region.slots;
    std::sort(slots.begin(), slots.end());
    EXPECT_THAT(slots, AnyOf(ElementsAre(0, 1), ElementsAre(1, 2)));
    routes.TakeBack(region, region.plan);
  }
}

TEST(LentRoutesTest, CountWhatComesBackShorter) {
  const Instance instance =
      AnInstance().At({{0, 0}, {1, 0}, {2, 0}, {0, 5}, {0, 6}}).Capacity(9).Build();
  const SearchProblem problem = SearchProblem::Create(instance, {});
  LentRoutes routes(problem, {{0, {1}}, {0, {2}}, {0, {3}}, {0, {4}}});
  FastRandom random(1);
  const Region region = *routes.Lend(4, random);
  ASSERT_EQ(region.plan.size(), 4);
  EXPECT_FALSE(routes.Lend(4, random).has_value());
  routes.TakeBack(region, {{0, {1, 2}}, {0, {3, 4}}});
  const auto best = routes.BestBelow(28);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->distance, 16);
  EXPECT_EQ(best->plan, (Plan{{0, {1, 2}}, {0, {3, 4}}}));
}

}  // namespace
}  // namespace vrp
