// The search on problems beyond the plain one, through its front door.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/search/model/problem.h"
#include "core/search/search.h"
#include "tests/search/search_expectations.h"
#include "tests/testing/brute_force.h"
#include "tests/testing/constrained_instance.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::DrawFeatures;
using test::EnumerateAll;
using test::ExpectOptimal;
using test::ExpectSound;
using test::FeatureInstanceOptions;
using test::MakeFeatureInstance;
using test::SearchFor;

class FeatureTest : public testing::TestWithParam<int32_t> {};

TEST_P(FeatureTest, FindsTheOptimumThatTryingEverythingFinds) {
  const auto feature = static_cast<Feature>(GetParam());
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    ExpectOptimal(MakeFeatureInstance({.customers = 6, .seed = seed, .features = {feature}}));
    ExpectOptimal(MakeFeatureInstance({.customers = 5,
                                       .seed = seed + 10,
                                       .features = {feature, Feature::kObjective},
                                       .vehicles = 1}));
    ExpectOptimal(MakeFeatureInstance({.customers = 5,
                                       .seed = seed + 20,
                                       .features = {feature, Feature::kObjective},
                                       .objective = Objective::kVehiclesThenDistance}));
  }
}

INSTANTIATE_TEST_SUITE_P(All, FeatureTest,
                         testing::Range(0, static_cast<int32_t>(Feature::kInOrder) + 1));
INSTANTIATE_TEST_SUITE_P(OfVehicles, FeatureTest,
                         testing::Values(static_cast<int32_t>(Feature::kCustomerTimes),
                                         static_cast<int32_t>(Feature::kServiceTimeCost)));

INSTANTIATE_TEST_SUITE_P(Later, FeatureTest,
                         testing::Values(static_cast<int32_t>(Feature::kDrivingRules),
                                         static_cast<int32_t>(Feature::kDepotService),
                                         static_cast<int32_t>(Feature::kTravelTimeCost),
                                         static_cast<int32_t>(Feature::kLengthMatrix)));

// Customer 1 closes at 20, customer 2 opens at 50 and customer 3 at 60, each ten from the next: one
// vehicle waits 20 between the first two, and another takes the last two without waiting.
TEST(WaitingTest, IsKeptToTheLimit) {
  InstanceData data = test::LineWithWindows();
  data.windows[1].close = 20;
  data.windows[2].open = 50;
  data.windows[3].open = 60;
  for (const auto& [limit, cost] : {std::pair{20.0, 60.0}, {19.99, 80.0}, {0.0, 80.0}}) {
    data.vehicles[0].max_waiting = limit;
    const Instance instance = *Instance::Create(data);
    const SearchResult found = SearchFor(instance, 300);
    ExpectSound(instance, found);
    EXPECT_NEAR(found.cost, cost, 1e-9) << limit;
  }
}

// No rounding of sums makes a route wait where nothing opens or closes.
TEST(WaitingTest, IsNoneWithoutWindows) {
  InstanceData data = test::AnInstance().WithCustomers(40).Service(0.1).Capacity(100).BuildData();
  data.vehicles[0].max_waiting = 0;
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchFor(instance, 1000);
  ExpectSound(instance, found);
  EXPECT_EQ(found.plan.size(), 1u);
}

// Two hundred customers, every other a backhaul, whose loads all but fill four long routes.
Instance FourFullRoutes(uint64_t seed) {
  const InstanceData drawn =
      test::AnInstance().WithCustomers(200).Seed(seed).RandomDemands().BuildData();
  std::vector<double> demands(drawn.demands.begin() + 1, drawn.demands.end());
  std::vector<double> backhauls(demands.size(), 0);
  for (size_t i = 1; i < demands.size(); i += 2) std::swap(demands[i], backhauls[i]);
  const double load = std::max(std::accumulate(demands.begin(), demands.end(), 0.0),
                               std::accumulate(backhauls.begin(), backhauls.end(), 0.0));
  return test::AnInstance()
      .WithCustomers(200)
      .Seed(seed)
      .Demands(demands)
      .Backhauls(backhauls)
      .Capacity(std::ceil(load / 4 * 1.02))
      .Build();
}

TEST(SmallerFleetTest, IsFoundWhereRuinsEmptyNoRoute) {
  size_t routes = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Instance instance = FourFullRoutes(seed);
    const SearchResult found = SearchFor(instance, 20'000, seed);
    ExpectSound(instance, found);
    routes += found.plan.size();
  }
  EXPECT_LE(routes, 5 * 4 + 4u);  // 25 when none is tried
}

