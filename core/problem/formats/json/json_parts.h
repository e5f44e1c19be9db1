// Reads parts of our JSON: values of single fields, windows, vehicles and shipments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/json/json_fields.h"
#include "core/problem/instance/choices.h"
#include "core/problem/instance/fields.h"
#include "core/problem/instance/matrix_source.h"
#include "nlohmann/json.hpp"

namespace vrp {

// A reader of the keys distance_matrix, length_matrix and duration_matrix, or of `matrices`, which
// replaces the first and the last.
struct MatrixKeys {
  const MatrixSource* source = nullptr;
  size_t nodes = 0;  // number of nodes; 0: any number

  // Reads the matrices of `owner`, an InstanceData or a VehicleType; an absent one becomes empty.
  template <typename Owner>
  absl::Status Read(JsonFields& fields, Owner& owner) const;
};

// Reads the key duration_matrices, [{at, durations}, ...]. `prefix` comes before the key in errors.
absl::Status ReadTimedMatrices(JsonFields& fields, std::string_view prefix,
                               std::vector<TimedMatrix>& list);

// In the functions below, `location` locates the part, as "file.json: vehicles[2]", and begins each
// error.

// Reads [open, close] or [open, close, late_cost]. A null close means no end.
absl::StatusOr<TimeWindow> WindowFromJson(const nlohmann::json& value, std::string_view location);
// Reads one window in that form, or an array of such windows.
absl::StatusOr<std::vector<TimeWindow>> WindowsFromJson(const nlohmann::json& value,
                                                        std::string_view location);
absl::StatusOr<VehicleType> VehicleFromJson(const nlohmann::json& value, std::string_view location,
                                            const MatrixKeys& matrices);
absl::StatusOr<Shipment> ShipmentFromJson(const nlohmann::json& value, std::string_view location);
absl::StatusOr<Balance> BalanceFromJson(const nlohmann::json& value, std::string_view location);
absl::StatusOr<CustomerRule> CustomerRuleFromJson(const nlohmann::json& value,
                                                  std::string_view location);

// Stores the value that was read. Does not change `target` if the key is absent.
template <typename Value, typename Target>
absl::Status StoreIfPresent(absl::StatusOr<std::optional<Value>> read, Target& target) {
  if (!read.ok()) return read.status();
  if (read->has_value()) target = **std::move(read);
  return absl::OkStatus();
}

// Whether ReadSingleValue reads fields of this kind.
constexpr bool IsSingleValue(FieldKind kind) {
  switch (kind) {
    case FieldKind::kName:
    case FieldKind::kFlag:
    case FieldKind::kCount:
    case FieldKind::kDepot:
    case FieldKind::kEndDepot:
    case FieldKind::kNumber:
    case FieldKind::kPositive:
    case FieldKind::kLimit:
    case FieldKind::kAllowance:
    case FieldKind::kCost:
    case FieldKind::kReference:
    case FieldKind::kChoice:
      return true;
    default:
      return false;
  }
}

// Reads a field of one value. Does not change `value` if the key is absent.
template <FieldKind kKind, typename Value>
absl::Status ReadSingleValue(JsonFields& fields, const std::string& key, Value& value) {
  static_assert(IsSingleValue(kKind));
  if constexpr (kKind == FieldKind::kName) {
    return StoreIfPresent(fields.String(key), value);
  } else if constexpr (kKind == FieldKind::kFlag) {
    return StoreIfPresent(fields.Boolean(key), value);
  } else if constexpr (kKind == FieldKind::kCount || kKind == FieldKind::kDepot ||
                       kKind == FieldKind::kEndDepot) {
    return StoreIfPresent(fields.Integer(key), value);
  } else if constexpr (kKind == FieldKind::kChoice) {
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> name, fields.String(key));
    if (!name.has_value()) return absl::OkStatus();
    const std::optional<Value> choice = ChoiceFromName<Value>(*name);
    if (!choice.has_value()) {
      return fields.Error(key, "got ", Quoted(*name), ", wanted ", ChoiceList<Value>());
    }
    value = *choice;
    return absl::OkStatus();
  } else {
    const nlohmann::json* given = fields.Find(key);
    if (kKind == FieldKind::kAllowance && given != nullptr && given->is_null()) {
      value = kNoLimit;
      return absl::OkStatus();
    }
    return StoreIfPresent(fields.Number(key), value);
  }
}

}  // namespace vrp
