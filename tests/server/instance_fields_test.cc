// Tests that the conversion ignores no field of an Instance, by setting one field at a time.
#include <limits>
#include <set>
#include <string>

#include "core/problem/instance/fields.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"
#include "server/convert/field_scan.h"
#include "server/convert/instance_convert.h"
#include "server/convert/instance_data.h"
#include "tests/server/messages.h"

namespace vrp {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Fields that ConversionText omits, since they affect only how numbers are shown.
const std::set<std::string> kDisplayFields = {"vrp.v1.Instance.distance_unit",
                                              "vrp.v1.Instance.time_unit"};
// Enum fields without the value that Change() sets. The conversion refuses that value.
const std::set<std::string> kRefusedFields = {"vrp.v1.Instance.coordinate_system"};

// Sets `field` of `message` to a different value.
void Change(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  const bool repeated = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      if (repeated) return reflection.AddDouble(&message, &field, 7);
      return reflection.SetDouble(&message, &field, 7);
    case FieldDescriptor::CPPTYPE_INT32:
      if (repeated) return reflection.AddInt32(&message, &field, 7);
      return reflection.SetInt32(&message, &field, 7);
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.SetBool(&message, &field, true);
    case FieldDescriptor::CPPTYPE_STRING:
      if (repeated) return reflection.AddString(&message, &field, "seven");
      return reflection.SetString(&message, &field, "seven");
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnumValue(&message, &field, 3);
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      Message* const added = repeated ? reflection.AddMessage(&message, &field)
                                      : reflection.MutableMessage(&message, &field);
      // An empty window may have no effect, and an empty matrix may count as absent.
      if (auto* const matrix = dynamic_cast<v1::Matrix*>(added)) matrix->set_size(7);
      if (auto* const window = dynamic_cast<v1::TimeWindow*>(added)) window->set_open(7);
      return;
    }
    default:
      FAIL() << field.full_name() << " has a type that this test does not support";
  }
}

void AppendWindow(const TimeWindow& window, std::string& text) {
  for (const double value : {window.open, window.close, window.late_cost}) {
    text += " " + std::to_string(value);
  }
}

void AppendTimed(const std::vector<TimedMatrix>& list, std::string& text) {
  for (const TimedMatrix& timed : list) {
    text += " at " + std::to_string(timed.at);
    for (const double value : timed.durations) text += " " + std::to_string(value);
  }
}

void AppendVehicle(const VehicleType& vehicle, std::string& text) {
  text += " " + vehicle.id + (vehicle.open_end ? " open" : " closed");
  for (const double value :
       {1.0 * vehicle.count, 1.0 * vehicle.depot, vehicle.capacity, vehicle.max_duration,
        vehicle.max_distance, vehicle.max_waiting, 1.0 * vehicle.end_depot, vehicle.fixed_cost,
        vehicle.cost_per_distance, vehicle.cost_per_time, vehicle.max_overtime,
        vehicle.overtime_cost, 1.0 * vehicle.max_stops, 1.0 * vehicle.max_reloads,
        vehicle.cost_per_service_time, vehicle.cost_per_travel_time, vehicle.latest_start}) {
    text += " " + std::to_string(value);
  }
  ForEachField(vehicle.driving_rules,
               [&](auto, double time) { text += " " + std::to_string(time); });
  AppendWindow(vehicle.shift, text);
  for (const std::string& skill : vehicle.skills) text += " " + skill;
  for (const Break& pause : vehicle.breaks) {
    AppendWindow(pause.window, text);
    text += " break " + std::to_string(pause.duration);
    for (const TimeWindow& window : pause.further_windows) AppendWindow(window, text);
    for (const double most : pause.max_load) text += " load " + std::to_string(most);
  }
  for (const CustomerTimes& times : vehicle.customer_times) {
    text += " times " + std::to_string(times.customer) + " " + std::to_string(times.service) + " " +
            std::to_string(times.setup);
  }
  text += vehicle.lifo ? " lifo" : "";
  for (const Compartment& compartment : vehicle.compartments) {
    text += " compartment " + std::to_string(compartment.capacity);
    for (const int32_t k : compartment.load_dimensions) text += " " + std::to_string(k);
  }
  for (const NodeIndex depot : vehicle.reload_depots) text += " reload " + std::to_string(depot);
  for (const double load : vehicle.initial_load) text += " loaded " + std::to_string(load);
  AppendTimed(vehicle.duration_matrices, text);
  for (const double length : vehicle.length_matrix) text += " length " + std::to_string(length);
}

