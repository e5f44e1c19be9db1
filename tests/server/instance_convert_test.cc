#include "server/convert/instance_convert.h"

#include <string>

#include "core/problem/formats/json/json_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/messages.h"

namespace vrp {
namespace {

using test::ACvrpMessage;
using test::AMatrixMessage;
using test::AVrptwMessage;

TEST(InstanceFromProto, ReadsACvrp) {
  v1::Instance message = ACvrpMessage();
  message.set_metric(v1::METRIC_CVRPLIB);
  message.set_reference_cost(6);
  message.mutable_customers(1)->set_id("b");
  message.mutable_vehicles(0)->set_count(2);
  const auto instance = InstanceFromProto(message);
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(instance->kind(), ProblemKind::kCvrp);
  EXPECT_EQ(instance->metric(), Metric::kRounded);
  EXPECT_EQ(instance->num_customers(), 3);
  EXPECT_EQ(instance->id(2), "b");
  EXPECT_EQ(instance->id(3), "3") << "an empty id is the node number";
  EXPECT_EQ(instance->demand(0), 0);
  EXPECT_EQ(instance->demand(1), 1);
  EXPECT_EQ(instance->capacity(), 10);
  EXPECT_EQ(instance->vehicles()[0].count, 2);
  EXPECT_EQ(instance->reference_cost(), 6);
  EXPECT_EQ(instance->Distance(1, 3), 2);
}

TEST(InstanceFromProto, ReadsTimeWindowsAndServiceTimes) {
  v1::Instance message = AVrptwMessage();
  message.mutable_customers(2)->mutable_time_windows(0)->clear_close();
  message.set_speed(2);
  const auto instance = InstanceFromProto(message);
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(instance->kind(), ProblemKind::kVrptw);
  EXPECT_EQ(instance->window(0).close, 100);
  EXPECT_EQ(instance->window(1).open, 1);
  EXPECT_EQ(instance->window(3).close, kNoLimit);
  EXPECT_EQ(instance->service(1), 1);
  EXPECT_EQ(instance->Duration(0, 2), 1);
}

TEST(InstanceFromProto, ReadsMatricesWithoutLocations) {
  const auto instance = InstanceFromProto(AMatrixMessage());
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_FALSE(instance->has_positions());
  EXPECT_EQ(instance->Distance(1, 3), 2);
  EXPECT_EQ(instance->Duration(1, 3), 4);
}

TEST(InstanceFromProto, DerivesTheProblemTypeFromContent) {
  v1::Instance message = ACvrpMessage();
  EXPECT_EQ(InstanceFromProto(message)->kind(), ProblemKind::kCvrp);
  for (v1::Customer& customer : *message.mutable_customers()) customer.clear_demand();
  message.clear_vehicles();
  EXPECT_EQ(InstanceFromProto(message)->kind(), ProblemKind::kTsp);
  EXPECT_EQ(InstanceFromProto(AVrptwMessage())->kind(), ProblemKind::kVrptw);
}

TEST(InstanceFromProto, AcceptsAnEndDepotThatIsTheStartDepot) {
  v1::Instance message = ACvrpMessage();
  message.mutable_vehicles(0)->set_end_depot(0);
  EXPECT_TRUE(InstanceFromProto(message).ok());
}

TEST(InstanceFromProto, DerivesTheObjectiveFromVehicleCosts) {
  v1::Instance message = ACvrpMessage();
  EXPECT_EQ(InstanceFromProto(message)->data().objective, Objective::kDistance);
  message.mutable_vehicles(0)->set_cost_per_time(2);
  EXPECT_EQ(InstanceFromProto(message)->data().objective, Objective::kCost);
  EXPECT_EQ(InstanceFromProto(message)->vehicles()[0].cost_per_distance, 1);
  message.mutable_vehicles(0)->clear_cost_per_time();
  message.set_objective(v1::OBJECTIVE_VEHICLES_THEN_DISTANCE);
  EXPECT_EQ(InstanceFromProto(message)->data().objective, Objective::kVehiclesThenDistance);
  EXPECT_EQ(ToProto(Objective::kVehiclesThenDistance), v1::OBJECTIVE_VEHICLES_THEN_DISTANCE);
}

TEST(InstanceFromProto, ReadsLoadsOfSeveralDimensions) {
  v1::Instance message = ACvrpMessage();
  message.mutable_customers(0)->add_demand(4);
  message.mutable_customers(1)->add_pickup(3);
  message.mutable_vehicles(0)->add_capacity(7);
  message.add_vehicles()->add_capacity(8);
  const Instance instance = InstanceFromProto(message).value();
  EXPECT_EQ(instance.load_dimensions(), 2);
  EXPECT_EQ(instance.demand(1, 0), 1);
  EXPECT_EQ(instance.demand(1, 1), 4);
  EXPECT_EQ(instance.demand(2, 1), 0);
  EXPECT_EQ(instance.pickup(2, 0), 3);
  EXPECT_THAT(instance.vehicles()[0].further_capacities, testing::ElementsAre(7));
  EXPECT_THAT(instance.vehicles()[1].further_capacities, testing::IsEmpty());
}

TEST(InstanceFromProto, ReadsFeatureColumnsOfAllNodes) {
  v1::Instance message = ACvrpMessage();
  v1::FeatureColumn& column = *message.add_features();
  column.set_name("early");
  for (const double value : {0.0, 0.25, 0.5, -1.0}) column.add_values(value);
  const auto instance = InstanceFromProto(message);
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_THAT(instance->data().features,
              testing::ElementsAre(FeatureColumn{"early", {0, 0.25, 0.5, -1}}));
  column.set_values(3, 2000);
  const absl::Status status = InstanceFromProto(message).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ViolationsOf(status).at(0).field, "features.early[3]");
}

TEST(InstanceFromProto, NumbersCustomersOfShipmentsAndGroupsWithoutTheDepots) {
  v1::Instance message = ACvrpMessage(4);
  v1::Shipment& shipment = *message.add_shipments();
  shipment.set_pickup_customer(0);
  shipment.set_delivery_customer(1);
  shipment.add_amount(2);
  v1::AlternativeGroup& group = *message.add_alternative_groups();
  group.add_customers(2);
  group.add_customers(3);
  const Instance instance = InstanceFromProto(message).value();
  EXPECT_EQ(instance.data().shipments[0].pickup, 1);
  EXPECT_EQ(instance.data().shipments[0].delivery, 2);
  EXPECT_THAT(instance.data().alternative_groups[0], testing::ElementsAre(3, 4));
}

TEST(InstanceFromProto, ReadsRulesBetweenCustomers) {
  v1::Instance message = ACvrpMessage(4);
  v1::CustomerRule& rule = *message.add_customer_rules();
  rule.set_kind(v1::CUSTOMER_RULE_KIND_MAX_PER_ROUTE);
  for (const int32_t customer : {2, 0, 3}) rule.add_customers(customer);
  rule.set_max(2);
  v1::CustomerRule& order = *message.add_customer_rules();
  order.set_kind(v1::CUSTOMER_RULE_KIND_IN_ORDER);
  for (const int32_t customer : {1, 0}) order.add_customers(customer);
  const auto instance = InstanceFromProto(message);
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_THAT(instance->data().customer_rules,
              testing::ElementsAre(
                  CustomerRule{.kind = RuleKind::kMaxPerRoute, .customers = {3, 1, 4}, .max = 2},
                  CustomerRule{.kind = RuleKind::kInOrder, .customers = {2, 1}}));
}

TEST(InstanceFromProto, ReadsEveryWindowOfACustomer) {
  v1::Instance message = AVrptwMessage();
  v1::TimeWindow& second = *message.mutable_customers(1)->add_time_windows();
  second.set_open(60);
  second.set_close(70);
  second.set_late_cost(2);
  const Instance instance = InstanceFromProto(message).value();
  EXPECT_EQ(instance.window(2).close, 50);
  ASSERT_EQ(instance.data().further_windows[2].size(), 1u);
  EXPECT_EQ(instance.data().further_windows[2][0], (TimeWindow{60, 70, 2}));
}

TEST(InstanceFromProto, ReadsLongitudesAndLatitudes) {
  v1::Instance message = ACvrpMessage();
  message.set_coordinate_system(v1::COORDINATE_SYSTEM_LON_LAT);
  message.set_speed(10);
  const Instance instance = InstanceFromProto(message).value();
  EXPECT_NEAR(instance.Distance(0, 1), 111'195, 1);  // one degree of the equator in metres
  EXPECT_EQ(instance.Duration(0, 1), instance.Distance(0, 1) / 10);
}

TEST(InstanceFromProto, ReadsOpenEndsAndLimitsOfAVehicle) {
  v1::Instance message = ACvrpMessage();
  EXPECT_EQ(InstanceFromProto(message)->vehicles()[0].max_distance, kNoLimit);
  EXPECT_FALSE(InstanceFromProto(message)->vehicles()[0].open_end);
  message.mutable_vehicles(0)->set_open_end(true);
  message.mutable_vehicles(0)->set_max_distance(70);
  const Instance instance = InstanceFromProto(message).value();
  EXPECT_TRUE(instance.vehicles()[0].open_end);
  EXPECT_EQ(instance.vehicles()[0].max_distance, 70);
  message.mutable_vehicles(0)->set_max_distance(-1);
  EXPECT_EQ(ViolationsOf(InstanceFromProto(message).status()).at(0).field,
            "vehicles[0].max_distance");
}

TEST(InstanceFromProto, ReplacesNumbersOfADrivingPreset) {
  v1::Instance message = test::ACvrpMessage();
  message.set_time_unit("min");
  v1::DrivingRules& rules = *message.mutable_vehicles(0)->mutable_driving_rules();
  rules.set_preset("eu_561_daily");
  rules.set_max_driving(600);
  DrivingRules wanted = *DrivingPreset("eu_561_daily", 60);
  wanted.max_driving = 600;
  EXPECT_EQ(InstanceFromProto(message)->vehicles()[0].driving_rules, wanted);
}

TEST(InstanceFromProto, RefusesMoreNodesThanTheMaximum) {
  const absl::Status status = InstanceFromProto(ACvrpMessage(kMaxNodes + 1)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ViolationsOf(status).at(0).field, "customers");
}

TEST(InstanceFromProto, NamesTheFileInErrors) {
  v1::InstanceFile file;
  file.set_name("broken.vrp");
  file.set_content("NAME : x\nTYPE : CVRP\nDIMENSION : many\n");
  const absl::Status status = InstanceFromProto(file).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::StartsWith("broken.vrp:3"));
  EXPECT_EQ(ViolationsOf(status).at(0).field, "file.content");

  file.set_format(static_cast<v1::InstanceFormat>(9));
  EXPECT_EQ(ViolationsOf(InstanceFromProto(file).status()).at(0).field, "file.format");
  file.set_format(v1::INSTANCE_FORMAT_JSON);
  file.set_name(std::string(300, 'x'));
  EXPECT_EQ(ViolationsOf(InstanceFromProto(file).status()).at(0).field, "file.name");
}

TEST(InstanceFromProto, ReadsTheOutputOfWriteJson) {
  const auto instance = InstanceFromProto(AVrptwMessage());
  ASSERT_TRUE(instance.ok());
  v1::InstanceFile file;
  file.set_format(v1::INSTANCE_FORMAT_JSON);
  file.set_content(WriteJson(*instance));
  const auto again = InstanceFromProto(file);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(WriteJson(*again), file.content());
}

}  // namespace
}  // namespace vrp