// Four vehicles of 40 for eighty customers: which to leave out is the question.
Instance TooFewVehicles(uint64_t seed, bool priorities) {
  InstanceData data =
      test::AnInstance().WithCustomers(80).Seed(seed).RandomDemands().Capacity(40).Build().data();
  data.vehicles.front().count = 4;
  if (priorities) {
    data.priorities.assign(data.demands.size(), 0);
    for (size_t node = 1; node < data.demands.size(); ++node) {
      data.priorities[node] = static_cast<int32_t>((node * 7 + seed) % 6);
    }
  }
  return *Instance::Create(std::move(data));
}

// No plan serves more weight: the best customers for their load, the last of them in part
// (Dantzig 1957).
double MostWeight(const Instance& instance) {
  std::vector<std::pair<double, double>> items;  // weight for the load, load
  for (NodeIndex node = 1; node < instance.num_nodes(); ++node) {
    const auto& priorities = instance.data().priorities;
    const double weight = 1 + (priorities.empty() ? 0 : priorities[node]);
    items.emplace_back(weight / instance.demand(node), instance.demand(node));
  }
  std::sort(items.rbegin(), items.rend());
  double room = instance.capacity() * instance.vehicles().front().count;
  double weight = 0;
  for (const auto& [density, load] : items) {
    weight += density * std::min(load, room);
    room -= std::min(load, room);
  }
  return weight;
}

class ShortFleetLoadTest : public testing::TestWithParam<bool> {};

TEST_P(ShortFleetLoadTest, ServesNearlyAsMuchWeightAsTheLoadsAllow) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Instance instance = TooFewVehicles(seed, GetParam());
    const SearchResult found = SearchFor(instance, 20'000);
    ExpectSound(instance, found);
    const double served = ValueOf(instance, {}).left_out - ValueOf(instance, found.plan).left_out;
    EXPECT_GE(served, 0.96 * MostWeight(instance)) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(EqualsAndPriorities, ShortFleetLoadTest, testing::Bool());

TEST(ShortFleetTest, FindsTheOptimumWhereWindowsLeaveNoTimeForAll) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    ExpectOptimal(test::AnInstance()
                      .WithCustomers(6)
                      .Seed(seed)
                      .RandomWindows()
                      .Capacity(1000)
                      .Vehicles(1)
                      .Build());
  }
}

// Vehicles of three sizes, whose capacities are cut into the customers' demands: none has room to
// spare where all are served.
Instance FleetFullToTheLast(uint64_t seed) {
  std::mt19937 draws(seed);
  const auto below = [&](uint32_t limit) { return static_cast<int32_t>(draws() % limit); };
  std::vector<VehicleType> vehicles;
  std::vector<double> demands;
  for (const auto& [count, capacity] : {std::pair{6, 50}, {5, 130}, {2, 320}}) {
    vehicles.push_back({.count = count, .capacity = 1.0 * capacity, .fixed_cost = 1.0 * capacity});
    for (int32_t i = 0; i < count; ++i) {
      std::set<int32_t> cuts = {0, capacity};
      while (cuts.size() < 6) cuts.insert(below(capacity));
      for (auto cut = std::next(cuts.begin()); cut != cuts.end(); ++cut) {
        demands.push_back(*cut - *std::prev(cut));
      }
    }
  }
  for (size_t i = demands.size(); i > 1; --i) std::swap(demands[i - 1], demands[below(i)]);
  InstanceData data = test::AnInstance()
                          .WithCustomers(static_cast<int32_t>(demands.size()))
                          .Seed(seed)
                          .Demands(demands)
                          .BuildData();
  data.vehicles = vehicles;
  data.objective = Objective::kCost;
  return *Instance::Create(std::move(data));
}

TEST(FullFleetTest, ServesEveryoneWhereNoVehicleHasRoomToSpare) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Instance instance = FleetFullToTheLast(seed);
    const SearchResult found = SearchFor(instance, 30'000);
    EXPECT_TRUE(CheckPlan(instance, found.plan, found.cost).feasible) << seed;
  }
}

class ObjectiveTest : public testing::TestWithParam<Objective> {};

