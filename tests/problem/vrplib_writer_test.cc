// Tests that VRPLIB files hold every field that the format has. Tests that the writer refuses all
// other fields and names them.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/instance_writer.h"
#include "core/problem/formats/vrplib/vrplib_reader.h"
#include "core/problem/instance/features.h"
#include "core/problem/instance/instance_difference.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/constrained_instance.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

absl::StatusOr<std::string> WriteAsVrplib(const Instance& instance) {
  return WriteInstance(instance, {.format = WrittenFormat::kVrplib, .renumber = true});
}

std::string TextOf(const Instance& instance) {
  const absl::StatusOr<std::string> text = WriteAsVrplib(instance);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

std::string Refusal(const InstanceData& data) {
  const absl::StatusOr<std::string> text = WriteAsVrplib(*Instance::Create(data));
  EXPECT_EQ(text.status().code(), absl::StatusCode::kUnimplemented) << text.value_or("");
  return std::string(text.status().message());
}

Instance ReadBack(const std::string& text) {
  absl::StatusOr<Instance> instance = ParseVrplib(text, "again");
  EXPECT_TRUE(instance.ok()) << instance.status() << "\n" << text;
  return *std::move(instance);
}

// Expects the same cost and number of violations for random plans.
void ExpectSameProblem(const Instance& a, const Instance& b, const std::string& text) {
  ASSERT_EQ(a.vehicles().size(), b.vehicles().size()) << text;
  for (uint64_t draw = 1; draw <= 8; ++draw) {
    const Plan plan = test::RandomConstrainedPlan(a, draw);
    const CheckReport report = CheckPlan(a, plan), reread = CheckPlan(b, plan);
    EXPECT_NEAR(reread.cost, report.cost, 1e-6) << text;
    EXPECT_EQ(reread.left_out, report.left_out) << text;
    EXPECT_EQ(reread.violations.size(), report.violations.size()) << text;
  }
}

const std::vector<Feature>& SupportedFeatures() {
  static const auto* const features = new std::vector<Feature>{
      Feature::kSeveralDepots,  Feature::kVehicleTypes, Feature::kOpenEnd,
      Feature::kLoadDimensions, Feature::kBackhauls,    Feature::kPickups,
      Feature::kShipments,      Feature::kMaxDuration,  Feature::kMaxDistance,
      Feature::kReloads,        Feature::kReloadDepots, Feature::kSkills,
      Feature::kReleaseTimes,   Feature::kPrizes,       Feature::kAlternatives};
  return *features;
}

// Makes the first customer of each group, or its shipment, one without a prize.
void RequireGroups(InstanceData& data) {
  if (data.prizes.empty()) return;
  for (const std::vector<NodeIndex>& group : data.alternative_groups) {
    data.prizes[group.front()] = kNoLimit;
    for (const Shipment& shipment : data.shipments) {
      if (shipment.pickup == group.front()) data.prizes[shipment.delivery] = kNoLimit;
    }
  }
}

// Returns a random mixture of supported features in any metric except the scaled one. About
// half of the mixtures have costs of distance and vehicles. Instances with shipments have no other
// deliveries.
InstanceData RandomMixture(uint64_t seed) {
  CounterRandom random(seed, 9, 0);
  std::vector<Feature> features;
  for (const Feature feature : SupportedFeatures()) {
    if (random.UniformDouble() < 0.25) features.push_back(feature);
  }
  const bool costs = random.UniformDouble() < 0.5;
  if (costs) features.push_back(Feature::kObjective);
  const Metric metric = static_cast<Metric>(random.UniformInt(0, 3));
  InstanceData data =
      test::MakeFeatureInstance({.customers = 9,
                                 .seed = seed,
                                 .features = features,
                                 .metric = metric,
                                 .vehicles = static_cast<int32_t>(random.UniformInt(0, 2))})
          .data();
  for (VehicleType& type : data.vehicles) type.cost_per_time = 0;
  if (!data.shipments.empty()) data.demands.assign(data.demands.size(), 0);
  RequireGroups(data);
  return data;
}

// Returns whether a TYPE exists for this mixture of features.
bool HasType(const InstanceData& data) {
  const bool windows = data.kind == ProblemKind::kVrptw;
  const bool open = data.vehicles.front().open_end;
  if (!data.backhauls.empty() && (open || !data.pickups.empty())) return false;
  if (!data.shipments.empty() && (!windows || !data.backhauls.empty())) return false;
  if (!data.shipments.empty() && data.load_dimensions > 1) return false;
  return !open || !windows;
}

TEST(WriteVrplib, WritesEveryMixtureThatItSupports) {
  int written = 0;
  std::map<Feature, int> times;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    const InstanceData data = RandomMixture(seed);
    const Instance instance = *Instance::Create(data);
    const absl::StatusOr<std::string> text = WriteAsVrplib(instance);
    ASSERT_EQ(text.ok(), HasType(data)) << "seed " << seed << ": " << text.status();
    if (!text.ok()) continue;
    ++written;
    for (const FeatureUse& use : FeaturesOf(instance)) ++times[use.feature];
    const Instance reread = ReadBack(*text);
    ExpectSameProblem(instance, reread, *text);
    EXPECT_EQ(TextOf(reread), *text) << "seed " << seed;
  }
  EXPECT_GT(written, 200);
  for (const Feature feature : SupportedFeatures()) {
    EXPECT_GT(times[feature], 5) << static_cast<int>(feature);
  }
}

