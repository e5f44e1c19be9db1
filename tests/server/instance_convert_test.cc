#include "server/convert/instance_convert.h"

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/messages.h"

namespace vrp {
namespace {

using test::ACvrpMessage;
using test::AMatrixMessage;
using test::AVrptwMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

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

TEST(InstanceFromProto, DerivesTheProblemTypeFromWhatIsGiven) {
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

TEST(InstanceFromProto, TakesTheObjectiveFromTheVehiclesCostsWhereNoneIsStated) {
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

TEST(InstanceFromProto, CountsTheCustomersOfShipmentsAndGroupsWithoutTheDepots) {
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
  EXPECT_NEAR(instance.Distance(0, 1), 111'195, 1);  // a degree of the equator, in metres
  EXPECT_EQ(instance.Duration(0, 1), instance.Distance(0, 1) / 10);
}

struct Wrong {
  std::string what;
  std::function<v1::Instance()> base;
  std::function<void(v1::Instance&)> spoil;
  absl::StatusCode code;
  std::string field;
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.what; }

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

v1::Instance Cvrp() { return ACvrpMessage(); }

v1::Instance TwoDimensions() {
  v1::Instance message = ACvrpMessage();
  message.mutable_customers(0)->add_demand(1);
  message.mutable_vehicles(0)->add_capacity(7);
  return message;
}

// Each number of the message x {NaN, infinite, negative, overflow}, by what sets it.
std::vector<Wrong> WrongNumbers() {
  struct Number {
    std::string name;
    std::string field;
    std::function<v1::Instance()> base;
    std::function<void(v1::Instance&, double)> set;
    bool negative_allowed = false;
  };
  const std::vector<Number> numbers = {
      {"x", "customers[0].location.x", Cvrp,
       [](auto& m, double v) { m.mutable_customers(0)->mutable_location()->set_x(v); }, true},
      {"depot_y", "depots[0].location.y", Cvrp,
       [](auto& m, double v) { m.mutable_depots(0)->mutable_location()->set_y(v); }, true},
      {"demand", "customers[1].demand", Cvrp,
       [](auto& m, double v) { m.mutable_customers(1)->set_demand(0, v); }},
      {"backhaul", "customers[1].backhaul", Cvrp,
       [](auto& m, double v) { m.mutable_customers(1)->add_backhaul(v); }},
      {"service_time", "customers[2].service_time", Cvrp,
       [](auto& m, double v) { m.mutable_customers(2)->set_service_time(v); }},
      {"open", "customers[1].time_windows[0].open", AVrptwMessage,
       [](auto& m, double v) { m.mutable_customers(1)->mutable_time_windows(0)->set_open(v); }},
      {"close", "customers[1].time_windows[0].close", AVrptwMessage,
       [](auto& m, double v) { m.mutable_customers(1)->mutable_time_windows(0)->set_close(v); }},
      {"depot_close", "depots[0].time_window.close", AVrptwMessage,
       [](auto& m, double v) { m.mutable_depots(0)->mutable_time_window()->set_close(v); }},
      {"capacity", "vehicles[0].capacity", Cvrp,
       [](auto& m, double v) { m.mutable_vehicles(0)->set_capacity(0, v); }},
      {"max_duration", "vehicles[0].max_duration", Cvrp,
       [](auto& m, double v) { m.mutable_vehicles(0)->set_max_duration(v); }},
      {"speed", "speed", Cvrp, [](auto& m, double v) { m.set_speed(v); }},
      {"reference_cost", "reference_cost", Cvrp,
       [](auto& m, double v) { m.set_reference_cost(v); }},
      {"distance", "distance_matrix.values[7]", AMatrixMessage,
       [](auto& m, double v) { m.mutable_distance_matrix()->set_values(7, v); }},
      {"duration", "duration_matrix.values[7]", AMatrixMessage,
       [](auto& m, double v) { m.mutable_duration_matrix()->set_values(7, v); }},
  };
  const std::vector<std::pair<std::string, double>> values = {{"nan", kNan},
                                                              {"infinite", kInf},
                                                              {"minus_infinite", -kInf},
                                                              {"overflow", 1e300},
                                                              {"negative", -1}};
  std::vector<Wrong> cases;
  for (const Number& number : numbers) {
    for (const auto& [name, value] : values) {
      if (name == "negative" && number.negative_allowed) continue;
      cases.push_back({number.name + "_" + name, number.base,
                       [set = number.set, value = value](v1::Instance& m) { set(m, value); },
                       kInvalid, number.field});
    }
  }
  return cases;
}

std::vector<Wrong> WrongStructures() {
  return {
      {"no_depots", Cvrp, [](auto& m) { m.clear_depots(); }, kInvalid, "depots"},
      {"no_customers", Cvrp, [](auto& m) { m.clear_customers(); }, kInvalid, "customers"},
      {"no_vehicles", Cvrp, [](auto& m) { m.clear_vehicles(); }, kInvalid, "vehicles"},
      {"no_location", Cvrp, [](auto& m) { m.mutable_customers(1)->clear_location(); }, kInvalid,
       "customers[1].location"},
      {"nothing_to_measure", AMatrixMessage, [](auto& m) { m.clear_distance_matrix(); }, kInvalid,
       "distance_matrix"},
      {"duplicate_id", Cvrp,
       [](auto& m) {
         m.mutable_customers(0)->set_id("a");
         m.mutable_customers(2)->set_id("a");
       },
       kInvalid, "customers[2].id"},
      {"id_is_another_number", Cvrp, [](auto& m) { m.mutable_customers(0)->set_id("3"); }, kInvalid,
       "customers[2].id"},
      {"control_character", Cvrp, [](auto& m) { m.mutable_customers(0)->set_id("a\nb"); }, kInvalid,
       "customers[0].id"},
      {"long_name", Cvrp, [](auto& m) { m.set_name(std::string(5000, 'x')); }, kInvalid, "name"},
      {"demand_too_large", Cvrp, [](auto& m) { m.mutable_customers(1)->set_demand(0, 42); },
       kInvalid, "customers[1].demand"},
      {"window_reversed", AVrptwMessage,
       [](auto& m) { m.mutable_customers(1)->mutable_time_windows(0)->set_open(60); }, kInvalid,
       "customers[1].time_windows[0]"},
      {"windows_in_cvrp", AVrptwMessage, [](auto& m) { m.set_problem_type(v1::PROBLEM_TYPE_CVRP); },
       kInvalid, "problem_type"},
      {"no_windows_in_vrptw", Cvrp, [](auto& m) { m.set_problem_type(v1::PROBLEM_TYPE_VRPTW); },
       kInvalid, "problem_type"},
      {"demands_in_tsp", Cvrp,
       [](auto& m) {
         m.set_problem_type(v1::PROBLEM_TYPE_TSP);
         m.clear_vehicles();
       },
       kInvalid, "problem_type"},
      {"matrix_size", AMatrixMessage, [](auto& m) { m.mutable_distance_matrix()->set_size(5); },
       kInvalid, "distance_matrix.size"},
      {"matrix_size_negative", AMatrixMessage,
       [](auto& m) { m.mutable_duration_matrix()->set_size(-4); }, kInvalid,
       "duration_matrix.size"},
      {"matrix_truncated", AMatrixMessage,
       [](auto& m) { m.mutable_distance_matrix()->mutable_values()->RemoveLast(); }, kInvalid,
       "distance_matrix.values"},
      {"vehicle_count", Cvrp, [](auto& m) { m.mutable_vehicles(0)->set_count(-1); }, kInvalid,
       "vehicles[0].count"},
      {"start_depot", Cvrp, [](auto& m) { m.mutable_vehicles(0)->set_start_depot(1); }, kInvalid,
       "vehicles[0].start_depot"},
      {"unknown_metric", Cvrp, [](auto& m) { m.set_metric(static_cast<v1::Metric>(77)); }, kInvalid,
       "metric"},
      {"unknown_type", Cvrp, [](auto& m) { m.set_problem_type(static_cast<v1::ProblemType>(-3)); },
       kInvalid, "problem_type"},
      {"too_many_dimensions", Cvrp,
       [](auto& m) { m.mutable_customers(0)->mutable_demand()->Resize(65, 0); }, kInvalid,
       "customers"},
      {"second_demand", TwoDimensions, [](auto& m) { m.mutable_customers(0)->set_demand(1, 8); },
       kInvalid, "customers[0].demand[1]"},
      {"second_capacity", TwoDimensions,
       [](auto& m) { m.mutable_vehicles(0)->set_capacity(1, -1); }, kInvalid,
       "vehicles[0].capacity[1]"},
      {"second_window", AVrptwMessage,
       [](auto& m) { m.mutable_customers(0)->add_time_windows()->set_open(9); }, kInvalid,
       "customers[0].time_windows[1]"},
      {"soft_depot", AVrptwMessage,
       [](auto& m) { m.mutable_depots(0)->mutable_time_window()->set_late_cost(1); }, kInvalid,
       "depots[0].time_window.late_cost"},
      {"end_depot", Cvrp, [](auto& m) { m.mutable_vehicles(0)->set_end_depot(1); }, kInvalid,
       "vehicles[0].end_depot"},
      {"costs_without_the_objective", Cvrp,
       [](auto& m) {
         m.set_objective(v1::OBJECTIVE_DISTANCE);
         m.mutable_vehicles(0)->set_fixed_cost(5);
       },
       kInvalid, "vehicles[0].fixed_cost"},
      {"latitude", Cvrp,
       [](auto& m) {
         m.set_coordinate_system(v1::COORDINATE_SYSTEM_LON_LAT);
         m.mutable_customers(1)->mutable_location()->set_y(91);
       },
       kInvalid, "customers[1].location.y"},
      {"setup", Cvrp, [](auto& m) { m.mutable_customers(1)->set_setup_time(-1); }, kInvalid,
       "customers[1].setup_time"},
      {"release", Cvrp, [](auto& m) { m.mutable_customers(1)->set_release_time(-1); }, kInvalid,
       "customers[1].release_time"},
      {"break_window", Cvrp,
       [](auto& m) {
         v1::TimeWindow& window = *m.mutable_vehicles(0)->add_breaks()->mutable_time_window();
         window.set_open(5);
         window.set_close(4);
       },
       kInvalid, "vehicles[0].breaks[0].time_window"},
      {"shipment_of_nobody", Cvrp, [](auto& m) { m.add_shipments()->set_delivery_customer(3); },
       kInvalid, "shipments[0].delivery_customer"},
      {"shipment_to_itself", Cvrp, [](auto& m) { m.add_shipments(); }, kInvalid,
       "shipments[0].delivery_customer"},
      {"group_of_nobody", Cvrp, [](auto& m) { m.add_alternative_groups()->add_customers(-1); },
       kInvalid, "alternative_groups[0].customers[0]"},
      {"vehicle_matrix", Cvrp,
       [](auto& m) {
         v1::Matrix& matrix = *m.mutable_vehicles(0)->mutable_duration_matrix();
         matrix.set_size(4);
         matrix.mutable_values()->Resize(16, 1);
         matrix.set_values(6, -1);
       },
       kInvalid, "vehicles[0].duration_matrix.values[6]"},
  };
}

class WrongInstance : public testing::TestWithParam<Wrong> {};

TEST_P(WrongInstance, IsRefusedByTheFieldsPath) {
  v1::Instance message = GetParam().base();
  ASSERT_TRUE(InstanceFromProto(message).ok()) << "the message must be right before it is spoilt";
  GetParam().spoil(message);
  const absl::Status status = InstanceFromProto(message).status();
  EXPECT_EQ(status.code(), GetParam().code) << status;
  const std::vector<FieldViolation> violations = ViolationsOf(status);
  ASSERT_EQ(violations.size(), 1u) << status;
  EXPECT_EQ(violations[0].field, GetParam().field) << status;
  EXPECT_EQ(status.message(), ToLine(violations[0]));
}

std::string NameOf(const testing::TestParamInfo<Wrong>& info) { return info.param.what; }
INSTANTIATE_TEST_SUITE_P(Numbers, WrongInstance, testing::ValuesIn(WrongNumbers()), NameOf);
INSTANTIATE_TEST_SUITE_P(Structures, WrongInstance, testing::ValuesIn(WrongStructures()), NameOf);

TEST(InstanceFromProto, ReportsEveryErrorAtOnce) {
  v1::Instance message = ACvrpMessage();
  message.mutable_customers(0)->set_demand(0, kNan);
  message.mutable_customers(2)->set_demand(0, 42);
  test::AddUnknownField(*message.mutable_vehicles(0));
  const InstanceProblems problems = FindProblems(message);
  ASSERT_EQ(problems.invalid.size(), 2u);
  EXPECT_EQ(problems.invalid[0].field, "customers[0].demand");
  EXPECT_EQ(ToLine(problems.invalid[1]), "customers[2].demand: 42 exceeds vehicle capacity 10");
  ASSERT_EQ(problems.unsupported.size(), 1u);
  EXPECT_EQ(problems.unsupported[0].field, "vehicles[0]");
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

TEST(InstanceFromProto, BoundsTheNumberOfNodesBeforeItReadsThem) {
  const absl::Status status = InstanceFromProto(ACvrpMessage(kMaxNodes + 1)).status();
  EXPECT_EQ(status.code(), kInvalid);
  EXPECT_EQ(ViolationsOf(status).at(0).field, "customers");
}

TEST(InstanceFromProto, ReadsAFileAndNamesItInErrors) {
  v1::InstanceFile file;
  file.set_name("broken.vrp");
  file.set_content("NAME : x\nTYPE : CVRP\nDIMENSION : many\n");
  const absl::Status status = InstanceFromProto(file).status();
  EXPECT_EQ(status.code(), kInvalid);
  EXPECT_THAT(std::string(status.message()), testing::StartsWith("broken.vrp:3"));
  EXPECT_EQ(ViolationsOf(status).at(0).field, "file.content");

  file.set_format(static_cast<v1::InstanceFormat>(9));
  EXPECT_EQ(ViolationsOf(InstanceFromProto(file).status()).at(0).field, "file.format");
  file.set_format(v1::INSTANCE_FORMAT_JSON);
  file.set_name(std::string(300, 'x'));
  EXPECT_EQ(ViolationsOf(InstanceFromProto(file).status()).at(0).field, "file.name");
}

TEST(InstanceFromProto, ReadsWhatWriteJsonWrote) {
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
