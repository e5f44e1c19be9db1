#include "core/search/methods/population/population.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "core/search/methods/population/member_distances.h"
#include "core/search/methods/population/penalised_population.h"
#include "core/search/methods/population/population_run.h"
#include "core/search/methods/population/recreated_population.h"
#include "core/search/model/shared_plans.h"
#include "core/search/ruin_recreate/recreate.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

// One route over `order`, as if it were feasible.
Individual OneRoute(const std::vector<NodeIndex>& order, double cost) {
  Individual individual;
  individual.customers = order;
  individual.ends = {static_cast<int32_t>(order.size())};
  individual.previous.assign(order.size() + 1, 0);
  individual.next.assign(order.size() + 1, 0);
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    individual.next[order[i]] = order[i + 1];
    individual.previous[order[i + 1]] = order[i];
  }
  individual.cost = cost;
  individual.feasible = true;
  return individual;
}

TEST(BrokenPairsTest, CountEdgesThatTheOtherLacksWhicheverWayItRuns) {
  const Individual a = OneRoute({1, 2, 3, 4, 5}, 0);
  EXPECT_EQ(BrokenPairs(a, a), 0);
  EXPECT_EQ(BrokenPairs(a, OneRoute({5, 4, 3, 2, 1}, 0)), 0);
  EXPECT_GT(BrokenPairs(a, OneRoute({1, 2, 4, 3, 5}, 0)), 0);
  EXPECT_LT(BrokenPairs(a, OneRoute({1, 2, 4, 3, 5}, 0)),
            BrokenPairs(a, OneRoute({1, 3, 5, 2, 4}, 0)));
}

TEST(MemberDistancesTest, DiversityIsTheMeanOfTheFiveNearestWhoeverComesAndGoes) {
  MemberDistances distances;
  distances.Insert(0, MemberDistances::kFar);
  for (int i = 1; i <= 7; ++i) distances.Insert(i, 0.125F * static_cast<float>(8 - i));
  EXPECT_EQ(distances.Diversity(), 0.375);  // of 1/8 to 5/8
  distances.Erase(7);                       // 1/8
  EXPECT_EQ(distances.Diversity(), 0.5);
  distances.Erase(1);  // 7/8
  EXPECT_EQ(distances.Diversity(), 0.5);
  const std::vector<int32_t> order = {5, 4, 3, 2, 1, 0};
  distances.Reorder(order);
  distances.Erase(0);  // 2/8, the nearest
  distances.Erase(4);  // itself
  distances.Insert(2, 0);
  EXPECT_EQ(distances.Diversity(), 0.45);  // 0, 3/8 to 6/8
}

TEST(PopulationTest, TakesNoCopyWhicheverWayItRuns) {
  Population population;
  population.Add(OneRoute({1, 2, 3, 4, 5}, 10), {});
  population.Add(OneRoute({5, 4, 3, 2, 1}, 10 + 1e-12), {});
  EXPECT_EQ(population.size(), 1);
  population.Add(OneRoute({1, 2, 4, 3, 5}, 10), {});
  population.Add(OneRoute({1, 2, 3, 4, 5}, 11), {});  // at its own cost
  EXPECT_EQ(population.size(), 3);
}

TEST(PopulationTest, DropsTheDearAndTheAlikeAndKeepsTheCheapest) {
  Population population;
  FastRandom random(1);
  const auto shuffled = [&] {
    std::vector<NodeIndex> order = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    random.Shuffle(std::span<NodeIndex>(order));
    return order;
  };
  const int most = Population::kSmallest + Population::kGeneration;
  const std::vector<NodeIndex> order = shuffled();
  for (int i = 0; i < most - 20; ++i) population.Add(OneRoute(order, 10 + 0.01 * i), {});
  for (int i = 0; i < 20; ++i) population.Add(OneRoute(shuffled(), 100 + i), {});
  EXPECT_EQ(population.size(), most);
  population.Add(OneRoute(shuffled(), 5), {});
  EXPECT_EQ(population.size(), Population::kSmallest);
  double cheapest = 1000;
  int dear = 0;
  for (int i = 0; i < 2000; ++i) {
    const double cost = population.Tournament(random).cost;
    cheapest = std::min(cheapest, cost);
    dear += cost >= 100;
  }
  EXPECT_EQ(cheapest, 5);
  EXPECT_GT(dear, 300);  // of 45 on one tour few are left: most of the population are others
}

