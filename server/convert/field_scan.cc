#include "server/convert/field_scan.h"

#include <cmath>
#include <string>
#include <unordered_set>

#include "core/base/number.h"
#include "core/base/text.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/reflection.h"

namespace vrp {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr size_t kMaxViolations = 100;

const std::unordered_set<std::string_view>& SupportedFields() {
  static const auto* const fields = new std::unordered_set<std::string_view>{
      "vrp.v1.Instance.name",
      "vrp.v1.Instance.problem_type",
      "vrp.v1.Instance.metric",
      "vrp.v1.Instance.objective",
      "vrp.v1.Instance.coordinate_system",
      "vrp.v1.Instance.speed",
      "vrp.v1.Instance.distance_unit",
      "vrp.v1.Instance.time_unit",
      "vrp.v1.Instance.depots",
      "vrp.v1.Instance.customers",
      "vrp.v1.Instance.vehicles",
      "vrp.v1.Instance.distance_matrix",
      "vrp.v1.Instance.duration_matrix",
      "vrp.v1.Instance.shipments",
      "vrp.v1.Instance.alternative_groups",
      "vrp.v1.Instance.reference_cost",
      "vrp.v1.Instance.matrices",
      "vrp.v1.Location.x",
      "vrp.v1.Location.y",
      "vrp.v1.Matrix.size",
      "vrp.v1.Matrix.values",
      "vrp.v1.TimeWindow.open",
      "vrp.v1.TimeWindow.close",
      "vrp.v1.TimeWindow.late_cost",
      "vrp.v1.Depot.id",
      "vrp.v1.Depot.location",
      "vrp.v1.Depot.time_window",
      "vrp.v1.Customer.id",
      "vrp.v1.Customer.location",
      "vrp.v1.Customer.demand",
      "vrp.v1.Customer.backhaul",
      "vrp.v1.Customer.time_windows",
      "vrp.v1.Customer.service_time",
      "vrp.v1.Customer.setup_time",
      "vrp.v1.Customer.release_time",
      "vrp.v1.Customer.required_skills",
      "vrp.v1.Customer.prize",
      "vrp.v1.Customer.priority",
      "vrp.v1.Customer.pickup",
      "vrp.v1.Vehicle.id",
      "vrp.v1.Vehicle.count",
      "vrp.v1.Vehicle.capacity",
      "vrp.v1.Vehicle.start_depot",
      "vrp.v1.Vehicle.end_depot",
      "vrp.v1.Vehicle.open_end",
      "vrp.v1.Vehicle.shift",
      "vrp.v1.Vehicle.fixed_cost",
      "vrp.v1.Vehicle.cost_per_distance",
      "vrp.v1.Vehicle.cost_per_time",
      "vrp.v1.Vehicle.max_overtime",
      "vrp.v1.Vehicle.overtime_cost",
      "vrp.v1.Vehicle.max_duration",
      "vrp.v1.Vehicle.max_distance",
      "vrp.v1.Vehicle.max_stops",
      "vrp.v1.Vehicle.max_reloads",
      "vrp.v1.Vehicle.skills",
      "vrp.v1.Vehicle.breaks",
      "vrp.v1.Vehicle.distance_matrix",
      "vrp.v1.Vehicle.duration_matrix",
      "vrp.v1.Vehicle.matrices",
      "vrp.v1.Break.time_window",
      "vrp.v1.Break.duration",
      "vrp.v1.Shipment.id",
      "vrp.v1.Shipment.pickup_customer",
      "vrp.v1.Shipment.delivery_customer",
      "vrp.v1.Shipment.amount",
      "vrp.v1.AlternativeGroup.customers",
  };
  return *fields;
}

void Add(std::vector<FieldViolation>& violations, std::string field, std::string description) {
  if (violations.size() < kMaxViolations) {
    violations.push_back({std::move(field), std::move(description)});
  }
}

class Scanner {
 public:
  FieldScan Run(const Message& message) && {
    ScanMessage(message, "");
    return std::move(scan_);
  }

 private:
  void ScanMessage(const Message& message, const std::string& prefix) {
    const Reflection& reflection = *message.GetReflection();
    if (!reflection.GetUnknownFields(message).empty()) {
      const int number = reflection.GetUnknownFields(message).field(0).number();
      Add(scan_.unsupported, prefix.empty() ? "instance" : prefix.substr(0, prefix.size() - 1),
          Concat("field number ", number, " is not known to this server; leave it out"));
    }
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      const std::string path = prefix + field->name();
      if (!IsSupportedField(field->full_name())) {
        Add(scan_.unsupported, path, "not known to this server; leave it out");
      } else if (field->is_repeated()) {
        ScanRepeated(message, *field, path);
      } else {
        ScanSingular(message, *field, path);
      }
    }
  }

  void ScanSingular(const Message& message, const FieldDescriptor& field, const std::string& path) {
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return ScanMessage(reflection.GetMessage(message, &field), path + ".");
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return ScanDouble(reflection.GetDouble(message, &field), path);
      case FieldDescriptor::CPPTYPE_ENUM:
        return ScanEnum(field, reflection.GetEnumValue(message, &field), path);
      default:
        return;
    }
  }

  void ScanRepeated(const Message& message, const FieldDescriptor& field, const std::string& path) {
    const Reflection& reflection = *message.GetReflection();
    const int size = reflection.FieldSize(message, &field);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      for (int i = 0; i < size; ++i) {
        ScanMessage(reflection.GetRepeatedMessage(message, &field, i), Concat(path, "[", i, "]."));
      }
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
      const auto& values = reflection.GetRepeatedFieldRef<double>(message, &field);
      for (int i = 0; i < size; ++i) {
        const double value = values.Get(i);
        if (!std::isfinite(value)) ScanDouble(value, size == 1 ? path : Concat(path, "[", i, "]"));
      }
    }
  }

  void ScanDouble(double value, const std::string& path) {
    if (std::isfinite(value)) return;
    Add(scan_.invalid, path, Concat("got ", FormatNumber(value), ", wanted a finite number"));
  }

  void ScanEnum(const FieldDescriptor& field, int number, const std::string& path) {
    const auto* value = field.enum_type()->FindValueByNumber(number);
    if (value == nullptr) {
      Add(scan_.invalid, path,
          Concat("got ", number, ", which is no value of ", field.enum_type()->name()));
    }
  }

  FieldScan scan_;
};

}  // namespace

FieldScan ScanInstance(const v1::Instance& message) { return Scanner().Run(message); }

bool IsSupportedField(std::string_view full_name) { return SupportedFields().count(full_name) > 0; }

}  // namespace vrp
