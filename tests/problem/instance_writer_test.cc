// Tests that an instance written in another format is the same problem, or that the writer refuses
// it and names the field.
#include "core/problem/formats/instance_writer.h"

#include <cmath>
#include <map>
#include <string>

#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/instance/features.h"
#include "core/problem/instance/instance_difference.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/constrained_instance.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::ReadData;
using testing::HasSubstr;

absl::StatusOr<std::string> Write(const Instance& instance, WrittenFormat format) {
  return WriteInstance(instance, {.format = format});
}

std::string RefusalOf(const Instance& instance, WrittenFormat format) {
  const absl::StatusOr<std::string> text = Write(instance, format);
  EXPECT_EQ(text.status().code(), absl::StatusCode::kUnimplemented) << text.value_or("");
  return std::string(text.status().message());
}

Instance Reread(const absl::StatusOr<std::string>& text) {
  EXPECT_TRUE(text.ok()) << text.status();
  absl::StatusOr<Instance> instance = ParseInstance(*text, "again");
  EXPECT_TRUE(instance.ok()) << instance.status() << *text;
  return *std::move(instance);
}

TEST(WriteInstance, ReadsBackWrittenFiles) {
  for (const char* name : {"E-n22-k4.vrp", "RC208.vrp", "pr107.tsp"}) {
    const Instance instance = *ParseInstance(ReadData(name), name);
    for (const WrittenFormat format : {WrittenFormat::kVrplib, WrittenFormat::kJson}) {
      EXPECT_EQ(Reread(Write(instance, format)).data(), instance.data()) << name;
    }
  }
}

// Returns an instance with customers at two locations and an asymmetric matrix.
InstanceData TwoLocationData(int32_t customers) {
  InstanceData data = AnInstance().WithCustomers(customers).BuildData();
  data.positions.clear();
  data.distance_matrix = {0, 3, 4, 1};
  data.duration_matrix = {0, 5, 6, 2};
  for (int32_t node = 0; node <= customers; ++node) data.matrix_rows.push_back(node % 2);
  return data;
}

TEST(WriteInstance, KeepsMatrixRowsInJsonAndVroom) {
  const Instance instance = *Instance::Create(TwoLocationData(5));
  EXPECT_EQ(Reread(Write(instance, WrittenFormat::kJson)).data(), instance.data());
  const Instance vroom = Reread(Write(instance, WrittenFormat::kVroom));
  EXPECT_EQ(vroom.DurationMatrix(), instance.DurationMatrix());
  EXPECT_EQ(vroom.DistanceMatrix(), instance.DistanceMatrix());
}

