// Tests the errors of InstanceFromProto, by field path.
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "server/convert/instance_convert.h"
#include "tests/server/messages.h"

namespace vrp {
namespace {

using test::ACvrpMessage;
using test::AMatrixMessage;
using test::AVrptwMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct ErrorCase {
  std::string name;
  std::function<v1::Instance()> base;
  std::function<void(v1::Instance&)> change;
  absl::StatusCode code;
  std::string field;
};

void PrintTo(const ErrorCase& error_case, std::ostream* out) { *out << error_case.name; }

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

v1::Instance Cvrp() { return ACvrpMessage(); }

void AddRule(v1::Instance& message, v1::CustomerRuleKind kind,
             const std::vector<int32_t>& customers) {
  v1::CustomerRule& rule = *message.add_customer_rules();
  rule.set_kind(kind);
  for (const int32_t customer : customers) rule.add_customers(customer);
}

v1::Instance CvrpWithTwoDimensions() {
  v1::Instance message = ACvrpMessage();
  message.mutable_customers(0)->add_demand(1);
  message.mutable_vehicles(0)->add_capacity(7);
  return message;
}

// Returns a case for each listed field and each wrong value: NaN, infinities, a number that is too
// large and, unless the field allows it, a negative one.
std::vector<ErrorCase> WrongNumbers() {
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
      {"departure", "duration_matrices[0].at", AMatrixMessage,
       [](auto& m, double v) {
         v1::TimedMatrix& timed = *m.add_duration_matrices();
         timed.mutable_durations()->Swap(m.mutable_duration_matrix());
         m.clear_duration_matrix();
         timed.set_at(v);
       }},
      {"max_waiting", "vehicles[0].max_waiting", Cvrp,
       [](auto& m, double v) { m.mutable_vehicles(0)->set_max_waiting(v); }},
      {"compartment", "vehicles[0].compartments[0].capacity", Cvrp,
       [](auto& m, double v) { m.mutable_vehicles(0)->add_compartments()->set_capacity(v); }},
      {"max_spread", "balance.max_spread", Cvrp,
       [](auto& m, double v) {
         m.mutable_balance()->set_measure(v1::BALANCE_MEASURE_LOAD);
         m.mutable_balance()->set_max_spread(v);
         m.mutable_balance()->set_cost(1);
       }},
      {"balance_cost", "balance.cost", Cvrp,
       [](auto& m, double v) {
         m.mutable_balance()->set_measure(v1::BALANCE_MEASURE_LOAD);
         m.mutable_balance()->set_cost(v);
       }},
      {"break_duration", "vehicles[0].driving_rules.break_duration", Cvrp,
       [](auto& m, double v) {
         auto& rules = *m.mutable_vehicles(0)->mutable_driving_rules();
         rules.set_max_driving_before_break(9), rules.set_break_duration(v);
       }},
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
  std::vector<ErrorCase> cases;
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

std::vector<ErrorCase> WrongStructures() {
  return {
      {"no_depots", Cvrp, [](auto& m) { m.clear_depots(); }, kInvalid, "depots"},
      {"no_customers", Cvrp, [](auto& m) { m.clear_customers(); }, kInvalid, "customers"},
      {"no_vehicles", Cvrp, [](auto& m) { m.clear_vehicles(); }, kInvalid, "vehicles"},
      {"no_location", Cvrp, [](auto& m) { m.mutable_customers(1)->clear_location(); }, kInvalid,
       "customers[1].location"},
      {"no_distances", AMatrixMessage, [](auto& m) { m.clear_distance_matrix(); }, kInvalid,
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
      {"compartment_without_capacity", Cvrp,
       [](auto& m) { m.mutable_vehicles(0)->add_compartments(); }, kInvalid,
       "vehicles[0].compartments[0].capacity"},
      {"compartment_of_an_unknown_dimension", Cvrp,
       [](auto& m) {
         v1::Compartment& compartment = *m.mutable_vehicles(0)->add_compartments();
         compartment.set_capacity(1);
         compartment.add_load_dimensions(7);
       },
       kInvalid, "vehicles[0].compartments[0].load_dimensions[0]"},
      {"demand_too_large", Cvrp, [](auto& m) { m.mutable_customers(1)->set_demand(0, 2e12); },
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
       "customers[0].demand"},
      {"too_many_capacities", Cvrp,
       [](auto& m) { m.add_vehicles()->mutable_capacity()->Resize(65, 0); }, kInvalid,
       "vehicles[1].capacity"},
      {"too_many_amounts", Cvrp,
       [](auto& m) { m.add_shipments()->mutable_amount()->Resize(65, 0); }, kInvalid,
       "shipments[0].amount"},
      {"second_demand", CvrpWithTwoDimensions,
       [](auto& m) { m.mutable_customers(0)->set_demand(1, -8); }, kInvalid,
       "customers[0].demand[1]"},
      {"second_capacity", CvrpWithTwoDimensions,
       [](auto& m) { m.mutable_vehicles(0)->set_capacity(1, -1); }, kInvalid,
       "vehicles[0].capacity[1]"},
      {"second_window", AVrptwMessage,
       [](auto& m) { m.mutable_customers(0)->add_time_windows()->set_open(9); }, kInvalid,
       "customers[0].time_windows[1]"},
      {"soft_depot_window", AVrptwMessage,
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
      {"second_break_window", Cvrp,
       [](auto& m) {
         v1::Break& pause = *m.mutable_vehicles(0)->add_breaks();
         pause.mutable_time_window()->set_close(5);
         pause.add_further_time_windows()->set_open(4);
       },
       kInvalid, "vehicles[0].breaks[0].further_time_windows[0]"},
      {"break_load", Cvrp, [](auto& m) { m.mutable_vehicles(0)->add_breaks()->add_max_load(-1); },
       kInvalid, "vehicles[0].breaks[0].max_load[0]"},
      {"times_of_unknown_customer", Cvrp,
       [](auto& m) { m.mutable_vehicles(0)->add_customer_times()->set_customer(3); }, kInvalid,
       "vehicles[0].customer_times[0].customer"},
      {"service_of_the_vehicle", Cvrp,
       [](auto& m) { m.mutable_vehicles(0)->add_customer_times()->set_service_time(-1); }, kInvalid,
       "vehicles[0].customer_times[0].service_time"},
      {"setup_of_the_vehicle", Cvrp,
       [](auto& m) { m.mutable_vehicles(0)->add_customer_times()->set_setup_time(kNan); }, kInvalid,
       "vehicles[0].customer_times[0].setup_time"},
      {"rules_without_a_rule", Cvrp,
       [](auto& m) { m.mutable_vehicles(0)->mutable_driving_rules(); }, kInvalid,
       "vehicles[0].driving_rules"},
      {"unknown_preset", Cvrp,
       [](auto& m) {
         m.set_time_unit("s");
         m.mutable_vehicles(0)->mutable_driving_rules()->set_preset("us");
       },
       kInvalid, "vehicles[0].driving_rules.preset"},
      {"preset_without_a_time_unit", Cvrp,
       [](auto& m) { m.mutable_vehicles(0)->mutable_driving_rules()->set_preset("eu_561_daily"); },
       kInvalid, "time_unit"},
      {"shipment_of_unknown_customer", Cvrp,
       [](auto& m) { m.add_shipments()->set_delivery_customer(3); }, kInvalid,
       "shipments[0].delivery_customer"},
      {"shipment_to_itself", Cvrp, [](auto& m) { m.add_shipments(); }, kInvalid,
       "shipments[0].delivery_customer"},
      {"group_of_unknown_customer", Cvrp,
       [](auto& m) { m.add_alternative_groups()->add_customers(-1); }, kInvalid,
       "alternative_groups[0].customers[0]"},
      {"rule_of_unknown_customer", Cvrp,
       [](auto& m) {
         AddRule(m, v1::CUSTOMER_RULE_KIND_IN_ORDER, {0, 3});
       },
       kInvalid, "customer_rules[0].customers[1]"},
      {"rule_of_one_customer", Cvrp,
       [](auto& m) { AddRule(m, v1::CUSTOMER_RULE_KIND_SAME_ROUTE, {0}); }, kInvalid,
       "customer_rules[0].customers"},
      {"rule_without_kind", Cvrp,
       [](auto& m) {
         AddRule(m, v1::CUSTOMER_RULE_KIND_UNSPECIFIED, {0, 1});
       },
       kInvalid, "customer_rules[0].kind"},
      {"rule_of_unknown_kind", Cvrp,
       [](auto& m) {
         AddRule(m, static_cast<v1::CustomerRuleKind>(9), {0, 1});
       },
       kInvalid, "customer_rules[0].kind"},
      {"rule_without_max", Cvrp,
       [](auto& m) {
         AddRule(m, v1::CUSTOMER_RULE_KIND_MAX_PER_ROUTE, {0, 1});
       },
       kInvalid, "customer_rules[0].max"},
      {"contradicting_rules", Cvrp,
       [](auto& m) {
         AddRule(m, v1::CUSTOMER_RULE_KIND_SAME_ROUTE, {0, 1});
         AddRule(m, v1::CUSTOMER_RULE_KIND_DIFFERENT_ROUTES, {1, 0});
       },
       kInvalid, "customer_rules[1].customers"},
      {"vehicle_matrix", Cvrp,
       [](auto& m) {
         v1::Matrix& matrix = *m.mutable_vehicles(0)->mutable_duration_matrix();
         matrix.set_size(4);
         matrix.mutable_values()->Resize(16, 1);
         matrix.set_values(6, -1);
       },
       kInvalid, "vehicles[0].duration_matrix.values[6]"},
      {"vehicle_timed_matrix", Cvrp,
       [](auto& m) {
         for (const double value : {9.0, 3.0}) {
           v1::TimedMatrix& timed = *m.mutable_vehicles(0)->add_duration_matrices();
           timed.set_at(10 - value);
           timed.mutable_durations()->set_size(4);
           timed.mutable_durations()->mutable_values()->Resize(16, 9);
           timed.mutable_durations()->set_values(6, 2 * value);
         }
       },
       kInvalid, "vehicles[0].duration_matrices[1].durations.values[6]"},
      {"timed_matrix_size", Cvrp, [](auto& m) { m.add_duration_matrices()->set_at(5); }, kInvalid,
       "duration_matrices[0].durations.size"},
      {"timed_matrix_and_matrix", AMatrixMessage,
       [](auto& m) { *m.add_duration_matrices()->mutable_durations() = m.duration_matrix(); },
       kInvalid, "duration_matrices"},
  };
}

class WrongInstance : public testing::TestWithParam<ErrorCase> {};

TEST_P(WrongInstance, ReportsThePathOfTheField) {
  v1::Instance message = GetParam().base();
  ASSERT_TRUE(InstanceFromProto(message).ok()) << "the message must be valid before the change";
  GetParam().change(message);
  const absl::Status status = InstanceFromProto(message).status();
  EXPECT_EQ(status.code(), GetParam().code) << status;
  const std::vector<FieldViolation> violations = ViolationsOf(status);
  ASSERT_EQ(violations.size(), 1u) << status;
  EXPECT_EQ(violations[0].field, GetParam().field) << status;
  EXPECT_EQ(status.message(), ToLine(violations[0]));
}

std::string NameOf(const testing::TestParamInfo<ErrorCase>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Numbers, WrongInstance, testing::ValuesIn(WrongNumbers()), NameOf);
INSTANTIATE_TEST_SUITE_P(Structures, WrongInstance, testing::ValuesIn(WrongStructures()), NameOf);

TEST(InstanceFromProto, ReportsEveryErrorAtOnce) {
  v1::Instance message = ACvrpMessage();
  message.mutable_customers(0)->set_demand(0, kNan);
  message.mutable_customers(2)->set_demand(0, 42);
  test::AddUnknownField(*message.mutable_vehicles(0));
  const InstanceProblems problems = FindProblems(message);
  ASSERT_EQ(problems.invalid.size(), 1u);
  EXPECT_EQ(problems.invalid[0].field, "customers[0].demand");
  ASSERT_EQ(problems.oversize.size(), 1u);
  EXPECT_EQ(ToLine(problems.oversize[0]), "customers[2].demand: 42 exceeds vehicle capacity 10");
  ASSERT_EQ(problems.unsupported.size(), 1u);
  EXPECT_EQ(problems.unsupported[0].field, "vehicles[0]");
}

}  // namespace
}  // namespace vrp
