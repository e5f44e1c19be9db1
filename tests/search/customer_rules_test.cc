// Rules between customers in the search: every plan keeps them, and small ones are optimal.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "core/search/methods/penalised/penalised_annealing.h"
#include "core/search/methods/penalised/penalised_course.h"
#include "core/search/methods/population/population_run.h"
#include "core/search/model/fleet_bounds.h"
#include "core/search/model/problem.h"
#include "core/search/moves/tail_exchange.h"
#include "core/search/ruin_recreate/recreate.h"
#include "core/search/search.h"
#include "tests/testing/brute_force.h"
#include "tests/testing/enumeration.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/rule_draws.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::MakeFeatureInstance;

const std::vector<Feature>& AllRules() {
  static const auto* const rules = new std::vector<Feature>{
      Feature::kSameRoute, Feature::kDifferentRoutes, Feature::kMaxPerRoute, Feature::kInOrder};
  return *rules;
}

SearchResult SearchFor(const Instance& instance, int64_t iterations, int32_t threads = 1,
                       std::vector<Plan> initial = {}) {
  SearchOptions options;
  options.max_iterations = iterations;
  options.threads = threads;
  options.initial = std::move(initial);
  return *Search(instance, options);
}

void ExpectSound(const Instance& instance, const Plan& plan) {
  for (const Violation& violation : CheckPlan(instance, plan).violations) {
    EXPECT_EQ(violation.kind, ViolationKind::kMissingCustomer)
        << instance.name() << ": " << violation.message;
  }
}

void ExpectOptimal(const Instance& instance) {
  const test::EnumerationResult best = test::EnumerateAll(instance);
  const SearchResult found = SearchFor(instance, 3000);
  ExpectSound(instance, found.plan);
  const PlanValue value = ValueOf(instance, found.plan);
  EXPECT_EQ(value.left_out, best.value.left_out) << instance.name();
  EXPECT_EQ(value.routes, best.value.routes) << instance.name();
  EXPECT_NEAR(value.cost, best.value.cost, 1e-6) << instance.name();
}

std::vector<Feature> With(std::vector<Feature> features, const std::vector<Feature>& more) {
  features.insert(features.end(), more.begin(), more.end());
  return features;
}

// Each kind of rule, all of them, and none of either, beside another feature.
class RuleMixtureTest : public testing::TestWithParam<Feature> {};

TEST_P(RuleMixtureTest, FindsTheOptimumThatTryingEverythingFinds) {
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    for (const Feature rule : AllRules()) {
      ExpectOptimal(MakeFeatureInstance(
          {.customers = 5, .seed = seed, .features = {rule, GetParam()}, .vehicles = 2}));
    }
    ExpectOptimal(MakeFeatureInstance(
        {.customers = 6, .seed = seed + 10, .features = With(AllRules(), {GetParam()})}));
    ExpectOptimal(MakeFeatureInstance({.customers = 5,
                                       .seed = seed + 20,
                                       .features = With(AllRules(), {GetParam(), Feature::kPrizes}),
                                       .vehicles = 1}));
  }
}

TEST_P(RuleMixtureTest, KeepsAllRulesInEveryMethod) {
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const Instance instance = MakeFeatureInstance(
        {.customers = 60, .seed = seed, .features = With(AllRules(), {GetParam()}), .vehicles = 6});
    const SearchResult first = SearchFor(instance, 0);
    ExpectSound(instance, first.plan);
    const SearchResult found = SearchFor(instance, 3000, 2, {first.plan});
    ExpectSound(instance, found.plan);
    EXPECT_FALSE(ValueOf(instance, first.plan) < ValueOf(instance, found.plan));
    const Problem problem = Problem::Create(instance, {});
    FastRandom random(seed);
    SearchOptions options;
    options.max_iterations = 500;
    int64_t iterations = 0;
    ExpectSound(instance, AnnealPenalised(RouteStore(problem), kSeekingCourse, options, random,
                                          iterations, [](const Plan&) {}));
    if (KnowsPenalisedPopulation(problem)) continue;
    options.max_iterations = 4'000;
    const SearchResult bred =
        RunPopulations(problem, {found.plan}, options, random, [](const Plan&, Cost) {});
    ExpectSound(instance, bred.plan);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RuleMixtureTest,
                         testing::Values(Feature::kObjective, Feature::kShipments, Feature::kPrizes,
                                         Feature::kReloads, Feature::kSkills,
                                         Feature::kAlternatives, Feature::kSeveralDepots,
                                         Feature::kReleaseTimes, Feature::kBreaks,
                                         Feature::kMaxDuration, Feature::kSetupTimes,
                                         Feature::kBackhauls));

