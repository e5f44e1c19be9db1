// Visits the fields of an instance, which field_list.h names.
//
// Comparison, validation, feature detection, JSON, conversion from messages and sample records use
// the list through ForEachField. Validation, for example, does not compile for a FieldKind without
// a rule. Visitors take a field by value, so that its kind is a constant:
//
//   ForEachField(vehicle, [&](auto field, const auto& value) {
//     if constexpr (field.kKind == FieldKind::kName) Print(field.name, value);
//   });
#pragma once

#include <tuple>
#include <type_traits>

#include "core/problem/instance/field.h"
#include "core/problem/instance/field_list.h"
#include "core/problem/instance/instance_data.h"
#include "core/problem/instance/member_count.h"

namespace vrp {
namespace fields_internal {

// Returns the list of the fields of `Object`. Does not compile if the list lacks a member.
template <typename Object>
constexpr const auto& CheckedList() {
  static_assert(
      std::tuple_size_v<std::remove_cvref_t<decltype(kList<Object>)>> == MemberCount<Object>(),
      "each member of the struct needs a line in its list of fields");
  return kList<Object>;
}

}  // namespace fields_internal

// Calls `visitor(field)` for each field of `Object`: an InstanceData, VehicleType, Shipment,
// CustomerRule, Break, DrivingRules, Compartment, CustomerTimes, TimedMatrix, TimeWindow, Position,
// Balance or FeatureColumn.
template <typename Object, typename Visitor>
constexpr void ForEachField(const Visitor& visitor) {
  std::apply([&](const auto&... fields) { (visitor(fields), ...); },
             fields_internal::CheckedList<Object>());
}

// Calls `visitor(field, value)` for each field of `object`, which may be const.
template <typename Object, typename Visitor>
constexpr void ForEachField(Object& object, const Visitor& visitor) {
  ForEachField<std::remove_const_t<Object>>(
      [&](const auto& field) { visitor(field, object.*field.member); });
}

// Calls `visitor(field)` for each per-node field, which depots or customers have.
template <typename Visitor>
constexpr void ForEachNodeField(const Visitor& visitor) {
  ForEachField<InstanceData>([&](auto field) {
    if constexpr (field.kPerNode) visitor(field);
  });
}

// Calls `visitor(field, values)` for each per-node field, `values` being the vector of all nodes.
template <typename Data, typename Visitor>
  requires std::is_same_v<std::remove_const_t<Data>, InstanceData>
constexpr void ForEachNodeField(Data& data, const Visitor& visitor) {
  ForEachNodeField([&](const auto& field) { visitor(field, data.*field.member); });
}

// Whether `accepts(field)` holds for all fields of `Object`. Stops at the first field that fails.
template <typename Object, typename Predicate>
constexpr bool AllFields(const Predicate& accepts) {
  return std::apply([&](const auto&... fields) { return (accepts(fields) && ...); },
                    fields_internal::CheckedList<Object>());
}

}  // namespace vrp