void AppendRequests(const InstanceData& data, std::string& text) {
  for (const auto& skills : data.required_skills) {
    for (const std::string& skill : skills) text += " " + skill;
  }
  for (const int32_t priority : data.priorities) text += " " + std::to_string(priority);
  for (const Shipment& shipment : data.shipments) {
    text += " shipment " + shipment.id;
    text += " " + std::to_string(shipment.pickup) + " " + std::to_string(shipment.delivery);
    for (const double amount : shipment.amounts) text += " " + std::to_string(amount);
  }
  for (const auto& group : data.alternative_groups) {
    text += " group";
    for (const NodeIndex node : group) text += " " + std::to_string(node);
  }
  for (const CustomerRule& rule : data.customer_rules) {
    text += " rule " + std::to_string(static_cast<int>(rule.kind)) + std::to_string(rule.max);
    for (const NodeIndex node : rule.customers) text += " " + std::to_string(node);
  }
  for (const FeatureColumn& column : data.features) {
    text += " feature " + column.name;
    for (const double value : column.values) text += " " + std::to_string(value);
  }
}

// Returns the converted data and the violations as text.
std::string ConversionText(const v1::Instance& message) {
  const DataConversion conversion = DataFromProto(message, nullptr);
  const InstanceData& data = conversion.data;
  // The data may be invalid, so WriteJson cannot be used.
  std::string text = data.name + " " + std::to_string(static_cast<int>(data.kind)) + " " +
                     std::to_string(static_cast<int>(data.metric)) + " " +
                     std::to_string(static_cast<int>(data.objective)) + " " +
                     std::to_string(data.num_depots) + " " + std::to_string(data.speed) + " " +
                     std::to_string(data.load_dimensions) + " " +
                     std::to_string(data.reference_cost.value_or(-1));
  const auto add = [&](double value) { text += " " + std::to_string(value); };
  for (const auto& id : data.ids) text += " " + id;
  for (const auto& position : data.positions) add(position.x), add(position.y);
  for (const auto& window : data.windows) AppendWindow(window, text);
  for (const auto* list :
       {&data.demands, &data.backhauls, &data.pickups, &data.services, &data.setups, &data.releases,
        &data.prizes, &data.distance_matrix, &data.length_matrix, &data.duration_matrix}) {
    text += " |";
    for (const double value : *list) add(value);
  }
  AppendTimed(data.duration_matrices, text);
  for (const auto& vehicle : data.vehicles) AppendVehicle(vehicle, text);
  if (data.balance.has_value()) {
    add(static_cast<double>(data.balance->measure));
    add(data.balance->max_spread);
    add(data.balance->cost);
    add(static_cast<double>(data.balance->all_vehicles));
  }
  AppendRequests(data, text);
  for (const FieldViolation& violation : conversion.invalid) text += " " + ToLine(violation);
  return text;
}

// Returns a message of `type`: `instance` itself, or a message inside it, added if needed. Returns
// null for an unknown type.
Message* MessageOfType(v1::Instance& instance, const std::string& type) {
  if (type == "Instance") return &instance;
  if (type == "Depot") return instance.mutable_depots(0);
  if (type == "Customer") return instance.mutable_customers(0);
  if (type == "Vehicle") return instance.mutable_vehicles(0);
  if (type == "Location") return instance.mutable_customers(0)->mutable_location();
  if (type == "TimeWindow") {
    v1::Customer& customer = *instance.mutable_customers(0);
    return customer.time_windows_size() > 0 ? customer.mutable_time_windows(0)
                                            : customer.add_time_windows();
  }
  if (type == "Compartment") return instance.mutable_vehicles(0)->add_compartments();
  if (type == "CustomerTimes") return instance.mutable_vehicles(0)->add_customer_times();
  if (type == "Break") return instance.mutable_vehicles(0)->add_breaks();
  if (type == "DrivingRules") return instance.mutable_vehicles(0)->mutable_driving_rules();
  if (type == "Shipment") return instance.add_shipments();
  if (type == "AlternativeGroup") return instance.add_alternative_groups();
  if (type == "CustomerRule") return instance.add_customer_rules();
  if (type == "FeatureColumn") return instance.add_features();
  if (type == "TimedMatrix") return instance.add_duration_matrices();
  if (type == "Balance") return instance.mutable_balance();
  if (type == "Matrix") {
    instance.mutable_distance_matrix()->set_size(4);
    return instance.mutable_distance_matrix();
  }
  return nullptr;
}