TEST(WriteVrplib, NamesUnsupportedFields) {
  for (const Feature feature :
       {Feature::kEndDepot, Feature::kMaxWaiting, Feature::kMaxStops, Feature::kShift,
        Feature::kOvertime, Feature::kLatestStart, Feature::kInitialLoad, Feature::kBreaks,
        Feature::kCompartments, Feature::kSeveralWindows, Feature::kSetupTimes,
        Feature::kPriorities, Feature::kBalance, Feature::kDrivingRules}) {
    InstanceData data = test::MakeFeatureInstance({.customers = 6, .features = {feature}}).data();
    for (VehicleType& type : data.vehicles) type.cost_per_time = 0;
    const Instance instance = *Instance::Create(data);
    const std::string refusal = Refusal(data);
    std::string field;
    for (const FeatureUse& use : FeaturesOf(instance)) {
      if (use.feature == feature) field = use.field;
    }
    EXPECT_THAT(refusal, StartsWith(field));
    EXPECT_THAT(refusal, HasSubstr(", which CVRPLIB's format cannot express"));
  }
  InstanceData data = AnInstance().WithCustomers(3).RandomWindows().BuildData();
  data.windows[2].late_cost = 4;
  EXPECT_THAT(Refusal(data), HasSubstr("late_cost 4], which"));
  data.windows[2].late_cost = kNoLimit;
  data.duration_matrices = {{0, std::vector<double>(16, 1)}, {9, std::vector<double>(16, 2)}};
  EXPECT_THAT(Refusal(data), HasSubstr("duration_matrices: 2 entries, which"));
}

// The writer refuses most of these random instances.
TEST(WriteVrplib, NeverDropsAConstraint) {
  int written = 0;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    InstanceData data = test::RandomConstrainedData(seed, 6);
    data.speed = 1;
    if (seed % 4 != 0) data.customer_rules.clear();
    std::fill_n(data.services.begin(), data.num_depots, 0.0);
    RequireGroups(data);
    data.setups.clear();
    data.further_windows.clear();
    data.priorities.clear();
    data.balance.reset();
    data.customer_rules.clear();
    data.duration_matrices.clear();
    for (TimeWindow& window : data.windows) window.late_cost = kNoLimit;
    for (VehicleType& type : data.vehicles) {
      type.end_depot = kSameAsStart;
      type.max_stops = INT32_MAX;
      type.max_waiting = kNoLimit;
      type.lifo = false;
      type.compartments.clear();
      type.customer_times.clear();
      type.cost_per_service_time = 0;
      type.cost_per_travel_time = 0;
      type.driving_rules = {};
      type.shift = {};
      type.latest_start = kNoLimit;
      type.initial_load.clear();
      type.duration_matrices.clear();
    }
    const Instance instance = *Instance::Create(data);
    const absl::StatusOr<std::string> text = WriteAsVrplib(instance);
    if (!text.ok()) continue;
    ++written;
    ExpectSameProblem(instance, ReadBack(*text), *text);
  }
  EXPECT_GT(written, 20);
}

