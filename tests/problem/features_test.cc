#include "core/problem/instance/features.h"

#include <functional>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::IsEmpty;

InstanceData PlainData() {
  return AnInstance()
      .WithCustomers(3)
      .Windows({{0, 900}, {0, 900}, {0, 900}}, 1000)
      .Service(1)
      .BuildData();
}

TEST(FeaturesTest, FindsNoneInAPlainProblem) {
  EXPECT_THAT(FeaturesOf(*Instance::Create(PlainData())), IsEmpty());
  EXPECT_THAT(FeaturesOf(AnInstance().Kind(ProblemKind::kTsp).Build()), IsEmpty());
  EXPECT_TRUE(RefuseFeatures(*Instance::Create(PlainData()), {}, "a test").ok());
}

TEST(FeaturesTest, IgnoresFieldsWithDefaultValues) {
  InstanceData data = PlainData();
  data.backhauls = data.pickups = data.setups = data.releases = {0, 0, 0, 0};
  data.further_windows.resize(4);
  data.required_skills.resize(4);
  data.prizes.assign(4, kNoLimit);
  data.priorities.assign(4, 0);
  data.vehicles[0].end_depot = 0;
  data.vehicles[0].skills = {"crane"};
  EXPECT_THAT(FeaturesOf(*Instance::Create(data)), IsEmpty());
}

struct FeatureCase {
  Feature feature;
  std::string field;
  std::function<void(InstanceData&)> add;
};

std::vector<FeatureCase> FeatureCases() {
  using D = InstanceData;
  return {
      {Feature::kObjective, "objective", [](D& d) { d.objective = Objective::kDuration; }},
      {Feature::kSeveralDepots, "depots",
       [](D& d) { d.num_depots = 2, d.services[1] = 0, d.demands[1] = 0; }},
      {Feature::kVehicleTypes, "vehicles", [](D& d) { d.vehicles.push_back(d.vehicles[0]); }},
      {Feature::kOpenEnd, "vehicles[0].open_end", [](D& d) { d.vehicles[0].open_end = true; }},
      {Feature::kLoadDimensions, "customers[0].demand[1]",
       [](D& d) { d.load_dimensions = 2, d.demands.assign(8, 0); }},
      {Feature::kBackhauls, "customers[1].backhaul",
       [](D& d) {
         d.backhauls = {0, 0, 2, 3};
       }},
      {Feature::kPickups, "customers[2].pickup",
       [](D& d) {
         d.pickups = {0, 0, 0, 3};
       }},
      {Feature::kShipments, "shipments[0]",
       [](D& d) { d.shipments = {{.id = {}, .pickup = 1, .delivery = 2, .amounts = {1}}}; }},
      {Feature::kMaxDuration, "vehicles[0].max_duration",
       [](D& d) { d.vehicles[0].max_duration = 9; }},
      {Feature::kMaxDistance, "vehicles[0].max_distance",
       [](D& d) { d.vehicles[0].max_distance = 9; }},
      {Feature::kMaxWaiting, "vehicles[0].max_waiting",
       [](D& d) { d.vehicles[0].max_waiting = 0; }},
      {Feature::kDrivingRules, "vehicles[0].driving_rules",
       [](D& d) { d.vehicles[0].driving_rules.max_driving = 9; }},
      {Feature::kDepotService, "depots[0].service",
       [](D& d) {
         d.services = {5, 0, 0, 0};
       }},
      {Feature::kMaxStops, "vehicles[0].max_stops", [](D& d) { d.vehicles[0].max_stops = 9; }},
      {Feature::kBalance, "balance", [](D& d) { d.balance = Balance{.cost = 1}; }},
      {Feature::kShift, "vehicles[0].shift", [](D& d) { d.vehicles[0].shift.close = 500; }},
      {Feature::kReloads, "vehicles[0].max_reloads", [](D& d) { d.vehicles[0].max_reloads = 1; }},
      {Feature::kLatestStart, "vehicles[0].latest_start",
       [](D& d) { d.vehicles[0].latest_start = 9; }},
      {Feature::kInitialLoad, "vehicles[0].initial_load",
       [](D& d) { d.vehicles[0].initial_load = {1}; }},
      {Feature::kSkills, "customers[0].required_skills",
       [](D& d) {
         d.required_skills = {{}, {"crane"}, {}, {}};
       }},
      {Feature::kBreaks, "vehicles[0].breaks", [](D& d) { d.vehicles[0].breaks = {{}}; }},
      {Feature::kLengthMatrix, "length_matrix", [](D& d) { d.length_matrix.assign(16, 1); }},
      {Feature::kVehicleMatrix, "vehicles[0].duration_matrix",
       [](D& d) { d.vehicles[0].duration_matrix.assign(16, 1); }},
      {Feature::kLifo, "vehicles[0].lifo", [](D& d) { d.vehicles[0].lifo = true; }},
      {Feature::kCompartments, "vehicles[0].compartments",
       [](D& d) { d.vehicles[0].compartments = {{.capacity = 9}}; }},
      {Feature::kTimeOfDay, "vehicles[0].duration_matrices",
       [](D& d) {
         d.vehicles[0].duration_matrices = {{5, std::vector<double>(16, 1)}};
       }},
      {Feature::kTimeOfDay, "duration_matrices",
       [](D& d) {
         d.duration_matrices = {{5, std::vector<double>(16, 1)}};
       }},
      {Feature::kSoftWindows, "customers[1].window.late_cost",
       [](D& d) { d.windows[2].late_cost = 0; }},
      {Feature::kSeveralWindows, "customers[2].further_windows",
       [](D& d) {
         d.further_windows = {{}, {}, {}, {{950, 970}}};
       }},
      {Feature::kSetupTimes, "customers[0].setup",
       [](D& d) {
         d.setups = {0, 1, 0, 0};
       }},
      {Feature::kReleaseTimes, "customers[0].release",
       [](D& d) {
         d.releases = {0, 1, 0, 0};
       }},
      {Feature::kPrizes, "customers[0].prize",
       [](D& d) {
         d.prizes = {kNoLimit, 0, kNoLimit, kNoLimit};
       }},
      {Feature::kPriorities, "customers[1].priority",
       [](D& d) {
         d.priorities = {0, 0, 1, 0};
       }},
      {Feature::kCustomerTimes, "vehicles[0].customer_times",
       [](D& d) { d.vehicles[0].customer_times = {{.customer = 1}}; }},
      {Feature::kMatrixRows, "matrix_rows",
       [](D& d) {
         d.distance_matrix.assign(4, 1);
         d.matrix_rows = {0, 1, 0, 1};
       }},
      {Feature::kAlternatives, "alternative_groups[0]",
       [](D& d) {
         d.alternative_groups = {{1, 2}};
       }},
      {Feature::kSameRoute, "customer_rules[0]",
       [](D& d) {
         d.customer_rules.push_back({.kind = RuleKind::kSameRoute, .customers = {1, 2}});
       }},
      {Feature::kDifferentRoutes, "customer_rules[0]",
       [](D& d) {
         d.customer_rules.push_back({.kind = RuleKind::kDifferentRoutes, .customers = {1, 2}});
       }},
      {Feature::kMaxPerRoute, "customer_rules[0]",
       [](D& d) {
         d.customer_rules.push_back(
             {.kind = RuleKind::kMaxPerRoute, .customers = {1, 2, 3}, .max = 2});
       }},
      {Feature::kInOrder, "customer_rules[0]",
       [](D& d) {
         d.customer_rules.push_back({.kind = RuleKind::kInOrder, .customers = {2, 1}});
       }},
  };
}

