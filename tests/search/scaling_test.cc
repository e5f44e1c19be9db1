// Tests that a search does not depend on the units of the instance. Powers of two scale doubles
// without rounding, so that the same seed and iterations must give the same plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/search/build/construct.h"
#include "core/search/build/first_routes.h"
#include "core/search/methods/annealing/annealing.h"
#include "core/search/methods/penalised/penalised_annealing.h"
#include "core/search/methods/population/population_run.h"
#include "core/search/methods/regions/region_search.h"
#include "core/search/model/problem.h"
#include "core/search/search.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::InstanceBuilder;

void ScaleAll(std::vector<double>& values, double factor) {
  for (double& value : values) value *= factor;
}

void ScaleWindow(TimeWindow& window, double factor) {
  window.open *= factor;
  window.close *= factor;
}

void ScaleTimed(std::vector<TimedMatrix>& list, double factor) {
  for (TimedMatrix& timed : list) {
    timed.at *= factor;
    ScaleAll(timed.durations, factor);
  }
}

// Multiplies coordinates, distances, times and costs. Costs per distance or time stay.
void ScaleLengths(InstanceData& data, double factor) {
  for (Position& position : data.positions) {
    position = {.x = position.x * factor, .y = position.y * factor};
  }
  for (TimeWindow& window : data.windows) ScaleWindow(window, factor);
  for (auto& windows : data.further_windows) {
    for (TimeWindow& window : windows) ScaleWindow(window, factor);
  }
  for (auto* values : {&data.services, &data.setups, &data.releases, &data.prizes,
                       &data.distance_matrix, &data.length_matrix, &data.duration_matrix}) {
    ScaleAll(*values, factor);
  }
  ScaleTimed(data.duration_matrices, factor);
  for (VehicleType& type : data.vehicles) {
    for (double* value : {&type.max_duration, &type.max_distance, &type.max_waiting,
                          &type.max_overtime, &type.latest_start, &type.fixed_cost}) {
      *value *= factor;
    }
    ScaleWindow(type.shift, factor);
    ForEachField(type.driving_rules, [&](auto, double& time) { time *= factor; });
    for (Break& pause : type.breaks) {
      ScaleWindow(pause.window, factor);
      for (TimeWindow& window : pause.further_windows) ScaleWindow(window, factor);
      pause.duration *= factor;
    }
    for (CustomerTimes& times : type.customer_times) {
      times.service *= factor;
      times.setup *= factor;
    }
    ScaleAll(type.distance_matrix, factor);
    ScaleAll(type.length_matrix, factor);
    ScaleAll(type.duration_matrix, factor);
    ScaleTimed(type.duration_matrices, factor);
  }
  if (!data.balance.has_value()) return;
  const bool is_length = data.balance->measure < BalanceMeasure::kLoad;
  (is_length ? data.balance->max_spread : data.balance->cost) *= factor;
}

void ScaleLoads(InstanceData& data, double factor) {
  for (auto* loads : {&data.demands, &data.backhauls, &data.pickups}) ScaleAll(*loads, factor);
  for (Shipment& shipment : data.shipments) ScaleAll(shipment.amounts, factor);
  for (VehicleType& type : data.vehicles) {
    type.capacity *= factor;
    ScaleAll(type.further_capacities, factor);
    ScaleAll(type.initial_load, factor);
    for (Compartment& compartment : type.compartments) compartment.capacity *= factor;
    for (Break& pause : type.breaks) ScaleAll(pause.max_load, factor);
  }
  if (!data.balance.has_value() || data.balance->measure != BalanceMeasure::kLoad) return;
  data.balance->max_spread *= factor;
  data.balance->cost /= factor;
}

Instance ScaledBy(const Instance& instance, int lengths, int loads) {
  InstanceData data = instance.data();
  ScaleLengths(data, std::exp2(lengths));
  ScaleLoads(data, std::exp2(loads));
  return *Instance::Create(std::move(data));
}

using SearchBy = std::function<SearchResult(const Instance&)>;

// Whether the checker's tolerances in absolute units could matter to tiny routes.
bool HasTimesOrLimits(const InstanceData& data) {
  return !data.windows.empty() || !data.releases.empty() ||
         std::any_of(data.vehicles.begin(), data.vehicles.end(), [](const VehicleType& type) {
           return type.max_duration != kNoLimit || type.max_distance != kNoLimit ||
                  type.shift != TimeWindow{} || !type.breaks.empty() ||
                  !type.duration_matrices.empty();
         });
}

