#include "core/search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/vrplib/vrplib_solution.h"
#include "core/search/model/fast_random.h"
#include "tests/testing/brute_force.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::BruteForceOptimum;
using test::InstanceBuilder;
using testing::HasSubstr;

SearchResult SearchFor(const Instance& instance, int64_t iterations, uint64_t seed = 1) {
  SearchOptions options;
  options.max_iterations = iterations;
  options.seed = seed;
  return *Search(instance, options);
}

Instance ReadInstance(const char* name) { return *ParseInstance(test::ReadData(name), name); }

struct Variant {
  std::string name;
  InstanceBuilder builder;
};

class TinyTest : public testing::TestWithParam<Variant> {};

TEST_P(TinyTest, FindsTheOptimumThatTryingEverythingFinds) {
  for (int32_t customers = 1; customers <= 7; ++customers) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      InstanceBuilder builder = GetParam().builder;
      const Instance instance = builder.WithCustomers(customers).Seed(seed).Build();
      const auto best = BruteForceOptimum(instance);
      if (!best.feasible) continue;
      const SearchResult found = SearchFor(instance, 2000);
      const CheckReport report = CheckPlan(instance, found.plan, found.cost);
      ASSERT_TRUE(report.feasible)
          << customers << "/" << seed << ": " << report.violations.front().message;
      EXPECT_NEAR(found.cost, best.cost, 1e-6) << customers << "/" << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, TinyTest,
    testing::Values(
        Variant{"Cvrp", AnInstance().RandomDemands().Capacity(14)},
        Variant{"Rounded", AnInstance().RandomDemands().Capacity(14).As(Metric::kRounded)},
        Variant{"Asymmetric", AnInstance().RandomDemands().Capacity(14).ExplicitMatrix(0.5)},
        Variant{"FewVehicles", AnInstance().Capacity(3).Vehicles(3)},
        Variant{"Windows", AnInstance().RandomWindows().Capacity(5).Service(4)},
        Variant{"Dimacs", AnInstance().RandomWindows().As(Metric::kDimacs)},
        Variant{"Tsp", AnInstance().Kind(ProblemKind::kTsp)},
        Variant{"AsymmetricTsp", AnInstance().Kind(ProblemKind::kTsp).ExplicitMatrix(0.6)}),
    [](const auto& variant) { return variant.param.name; });

