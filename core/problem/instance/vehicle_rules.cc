// Implements the rules of vehicle types.
#include "core/base/number.h"
#include "core/problem/instance/fields.h"
#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

class VehicleRules {
 public:
  VehicleRules(const InstanceData& data, size_t nodes, FieldErrors& errors)
      : data_(data),
        matrix_size_(data.matrix_rows.empty() ? nodes : static_cast<size_t>(MatrixSize(data))),
        errors_(errors) {}

  void Check(size_t index) {
    path_ = FieldPath("vehicles", index);
    const VehicleType& vehicle = data_.vehicles[index];
    ForEachField<VehicleType>([&](auto field) { CheckField(field, vehicle); });
    CheckEnd(vehicle);
    CheckOvertime(vehicle);
    CheckDrivingWithWaiting(vehicle);
  }

 private:
  template <typename Field>
  void CheckField(const Field& field, const VehicleType& vehicle) {
    constexpr FieldKind kKind = Field::kKind;
    const FieldPath path(path_, field.name);
    const auto& value = vehicle.*field.member;
    if constexpr (kKind == FieldKind::kName) {
      errors_.CheckName(path, value);
    } else if constexpr (kKind == FieldKind::kCount) {
      errors_.CheckRange(path, value, field.min_value, field.max_value);
    } else if constexpr (kKind == FieldKind::kDepot || kKind == FieldKind::kEndDepot) {
      if (kKind == FieldKind::kDepot || value != kSameAsStart) CheckDepot(path, value);
    } else if constexpr (kKind == FieldKind::kCapacity) {
      errors_.CheckAllowance(CapacityPath(field.name, 0), value);
    } else if constexpr (kKind == FieldKind::kFurtherCapacities) {
      CheckFurtherCapacities(field.name, value);
    } else if constexpr (kKind == FieldKind::kLimit) {
      errors_.CheckLimit(path, value);
    } else if constexpr (kKind == FieldKind::kAllowance) {
      errors_.CheckAllowance(path, value);
    } else if constexpr (kKind == FieldKind::kHardWindow) {
      errors_.CheckHardWindow(path, value);
    } else if constexpr (kKind == FieldKind::kCost) {
      CheckCost(path, value, field.Default());
    } else if constexpr (kKind == FieldKind::kSkills) {
      errors_.CheckNames(path_, field.name, value);
    } else if constexpr (kKind == FieldKind::kBreaks) {
      CheckBreaks(field.name, value);
    } else if constexpr (kKind == FieldKind::kDrivingRules) {
      CheckDrivingRules(path, value);
    } else if constexpr (kKind == FieldKind::kDistances || kKind == FieldKind::kDurations) {
      CheckMatrix({path, value, kKind == FieldKind::kDistances});
    } else {
      static_assert(kKind == FieldKind::kFlag, "this kind of field has no rule for vehicles");
    }
  }

  void CheckDepot(const FieldPath& path, NodeIndex depot) {
    if (depot >= 0 && depot < data_.num_depots) return;
    errors_.Add(path, "got ", depot, ", wanted a depot: 0 to ", data_.num_depots - 1);
  }

  FieldPath CapacityPath(std::string_view field, size_t dimension) const {
    return data_.load_dimensions == 1 ? FieldPath(path_, field)
                                      : FieldPath(path_, field, dimension);
  }

  // Checks the capacities of dimensions 1 and above. A capacity may be 0, as for a van without
  // space for pallets.
  void CheckFurtherCapacities(std::string_view field, const std::vector<double>& further) {
    if (!further.empty() && further.size() + 1 != static_cast<size_t>(data_.load_dimensions)) {
      errors_.Add(FieldPath(path_, field), "has ", further.size() + 1,
                  " entries, wanted one for each of ", data_.load_dimensions, " load dimensions");
    }
    for (size_t k = 0; k < further.size(); ++k) {
      errors_.CheckAllowance(FieldPath(path_, field, k + 1), further[k]);
    }
  }

  void CheckCost(const FieldPath& path, double cost, double default_cost) {
    if (!errors_.CheckValue(path, cost, 0)) return;
    if (cost == default_cost || data_.objective == Objective::kCost) return;
    errors_.Add(path, "given, but the objective is ", ObjectiveName(data_.objective),
                "; wanted objective cost");
  }

  void CheckBreaks(std::string_view field, const std::vector<Break>& breaks) {
    if (breaks.size() > kMaxBreaks) {
      errors_.Add(FieldPath(path_, field), "has ", breaks.size(), " entries, wanted at most ",
                  kMaxBreaks);
      return;
    }
    for (size_t i = 0; i < breaks.size(); ++i) {
      const FieldPath path(path_, field, i);
      errors_.CheckHardWindow(FieldPath(path, "window"), breaks[i].window);
      errors_.CheckValue(FieldPath(path, "duration"), breaks[i].duration, 0);
    }
  }