// Expects the plan of `instance` for the scaled ones too, at the scaled cost.
void ExpectSamePlans(const Instance& instance, const SearchBy& search) {
  const SearchResult unscaled = search(instance);
  ASSERT_FALSE(unscaled.plan.empty());
  std::vector<std::pair<int, int>> scales = {{-10, 0}, {10, -10}, {3, 10}};
  if (!HasTimesOrLimits(instance.data())) scales.emplace_back(-40, 20);
  for (const auto& [lengths, loads] : scales) {
    const SearchResult scaled = search(ScaledBy(instance, lengths, loads));
    EXPECT_EQ(scaled.plan, unscaled.plan)
        << instance.name() << ": lengths by 2^" << lengths << ", loads by 2^" << loads;
    // The tolerance of times is absolute, so that schedules of tiny routes may start a bit later.
    const double rounding = HasTimesOrLimits(instance.data()) ? 1e-8 : 0;
    const double expected = unscaled.cost * std::exp2(lengths);
    EXPECT_NEAR(scaled.cost, expected, rounding * expected) << instance.name();
    EXPECT_EQ(scaled.iterations, unscaled.iterations) << instance.name();
  }
}

SearchOptions ByIterations(int64_t iterations) {
  SearchOptions options;
  options.max_iterations = iterations;
  return options;
}

SearchBy SearchFor(int64_t iterations) {
  return [=](const Instance& instance) { return *Search(instance, ByIterations(iterations)); };
}

Plan FirstPlan(const Problem& problem) {
  FastRandom random(1);
  return MakeFirstRoutes(problem, {}, {}, random, [](const RouteStore&) {}).best;
}