// Eight customers of one vehicle type, as many as the exhaustive search takes.
TEST(CustomerRulesTest, SolveEightCustomersAsByTryingEverything) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    for (int32_t kinds = 1; kinds < 16; ++kinds) {
      InstanceData data =
          AnInstance().WithCustomers(8).Seed(seed).RandomDemands().Capacity(25).BuildData();
      std::vector<RuleKind> drawn;
      for (int32_t kind = 0; kind < 4; ++kind) {
        if (kinds >> kind & 1) drawn.push_back(static_cast<RuleKind>(kind));
      }
      CounterRandom random(seed, 3, static_cast<uint32_t>(kinds));
      test::AddRules(drawn, random, data);
      const Instance instance = *Instance::Create(data);
      const test::BruteForceResult best = test::BruteForceOptimum(instance);
      const SearchResult found = SearchFor(instance, 2000);
      const CheckReport report = CheckPlan(instance, found.plan, found.cost);
      ASSERT_EQ(report.feasible, best.feasible) << seed << " " << kinds;
      if (!best.feasible) continue;
      EXPECT_NEAR(found.cost, best.cost, 1e-6) << seed << " " << kinds;
    }
  }
}

// Vehicle beginnings that hold some customers of a rule bind the others to their route.
TEST(CustomerRulesTest, HoldAlongFrozenBeginnings) {
  CounterRandom random(7);
  int32_t bound = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Instance free = MakeFeatureInstance(
        {.customers = seed % 2 == 0 ? 5 : 24,
         .seed = seed,
         .features = With(AllRules(), seed % 4 < 2 ? std::vector{Feature::kShipments}
                                                   : std::vector{Feature::kPrizes})});
    const Plan plan = SearchFor(free, 0).plan;
    std::vector<FrozenRoute> beginnings;
    for (size_t r = 0; r < plan.size(); ++r) {
      const auto& customers = plan[r].customers;
      const auto count = random.UniformInt(0, std::ssize(customers));
      beginnings.push_back({.route = static_cast<int32_t>(r),
                            .vehicle_type = plan[r].vehicle_type,
                            .visits = {customers.begin(), customers.begin() + count}});
    }
    const auto frozen = Freeze(free, beginnings);
    ASSERT_TRUE(frozen.ok()) << frozen.status();
    const Problem problem = Problem::Create(*frozen, {});
    const RouteStore routes(problem);
    for (NodeIndex node = problem.depots(); node < problem.size(); ++node) {
      bound += routes.RouteOf(node) < 0 && routes.BoundSlot(node) >= 0;
    }
    if (free.num_customers() == 5) {
      ExpectOptimal(*frozen);
      continue;
    }
    for (const int32_t threads : {1, 2}) {
      const SearchResult found = SearchFor(*frozen, 1000, threads, {plan});
      ExpectSound(*frozen, found.plan);
      EXPECT_FALSE(ValueOf(*frozen, plan) < ValueOf(*frozen, found.plan));
    }
  }
  EXPECT_GT(bound, 5);
}

// The depot is at 0, customers 1 to 4 at 10, 20, 30 and 40 on a line.
InstanceData LineOfFour() {
  return AnInstance().At({{0, 0}, {10, 0}, {20, 0}, {30, 0}, {40, 0}}).BuildData();
}

Plan PlanFor(const InstanceData& data) {
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchFor(instance, 500);
  ExpectSound(instance, found.plan);
  return found.plan;
}

std::string FreezingError(const InstanceData& data, const std::vector<FrozenRoute>& routes) {
  return std::string(Freeze(*Instance::Create(data), routes).status().message());
}

TEST(CustomerRulesTest, RefuseFrozenStopsThatContradictThem) {
  InstanceData data = LineOfFour();
  data.customer_rules = {{.kind = RuleKind::kSameRoute, .customers = {1, 3}},
                         {.kind = RuleKind::kDifferentRoutes, .customers = {2, 4}},
                         {.kind = RuleKind::kInOrder, .customers = {3, 2}}};
  EXPECT_EQ(FreezingError(data, {{.route = 0, .visits = {2, 1}}, {.route = 1, .visits = {3}}}),
            "initial_solution.routes[1].frozen_stops: customer 3 must share a route with customer "
            "1, which is frozen in another one, wanted one route");
  EXPECT_EQ(FreezingError(data, {{.route = 0, .visits = {4, 2}}}),
            "initial_solution.routes[0].frozen_stops: serves 2 customers of customer_rules[1], "
            "wanted at most 1");
  EXPECT_EQ(FreezingError(data, {{.route = 0, .visits = {2, 3}}}),
            "initial_solution.routes[0].frozen_stops: visits customer 3 after customer 2, wanted "
            "the order of customer_rules[2]");
  EXPECT_EQ(FreezingError(data, {{.route = 0, .visits = {3, 2}}}), "");
  // Goods on board are delivered on the route that holds them.
  data.demands = {0, 1, 1, 0, 0};
  data.shipments = {{.id = "s", .pickup = 3, .delivery = 4, .amounts = {1}}};
  data.customer_rules = {{.kind = RuleKind::kSameRoute, .customers = {1, 4}}};
  EXPECT_EQ(FreezingError(data, {{.route = 0, .visits = {3}}, {.route = 1, .visits = {1}}}),
            "initial_solution.routes[0].frozen_stops: customer 4 must share a route with customer "
            "1, which is frozen in another one, wanted one route");
}