TEST_P(ObjectiveTest, FindsTheOptimumThatTryingEverythingFinds) {
  for (uint64_t seed = 20; seed < 24; ++seed) {
    ExpectOptimal(MakeFeatureInstance({.customers = 6,
                                       .seed = seed,
                                       .features = {Feature::kObjective, Feature::kVehicleTypes},
                                       .objective = GetParam()}));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ObjectiveTest,
                         testing::Values(Objective::kVehiclesThenDistance, Objective::kDuration,
                                         Objective::kCost));

// A load that the larger van takes is too much for the smaller one.
TEST(SearchFeaturesTest, KeepsTheCapacityOfAVanBesideOneWithoutALimit) {
  InstanceData data = test::AnInstance().WithCustomers(6).Capacity(2).BuildData();
  data.vehicles.push_back({.max_stops = 2});
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchFor(instance, 1000);
  ExpectSound(instance, found);
  EXPECT_EQ(found.plan.size(), 3u);
}

TEST(SearchFeaturesTest, ServesAllButTheCustomersWhomNoVehicleCanCarry) {
  InstanceData data = test::AnInstance().WithCustomers(6).Capacity(4).BuildData();
  data.load_dimensions = 2;
  data.vehicles[0].further_capacities = {0};
  data.demands = {0, 0, 1, 0, 5, 0, 1, 1, 1, 0, 1, 0, 1, 0};
  data.objective = Objective::kDuration;
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchFor(instance, 1000);
  ExpectSound(instance, found);
  EXPECT_EQ(ValueOf(instance, found.plan).left_out, 2);
}

TEST(SearchFeaturesTest, FindsTheOptimaOfMixtures) {
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    ExpectOptimal(MakeFeatureInstance(
        {.customers = 5, .seed = seed, .features = DrawFeatures(seed), .vehicles = 2}));
  }
}

TEST(SearchFeaturesTest, FindsTheOptimaOfBreaksWithSeveralWindowsAndLimitsOnTheLoad) {
  for (uint64_t seed = 6; seed <= 60; seed += 6) {
    ExpectOptimal(MakeFeatureInstance({.customers = 5,
                                       .seed = seed,
                                       .features = {Feature::kBreaks, Feature::kPickups,
                                                    Feature::kObjective, Feature::kCustomerTimes},
                                       .vehicles = 2}));
  }
}

TEST(SearchFeaturesTest, FindsTheOptimaOfBreaksWithSoftWindows) {
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    const Objective objective = seed % 3 == 0 ? Objective::kDuration : Objective::kCost;
    ExpectOptimal(MakeFeatureInstance({.customers = 5,
                                       .seed = seed,
                                       .features = {Feature::kBreaks, Feature::kSoftWindows},
                                       .objective = objective,
                                       .vehicles = 2}));
  }
}

TEST(SearchFeaturesTest, FindsTheOptimaOfShipmentsWithReloads) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    std::vector<Feature> features = {Feature::kShipments, Feature::kReloads};
    if (seed % 2 == 0) features.push_back(Feature::kPickups);
    if (seed % 3 == 0) features.push_back(Feature::kReleaseTimes);
    ExpectOptimal(
        MakeFeatureInstance({.customers = 6, .seed = seed, .features = features, .vehicles = 1}));
  }
}

// Vehicles so full that most of them unload before their first customer.
TEST(SearchFeaturesTest, FindsTheOptimaOfInitialLoadsThatAreUnloadedFirst) {
  int32_t unloaded_first = 0;
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<Feature> features = {Feature::kReloads, Feature::kInitialLoad};
    if (seed % 2 == 0) features.push_back(Feature::kShipments);
    if (seed % 2 == 1) features.push_back(Feature::kReloadDepots);
    if (seed % 3 == 0) features.push_back(Feature::kPickups);
    if (seed % 3 == 1) features.push_back(Feature::kSoftWindows);
    if (seed % 4 == 0) features.push_back(Feature::kBreaks);
    if (seed % 5 == 0) features.push_back(Feature::kCompartments);
    if (seed % 5 == 1) features.push_back(Feature::kReleaseTimes);
    if (seed % 4 == 2) features.push_back(Feature::kVehicleTypes);
    if (seed % 4 == 3) features.push_back(Feature::kVehicleMatrix);
    InstanceData data =
        MakeFeatureInstance({.customers = 5, .seed = seed, .features = features, .vehicles = 2})
            .data();
    if (data.vehicles.size() > 1) data.vehicles.back().initial_load.clear();
    for (VehicleType& vehicle : data.vehicles) {
      if (vehicle.initial_load.empty()) continue;
      const double full = vehicle.compartments.empty() ? vehicle.capacity : 10;
      vehicle.initial_load.assign(data.load_dimensions, seed % 3 == 2 ? full - 6 : full);
    }
    const Instance instance = *Instance::Create(std::move(data));
    ExpectOptimal(instance);
    const Plan best = EnumerateAll(instance).plan;
    unloaded_first += std::ranges::any_of(best, [&](const PlannedRoute& route) {
      return instance.is_depot(route.customers.front());
    });
  }
  EXPECT_GE(unloaded_first, 4);
}