SearchResult ByPopulation(const Instance& instance) {
  const Problem problem = Problem::Create(instance, {});
  FastRandom random(1);
  return RunPopulations(problem, {FirstPlan(problem)}, ByIterations(6'000), random,
                        [](const Plan&, Cost) {});
}

SearchResult ByRegions(const Instance& instance) {
  const Problem problem = Problem::Create(instance, {});
  const Plan plan = FirstPlan(problem);
  RouteStore routes(problem);
  routes.Load(plan);
  const auto near = [&](NodeIndex customer) { return problem.Near(customer); };
  return RegionSearch({instance, near, UsualTemperatures(routes), problem.epsilon()}, plan,
                      ByIterations(8'000), [](const Plan&, Cost) {});
}

SearchResult ByPenalisedAnnealing(const Instance& instance) {
  const Problem problem = Problem::Create(instance, {});
  FastRandom random(1);
  SearchResult result;
  result.plan = AnnealPenalised(RouteStore(problem), kImprovingCourse, ByIterations(1'000), random,
                                result.iterations, [](const Plan&) {});
  result.cost = PlanCost(instance, result.plan);
  return result;
}

SearchResult ByConstruction(const Instance& instance) {
  SearchResult result;
  for (const Plan& plan :
       {FirstPlan(Problem::Create(instance, {})), NearestNeighbourPlan(instance)}) {
    result.plan.insert(result.plan.end(), plan.begin(), plan.end());
    result.cost += PlanCost(instance, plan);
  }
  return result;
}

InstanceBuilder Loaded(int32_t customers) {
  return AnInstance().WithCustomers(customers).RandomDemands().Capacity(40);
}

InstanceBuilder Timed(int32_t customers) { return Loaded(customers).RandomWindows().Service(2); }

TEST(ScalingTest, KeepsThePlansOfRoutesWithoutWindows) {
  ExpectSamePlans(Loaded(60).Build(), SearchFor(2'000));
  ExpectSamePlans(Loaded(60).ExplicitMatrix(0.5).Build(), SearchFor(2'000));
  ExpectSamePlans(Loaded(360).Build(), SearchFor(2'000));  // annealing, then a population
  ExpectSamePlans(Loaded(520).Build(), ByRegions);
}

TEST(ScalingTest, KeepsThePlansOfRoutesWithWindows) {
  ExpectSamePlans(Timed(60).Build(), SearchFor(2'000));
  ExpectSamePlans(Timed(60).ExplicitMatrix(0.5).Build(), SearchFor(2'000));
  ExpectSamePlans(Timed(80).Build(), ByPopulation);
  ExpectSamePlans(Timed(300).Build(), ByRegions);
  ExpectSamePlans(Timed(300).Build(), ByConstruction);
}

TEST(ScalingTest, KeepsThePlansOfTours) {
  const InstanceBuilder tour = AnInstance().Kind(ProblemKind::kTsp).WithCustomers(80);
  ExpectSamePlans(InstanceBuilder(tour).Build(), SearchFor(2'000));
  ExpectSamePlans(InstanceBuilder(tour).ExplicitMatrix(0.5).Build(), SearchFor(2'000));
}

// Loads that need all vehicles, and one vehicle too few.
TEST(ScalingTest, KeepsThePlansOfScarceFleets) {
  double load = 0;
  for (const double demand : Loaded(60).BuildData().demands) load += demand;
  const auto vehicles = static_cast<int32_t>(std::ceil(load / 40));
  ExpectSamePlans(Loaded(60).Vehicles(vehicles).Build(), SearchFor(1'000));
  ExpectSamePlans(Loaded(60).Vehicles(vehicles - 1).Build(), SearchFor(1'000));
  ExpectSamePlans(Timed(60).Vehicles(vehicles).Build(), SearchFor(1'000));
}

// Routes of customers who are all where the depot is cost nothing, in any number.
TEST(ScalingTest, KeepsThePlansOfRoutesWithoutAnyDistance) {
  ExpectSamePlans(Loaded(20).At(std::vector<Position>(21, {5, 5})).Build(), SearchFor(500));
}

class FeatureScalingTest : public testing::TestWithParam<int32_t> {};

TEST_P(FeatureScalingTest, KeepsThePlan) {
  const auto feature = static_cast<Feature>(GetParam());
  for (const uint64_t seed : {1, 2}) {
    test::FeatureInstanceOptions options = {.customers = 30, .seed = seed, .features = {feature}};
    ExpectSamePlans(test::MakeFeatureInstance(options), SearchFor(200));
    options.features = test::DrawFeatures(seed + 10 * static_cast<uint64_t>(GetParam()));
    ExpectSamePlans(test::MakeFeatureInstance(options), SearchFor(200));
  }
}

INSTANTIATE_TEST_SUITE_P(Balance, FeatureScalingTest,
                         testing::Values(static_cast<int32_t>(Feature::kBalance)));
INSTANTIATE_TEST_SUITE_P(AllFeatures, FeatureScalingTest,
                         testing::Range(0, static_cast<int32_t>(Feature::kInOrder) + 1));
INSTANTIATE_TEST_SUITE_P(OfVehicles, FeatureScalingTest,
                         testing::Values(static_cast<int32_t>(Feature::kCustomerTimes),
                                         static_cast<int32_t>(Feature::kServiceTimeCost),
                                         static_cast<int32_t>(Feature::kDepotService),
                                         static_cast<int32_t>(Feature::kTravelTimeCost),
                                         static_cast<int32_t>(Feature::kLengthMatrix)));

// Above some size insertions look beside listed neighbours only; above another, no search violates
// limits at a price.
TEST(ScalingTest, KeepsThePlansOfManyCustomersWithFeatures) {
  using enum Feature;
  for (const std::vector<Feature>& features : {std::vector{kSeveralDepots, kSkills},
                                               {kVehicleTypes, kObjective, kLoadDimensions},
                                               {kShipments, kReleaseTimes},
                                               {kMaxDuration, kMaxStops, kObjective}}) {
    ExpectSamePlans(test::MakeFeatureInstance({.customers = 200, .features = features}),
                    SearchFor(200));
  }
}

TEST(ScalingTest, KeepsThePlansOfPenalisedAnnealing) {
  using enum Feature;
  for (const std::vector<Feature>& features :
       {std::vector{kShipments, kShift}, {kPickups, kMaxDuration}, {kBreaks, kMaxDistance}}) {
    ExpectSamePlans(test::MakeFeatureInstance({.customers = 20, .features = features}),
                    ByPenalisedAnnealing);
  }
}

TEST(ScalingTest, KeepsThePlansOfFewVehiclesAndOfOtherObjectives) {
  using enum Feature;
  ExpectSamePlans(
      test::MakeFeatureInstance({.customers = 40, .features = {kVehicleTypes}, .vehicles = 3}),
      SearchFor(600));
  for (const Objective objective : {Objective::kVehiclesThenDistance, Objective::kDuration}) {
    ExpectSamePlans(
        test::MakeFeatureInstance(
            {.customers = 40, .features = {kObjective, kMaxStops}, .objective = objective}),
        SearchFor(600));
  }
}

}  // namespace
}  // namespace vrp