bool Visits(const PlannedRoute& route, NodeIndex node) {
  return std::ranges::count(route.customers, node) > 0;
}

TEST(CustomerRulesTest, KeepAnOrderOnARouteWithoutForcingTheRoute) {
  InstanceData data = LineOfFour();
  data.customer_rules = {{.kind = RuleKind::kInOrder, .customers = {4, 3, 2, 1}}};
  EXPECT_EQ(PlanFor(data), (Plan{{0, {4, 3, 2, 1}}}));
  data.customer_rules = {{.kind = RuleKind::kInOrder, .customers = {2, 1}},
                         {.kind = RuleKind::kInOrder, .customers = {1, 2}}};
  const Plan apart = PlanFor(data);
  ASSERT_EQ(apart.size(), 2u);
  EXPECT_NE(Visits(apart[0], 1), Visits(apart[0], 2));
}

TEST(CustomerRulesTest, JoinRulesOfACustomerIntoOne) {
  InstanceData data = LineOfFour();
  data.vehicles[0].max_stops = 3;
  data.customer_rules = {{.kind = RuleKind::kSameRoute, .customers = {1, 3}},
                         {.kind = RuleKind::kSameRoute, .customers = {3, 4}}};
  const Plan plan = PlanFor(data);
  ASSERT_EQ(plan.size(), 2u);
  for (const PlannedRoute& route : plan)
    EXPECT_EQ(route.customers.size(), Visits(route, 2) ? 1 : 3);
}

// A vehicle takes two customers, and three must share a route.
TEST(CustomerRulesTest, LeaveOutWhomNoRouteTakesWithTheOthers) {
  InstanceData data = LineOfFour();
  data.vehicles[0].capacity = 2;
  data.customer_rules = {{.kind = RuleKind::kSameRoute, .customers = {1, 2, 3}}};
  data.priorities = {0, 0, 5, 1, 0};
  const Plan plan = PlanFor(data);
  ASSERT_EQ(plan.size(), 2u);
  for (const PlannedRoute& route : plan) {
    EXPECT_FALSE(Visits(route, 1));
    EXPECT_EQ(Visits(route, 2), Visits(route, 3));
  }
}

TEST(CustomerRulesTest, ServeAnOptionalCustomerOnlyBesideItsGroup) {
  InstanceData data = LineOfFour();
  data.positions[4] = {-40, 0};
  data.prizes = {kNoLimit, kNoLimit, kNoLimit, kNoLimit, 90};
  data.vehicles[0].max_distance = 80;
  const auto is_served = [&] {
    return std::ranges::any_of(PlanFor(data),
                               [](const PlannedRoute& route) { return Visits(route, 4); });
  };
  EXPECT_TRUE(is_served());
  data.customer_rules = {{.kind = RuleKind::kSameRoute, .customers = {3, 4}}};
  EXPECT_FALSE(is_served());
}

TEST(CustomerRulesTest, RaiseTheBoundOnRoutes) {
  InstanceData data = LineOfFour();
  EXPECT_EQ(FewestRoutes(Problem::Create(*Instance::Create(data), {})), 1);
  data.customer_rules = {{.kind = RuleKind::kMaxPerRoute, .customers = {1, 2, 3, 4}, .max = 3},
                         {.kind = RuleKind::kDifferentRoutes, .customers = {1, 3, 4}}};
  EXPECT_EQ(FewestRoutes(Problem::Create(*Instance::Create(data), {})), 3);
  data.prizes = {kNoLimit, kNoLimit, kNoLimit, kNoLimit, 1};
  EXPECT_EQ(FewestRoutes(Problem::Create(*Instance::Create(data), {})), 2);
}

// Loads leave room for one group in each vehicle: a first customer in the wrong place blocks it.
TEST(CustomerRulesTest, FillATightFleetWithWholeGroups) {
  InstanceData data = AnInstance().WithCustomers(24).Capacity(6).Vehicles(4).BuildData();
  for (NodeIndex node = 1; node <= 24; node += 3) {
    data.customer_rules.push_back(
        {.kind = RuleKind::kSameRoute, .customers = {node, node + 1, node + 2}});
  }
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchFor(instance, 0);
  EXPECT_TRUE(CheckPlan(instance, found.plan).feasible);
}

TEST(CustomerRulesTest, MoveGroupsBetweenRegions) {
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const Instance instance = MakeFeatureInstance(
        {.customers = 300,
         .seed = seed,
         .features =
             With(AllRules(), {Feature::kPrizes, Feature::kAlternatives, Feature::kShipments})});
    const SearchResult first = SearchFor(instance, 0);
    const SearchResult found = SearchFor(instance, 30'000, 2);
    ExpectSound(instance, found.plan);
    EXPECT_LT(ValueOf(instance, found.plan), ValueOf(instance, first.plan));
  }
}

}  // namespace
}  // namespace vrp