  // Adds an error for each number that is not valid by itself. Compares them only if all are valid.
  void CheckDrivingRules(const FieldPath& path, const DrivingRules& rules) {
    bool valid = true;
    ForEachField(rules, [&](auto field, double value) {
      const FieldPath at(path, field.name);
      valid &= field.kKind == FieldKind::kLimit ? errors_.CheckLimit(at, value)
                                                : errors_.CheckValue(at, value, 0);
    });
    if (!valid) return;
    if (rules.has_breaks() && rules.break_duration == 0) {
      errors_.Add(FieldPath(path, "break_duration"),
                  "absent or 0, wanted the duration of the break after max_driving_before_break ",
                  FormatNumber(rules.max_driving_before_break));
    }
    if (!rules.has_breaks() && rules.break_duration != 0) {
      errors_.Add(FieldPath(path, "break_duration"),
                  "given, but there is no max_driving_before_break; wanted both");
    }
    CheckBreakParts(path, rules);
  }

  void CheckBreakParts(const FieldPath& path, const DrivingRules& rules) {
    const FieldPath first(path, "first_part");
    const FieldPath second(path, "second_part");
    if ((rules.first_part == 0) != (rules.second_part == 0)) {
      errors_.Add(rules.first_part == 0 ? first : second,
                  "absent or 0, but the other part is given; wanted both");
      return;
    }
    const double whole = rules.break_duration;
    if (rules.first_part > whole) {
      errors_.Add(first, "got ", FormatNumber(rules.first_part), ", wanted at most break_duration ",
                  FormatNumber(whole));
    }
    if (rules.second_part > whole) {
      errors_.Add(second, "got ", FormatNumber(rules.second_part),
                  ", wanted at most break_duration ", FormatNumber(whole));
    }
    // Leaves room for the rounding of sums such as 0.1 + 0.2.
    if (rules.has_parts() && rules.first_part + rules.second_part < whole * (1 - 1e-12)) {
      errors_.Add(second, "got ", FormatNumber(rules.second_part), " after a first_part of ",
                  FormatNumber(rules.first_part), ", wanted both to sum to break_duration ",
                  FormatNumber(whole), " or more");
    }
  }

  // It is not defined which part of a wait is a break and which part counts as waiting.
  void CheckDrivingWithWaiting(const VehicleType& vehicle) {
    if (!vehicle.driving_rules.has_breaks() || vehicle.max_waiting == kNoLimit) return;
    errors_.Add(
        FieldPath(path_, "max_waiting"),
        "given together with driving_rules.max_driving_before_break, under which the driver "
        "may rest while waiting; wanted only one of them");
  }

  void CheckMatrix(const MatrixField& matrix) {
    CheckMatrixSize(matrix, matrix_size_, errors_);
    if (matrix.values.size() == matrix_size_ * matrix_size_) {
      CheckMatrixValues(matrix, data_.metric, errors_);
    }
  }

  void CheckEnd(const VehicleType& vehicle) {
    if (!vehicle.open_end || vehicle.end() == vehicle.depot) return;
    errors_.Add(FieldPath(path_, "end_depot"), "got ", vehicle.end_depot,
                ", but with open_end the vehicle ends at no depot; wanted none");
  }

  void CheckOvertime(const VehicleType& vehicle) {
    if (vehicle.max_overtime > 0 && vehicle.max_duration == kNoLimit) {
      errors_.Add(FieldPath(path_, "max_overtime"),
                  "given, but there is no max_duration; wanted both");
    }
    if (vehicle.max_overtime == 0 && vehicle.overtime_cost != 0) {
      errors_.Add(FieldPath(path_, "overtime_cost"),
                  "given, but there is no max_overtime; wanted both");
    }
  }

  const InstanceData& data_;
  const size_t matrix_size_;
  FieldErrors& errors_;
  FieldPath path_ = "";
};

}  // namespace

void CheckVehicles(const InstanceData& data, size_t nodes, FieldErrors& errors) {
  if (data.vehicles.size() > kMaxVehicles) {
    errors.Add("vehicles", data.vehicles.size(), " types exceed the limit of ", kMaxVehicles);
    return;
  }
  VehicleRules rules(data, nodes, errors);
  for (size_t i = 0; i < data.vehicles.size(); ++i) rules.Check(i);
}

}  // namespace vrp