TEST(PopulationTest, IsSmallWhereFewIndividualsAreExpected) {
  Population population;
  FastRandom random(1);
  std::vector<NodeIndex> order = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) {
      random.Shuffle(std::span<NodeIndex>(order));
      population.Add(OneRoute(order, 100), {});
    }
  };
  population.Expect(100);
  add(2 * Population::kLeast);
  EXPECT_EQ(population.size(), 2 * Population::kLeast);
  add(1);
  EXPECT_EQ(population.size(), Population::kLeast);
  population.Expect(300);
  EXPECT_GT(population.smallest(), Population::kLeast);
  EXPECT_LT(population.smallest(), Population::kSmallest);
  EXPECT_LT(population.generation(), Population::kGeneration);
  population.Expect(std::numeric_limits<double>::infinity());
  EXPECT_EQ(population.smallest(), Population::kSmallest);
  EXPECT_EQ(population.generation(), Population::kGeneration);
}

TEST(PopulationTest, RanksInfeasibleMembersByTheirPenalties) {
  Population population;
  FastRandom random(1);
  Individual light = OneRoute({1, 2, 3, 4, 5}, 20);
  light.feasible = false;
  light.excess.load = 1;
  Individual heavy = OneRoute({5, 1, 4, 2, 3}, 10);
  heavy.feasible = false;
  heavy.excess.load = 4;
  population.Add(light, {.load = 1});
  population.Add(heavy, {.load = 1});
  const auto wins_of_light = [&] {
    int wins = 0;
    for (int i = 0; i < 1000; ++i) wins += population.Tournament(random).excess.load == 1;
    return wins;
  };
  EXPECT_LT(wins_of_light(), 500);
  population.UpdatePenalties({.load = 10});
  EXPECT_GT(wins_of_light(), 500);
}

TEST(PenalisedPopulationTest, FindsFeasiblePlansWithAndWithoutWindows) {
  for (const Instance& instance :
       {AnInstance().WithCustomers(50).RandomDemands().Capacity(30).Build(),
        AnInstance().WithCustomers(50).RandomDemands().Capacity(30).RandomWindows().Build()}) {
    const Problem problem = Problem::Create(instance, {});
    FastRandom random(3);
    const std::vector<int32_t> counts = {40};
    PenalisedPopulation search(problem, random, counts);
    for (int i = 0; i < 10; ++i) search.AddFounder({});
    ASSERT_TRUE(search.has_best());
    const double before = search.best().cost;
    for (int i = 0; i < 200; ++i) search.AddChild({});
    EXPECT_LE(search.best().cost, before);
    const CheckReport report = CheckPlan(instance, ToPlan(problem, search.best()));
    EXPECT_TRUE(report.feasible) << report.violations.front().message;
    EXPECT_NEAR(report.cost, search.best().cost, 1e-6);
  }
}

TEST(PenalisedPopulationTest, FindsFeasiblePlansForUnlikeVehicles) {
  const std::vector<std::vector<Feature>> mixtures = {
      {Feature::kVehicleTypes, Feature::kObjective},
      {Feature::kSeveralDepots, Feature::kMaxStops},
      {Feature::kVehicleTypes, Feature::kSkills, Feature::kShift},
      {Feature::kMaxDistance, Feature::kMaxDuration, Feature::kOpenEnd},
      {Feature::kLoadDimensions, Feature::kEndDepot, Feature::kOvertime},
      {Feature::kVehicleTypes, Feature::kVehicleMatrix},
      {Feature::kPrizes, Feature::kVehicleTypes, Feature::kSeveralDepots},
  };
  for (const std::vector<Feature>& features : mixtures) {
    const Instance instance = test::MakeFeatureInstance({.customers = 50, .features = features});
    const Problem problem = Problem::Create(instance, {});
    ASSERT_TRUE(KnowsPenalisedPopulation(problem));
    FastRandom random(3);
    const std::vector<int32_t> counts(problem.vehicles().size(), 20);
    PenalisedPopulation search(problem, random, counts);
    for (int i = 0; i < 10; ++i) search.AddFounder({});
    for (int i = 0; i < 50; ++i) search.AddChild({});
    ASSERT_TRUE(search.has_best());
    const double before = search.best().cost;
    for (int i = 0; i < 200; ++i) search.AddChild({});
    EXPECT_LE(search.best().cost, before);
    const CheckReport report = CheckPlan(instance, ToPlan(problem, search.best()));
    EXPECT_TRUE(report.feasible) << report.violations.front().message;
    EXPECT_NEAR(report.cost, search.best().cost, 1e-6 * report.cost);
  }
}

// 4 vehicles are the least that 27 of 28 units need.
Instance FourVehiclesForFour() {
  return AnInstance()
      .WithCustomers(9)
      .Demands({1, 2, 3, 4, 5, 2, 3, 4, 3})
      .Capacity(7)
      .Vehicles(4)
      .Build();
}

