// The search with rules of vehicles: last in, first out; compartments; drivers' hours.
#include <gtest/gtest.h>

#include <tuple>
#include <utility>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/search/search.h"
#include "tests/search/search_expectations.h"
#include "tests/testing/brute_force.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::ExpectOptimal;
using test::ExpectSound;
using test::MakeFeatureInstance;
using test::SearchFor;

// Both pickups are next to the start, both deliveries next to the end, in the order in which a
// vehicle without LIFO passes them.
TEST(LifoTest, TurnsTheOrderOfDeliveriesRound) {
  InstanceData data =
      test::AnInstance().At({{0, 0}, {10, 0}, {11, 0}, {20, 0}, {21, 0}}).BuildData();
  data.demands.assign(5, 0);
  data.shipments = {{.pickup = 1, .delivery = 3, .amounts = {1}},
                    {.pickup = 2, .delivery = 4, .amounts = {1}}};
  data.vehicles[0].open_end = true;
  EXPECT_NEAR(SearchFor(*Instance::Create(data), 300).cost, 21, 1e-9);
  data.vehicles[0].lifo = true;
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchFor(instance, 300);
  ExpectSound(instance, found);
  EXPECT_NEAR(found.cost, 22, 1e-9);  // 1, 2, 4, 3 or 2, 1, 3, 4
}

// The vehicle without LIFO is the dearer one.
TEST(LifoTest, LimitsNoOtherVehicle) {
  InstanceData data =
      test::AnInstance().At({{0, 0}, {10, 0}, {11, 0}, {20, 0}, {21, 0}}).BuildData();
  data.demands.assign(5, 0);
  data.shipments = {{.pickup = 1, .delivery = 3, .amounts = {1}},
                    {.pickup = 2, .delivery = 4, .amounts = {1}}};
  data.objective = Objective::kCost;
  data.vehicles[0].open_end = true;
  data.vehicles.push_back(data.vehicles[0]);
  data.vehicles[0].lifo = true;
  data.vehicles[1].cost_per_distance = 1.01;
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchFor(instance, 300);
  ExpectSound(instance, found);
  EXPECT_NEAR(found.cost, 21 * 1.01, 1e-9);
  EXPECT_EQ(found.plan.front().vehicle_type, 1);
}

// A van for frozen and fresh goods, of 9 and 3, and customers with either.
TEST(CompartmentsTest, SeparateGoodsThatFitTogetherOnlyByTheirSum) {
  InstanceData data = test::AnInstance().At({{0, 0}, {10, 0}, {20, 0}, {30, 0}}).BuildData();
  data.load_dimensions = 2;
  data.demands = {0, 0, 5, 0, 0, 4, 4, 0};
  data.vehicles[0].capacity = kNoLimit;
  data.vehicles[0].compartments = {{.capacity = 9}, {.capacity = 3}};
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchFor(instance, 300);
  ExpectSound(instance, found);
  EXPECT_NEAR(found.cost, 60 + 40, 1e-9);
  data.vehicles[0].compartments = {{.capacity = 9}, {.capacity = 4}};
  EXPECT_NEAR(SearchFor(*Instance::Create(data), 300).cost, 60, 1e-9);
}

// The optimum of eight customers on vehicles of one type, by every order of every subset.
void ExpectBruteForceOptimum(const std::vector<Feature>& features) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Instance instance =
        MakeFeatureInstance({.customers = 8, .seed = seed, .features = features});
    const test::BruteForceResult best = test::BruteForceOptimum(instance);
    const SearchResult found = SearchFor(instance, 5000);
    ExpectSound(instance, found);
    if (!best.feasible) continue;
    EXPECT_NEAR(found.cost, best.cost, 1e-6) << seed;
  }
}

TEST(LifoTest, FindsTheOptimumOfEightCustomers) {
  ExpectBruteForceOptimum({Feature::kLifo});
  ExpectBruteForceOptimum({Feature::kLifo, Feature::kPickups, Feature::kMaxDistance});
  ExpectBruteForceOptimum({Feature::kLifo, Feature::kCompartments, Feature::kBreaks});
}

TEST(CompartmentsTest, FindTheOptimumOfEightCustomers) {
  ExpectBruteForceOptimum({Feature::kCompartments});
  ExpectBruteForceOptimum({Feature::kCompartments, Feature::kBackhauls});
  ExpectBruteForceOptimum({Feature::kCompartments, Feature::kPickups, Feature::kOpenEnd});
}

TEST(CompartmentsTest, FindTheOptimumOfMixedProblems) {
  for (const std::vector<Feature>& features :
       {std::vector{Feature::kCompartments, Feature::kReloads},
        {Feature::kCompartments, Feature::kReloads, Feature::kPickups, Feature::kBreaks},
        {Feature::kCompartments, Feature::kBackhauls, Feature::kVehicleTypes},
        {Feature::kCompartments, Feature::kLifo, Feature::kVehicleTypes, Feature::kPickups},
        {Feature::kLifo, Feature::kSeveralDepots, Feature::kPrizes, Feature::kBreaks}}) {
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      ExpectOptimal(MakeFeatureInstance({.customers = 5, .seed = seed, .features = features}));
    }
  }
}