std::string SampleText(const std::string& type, const std::string& keywords,
                       const std::string& sections, const std::string& weights = "EUC_2D") {
  return "TYPE : " + type + "\nDIMENSION : 5\n" + keywords + "EDGE_WEIGHT_TYPE : " + weights +
         "\nNODE_COORD_SECTION\n1 0 0\n2 3 0.5\n3 0 4\n4 -5 0\n5 2 2\n" + sections + "EOF\n";
}

constexpr char kDemands[] = "DEMAND_SECTION\n1 0\n2 1\n3 2\n4 3\n5 1\n";
constexpr char kWindows[] = "TIME_WINDOW_SECTION\n1 0 99\n2 0 90\n3 10 90\n4 0 90\n5 0 99\n";
constexpr char kBackhauls[] = "BACKHAUL_SECTION\n1 0\n2 0\n3 1\n4 0\n5 1\n";

TEST(WriteVrplib, ReadsBackWrittenFiles) {
  const std::string demands_and_windows = std::string(kDemands) + kWindows;
  const std::string demands_and_backhauls = std::string(kDemands) + kBackhauls;
  const std::string fleet = "CAPACITY : 9\nVEHICLES : 3\n";
  for (const std::string& text :
       {SampleText("CVRP", "CAPACITY : 9\nCOMMENT : Best value: 30\n", kDemands),
        SampleText("CVRP", "CAPACITY : 9\nCOMMENT : Best value: 30.5\n", kDemands),
        SampleText("CVRP", "CAPACITY : 9\n", kDemands, "EXACT_2D"),
        SampleText("CVRP", "CAPACITY : 9\nSCALE : 10\n", kDemands, "FLOOR_2D"),
        SampleText("CVRP", "CAPACITY : 9\nSCALE : 100\n", kDemands),
        SampleText("CVRP", "CAPACITY : 9\n", kDemands, "MAN_2D"),
        SampleText("HVRP", "CAPACITY : 9\nVEHICLES_FIXED_COST : 7\n", kDemands),
        SampleText("OVRP", "CAPACITY : 9\nDISTANCE : 40\n", demands_and_backhauls),
        SampleText("MDVRP", fleet,
                   std::string(kDemands) + "DEPOT_SECTION\n1\n-1\nVEHICLES_DEPOT_SECTION\n1 1\n"
                                           "2 1\n3 1\n"),
        SampleText("GTSP", "VEHICLES : 1\n", "MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2 3\n2 4 5\n"),
        SampleText("PCVRP", fleet,
                   std::string(kDemands) + "PRIZE_SECTION\n1 0\n2 5\n3 0\n4 6\n5 1\n"),
        SampleText("MTVRP", fleet + "VEHICLES_MAX_RELOADS : 2\n",
                   std::string(kDemands) + "VEHICLES_RELOAD_DEPOT_SECTION\n1 1\n2 1\n3\n"),
        SampleText("MTVRP", fleet,
                   std::string(kDemands) + "VEHICLES_MAX_RELOADS_SECTION\n1 1\n2 3\n3 3\n"
                                           "VEHICLES_RELOAD_DEPOT_SECTION\n1 1\n2 1\n3 1\n"),
        SampleText(
            "CVRP", fleet,
            std::string(kDemands) + "VEHICLES_ALLOWED_CLIENTS_SECTION\n1 2 3\n2 2 3\n3 4 5\n"),
        SampleText("VRPB", "CAPACITY : 9\n", demands_and_backhauls),
        SampleText("VRPSPD", "CAPACITY : 9\n", demands_and_backhauls),
        SampleText("VRPTW", "CAPACITY : 9\nSERVICE_TIME : 3\n", demands_and_windows),
        SampleText("MDVRPTW", "CAPACITY : 9\nVEHICLES_MAX_DISTANCE : 30\n", demands_and_windows),
        SampleText("HFVRPTW", "VEHICLES : 2\n",
                   demands_and_windows +
                       "CAPACITY_SECTION\n1 9\n2 8\nVEHICLES_MAX_DISTANCE_SECTION\n1 50\n2 40\n"
                       "VEHICLES_UNIT_DISTANCE_COST_SECTION\n1 1\n2 1.5\n"),
        SampleText("MTVRPTWR", "CAPACITY : 9\n",
                   demands_and_windows + "RELEASE_TIME_SECTION\n1 0\n2 7\n3 0\n4 0\n5 9\n"),
        SampleText("VRPBTW", "CAPACITY : 9\n", demands_and_windows + kBackhauls),
        SampleText("VRPSPDTW", "CAPACITY : 9\n", demands_and_windows + kBackhauls),
        SampleText("PDPTW", "CAPACITY : 9\n",
                   "PICKUP_AND_DELIVERY_SECTION\n1 0 0 99 0 0 0\n2 -5 0 90 1 4 0\n3 0 2 80 0 0 0\n"
                   "4 5 0 70 3 0 2\n5 0 0 9 0 0 0\n")}) {
    const Instance instance = ReadBack(text);
    const Instance reread = ReadBack(TextOf(instance));
    EXPECT_EQ(FirstDifference(instance.data(), reread.data()), std::nullopt) << text;
    EXPECT_EQ(reread.reference_cost(), instance.reference_cost()) << text;
  }
}