TEST(PenalisedPopulationTest, KeepsToTheFleet) {
  const Instance instance = FourVehiclesForFour();
  const Problem problem = Problem::Create(instance, {});
  FastRandom random(3);
  const std::vector<int32_t> counts = {4};
  PenalisedPopulation search(problem, random, counts);
  for (int i = 0; i < 200; ++i) i < 10 ? search.AddFounder({}) : search.AddChild({});
  ASSERT_TRUE(search.has_best());
  const CheckReport report = CheckPlan(instance, ToPlan(problem, search.best()));
  EXPECT_TRUE(report.feasible) << report.violations.front().message;
}

Plan InsertedPlan(const Problem& problem, FastRandom& random) {
  const StopCondition never;
  RouteStore routes(problem);
  Recreate(routes, random, never).InsertAbsent(1);
  return routes.ToPlan();
}

TEST(RecreatedPopulationTest, FindsCheaperPlansOfEveryKindThatKeepAllLimits) {
  const std::vector<std::vector<Feature>> mixtures = {
      {Feature::kShipments, Feature::kSeveralDepots},
      {Feature::kAlternatives, Feature::kPrizes},
      {Feature::kReloads, Feature::kReleaseTimes},
      {Feature::kPickups, Feature::kVehicleTypes},
      {Feature::kBackhauls, Feature::kSoftWindows, Feature::kObjective},
      {Feature::kBreaks, Feature::kSeveralWindows, Feature::kSetupTimes},
      {Feature::kSameRoute, Feature::kDifferentRoutes, Feature::kMaxPerRoute, Feature::kInOrder},
  };
  for (const std::vector<Feature>& features : mixtures) {
    const Instance instance = test::MakeFeatureInstance(
        {.customers = 25, .features = features, .objective = Objective::kVehiclesThenDistance});
    const Problem problem = Problem::Create(instance, {});
    ASSERT_FALSE(KnowsPenalisedPopulation(problem));
    FastRandom random(3);
    const Plan first = InsertedPlan(problem, random);
    SearchOptions options;
    options.max_iterations = 20'000;
    RecreatedPopulation search(problem, random, options, first);
    search.AddPlan(first, {});
    for (int i = 0; i < 3; ++i) search.AddFounder({});
    ASSERT_TRUE(search.has_best());
    const double before = search.best().cost;
    for (int i = 0; i < 10; ++i) search.AddChild({});
    EXPECT_LE(search.best().cost, before);
    EXPECT_GT(search.iterations(), 100 * problem.units());
    const Plan best = ToPlan(problem, search.best());
    const CheckReport report = CheckPlan(instance, best);
    EXPECT_TRUE(RoutesAreFeasible(report)) << report.violations.front().message;
    EXPECT_LT(ValueOf(instance, best), ValueOf(instance, first));
    const double weight = problem.route_weight() * static_cast<double>(best.size());
    EXPECT_NEAR(report.cost + weight, search.best().cost, 1e-6 * search.best().cost);
  }
}

TEST(RecreatedPopulationTest, KeepsFrozenBeginnings) {
  const Instance free = test::MakeFeatureInstance({.customers = 30, .features = {}, .vehicles = 6});
  FastRandom random(3);
  const Plan poor = InsertedPlan(Problem::Create(free, {}), random);
  std::vector<FrozenRoute> beginnings;
  for (const size_t route : {size_t{0}, poor.size() - 1}) {
    const std::vector<NodeIndex>& customers = poor[route].customers;
    beginnings.push_back({.vehicle_type = poor[route].vehicle_type,
                          .visits = {customers.rbegin(), customers.rbegin() + 2}});
  }
  const auto frozen = Freeze(free, beginnings);
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  const Problem problem = Problem::Create(*frozen, {});
  SearchOptions options;
  options.max_iterations = 20'000;
  const Plan first = InsertedPlan(problem, random);
  const SearchResult found =
      RunPopulations(problem, {first}, options, random, [](const Plan&, Cost) {});
  const CheckReport report = CheckPlan(*frozen, found.plan, found.cost);
  EXPECT_TRUE(report.feasible) << report.violations.front().message;
  EXPECT_LT(found.cost, PlanCost(*frozen, first));
}

TEST(PopulationRunTest, WantsTimeForEachCustomerWhereThereAreWindows) {
  const auto problem_of = [](int32_t customers) {
    return Problem::Create(
        AnInstance().WithCustomers(customers).RandomDemands().Capacity(30).RandomWindows().Build(),
        {});
  };
  const auto within = [](absl::Duration budget) {
    SearchOptions options;
    options.stop = StopCondition(SteadyNow() + budget, nullptr);
    return options;
  };
  const Problem some = problem_of(30);
  EXPECT_TRUE(PopulationFits(some, {}));
  EXPECT_TRUE(PopulationFits(some, within(absl::Minutes(1))));
  EXPECT_FALSE(PopulationFits(some, within(absl::Milliseconds(10))));
  SearchOptions counted;
  counted.max_iterations = 1'000'000'000;
  EXPECT_FALSE(PopulationFits(some, counted));
  EXPECT_FALSE(PopulationFits(problem_of(kMostTimedPopulationNodes), {}));
}