// Each customer is ten from the next. One vehicle must rest for 20 before it returns, and two
// vehicles need no rest. They drive 20 more.
TEST(DrivingRulesTest, AreKeptByDrivingOtherRoutes) {
  InstanceData data = test::LineWithWindows();
  data.vehicles[0].driving_rules = {.max_driving_before_break = 45, .break_duration = 20};
  for (const auto& [home_by, cost] : {std::pair{80.0, 60.0}, {79.9, -1.0}}) {
    data.windows[0].close = home_by;
    const Instance instance = *Instance::Create(data);
    const SearchResult found = SearchFor(instance, 300);
    ExpectSound(instance, found);
    if (cost > 0) {
      EXPECT_NEAR(found.cost, cost, 1e-9);
    } else {
      EXPECT_EQ(ValueOf(instance, found.plan).left_out, 1);  // nobody reaches the last in time
    }
  }
}

TEST(DrivingRulesTest, LimitTheDrivingAndTheWorkOfARoute) {
  InstanceData data = test::LineWithWindows();
  data.services = {0, 5, 5, 5};
  for (const auto& [driving, work, cost] :
       {std::tuple{60.0, 75.0, 60.0}, {60.0, 74.9, 80.0}, {59.9, 75.0, -1.0}}) {
    data.vehicles[0].driving_rules = {.max_driving = driving, .max_work = work};
    const Instance instance = *Instance::Create(data);
    const SearchResult found = SearchFor(instance, 300);
    ExpectSound(instance, found);
    EXPECT_EQ(ValueOf(instance, found.plan).left_out, cost < 0 ? 1 : 0);
    if (cost > 0) {
      EXPECT_NEAR(found.cost, cost, 1e-9);
    }
  }
}

TEST(DrivingRulesTest, FindTheOptimumWithTravelTimesByDeparture) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    std::vector<Feature> features = {Feature::kDrivingRules, Feature::kTimeOfDay,
                                     Feature::kObjective};
    const bool breaks = seed % 2 == 0;
    if (breaks) features.push_back(Feature::kBreaks);
    if (seed % 3 == 0) features.push_back(Feature::kSoftWindows);
    if (seed % 5 == 0) features.push_back(Feature::kOpenEnd);
    const Objective objective = seed % 4 < 2 ? Objective::kCost : Objective::kDuration;
    InstanceData data = MakeFeatureInstance({.customers = breaks ? 3 : 4,
                                             .seed = seed,
                                             .features = features,
                                             .objective = objective})
                            .data();
    for (VehicleType& type : data.vehicles) {
      if (!breaks) type.driving_rules.max_driving_before_break /= 3;
    }
    ExpectOptimal(*Instance::Create(data));
  }
}

TEST(DrivingRulesTest, FindTheOptimumWithWindowsAndLoadsOfPlannedBreaks) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    InstanceData data =
        MakeFeatureInstance(
            {.customers = 4,
             .seed = seed,
             .features = {Feature::kDrivingRules, Feature::kBreaks,
                          seed % 2 == 0 ? Feature::kSoftWindows : Feature::kSeveralWindows}})
            .data();
    if (seed > 3) data.vehicles[0].driving_rules.max_driving_before_break /= 2;
    ExpectOptimal(*Instance::Create(data));
  }
}

TEST(WaitingTest, FindsTheOptimumWithBreaksAndTravelTimesByDeparture) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    std::vector<Feature> features = {Feature::kMaxWaiting, Feature::kTimeOfDay, Feature::kBreaks,
                                     Feature::kObjective};
    if (seed % 3 == 0) features.push_back(Feature::kSoftWindows);
    InstanceData data =
        MakeFeatureInstance({.customers = 5, .seed = seed, .features = features}).data();
    if (seed % 4 == 0) data.vehicles[0].driving_rules.max_driving = 150;
    ExpectOptimal(*Instance::Create(data));
  }
}

TEST(WaitingTest, FindsTheOptimumWithBreaksAfterDriving) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    std::vector<Feature> features = {Feature::kMaxWaiting, Feature::kDrivingRules,
                                     Feature::kSeveralWindows};
    if (seed % 3 == 0) features.push_back(Feature::kBreaks);
    if (seed % 4 == 0) features.push_back(Feature::kTimeOfDay);
    InstanceData data =
        MakeFeatureInstance({.customers = 4, .seed = seed, .features = features}).data();
    for (VehicleType& type : data.vehicles) type.driving_rules.max_driving_before_break /= 2;
    ExpectOptimal(*Instance::Create(data));
  }
}

// Removes each stop in turn. The driver may rest where the vehicle waited.
TEST(DrivingRulesTest, AllowARouteWithOneStopLess) {
  int32_t removed = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    InstanceData data =
        MakeFeatureInstance({.customers = 10,
                             .seed = seed,
                             .features = {Feature::kDrivingRules, Feature::kSeveralWindows}})
            .data();
    data.vehicles[0].driving_rules.max_driving_before_break /= 2;
    const Instance instance = *Instance::Create(data);
    for (const PlannedRoute& route : SearchFor(instance, 300).plan) {
      for (size_t i = 0; i < route.customers.size() && route.customers.size() > 1; ++i) {
        PlannedRoute less = route;
        less.customers.erase(less.customers.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_TRUE(RoutesAreFeasible(CheckPlan(instance, {less}))) << seed;
        ++removed;
      }
    }
  }
  EXPECT_GT(removed, 300);
}

}  // namespace
}  // namespace vrp
