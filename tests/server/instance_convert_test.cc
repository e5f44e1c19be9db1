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

struct Wrong {
  std::string what;
  std::function<v1::Instance()> base;
  std::function<void(v1::Instance&)> spoil;
  absl::StatusCode code;
  std::string field;
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.what; }

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;

v1::Instance Cvrp() { return ACvrpMessage(); }

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
      {"second_demand", Cvrp, [](auto& m) { m.mutable_customers(0)->add_demand(1); },
       kUnimplemented, "customers[0].demand[1]"},
      {"second_capacity", Cvrp, [](auto& m) { m.mutable_vehicles(0)->add_capacity(1); },
       kUnimplemented, "vehicles[0].capacity[1]"},
      {"second_window", AVrptwMessage,
       [](auto& m) { m.mutable_customers(0)->add_time_windows()->set_close(9); }, kUnimplemented,
       "customers[0].time_windows[1]"},
      {"end_depot", Cvrp, [](auto& m) { m.mutable_vehicles(0)->set_end_depot(1); }, kUnimplemented,
       "vehicles[0].end_depot"},
      {"objective", Cvrp, [](auto& m) { m.set_objective(v1::OBJECTIVE_DURATION); }, kUnimplemented,
       "objective"},
      {"lon_lat", Cvrp, [](auto& m) { m.set_coordinate_system(v1::COORDINATE_SYSTEM_LON_LAT); },
       kUnimplemented, "coordinate_system"},
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
  message.mutable_vehicles(0)->set_max_stops(3);
  const InstanceProblems problems = FindProblems(message);
  ASSERT_EQ(problems.invalid.size(), 2u);
  EXPECT_EQ(problems.invalid[0].field, "customers[0].demand");
  EXPECT_EQ(ToLine(problems.invalid[1]), "customers[2].demand: 42 exceeds vehicle capacity 10");
  ASSERT_EQ(problems.unsupported.size(), 1u);
  EXPECT_EQ(problems.unsupported[0].field, "vehicles[0].max_stops");
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