TEST(WriteVrplib, WritesKeywordsBeforeSections) {
  InstanceData data = AnInstance().WithCustomers(3).As(Metric::kRounded).BuildData();
  data.vehicles = {{.count = 1, .capacity = 8, .max_duration = 500, .max_reloads = 1},
                   {.count = 1, .capacity = 9, .max_duration = 500, .max_reloads = 1}};
  const std::string text = TextOf(*Instance::Create(data));
  EXPECT_THAT(text.substr(text.find("_SECTION")), Not(HasSubstr(" : ")));
  EXPECT_THAT(text, HasSubstr("VEHICLES_MAX_DURATION : 500\nVEHICLES_MAX_RELOADS : 1\n"));
}

TEST(WriteVrplib, WritesSkillsAsAllowedCustomers) {
  InstanceData data = AnInstance().WithCustomers(3).As(Metric::kRounded).BuildData();
  data.required_skills = {{}, {"crane"}, {}, {"crane", "cold"}};
  data.vehicles = {{.count = 1, .capacity = 9, .skills = {"cold", "crane"}},
                   {.count = 2, .capacity = 9, .skills = {"crane", "paint"}},
                   {.count = 1, .capacity = 9, .skills = {"cold"}}};
  EXPECT_THAT(TextOf(*Instance::Create(data)),
              HasSubstr("VEHICLES_ALLOWED_CLIENTS_SECTION\n1 2 3 4\n2 2 3\n3 2 3\n4 3\nEOF\n"));
  data.vehicles.resize(1);
  const Instance all = ReadBack(TextOf(*Instance::Create(data)));
  EXPECT_TRUE(all.data().required_skills.empty());
}

TEST(WriteVrplib, MergesEquivalentVehicleTypes) {
  InstanceData data = AnInstance().WithCustomers(3).As(Metric::kRounded).BuildData();
  data.vehicles = {{.id = "a", .count = 1, .capacity = 9, .skills = {"paint"}},
                   {.id = "b", .count = 2, .capacity = 9}};
  EXPECT_EQ(ReadBack(TextOf(*Instance::Create(data))).vehicles()[0].count, 3);
  data.vehicles[1].count = 0;
  EXPECT_EQ(ReadBack(TextOf(*Instance::Create(data))).vehicles()[0].count, 0);
}

TEST(WriteVrplib, WritesUnlimitedCapacityAsAWholeNumberAboveTheSumOfLoads) {
  InstanceData data = AnInstance().WithCustomers(3).As(Metric::kRounded).BuildData();
  data.demands = {0, 1, 2, 3};
  data.vehicles = {{.count = 1, .capacity = kNoLimit}, {.count = 1, .capacity = 5}};
  EXPECT_EQ(ReadBack(TextOf(*Instance::Create(data))).vehicles()[0].capacity, 7);
  data.load_dimensions = 2;
  data.demands = {0, 0, 1, 1, 2, 2, 3, 4.5};
  const Instance reread = ReadBack(TextOf(*Instance::Create(data)));
  EXPECT_THAT(reread.vehicles()[1].further_capacities, ElementsAre(8));
}