TEST(WriteInstance, ExpandsMatrixRowsForVrplib) {
  InstanceData data = TwoLocationData(5);
  data.duration_matrix.clear();
  const Instance instance = *Instance::Create(std::move(data));
  EXPECT_EQ(Reread(Write(instance, WrittenFormat::kVrplib)).DistanceMatrix(),
            instance.DistanceMatrix());
  EXPECT_EQ(RefusalOf(*Instance::Create(TwoLocationData(5'000)), WrittenFormat::kVrplib),
            "matrix_rows: in this format the matrix has a row for each node, and 5001 nodes exceed "
            "the limit of 5000");
}

TEST(WriteInstance, ConvertsBetweenSolomonAndVrplib) {
  const Instance instance = *ParseInstance(ReadData("RC208.vrp"), "RC208.vrp");
  const Instance solomon = Reread(Write(instance, WrittenFormat::kSolomon));
  InstanceData wanted = instance.data();
  wanted.reference_cost.reset();  // the format has no field for the reference cost
  InstanceData got = solomon.data();
  EXPECT_EQ(got.name, wanted.name);
  EXPECT_EQ(FirstDifference(wanted, got), std::nullopt);
  EXPECT_EQ(FirstDifference(instance.data(), Reread(Write(solomon, WrittenFormat::kVrplib)).data()),
            std::nullopt);
}

TEST(WriteInstance, DropsNamesThatWouldReadAsAnotherFormatInSolomonFiles) {
  InstanceData data = AnInstance().WithCustomers(4).RandomWindows().Vehicles(3).BuildData();
  data.metric = Metric::kDimacs;
  for (const char* name : {"DIMENSION 5", "VEHICLE", "{", ""}) {
    data.name = name;
    const Instance instance = *Instance::Create(data);
    const Instance reread = Reread(Write(instance, WrittenFormat::kSolomon));
    EXPECT_EQ(FirstDifference(instance.data(), reread.data()), std::nullopt) << name;
  }
}

TEST(WriteInstance, LimitsTheFleetToOneVehiclePerCustomerForSolomon) {
  InstanceData data = AnInstance().WithCustomers(4).RandomWindows().BuildData();
  data.metric = Metric::kDimacs;
  const Instance reread = Reread(Write(*Instance::Create(data), WrittenFormat::kSolomon));
  EXPECT_EQ(reread.vehicles()[0].count, 4);
}

TEST(WriteInstance, WritesAMatrixIfTheFormatWouldRound) {
  // Distances are whole numbers, but files with windows state one decimal.
  InstanceData data = AnInstance().WithCustomers(6).RandomWindows().BuildData();
  data.metric = Metric::kRounded;
  const Instance instance = *Instance::Create(data);
  const Instance reread = Reread(Write(instance, WrittenFormat::kVrplib));
  EXPECT_TRUE(reread.has_distance_matrix());
  for (NodeIndex a = 0; a < instance.num_nodes(); ++a) {
    for (NodeIndex b = 0; b < instance.num_nodes(); ++b) {
      EXPECT_EQ(reread.Distance(a, b), instance.Distance(a, b));
    }
  }
  EXPECT_EQ(reread.position(3), instance.position(3));
  EXPECT_EQ(reread.metric(), Metric::kRounded);
}

TEST(WriteInstance, WritesNoMatrixIfTheFormatHasTheMetric) {
  for (const Metric metric : {Metric::kExact, Metric::kRounded, Metric::kCeiled, Metric::kDimacs}) {
    const Instance instance = AnInstance().WithCustomers(6).RandomDemands().As(metric).Build();
    const Instance reread = Reread(Write(instance, WrittenFormat::kVrplib));
    EXPECT_EQ(FirstDifference(instance.data(), reread.data()), std::nullopt);
  }
}

TEST(WriteInstance, ReadsBackSeveralDepotsAndVehicles) {
  InstanceData data = AnInstance().WithCustomers(5).As(Metric::kRounded).BuildData();
  data.num_depots = 2;
  data.demands[1] = 0;
  data.vehicles = {{.count = 2, .depot = 1, .capacity = 8, .max_duration = 500},
                   {.count = 1, .depot = 0, .capacity = 9, .max_duration = 400}};
  const Instance instance = *Instance::Create(data);
  EXPECT_EQ(
      FirstDifference(instance.data(), Reread(Write(instance, WrittenFormat::kVrplib)).data()),
      std::nullopt);
}

TEST(WriteInstance, RefusesFieldsThatTheFormatCannotExpress) {
  const Instance cvrp = AnInstance().Build();
  EXPECT_EQ(RefusalOf(cvrp, WrittenFormat::kTsplib),
            "kind: cvrp, which TSPLIB's format cannot express");
  EXPECT_EQ(RefusalOf(cvrp, WrittenFormat::kSolomon),
            "kind: cvrp, which Solomon's format cannot express");
  InstanceData data = AnInstance().WithCustomers(4).RandomWindows().BuildData();
  EXPECT_EQ(RefusalOf(*Instance::Create(data), WrittenFormat::kSolomon),
            "metric: \"exact\", which Solomon's format cannot express");
  data.metric = Metric::kDimacs;
  data.prizes.assign(5, kNoLimit);
  data.prizes[2] = 7;
  EXPECT_EQ(RefusalOf(*Instance::Create(data), WrittenFormat::kSolomon),
            "customers[1].prize: 7, which Solomon's format cannot express");
  EXPECT_EQ(RefusalOf(*Instance::Create(data), WrittenFormat::kVroom),
            "customers[1].prize: not supported by VROOM's format");
  data.prizes.clear();
  data.windows[3].close = kNoLimit;
  EXPECT_THAT(RefusalOf(*Instance::Create(data), WrittenFormat::kSolomon),
              HasSubstr("customers[2].window: no end"));
}

TEST(WriteInstance, RefusesIdsUnlessRenumberedOrDescribed) {
  InstanceData data = AnInstance().WithCustomers(2).As(Metric::kRounded).BuildData();
  data.ids = {"base", "anna", "bert"};
  const Instance instance = *Instance::Create(data);
  EXPECT_EQ(RefusalOf(instance, WrittenFormat::kVrplib),
            "depots[0].id: \"base\", which CVRPLIB's format cannot express");
  EXPECT_TRUE(WriteInstance(instance, {.format = WrittenFormat::kVrplib, .renumber = true}).ok());
  const absl::StatusOr<std::string> vroom = Write(instance, WrittenFormat::kVroom);
  ASSERT_TRUE(vroom.ok()) << vroom.status();
  EXPECT_EQ(nlohmann::json::parse(*vroom)["jobs"][0]["description"], "anna");
}

TEST(WriteInstance, WritesOrRefusesEveryFeature) {
  int written = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Instance instance = test::RandomConstrainedInstance(seed, 6);
    for (const WrittenFormat format : {WrittenFormat::kVrplib, WrittenFormat::kSolomon}) {
      const absl::StatusOr<std::string> text =
          WriteInstance(instance, {.format = format, .renumber = true});
      if (!text.ok()) {
        EXPECT_EQ(text.status().code(), absl::StatusCode::kUnimplemented) << text.status();
        EXPECT_THAT(std::string(text.status().message()), HasSubstr(": ")) << text.status();
        continue;
      }
      ++written;
      const Instance reread = Reread(text);
      for (const Feature unknown : {Feature::kShift, Feature::kPriorities, Feature::kBreaks}) {
        for (const FeatureUse& use : FeaturesOf(instance)) EXPECT_NE(use.feature, unknown);
      }
      const Plan plan = test::RandomConstrainedPlan(instance, seed);
      EXPECT_NEAR(ValueOf(reread, plan).cost, ValueOf(instance, plan).cost, 1e-6);
      EXPECT_EQ(CheckPlan(reread, plan).feasible, CheckPlan(instance, plan).feasible);
    }
  }
  RecordProperty("written", written);
}

// Returns an instance with about a quarter of the features that VROOM has, in whole numbers.
Instance AVroomLikeInstance(uint64_t seed) {
  const std::vector<Feature> known = {
      Feature::kSeveralDepots,  Feature::kVehicleTypes, Feature::kOpenEnd,
      Feature::kLoadDimensions, Feature::kPickups,      Feature::kShipments,
      Feature::kMaxDistance,    Feature::kMaxStops,     Feature::kShift,
      Feature::kSkills,         Feature::kBreaks,       Feature::kVehicleMatrix,
      Feature::kSeveralWindows, Feature::kSetupTimes,   Feature::kPriorities,
      Feature::kCustomerTimes};
  std::vector<Feature> features;
  for (size_t i = 0; i < known.size(); ++i) {
    if ((seed * 2654435761u >> i) % 4 == 0) features.push_back(known[i]);
  }
  InstanceData data =
      test::MakeFeatureInstance(
          {.customers = 7, .seed = seed, .features = features, .metric = Metric::kRounded})
          .data();
  const auto round_down = [](double& value) { value = std::floor(value); };
  const auto widen_window = [&](TimeWindow& window) {
    round_down(window.open);
    window.close = std::ceil(window.close);
  };
  const auto depots = static_cast<size_t>(data.num_depots);
  for (size_t node = 0; node < data.windows.size(); ++node) {
    // VROOM has shifts instead of depot windows. Depot windows do not bind vehicles with an open
    // end.
    node < depots ? void(data.windows[node] = {}) : widen_window(data.windows[node]);
  }
  for (auto& windows : data.further_windows)
    std::for_each(windows.begin(), windows.end(), widen_window);
  for (auto* values : {&data.services, &data.setups, &data.demands, &data.pickups}) {
    std::for_each(values->begin(), values->end(), round_down);
  }
  for (Shipment& shipment : data.shipments) round_down(shipment.amounts[0]);
  for (VehicleType& type : data.vehicles) {
    round_down(type.max_distance);
    widen_window(type.shift);
    for (Break& pause : type.breaks) {
      round_down(pause.duration);
      widen_window(pause.window);
    }
    for (CustomerTimes& times : type.customer_times) {
      round_down(times.service);
      round_down(times.setup);
    }
    for (double& duration : type.duration_matrix) round_down(duration);
  }
  return *Instance::Create(data);
}

TEST(WriteInstance, KeepsTheValueOfPlansInVroomsFormat) {
  int written = 0, feasible = 0;
  std::map<std::string, int> refused;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const Instance instance = AVroomLikeInstance(seed);
    const absl::StatusOr<std::string> text = Write(instance, WrittenFormat::kVroom);
    if (!text.ok()) {
      ++refused[std::string(text.status().message())];
      continue;
    }
    ++written;
    const Instance reread = Reread(text);
    const VroomNames names(instance);
    const VroomNames reread_names = VroomNamesOf(reread, *text);
    for (uint64_t draw = 1; draw <= 10; ++draw) {
      const Plan plan = test::RandomConstrainedPlan(instance, draw);
      Plan mapped = plan;
      for (PlannedRoute& route : mapped) {
        route.vehicle_type = *reread_names.TypeOfVehicle(names.VehicleId(route.vehicle_type, 0));
        for (NodeIndex& node : route.customers) {
          node = *reread_names.CustomerOf(names.TypeOf(node), names.IdOf(node));
        }
      }
      const PlanValue value = ValueOf(instance, plan), reread_value = ValueOf(reread, mapped);
      EXPECT_NEAR(reread_value.cost, value.cost, 1e-6) << *text;
      EXPECT_EQ(reread_value.left_out, value.left_out);
      const CheckReport report = CheckPlan(instance, plan),
                        reread_report = CheckPlan(reread, mapped);
      EXPECT_EQ(reread_report.violations.size(), report.violations.size()) << *text;
      if (report.feasible) ++feasible;
    }
  }
  // Some mixtures cannot be expressed, such as different skills at the two ends of a shipment.
  EXPECT_GT(written, 75) << testing::PrintToString(refused);
  EXPECT_GT(feasible, 20);
}

TEST(WriteInstance, ReadsBackVroomFiles) {
  const std::string text = R"({"vehicles": [
      {"id": 4, "start_index": 0, "end_index": 0, "capacity": [5], "skills": [3],
       "costs": {"fixed": 7, "per_hour": 0, "per_task_hour": 60, "per_km": 1000}, "max_distance": 900,
       "max_tasks": 3, "type": "truck"},
      {"id": 9, "start_index": 1, "capacity": [6], "time_window": [0, 500], "type": "van",
       "breaks": [{"id": 1, "time_windows": [[10, 20], [30, 45]], "service": 5, "max_load": [4]}]}],
    "jobs": [{"id": 1, "location_index": 1, "delivery": [2], "service": 30,
              "service_per_type": {"van": 20}, "setup_per_type": {"van": 1, "truck": 0}},
             {"id": 2, "location_index": 2, "pickup": [1], "priority": 9,
              "time_windows": [[5, 90], [100, 120]]}],
    "shipments": [{"amount": [2], "skills": [3], "pickup": {"id": 1, "location_index": 1},
                   "delivery": {"id": 1, "location_index": 2, "setup": 3}}],
    "matrices": {"car": {"durations": [[0, 60, 70], [61, 0, 10], [72, 12, 0]],
                         "distances": [[0, 6, 7], [6, 0, 1], [7, 1, 0]]}}})";
  const absl::StatusOr<Instance> instance = ParseJson(text, "v");
  ASSERT_TRUE(instance.ok()) << instance.status();
  const absl::StatusOr<std::string> once = Write(*instance, WrittenFormat::kVroom);
  const Instance reread = Reread(once);
  EXPECT_EQ(reread.num_nodes(), instance->num_nodes());
  const absl::StatusOr<std::string> twice = Write(reread, WrittenFormat::kVroom);
  ASSERT_TRUE(twice.ok()) << twice.status();
  // A second round trip changes only ids.
  InstanceData a = reread.data(), b = Reread(twice).data();
  a.ids = b.ids;
  EXPECT_EQ(FirstDifference(a, b), std::nullopt);
}