void CheckField(const Descriptor& type, const FieldDescriptor& field) {
  SCOPED_TRACE(field.full_name());
  v1::Instance message = test::ACvrpMessage();
  Message* holder = MessageOfType(message, type.name());
  ASSERT_NE(holder, nullptr) << "add the message type " << type.name() << " to MessageOfType()";
  // Clears the field first, so that any value is a change.
  holder->GetReflection()->ClearField(holder, &field);
  const std::string before = ConversionText(message);
  Change(*holder, field);
  if (kDisplayFields.count(field.full_name()) > 0) return;
  if (kRefusedFields.count(field.full_name()) > 0) {
    EXPECT_FALSE(InstanceFromProto(message).ok());
    return;
  }
  EXPECT_NE(ConversionText(message), before) << "the conversion ignores the field";
}

// Checks the fields of `type` and of the message types that it can hold.
void CheckType(const Descriptor& type, std::set<std::string>& seen) {
  if (!seen.insert(type.full_name()).second) return;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    CheckField(type, field);
    if (field.message_type() != nullptr) CheckType(*field.message_type(), seen);
  }
}

TEST(InstanceFields, ConvertsEveryField) {
  std::set<std::string> seen;
  CheckType(*v1::Instance::descriptor(), seen);
  EXPECT_EQ(seen.size(), 17u);
}

// Checks that NaN is an error in each double of `type` and of the messages that it can hold.
void CheckDoubles(const Descriptor& type, int& checked) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    SCOPED_TRACE(field.full_name());
    if (field.message_type() != nullptr) CheckDoubles(*field.message_type(), checked);
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_DOUBLE) continue;
    v1::Instance message = test::ACvrpMessage();
    Message* const holder = MessageOfType(message, type.name());
    ASSERT_NE(holder, nullptr);
    const Reflection& reflection = *holder->GetReflection();
    reflection.ClearField(holder, &field);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    field.is_repeated() ? reflection.AddDouble(holder, &field, nan)
                        : reflection.SetDouble(holder, &field, nan);
    const FieldScan scan = ScanInstance(message);
    ASSERT_EQ(scan.invalid.size(), 1u);
    EXPECT_EQ(scan.invalid[0].field.find("customers[0]."), 0u) << scan.invalid[0].field;
    EXPECT_NE(scan.invalid[0].field.find(field.name()), std::string::npos);
    ++checked;
  }
}

TEST(InstanceFields, RejectsNanInEveryNumberOfACustomer) {
  int checked = 0;
  CheckDoubles(*v1::Customer::descriptor(), checked);
  EXPECT_EQ(checked, 12);
}

TEST(InstanceFields, RejectsUnknownFieldsInsideACustomer) {
  v1::Instance message = test::ACvrpMessage();
  test::AddUnknownField(*message.mutable_customers(1)->mutable_location());
  test::AddUnknownField(*message.mutable_customers(2)->add_time_windows());
  const FieldScan scan = ScanInstance(message);
  ASSERT_EQ(scan.unsupported.size(), 2u);
  EXPECT_EQ(scan.unsupported[0].field, "customers[1].location");
  EXPECT_EQ(scan.unsupported[1].field, "customers[2].time_windows[0]");
}

TEST(InstanceFields, RejectsUnknownFieldsOfACustomer) {
  v1::Instance message = test::ACvrpMessage();
  test::AddUnknownField(*message.mutable_customers(1));
  const absl::Status status = InstanceFromProto(message).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(ViolationsOf(status).at(0).field, "customers[1]");
}

}  // namespace
}  // namespace vrp
