// Tests that searches find the optima of small instances with each feature.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "tests/search/search_expectations.h"
#include "tests/testing/brute_force.h"
#include "tests/testing/constrained_instance.h"
#include "tests/testing/feature_instances.h"

namespace vrp {
namespace {

using test::DrawFeatures;
using test::EnumerateAll;
using test::ExpectOptimal;
using test::MakeFeatureInstance;

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

}  // namespace
}  // namespace vrp