TEST(SearchFeaturesTest, FindsTheOptimaOfAlternativeShipments) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    InstanceData data =
        MakeFeatureInstance(
            {.customers = 6, .seed = seed, .features = {Feature::kShipments, Feature::kPrizes}})
            .data();
    const NodeIndex first = data.num_depots;
    data.shipments = {{.pickup = first, .delivery = first + 1, .amounts = {3}},
                      {.pickup = first + 2, .delivery = first + 3, .amounts = {5}}};
    // Every third instance has a customer as the third alternative.
    data.alternative_groups = {{first, first + 2}};
    if (seed % 3 == 0) data.alternative_groups[0].push_back(first + 4);
    if (seed % 2 == 0) {
      data.prizes.assign(data.prizes.size(), 20);
      data.prizes[0] = kNoLimit;
      data.prizes[first + 4] = 40;
    } else {
      data.prizes.clear();
    }
    ExpectOptimal(*Instance::Create(std::move(data)));
  }
}

TEST(SearchFeaturesTest, FindsTheOptimaOfLoadingTimes) {
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<Feature> features = {Feature::kDepotService, Feature::kReloads};
    if (seed % 2 == 0) features.push_back(Feature::kReleaseTimes);
    if (seed % 3 == 0) features.push_back(Feature::kBreaks);
    if (seed % 3 == 1) features.push_back(Feature::kDrivingRules);
    if (seed % 4 < 2) features.push_back(Feature::kMaxDuration);
    if (seed % 5 == 0) features.push_back(Feature::kSoftWindows);
    if (seed % 5 == 1) features.push_back(Feature::kTimeOfDay);
    if (seed % 2 == 1) features.push_back(Feature::kObjective);
    ExpectOptimal(
        MakeFeatureInstance({.customers = 5, .seed = seed, .features = features, .vehicles = 1}));
  }
}

// Travel times have nothing to do with distances, whose sum is limited.
TEST(SearchFeaturesTest, FindsTheOptimaOfCostsOfTravelTime) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<Feature> features = {Feature::kTravelTimeCost, Feature::kMaxDistance};
    if (seed % 2 == 0) features.push_back(Feature::kBreaks);
    if (seed % 3 == 0) features.push_back(Feature::kVehicleTypes);
    InstanceData data =
        MakeFeatureInstance({.customers = 6, .seed = seed, .features = features}).data();
    CounterRandom random(seed, 17, 0);
    const size_t nodes = data.positions.size();
    data.duration_matrix.assign(nodes * nodes, 0);
    for (size_t i = 0; i < nodes * nodes; ++i) {
      if (i / nodes != i % nodes) data.duration_matrix[i] = 5 + 40 * random.UniformDouble();
    }
    if (seed % 4 == 0) {
      for (VehicleType& type : data.vehicles) type.cost_per_distance = 0;
    }
    ExpectOptimal(*Instance::Create(std::move(data)));
  }
}

// A longer way may have the shorter length.
TEST(SearchFeaturesTest, FindsTheOptimaOfLengthsBesideOtherLimits) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<Feature> features = {Feature::kLengthMatrix};
    if (seed % 2 == 0) features.push_back(Feature::kReloads);
    if (seed % 3 == 0) features.push_back(Feature::kOpenEnd);
    if (seed % 4 == 0) features.push_back(Feature::kVehicleTypes);
    if (seed % 5 == 0) features.push_back(Feature::kShipments);
    InstanceData data =
        MakeFeatureInstance({.customers = 6, .seed = seed, .features = features}).data();
    for (VehicleType& type : data.vehicles) type.max_distance /= 2;
    ExpectOptimal(*Instance::Create(std::move(data)));
  }
}