TEST(WriteInstance, WritesATspAsOneVroomVehicle) {
  const Instance instance = *ParseInstance(ReadData("pr107.tsp"), "pr107.tsp");
  const Instance reread = Reread(Write(instance, WrittenFormat::kVroom));
  ASSERT_EQ(reread.vehicles().size(), 1u);
  EXPECT_EQ(reread.vehicles()[0].count, 1);
  PlannedRoute tour;
  for (NodeIndex node = 1; node < instance.num_nodes(); ++node) tour.customers.push_back(node);
  EXPECT_EQ(PlanCost(reread, {tour}), PlanCost(instance, {tour}));
  EXPECT_TRUE(CheckPlan(reread, {tour}).feasible);
}

TEST(WriteInstance, RefusesFractionsInVroomsFormat) {
  InstanceData data = AnInstance().WithCustomers(2).As(Metric::kRounded).BuildData();
  data.services = {0, 1.5, 2};
  EXPECT_EQ(RefusalOf(*Instance::Create(data), WrittenFormat::kVroom),
            "customers[0].service: 1.5 (not a whole number from 0 to 2^32 - 1), which VROOM's "
            "format cannot express");
  data.services.clear();
  data.metric = Metric::kExact;
  EXPECT_THAT(RefusalOf(*Instance::Create(data), WrittenFormat::kVroom), HasSubstr("_matrix: "));
}

}  // namespace
}  // namespace vrp
