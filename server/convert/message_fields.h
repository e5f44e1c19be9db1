// Reads the core's structs from messages by reflection, with the names in field_list.h.
//
// core/problem/instance/field_list.h states the message field of each member. Therefore a new field
// needs no code here unless it has a new kind.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/problem/instance/fields.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace vrp {

// Returns the field `name` of a message type. Aborts if there is no such field, because
// field_list.h and the proto then disagree.
const google::protobuf::FieldDescriptor& MessageField(const google::protobuf::Descriptor& type,
                                                      std::string_view name);

// Reads a bool, number or text. Keeps `value` if the field has presence and is absent.
template <typename Value>
void ReadScalar(const google::protobuf::Message& message,
                const google::protobuf::FieldDescriptor& field, Value& value) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  if (field.has_presence() && !reflection.HasField(message, &field)) return;
  if constexpr (std::is_same_v<Value, bool>) {
    value = reflection.GetBool(message, &field);
  } else if constexpr (std::is_same_v<Value, int32_t>) {
    value = reflection.GetInt32(message, &field);
  } else if constexpr (std::is_same_v<Value, double>) {
    value = reflection.GetDouble(message, &field);
  } else {
    static_assert(std::is_same_v<Value, std::string>);
    value = reflection.GetString(message, &field);
  }
}

// Returns the values of a repeated field.
std::vector<double> ReadNumbers(const google::protobuf::Message& message,
                                const google::protobuf::FieldDescriptor& field);
std::vector<int32_t> ReadIntegers(const google::protobuf::Message& message,
                                  const google::protobuf::FieldDescriptor& field);
std::vector<std::string> ReadTexts(const google::protobuf::Message& message,
                                   const google::protobuf::FieldDescriptor& field);

// Reads all members of `object` except matrices and references to other parts of the instance. Each
// type of object has one type of message. `load_dimensions` is at least the number of capacities,
// and of loads, in the message.
template <typename Object>
void ReadFields(const google::protobuf::Message& message, size_t load_dimensions, Object& object);

// Returns the message fields of all members of `Object`, in the order of field_list.h.
template <typename Object>
const std::vector<const google::protobuf::FieldDescriptor*>& MessageFieldsOf(
    const google::protobuf::Descriptor& type) {
  static const auto* const all = [&type] {
    auto* fields = new std::vector<const google::protobuf::FieldDescriptor*>;
    ForEachField<Object>(
        [&](auto field) { fields->push_back(&MessageField(type, field.message)); });
    return fields;
  }();
  return *all;
}

// Reads one member from its message field, like ReadFields.
template <FieldKind kKind, typename Value>
void ReadField(const google::protobuf::Message& message,
               const google::protobuf::FieldDescriptor& descriptor, size_t load_dimensions,
               Value& value) {
  using enum FieldKind;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  if constexpr (kKind == kDistances || kKind == kDurations || kKind == kTimedDurations ||
                kKind == kCustomer || kKind == kCustomers || kKind == kChoice) {
    return;  // these fields need the whole instance, or a conversion of instance_enums.h
  } else if constexpr (kKind == kCapacity) {
    const std::vector<double> capacities = ReadNumbers(message, descriptor);
    if (!capacities.empty()) value = capacities.front();
  } else if constexpr (kKind == kFurtherCapacities) {
    value = ReadNumbers(message, descriptor);
    if (!value.empty()) value.erase(value.begin());
    if (!value.empty()) value.resize(load_dimensions - 1, kNoLimit);
  } else if constexpr (kKind == kLoads) {
    value = ReadNumbers(message, descriptor);
    value.resize(load_dimensions, 0);
  } else if constexpr (kKind == kInitialLoad) {
    value = ReadNumbers(message, descriptor);
    if (!value.empty()) value.resize(load_dimensions, 0);
  } else if constexpr (kKind == kDepots || kKind == kLoadDimensions) {
    value = ReadIntegers(message, descriptor);
  } else if constexpr (kKind == kMaxLoads) {
    value = ReadNumbers(message, descriptor);
    if (!value.empty() && value.size() < load_dimensions) value.resize(load_dimensions, kNoLimit);
  } else if constexpr (kKind == kColumnValues) {
    value = ReadNumbers(message, descriptor);
  } else if constexpr (kKind == kSkills) {
    value = ReadTexts(message, descriptor);
  } else if constexpr (kKind == kWindow || kKind == kHardWindow || kKind == kDrivingRules) {
    if (!reflection.HasField(message, &descriptor)) return;
    ReadFields(reflection.GetMessage(message, &descriptor), load_dimensions, value);
  } else if constexpr (kKind == kBreaks || kKind == kCompartments || kKind == kFurtherWindows ||
                       kKind == kCustomerTimes) {
    for (int i = 0; i < reflection.FieldSize(message, &descriptor); ++i) {
      ReadFields(reflection.GetRepeatedMessage(message, &descriptor, i), load_dimensions,
                 value.emplace_back());
    }
  } else {
    ReadScalar(message, descriptor, value);
  }
}

template <typename Object>
void ReadFields(const google::protobuf::Message& message, size_t load_dimensions, Object& object) {
  auto descriptor = MessageFieldsOf<Object>(*message.GetDescriptor()).begin();
  ForEachField(object, [&](auto field, auto& value) {
    ReadField<decltype(field)::kKind>(message, **descriptor++, load_dimensions, value);
  });
}

}  // namespace vrp