TEST(SearchFeaturesTest, FindsTheOptimaOfAlternativesWithDifferentPrizes) {
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<Feature> features = {Feature::kPrizes};
    if (seed % 2 == 0) features.push_back(Feature::kShipments);
    if (seed % 3 == 0) features.push_back(Feature::kObjective);
    InstanceData data =
        MakeFeatureInstance({.customers = 6, .seed = seed, .features = features}).data();
    CounterRandom random(seed, 11, 0);
    for (NodeIndex node = data.num_depots; node < data.num_depots + 6; ++node) {
      data.prizes[node] = 60 * random.UniformDouble();
    }
    const NodeIndex first = data.num_depots;
    data.shipments.resize(std::min<size_t>(data.shipments.size(), 2));
    data.alternative_groups = {{first, first + 2}, {first + 4, first + 5}};
    if (seed % 4 >= 2) {  // the first group must be served
      data.prizes[first] = kNoLimit;
      if (!data.shipments.empty()) data.prizes[first + 1] = kNoLimit;
    }
    ExpectOptimal(*Instance::Create(std::move(data)));
  }
}

TEST(SearchFeaturesTest, FindsTheOptimaWhereMostFeaturesComeTogether) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    ExpectOptimal(test::RandomConstrainedInstance(seed, 4));
  }
}

TEST(SearchFeaturesTest, AnswersPassTheChecker) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Instance instance = MakeFeatureInstance({.customers = 25 + static_cast<int32_t>(seed),
                                                   .seed = seed,
                                                   .features = DrawFeatures(seed),
                                                   .vehicles = seed % 4 == 0 ? 3 : 0});
    ExpectSound(instance, SearchFor(instance, 200));
  }
}

TEST(SearchFeaturesTest, RepeatsItselfForASeedAndANumberOfIterations) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Instance instance =
        MakeFeatureInstance({.customers = 40, .seed = seed, .features = DrawFeatures(seed)});
    const SearchResult first = SearchFor(instance, 300, 9);
    EXPECT_EQ(first.plan, SearchFor(instance, 300, 9).plan) << instance.name();
    EXPECT_EQ(first.iterations, 300);
    EXPECT_EQ(first.ended_by, SearchEnd::kIterations);
  }
}

TEST(SearchFeaturesTest, IsNeverWorseThanThePlanThatItWasGiven) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Instance instance =
        MakeFeatureInstance({.customers = 30, .seed = seed, .features = DrawFeatures(seed)});
    SearchOptions options;
    options.initial = {SearchFor(instance, 2000).plan};
    options.max_iterations = 0;
    const SearchResult found = *Search(instance, options);
    EXPECT_LE(ValueOf(instance, found.plan).cost, ValueOf(instance, options.initial[0]).cost + 1e-6)
        << instance.name();
  }
}

TEST(FirstPlanTest, FillsRoutesOnTheWayToTheFarthest) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Instance instance = MakeFeatureInstance(
        {.customers = 300, .seed = seed, .features = {Feature::kBackhauls, Feature::kSkills}});
    const SearchResult first = SearchFor(instance, 0);
    ExpectSound(instance, first);
    EXPECT_LT(first.cost, 1.35 * SearchFor(instance, 5000).cost) << instance.name();
  }
}

// As many vehicles of 10 as far customers of 3 and near ones of 7: each takes one of both.
TEST(FirstPlanTest, BeginsWithTheBulkiestWhereTheFarthestLeaveThemNoRoom) {
  constexpr int32_t kVehicles = 80;
  std::vector<Position> positions = {{0, 0}};
  std::vector<double> demands;
  for (int32_t i = 0; i < kVehicles; ++i) {
    positions.push_back({100 + 0.01 * i, 0});
    positions.push_back({10 + 0.01 * i, 0});
    demands.insert(demands.end(), {3, 7});
  }
  const Instance instance = test::AnInstance()
                                .At(positions)
                                .Demands(demands)
                                .Vehicles(kVehicles)
                                .MaxDistance(1000)
                                .Build();
  const SearchResult first = SearchFor(instance, 0);
  EXPECT_TRUE(CheckPlan(instance, first.plan).feasible);
}

// By every other customer's skill there are two problems, which share no route.
TEST(NeighbourTest, AreThoseWhomOneVehicleMayServeBoth) {
  InstanceData data = test::AnInstance().WithCustomers(400).BuildData();
  data.vehicles = {{.id = "crane", .capacity = 10, .skills = {"crane"}},
                   {.id = "cold", .capacity = 10, .skills = {"cold"}}};
  data.required_skills.resize(401);
  for (size_t i = 1; i <= 400; ++i) data.required_skills[i] = {i % 2 == 0 ? "crane" : "cold"};
  for (const bool by_matrix : {false, true}) {
    if (by_matrix) data.distance_matrix = Instance::Create(data)->DistanceMatrix();
    const Problem problem = Problem::Create(*Instance::Create(data), {});
    for (NodeIndex node = 1; node <= 400; ++node) {
      EXPECT_EQ(std::ssize(problem.Near(node)), Problem::kListedLarge);
      for (const NodeIndex other : problem.Near(node)) EXPECT_EQ(other % 2, node % 2);
    }
  }
}

