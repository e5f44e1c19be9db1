#include "server/convert/field_scan.h"

#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

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

// The fields of each message type that the scan visits: doubles, singular enums and messages. The
// scan skips all others, so that it is fast for instances with many customers.
using ScannedFields = std::unordered_map<const Descriptor*, std::vector<const FieldDescriptor*>>;

void AddScannedFields(const Descriptor& type, ScannedFields& fields) {
  if (fields.count(&type) > 0) return;
  std::vector<const FieldDescriptor*>& scanned = fields[&type];
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    const FieldDescriptor::CppType value = field->cpp_type();
    if (value == FieldDescriptor::CPPTYPE_MESSAGE || value == FieldDescriptor::CPPTYPE_DOUBLE ||
        value == FieldDescriptor::CPPTYPE_ENUM) {
      scanned.push_back(field);
    }
    // References into an unordered_map stay valid while the map grows.
    if (field->message_type() != nullptr) AddScannedFields(*field->message_type(), fields);
  }
}

const ScannedFields& AllScannedFields() {
  static const auto* const all = [] {
    auto* fields = new ScannedFields;
    AddScannedFields(*v1::Instance::descriptor(), *fields);
    return fields;
  }();
  return *all;
}

// A scanner that builds paths only for violations.
class Scanner {
 public:
  FieldScan Run(const Message& message) && {
    ScanMessage(message);
    return std::move(scan_);
  }

 private:
  // A field on the path from the instance to the scanned value.
  struct PathStep {
    const FieldDescriptor* field;
    int index = -1;  // index in a repeated field; -1: the only value, or the whole field
  };

  std::string Path() const {
    std::string path;
    for (const PathStep& step : path_) {
      if (!path.empty()) path += '.';
      path += step.field->name();
      if (step.index >= 0) path += Concat("[", step.index, "]");
    }
    return path;
  }

  static void Add(std::vector<FieldViolation>& violations, std::string field,
                  std::string description) {
    if (violations.size() < kMaxViolations) {
      violations.push_back({std::move(field), std::move(description)});
    }
  }

  void ScanMessage(const Message& message) {
    const auto& unknown = message.GetReflection()->GetUnknownFields(message);
    if (!unknown.empty()) {
      Add(scan_.unsupported, path_.empty() ? "instance" : Path(),
          Concat("field number ", unknown.field(0).number(),
                 " is not known to this server; leave it out"));
    }
    for (const FieldDescriptor* field : fields_.at(message.GetDescriptor())) {
      path_.push_back({field});
      if (field->is_repeated()) {
        ScanRepeated(message, *field);
      } else {
        ScanSingular(message, *field);
      }
      path_.pop_back();
    }
  }

  void ScanSingular(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (reflection.HasField(message, &field)) {
          ScanMessage(reflection.GetMessage(message, &field));
        }
        return;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return ScanDouble(reflection.GetDouble(message, &field));
      default:
        return ScanEnum(field, reflection.GetEnumValue(message, &field));
    }
  }

  void ScanRepeated(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    const size_t at = path_.size() - 1;  // the vector may move while it grows
    const int size = reflection.FieldSize(message, &field);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      for (int i = 0; i < size; ++i) {
        path_[at].index = i;
        ScanMessage(reflection.GetRepeatedMessage(message, &field, i));
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
    if (field.enum_type()->FindValueByNumber(number) != nullptr) return;
    Add(scan_.invalid, Path(),
        Concat("got ", number, ", which is not a value of ", field.enum_type()->name()));
  }

  const ScannedFields& fields_ = AllScannedFields();
  std::vector<PathStep> path_;
  FieldScan scan_;
};

}  // namespace

FieldScan ScanInstance(const v1::Instance& message) { return Scanner().Run(message); }

}  // namespace vrp