TEST(FeaturesTest, FindsEachFeatureAndNamesItsFieldInTheRefusal) {
  for (const FeatureCase& use : FeatureCases()) {
    SCOPED_TRACE(use.field);
    InstanceData data = PlainData();
    use.add(data);
    const absl::StatusOr<Instance> instance = Instance::Create(data);
    ASSERT_TRUE(instance.ok()) << instance.status();
    const std::vector<FeatureUse> found = FeaturesOf(*instance);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].feature, use.feature);
    EXPECT_EQ(found[0].field, use.field);
    EXPECT_TRUE(RefuseFeatures(*instance, {use.feature}, "a test").ok());
    const absl::Status refused = RefuseFeatures(*instance, {Feature::kMaxDuration}, "a test");
    if (use.feature == Feature::kMaxDuration) continue;
    EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
    EXPECT_EQ(refused.message(), use.field + ": not supported by a test");
  }
}

TEST(FeaturesTest, FindsFeaturesThatNeedOthers) {
  InstanceData data = PlainData();
  data.num_depots = 2;
  data.demands[1] = data.services[1] = 0;
  data.vehicles[0].end_depot = 1;
  data.vehicles[0].max_duration = 100;
  data.vehicles[0].max_overtime = 10;
  std::vector<FeatureUse> found = FeaturesOf(*Instance::Create(data));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[1].field, "vehicles[0].end_depot");
  EXPECT_EQ(found[3].feature, Feature::kOvertime);
  EXPECT_EQ(found[3].field, "vehicles[0].max_overtime");
  data.vehicles[0].max_reloads = 1;
  data.vehicles[0].reload_depots = {1};
  found = FeaturesOf(*Instance::Create(data));
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[5].feature, Feature::kReloadDepots);
  EXPECT_EQ(found[5].field, "vehicles[0].reload_depots");
  data = PlainData();
  data.objective = Objective::kCost;
  data.vehicles[0].cost_per_service_time = 1;
  data.vehicles[0].cost_per_travel_time = 1;
  const std::vector<FeatureUse> costs = FeaturesOf(*Instance::Create(data));
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_EQ(costs[1].feature, Feature::kServiceTimeCost);
  EXPECT_EQ(costs[1].field, "vehicles[0].cost_per_service_time");
  EXPECT_EQ(costs[2].feature, Feature::kTravelTimeCost);
  EXPECT_EQ(costs[2].field, "vehicles[0].cost_per_travel_time");
  // kFrozenStops is not part of the data, so tests/search tests this feature.
  std::set<Feature> known = {Feature::kEndDepot,        Feature::kOvertime,
                             Feature::kFrozenStops,     Feature::kReloadDepots,
                             Feature::kServiceTimeCost, Feature::kTravelTimeCost};
  for (const FeatureCase& use : FeatureCases()) known.insert(use.feature);
  EXPECT_EQ(known.size(), static_cast<size_t>(Feature::kLengthMatrix) + 1)
      << "a feature has no test";
}

}  // namespace
}  // namespace vrp