// Two groups, far from the depot and from each other: the larger one pays for a route, the other
// does not, and both together cost more than nobody.
TEST(SearchFeaturesTest, ServesAFarGroupThatPaysForARouteOnlyTogether) {
  constexpr int32_t kPays = 40;
  constexpr int32_t kAll = 60;
  InstanceData data = test::AnInstance().WithCustomers(kAll).Capacity(kPays).Build().data();
  data.positions[0] = {0, 0};
  for (int32_t i = 1; i <= kAll; ++i) {
    data.positions[i] = {(i <= kPays ? 1000.0 : -1000.0) + i % 8, i / 8.0};
  }
  data.prizes.assign(kAll + 1, 60);
  data.prizes[0] = kNoLimit;
  const Instance instance = *Instance::Create(std::move(data));
  const SearchResult found = SearchFor(instance, 2000);
  ExpectSound(instance, found);
  ASSERT_EQ(found.plan.size(), 1);
  EXPECT_EQ(found.plan.front().customers.size(), kPays);
}

TEST(SearchFeaturesTest, RepairsAPlanThatBreaksEveryRule) {
  const Instance instance =
      MakeFeatureInstance({.customers = 20,
                           .features = {Feature::kShipments, Feature::kSkills, Feature::kMaxStops,
                                        Feature::kObjective}});
  PlannedRoute all{.vehicle_type = 1};
  for (NodeIndex node = instance.num_nodes(); node >= -1; --node) all.customers.push_back(node);
  SearchOptions options;
  options.initial = {{all, all, {.vehicle_type = 7, .customers = {2}}}};
  options.max_iterations = 0;
  const SearchResult found = *Search(instance, options);
  EXPECT_TRUE(CheckPlan(instance, found.plan, found.cost).feasible);
}

TEST(FeatureStopTest, GivesASoundPlanWhenTheTimeIsOverFromTheStart) {
  for (const int32_t customers : {1, 2, 30, 3000}) {
    const Instance instance = MakeFeatureInstance(
        {.customers = customers, .features = {Feature::kShipments, Feature::kVehicleTypes}});
    SearchOptions options;
    options.stop = StopCondition(absl::InfinitePast(), nullptr);
    const SearchResult found = *Search(instance, options);
    ExpectSound(instance, found);
    EXPECT_FALSE(found.plan.empty());
    EXPECT_EQ(found.ended_by, SearchEnd::kDeadline);
  }
}

TEST(FeatureStopTest, EndsWhenAnotherThreadCancels) {
  const Instance instance =
      MakeFeatureInstance({.customers = 100, .features = {Feature::kSeveralDepots}});
  const auto cancel = std::make_shared<CancelFlag>();
  SearchOptions options;
  options.stop = StopCondition(absl::InfiniteFuture(), cancel);
  std::thread canceller;
  const auto found = Search(instance, options, [&](const Plan&, Cost) {
    if (!canceller.joinable()) canceller = std::thread([&] { cancel->Cancel(); });
  });
  ASSERT_TRUE(canceller.joinable());
  canceller.join();
  ExpectSound(instance, *found);
  EXPECT_EQ(found->ended_by, SearchEnd::kCancelled);
}

TEST(FeatureStopTest, EndsAtOnceWhereThereIsNoChoice) {
  const Instance instance =
      MakeFeatureInstance({.customers = 1, .features = {Feature::kVehicleTypes}});
  const SearchResult found = *Search(instance, {});
  ExpectSound(instance, found);
  EXPECT_EQ(found.ended_by, SearchEnd::kLocalOptimum);
}

TEST(FeatureStopTest, EndsAtTheDeadline) {
  SearchOptions options;
  options.stop = StopCondition(SteadyNow() + absl::Milliseconds(30), nullptr);
  const Instance instance = MakeFeatureInstance({.customers = 100, .features = {Feature::kBreaks}});
  EXPECT_EQ(Search(instance, options)->ended_by, SearchEnd::kDeadline);
}

}  // namespace
}  // namespace vrp
