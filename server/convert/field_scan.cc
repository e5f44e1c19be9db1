#include "server/convert/field_scan.h"

#include <algorithm>
#include <array>
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

using google::protobuf::Descriptor;
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
      "vrp.v1.Instance.features",
      "vrp.v1.FeatureColumn.name",
      "vrp.v1.FeatureColumn.values",
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

// The same fields by descriptor: a pointer is found sooner than a name, and there is one to find
// for each value of each customer.
std::unordered_set<const FieldDescriptor*> FindSupported() {
  std::unordered_set<const FieldDescriptor*> fields;
  for (const std::string_view name : SupportedFields()) {
    const FieldDescriptor* field =
        google::protobuf::DescriptorPool::generated_pool()->FindFieldByName(std::string(name));
    if (field != nullptr) fields.insert(field);
  }
  return fields;
}

bool IsSupported(const FieldDescriptor* field) {
  static const auto* const fields = new std::unordered_set(FindSupported());
  return fields->count(field) > 0;
}

// Whether this scan knows each field that the type can have, and each of those in them.
bool AllSupported(const Descriptor& type) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (!IsSupported(field)) return false;
    if (field->message_type() != nullptr && !AllSupported(*field->message_type())) return false;
  }
  return true;
}

template <typename List>
bool AllFinite(const List& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

bool HasNoUnknown(const Message& message) {
  return message.GetReflection()->GetUnknownFields(message).empty();
}

bool IsPlain(const v1::Location& location) {
  return HasNoUnknown(location) && AllFinite(std::array{location.x(), location.y()});
}

bool IsPlain(const v1::TimeWindow& window) {
  return HasNoUnknown(window) &&
         AllFinite(std::array{window.open(), window.close(), window.late_cost()});
}

// Nothing in it can be wrong in itself. Customers are nearly all of an instance, and to look at
// them by reflection takes half of what reading the whole does.
bool IsPlain(const v1::Customer& customer) {
  static const bool all_supported = AllSupported(*v1::Customer::descriptor());
  const auto& windows = customer.time_windows();
  return all_supported && HasNoUnknown(customer) && IsPlain(customer.location()) &&
         AllFinite(customer.demand()) && AllFinite(customer.backhaul()) &&
         AllFinite(customer.pickup()) &&
         AllFinite(std::array{customer.service_time(), customer.setup_time(),
                              customer.release_time(), customer.prize()}) &&
         std::all_of(windows.begin(), windows.end(), [](const auto& w) { return IsPlain(w); });
}

bool IsPlainCustomer(const Message& message) {
  return message.GetDescriptor() == v1::Customer::descriptor() &&
         IsPlain(static_cast<const v1::Customer&>(message));
}

void Add(std::vector<FieldViolation>& violations, std::string field, std::string description) {
  if (violations.size() < kMaxViolations) {
    violations.push_back({std::move(field), std::move(description)});
  }
}

// Paths are written only of what is wrong: nearly always nothing.
class Scanner {
 public:
  FieldScan Run(const Message& message) && {
    ScanMessage(message);
    return std::move(scan_);
  }

 private:
  // A field on the way from the whole message to the value that is looked at.
  struct Step {
    const FieldDescriptor* field;
    int index = -1;  // -1: it is not repeated, or the whole of it is meant
  };

  std::string Path() const {
    std::string path;
    for (const Step& step : path_) {
      if (!path.empty()) path += '.';
      path += step.field->name();
      if (step.index >= 0) path += Concat("[", step.index, "]");
    }
    return path;
  }

  void ScanMessage(const Message& message) {
    const Reflection& reflection = *message.GetReflection();
    const auto& unknown = reflection.GetUnknownFields(message);
    if (!unknown.empty()) {
      Add(scan_.unsupported, path_.empty() ? "instance" : Path(),
          Concat("field number ", unknown.field(0).number(),
                 " is not known to this server; leave it out"));
    }
    std::vector<const FieldDescriptor*> fields = TakeList();
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      path_.push_back({field});
      ScanField(message, *field);
      path_.pop_back();
    }
    lists_.push_back(std::move(fields));
  }

  // Empty, with the memory of an earlier one.
  std::vector<const FieldDescriptor*> TakeList() {
    if (lists_.empty()) return {};
    std::vector<const FieldDescriptor*> list = std::move(lists_.back());
    lists_.pop_back();
    list.clear();
    return list;
  }

  void ScanField(const Message& message, const FieldDescriptor& field) {
    if (!IsSupported(&field)) {
      Add(scan_.unsupported, Path(), "not known to this server; leave it out");
    } else if (field.is_repeated()) {
      ScanRepeated(message, field);
    } else {
      ScanSingular(message, field);
    }
  }

  void ScanSingular(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return ScanMessage(reflection.GetMessage(message, &field));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return ScanDouble(reflection.GetDouble(message, &field));
      case FieldDescriptor::CPPTYPE_ENUM:
        return ScanEnum(field, reflection.GetEnumValue(message, &field));
      default:
        return;
    }
  }

  void ScanRepeated(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    const size_t at = path_.size() - 1;  // the path may move while it grows
    const int size = reflection.FieldSize(message, &field);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      for (int i = 0; i < size; ++i) {
        const Message& item = reflection.GetRepeatedMessage(message, &field, i);
        if (IsPlainCustomer(item)) continue;
        path_[at].index = i;
        ScanMessage(item);
      }
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
      const auto& values = reflection.GetRepeatedFieldRef<double>(message, &field);
      for (int i = 0; i < size; ++i) {
        path_[at].index = size == 1 ? -1 : i;
        ScanDouble(values.Get(i));
      }
    }
  }

  void ScanDouble(double value) {
    if (std::isfinite(value)) return;
    Add(scan_.invalid, Path(), Concat("got ", FormatNumber(value), ", wanted a finite number"));
  }

  void ScanEnum(const FieldDescriptor& field, int number) {
    const auto* value = field.enum_type()->FindValueByNumber(number);
    if (value == nullptr) {
      Add(scan_.invalid, Path(),
          Concat("got ", number, ", which is no value of ", field.enum_type()->name()));
    }
  }

  std::vector<Step> path_;
  std::vector<std::vector<const FieldDescriptor*>> lists_;  // empty ones, by their memory
  FieldScan scan_;
};

}  // namespace

FieldScan ScanInstance(const v1::Instance& message) { return Scanner().Run(message); }

bool IsSupportedField(std::string_view full_name) { return SupportedFields().count(full_name) > 0; }

}  // namespace vrp