TEST(SearchTest, FindsThePublishedOptimumOfEn22k4) {
  const Instance instance = ReadInstance("E-n22-k4.vrp");
  const SearchResult found = SearchFor(instance, 10'000);
  EXPECT_EQ(found.cost, 375);
  EXPECT_TRUE(CheckPlan(instance, found.plan, 375).feasible);
}

TEST(SearchTest, ComesNearTheBestKnownOfRc208) {
  const Instance instance = ReadInstance("RC208.vrp");
  const auto known = ParseVrplibSolution(test::ReadData("RC208.sol"), "RC208.sol", instance);
  ASSERT_TRUE(known.ok()) << known.status();
  const SearchResult found = SearchFor(instance, 20'000);
  EXPECT_TRUE(CheckPlan(instance, found.plan, found.cost).feasible);
  EXPECT_LE(found.cost, 1.03 * PlanCost(instance, known->plan));
}

TEST(SearchTest, FindsThePublishedOptimumOfPr107) {
  const Instance instance = ReadInstance("pr107.tsp");
  const SearchResult found = SearchFor(instance, 10'000);
  EXPECT_TRUE(CheckPlan(instance, found.plan, found.cost).feasible);
  EXPECT_EQ(found.cost, 44'303);
}

TEST(SearchTest, RepeatsItselfForASeedAndANumberOfIterations) {
  for (const Instance& instance :
       {AnInstance().WithCustomers(60).RandomDemands().Capacity(30).Build(),
        AnInstance().WithCustomers(360).RandomDemands().Capacity(30).Build(),
        AnInstance().WithCustomers(60).RandomWindows().Build(),
        AnInstance().Kind(ProblemKind::kTsp).WithCustomers(60).Build()}) {
    const SearchResult first = SearchFor(instance, 5000, 9);
    EXPECT_EQ(first.plan, SearchFor(instance, 5000, 9).plan);
    EXPECT_EQ(first.iterations, 5000);
    EXPECT_EQ(first.ended_by, SearchEnd::kIterations);
  }
}

TEST(SearchTest, FindsTheSameCostWhateverTheOrderOfTheCustomers) {
  FastRandom random(3);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    InstanceData data =
        AnInstance().WithCustomers(7).Seed(seed).RandomDemands().Capacity(14).BuildData();
    const Cost cost = SearchFor(*Instance::Create(data), 2000).cost;
    std::vector<int32_t> order(7);
    std::iota(order.begin(), order.end(), 1);
    random.Shuffle(std::span<int32_t>(order));
    InstanceData permuted = data;
    for (int32_t i = 0; i < 7; ++i) {
      permuted.positions[i + 1] = data.positions[order[i]];
      permuted.demands[i + 1] = data.demands[order[i]];
    }
    EXPECT_NEAR(SearchFor(*Instance::Create(permuted), 2000).cost, cost, 1e-6);
  }
}

TEST(SearchTest, MoreIterationsNeverMakeTheReportedCostWorse) {
  const Instance instance = AnInstance().WithCustomers(80).RandomDemands().Capacity(30).Build();
  std::vector<Cost> costs;
  SearchOptions options;
  options.max_iterations = 5000;
  const auto found = Search(instance, options, [&](const Plan& plan, Cost cost) {
    EXPECT_TRUE(CheckPlan(instance, plan, cost).feasible);
    costs.push_back(cost);
  });
  ASSERT_FALSE(costs.empty());
  EXPECT_TRUE(std::is_sorted(costs.rbegin(), costs.rend()));
  EXPECT_EQ(costs.back(), found->cost);
}

TEST(SearchTest, ReportsItsFirstPlanBeforeItImprovesIt) {
  const Instance instance = AnInstance().WithCustomers(300).RandomDemands().Capacity(50).Build();
  std::vector<Cost> reported;
  SearchOptions options;
  options.max_iterations = 0;
  const auto found = Search(instance, options, [&](const Plan& plan, Cost cost) {
    EXPECT_TRUE(CheckPlan(instance, plan, cost).feasible);
    reported.push_back(cost);
  });
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(reported.size(), 2);  // as constructed, and at the end of the descent
  EXPECT_LT(reported[1], reported[0]);
  EXPECT_EQ(reported[1], found->cost);
}

TEST(SearchTest, StartsFromAGivenPlan) {
  const Instance instance = AnInstance().WithCustomers(60).RandomDemands().Capacity(30).Build();
  SearchOptions options;
  options.max_iterations = 0;
  options.initial = {SearchFor(instance, 20'000).plan};
  const auto found = Search(instance, options);
  EXPECT_LE(found->cost, PlanCost(instance, options.initial[0]) + 1e-9);
  EXPECT_EQ(found->ended_by, SearchEnd::kLocalOptimum);
}

TEST(SearchTest, RepairsAGivenPlanThatIsNotFeasible) {
  for (const Instance& instance :
       {AnInstance().WithCustomers(12).Capacity(4).Vehicles(3).Build(),
        AnInstance().WithCustomers(12).RandomWindows().Build(),
        AnInstance().Kind(ProblemKind::kTsp).WithCustomers(12).Build()}) {
    SearchOptions options;
    options.max_iterations = 100;
    options.initial = {{{0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 77, -1}}, {0, {10}}}, {}};
    const auto found = Search(instance, options);
    EXPECT_TRUE(CheckPlan(instance, found->plan, found->cost).feasible);
  }
}

TEST(SearchTest, FillsATightFleet) {
  // 27 of 27 units: 9 + 9 + 9 only as {5, 4}, {6, 3}, {7, 2}.
  const Instance instance =
      AnInstance().WithCustomers(6).Demands({5, 6, 7, 2, 3, 4}).Capacity(9).Vehicles(3).Build();
  const SearchResult found = SearchFor(instance, 2000);
  EXPECT_TRUE(CheckPlan(instance, found.plan).feasible);
}

// Eight vehicles for the windows of sixty-four customers, each around the time at which one of
// eight routes, always on to the nearest, comes by.
Instance EightBusyVehicles(uint64_t seed) {
  constexpr int32_t kVehicles = 8;
  constexpr int32_t kCustomers = 64;
  FastRandom random(seed);
  std::vector<Position> positions = {{50, 50}};
  for (int32_t i = 0; i < kCustomers; ++i) {
    positions.push_back({100 * random.Unit(), 100 * random.Unit()});
  }
  const auto way = [&](NodeIndex a, NodeIndex b) {
    return std::hypot(positions[a].x - positions[b].x, positions[a].y - positions[b].y);
  };
  std::vector<TimeWindow> windows(kCustomers);
  std::vector<char> visited(kCustomers + 1, 0);
  double horizon = 0;
  for (int32_t vehicle = 0; vehicle < kVehicles; ++vehicle) {
    NodeIndex at = 0;
    double time = 0;
    for (int32_t stop = 0; stop < kCustomers / kVehicles; ++stop) {
      NodeIndex next = 0;
      for (NodeIndex node = 1; node <= kCustomers; ++node) {
        if (!visited[node] && (next == 0 || way(at, node) < way(at, next))) next = node;
      }
      visited[next] = 1;
      time += way(at, next);
      windows[next - 1] = {std::max(0.0, time - 30 * random.Unit()), time + 30 * random.Unit()};
      at = next;
    }
    horizon = std::max(horizon, time + way(at, 0));
  }
  return test::AnInstance()
      .At(positions)
      .Windows(windows, horizon)
      .Capacity(1000)
      .Vehicles(kVehicles)
      .Build();
}

TEST(SearchTest, ServesEveryoneWhereWindowsKeepTheFleetBusy) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Instance instance = EightBusyVehicles(seed);
    const SearchResult found = SearchFor(instance, 50'000, seed);
    const CheckReport report = CheckPlan(instance, found.plan, found.cost);
    EXPECT_TRUE(report.feasible) << seed << ": " << report.violations.front().message;
  }
}

TEST(SearchTest, LeavesOutAsFewCustomersAsTheFleetAllows) {
  const Instance instance = AnInstance().WithCustomers(9).Capacity(3).Vehicles(2).Build();
  const SearchResult found = SearchFor(instance, 200);
  const CheckReport report = CheckPlan(instance, found.plan, found.cost);
  EXPECT_EQ(report.violations.size(), 3);
  for (const Violation& violation : report.violations) {
    EXPECT_EQ(violation.kind, ViolationKind::kMissingCustomer) << violation.message;
  }
}

TEST(SearchTest, LeavesOutWhoCannotBeReachedAtAll) {
  const Instance instance =
      AnInstance().At({{0, 0}, {10, 0}, {90, 0}}).Windows({{0, 50}, {0, 20}}, 500).Build();
  const SearchResult found = SearchFor(instance, 100);
  ASSERT_EQ(found.plan.size(), 1);
  EXPECT_EQ(found.plan[0].customers, std::vector<NodeIndex>{1});
}

TEST(SearchTest, SolvesLargeInstancesWithoutAMatrix) {
  for (auto builder :
       {AnInstance().RandomDemands().Capacity(50), AnInstance().RandomWindows().Capacity(50),
        AnInstance().Kind(ProblemKind::kTsp)}) {
    const Instance instance = builder.WithCustomers(2500).Build();
    const SearchResult found = SearchFor(instance, 20);
    const CheckReport report = CheckPlan(instance, found.plan, found.cost);
    EXPECT_TRUE(report.feasible) << report.violations.front().message;
  }
}

TEST(SearchTest, CopesWithCustomersAllInOnePlace) {
  const std::vector<Position> positions(200, Position{1, 1});
  const SearchResult found = SearchFor(AnInstance().At(positions).Capacity(10).Build(), 100);
  EXPECT_EQ(found.cost, 0);
  EXPECT_EQ(SearchFor(AnInstance().Kind(ProblemKind::kTsp).At(positions).Build(), 100).cost, 0);
}

TEST(IsPlainTest, HoldsForProblemsWithoutFeaturesOnly) {
  EXPECT_TRUE(IsPlain(AnInstance().Build()));
  EXPECT_TRUE(IsPlain(AnInstance().RandomWindows().Build()));
  EXPECT_TRUE(IsPlain(AnInstance().Kind(ProblemKind::kTsp).Build()));
  EXPECT_FALSE(IsPlain(AnInstance().MaxDuration(9).Build()));
  EXPECT_FALSE(IsPlain(AnInstance().OpenEnd().Build()));
  EXPECT_FALSE(IsPlain(AnInstance().Backhauls({1, 0, 0, 0, 0}).Build()));
}

TEST(SearchTest, LeavesOutOnlyTheCustomerWhomNoVehicleCanCarry) {
  const Instance instance =
      AnInstance().WithCustomers(6).Capacity(10).Demands({3, 42, 3, 3, 3, 3}).Build();
  const SearchResult found = SearchFor(instance, 1000);
  const CheckReport report = CheckPlan(instance, found.plan, found.cost);
  ASSERT_EQ(report.violations.size(), 1u);
  EXPECT_EQ(report.violations[0].message, "customer 2 is not visited");
}

}  // namespace
}  // namespace vrp