TEST(PopulationRunTest, WantsTimeForEachCustomerWhereVehiclesAreUnlike) {
  const auto fits = [](std::vector<Feature> features, absl::Duration budget) {
    SearchOptions options;
    options.stop = StopCondition(SteadyNow() + budget, nullptr);
    const Instance instance =
        test::MakeFeatureInstance({.customers = 20, .features = std::move(features)});
    return PopulationFits(Problem::Create(instance, {}), options);
  };
  EXPECT_TRUE(fits({Feature::kVehicleTypes, Feature::kSeveralDepots}, absl::Minutes(1)));
  EXPECT_TRUE(fits({Feature::kPrizes}, absl::Minutes(1)));
  EXPECT_FALSE(fits({Feature::kVehicleTypes}, absl::Milliseconds(10)));
  EXPECT_FALSE(fits({Feature::kAlternatives}, absl::Minutes(1)));
  EXPECT_TRUE(fits({Feature::kShipments}, absl::Minutes(1)));
  EXPECT_FALSE(fits({Feature::kShipments}, absl::Milliseconds(500)));
}

TEST(PopulationRunTest, StartsFromThePlansGivenAndNeverEndsWorse) {
  const Instance instance = AnInstance().WithCustomers(30).RandomDemands().Capacity(30).Build();
  const Problem problem = Problem::Create(instance, {});
  ASSERT_TRUE(PopulationFits(problem, {}));
  SearchOptions options;
  options.max_iterations = 100'000;
  FastRandom random(1);
  Plan alone;
  for (NodeIndex node = 1; node <= 30; ++node) alone.push_back({0, {node}});
  const SearchResult good = RunPopulations(problem, {alone}, options, random, [](auto&, Cost) {});
  EXPECT_LT(good.cost, 0.6 * PlanCost(instance, alone));
  options.max_iterations = 1;
  const SearchResult kept =
      RunPopulations(problem, {good.plan}, options, random, [](auto&, Cost) {});
  EXPECT_LE(kept.cost, good.cost);
  EXPECT_EQ(kept.iterations, 1);
}

TEST(SharedPlansTest, GivesEachPlanOnceToEveryOther) {
  SharedPlans shared;
  int64_t seen_by_one = 0;
  int64_t seen_by_two = 0;
  shared.Offer(1, {{0, {1}}});
  shared.Offer(2, {{0, {2}}});
  shared.Offer(1, {{0, {3}}});
  EXPECT_EQ(shared.TakeNew(2, seen_by_two), (std::vector<Plan>{{{0, {1}}}, {{0, {3}}}}));
  EXPECT_TRUE(shared.TakeNew(2, seen_by_two).empty());
  EXPECT_EQ(shared.TakeNew(1, seen_by_one), (std::vector<Plan>{{{0, {2}}}}));
  for (NodeIndex node = 1; node <= 100; ++node) shared.Offer(1, {{0, {node}}});
  const std::vector<Plan> last = shared.TakeNew(2, seen_by_two);
  EXPECT_LT(last.size(), 100);
  EXPECT_EQ(last.back(), (Plan{{0, {100}}}));
}

TEST(PopulationRunTest, TakesOverWhatAnotherSearchFound) {
  const Instance instance = AnInstance().WithCustomers(60).RandomDemands().Capacity(30).Build();
  const Problem problem = Problem::Create(instance, {});
  Plan alone;
  for (NodeIndex node = 1; node <= 60; ++node) alone.push_back({0, {node}});
  SharedPlans shared;
  SearchOptions options;
  options.shared = &shared;
  options.max_iterations = 200'000;
  FastRandom random(1);
  const SearchResult good = RunPopulations(problem, {alone}, options, random, [](auto&, Cost) {});
  options.index = 1;
  options.max_iterations = 1;
  const SearchResult other = RunPopulations(problem, {alone}, options, random, [](auto&, Cost) {});
  EXPECT_LE(other.cost, good.cost + 1e-9);
  SharedPlans none;
  options.shared = &none;
  EXPECT_GT(RunPopulations(problem, {alone}, options, random, [](auto&, Cost) {}).cost,
            good.cost + 1e-9);
}

}  // namespace
}  // namespace vrp