TEST(WriteVrplib, RefusesLimitsOfSomeVehiclesOnly) {
  InstanceData data = AnInstance().WithCustomers(3).As(Metric::kRounded).BuildData();
  data.vehicles = {{.count = 1, .capacity = 9, .max_distance = 50}, {.count = 1, .capacity = 9}};
  EXPECT_EQ(Refusal(data),
            "vehicles[1].max_distance: none, but other vehicles have one, which CVRPLIB's format "
            "cannot express");
}

TEST(WriteVrplib, RefusesAPrizeOfZero) {
  InstanceData data = AnInstance().WithCustomers(3).As(Metric::kRounded).BuildData();
  data.prizes = {kNoLimit, 4, 0, kNoLimit};
  EXPECT_EQ(Refusal(data), "customers[1].prize: 0, which CVRPLIB's format cannot express");
}

TEST(WriteVrplib, RefusesAGroupThatMayBeUnserved) {
  InstanceData data = AnInstance().WithCustomers(3).As(Metric::kRounded).BuildData();
  data.alternative_groups = {{1, 2}};
  data.prizes = {kNoLimit, 4, 6, kNoLimit};
  EXPECT_EQ(Refusal(data), "customers[0].prize: 4, which CVRPLIB's format cannot express");
  data.prizes[1] = kNoLimit;
  const Instance instance = *Instance::Create(data);
  EXPECT_EQ(ReadBack(TextOf(instance)).data().prizes, data.prizes);
}

TEST(WriteVrplib, KeepsOrRefusesShipmentIds) {
  InstanceData data = AnInstance().WithCustomers(4).RandomWindows().BuildData();
  data.demands.assign(5, 0);
  data.shipments = {{.id = "sofa", .pickup = 4, .delivery = 1, .amounts = {2}}};
  const Instance instance = *Instance::Create(data);
  const auto named = WriteInstance(instance, {.format = WrittenFormat::kVrplib});
  EXPECT_EQ(named.status().message(),
            "shipments[0].id: \"sofa\", which CVRPLIB's format cannot express");
  EXPECT_EQ(ReadBack(TextOf(instance)).data().shipments[0].id, "5-2");
  data.demands[2] = 3;
  EXPECT_THAT(Refusal(data), StartsWith("customers[1].demand: 3, which"));
}

TEST(WriteVrplib, DropsAReferenceThatWouldChangeTheMetric) {
  InstanceData data = AnInstance().WithCustomers(3).As(Metric::kRounded).BuildData();
  data.reference_cost = 12.5;
  EXPECT_EQ(ReadBack(TextOf(*Instance::Create(data))).metric(), Metric::kRounded);
  data.metric = Metric::kExact;
  EXPECT_EQ(ReadBack(TextOf(*Instance::Create(data))).reference_cost(), 12.5);
}

TEST(WriteVrplib, RefusesMatricesThatAreTooLarge) {
  InstanceData data = AnInstance().WithCustomers(kMaxMatrixNodes).As(Metric::kExact).BuildData();
  EXPECT_TRUE(WriteAsVrplib(*Instance::Create(data)).ok());
  data.coordinates = CoordinateSystem::kLonLat;
  for (Position& position : data.positions) position.y = 0;
  EXPECT_THAT(Refusal(data), StartsWith("coordinates: lon_lat, which needs a matrix"));
  data.coordinates = CoordinateSystem::kPlanar;
  data.metric = Metric::kScaled1000;
  EXPECT_THAT(Refusal(data), StartsWith("metric: scaled1000, which needs a matrix"));
}

TEST(WriteVrplib, RefusesMoreRowsThanAFileHolds) {
  InstanceData data = AnInstance().WithCustomers(40).As(Metric::kRounded).BuildData();
  data.required_skills.resize(41);
  data.required_skills[1] = {"crane"};
  data.vehicles = {{.count = 1'000'000, .capacity = 9}};
  EXPECT_THAT(Refusal(data), HasSubstr("vehicles: 1000000 rows with 40000000 numbers, which"));
}

}  // namespace
}  // namespace vrp
