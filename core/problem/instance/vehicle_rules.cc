// Implements the rules of vehicle types.
#include <algorithm>
#include <set>

#include "core/base/number.h"
#include "core/problem/instance/fields.h"
#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

class VehicleRules {
 public:
  VehicleRules(const InstanceData& data, size_t nodes, FieldErrors& errors)
      : data_(data),
        nodes_(nodes),
        matrix_size_(data.matrix_rows.empty() ? nodes : static_cast<size_t>(MatrixSize(data))),
        errors_(errors) {}

  void Check(size_t index) {
    path_ = FieldPath("vehicles", index);
    const VehicleType& vehicle = data_.vehicles[index];
    ForEachField<VehicleType>([&](auto field) { CheckField(field, vehicle); });
    CheckEnd(vehicle);
    CheckOvertime(vehicle);
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
    } else if constexpr (kKind == FieldKind::kDepots) {
      CheckReloadDepots(field.name, value, vehicle.max_reloads);
    } else if constexpr (kKind == FieldKind::kInitialLoad) {
      CheckInitialLoad(field.name, vehicle);
    } else if constexpr (kKind == FieldKind::kSkills) {
      errors_.CheckNames(path_, field.name, value);
    } else if constexpr (kKind == FieldKind::kBreaks) {
      CheckBreaks(field.name, value);
    } else if constexpr (kKind == FieldKind::kCompartments) {
      CheckCompartments(field.name, value);
    } else if constexpr (kKind == FieldKind::kCustomerTimes) {
      CheckCustomerTimes(field.name, value);
    } else if constexpr (kKind == FieldKind::kDrivingRules) {
      CheckDrivingRules(path, value);
    } else if constexpr (kKind == FieldKind::kDistances || kKind == FieldKind::kDurations) {
      CheckMatrix({path, value, kKind == FieldKind::kDistances});
    } else if constexpr (kKind == FieldKind::kTimedDurations) {
      CheckTimedMatrices(path, value, matrix_size_, vehicle.duration_matrix, errors_);
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

  void CheckReloadDepots(std::string_view field, const std::vector<NodeIndex>& depots,
                         int32_t max_reloads) {
    for (size_t i = 0; i < depots.size(); ++i) {
      CheckDepot(FieldPath(path_, field, i), depots[i]);
      if (std::find(depots.begin(), depots.begin() + static_cast<std::ptrdiff_t>(i), depots[i]) ==
          depots.begin() + static_cast<std::ptrdiff_t>(i)) {
        continue;
      }
      errors_.Add(FieldPath(path_, field, i), "got ", depots[i], " again, wanted each depot once");
    }
    if (depots.empty() || max_reloads > 0) return;
    errors_.Add(FieldPath(path_, field), "given, but max_reloads is 0; wanted both");
  }

  void CheckInitialLoad(std::string_view field, const VehicleType& vehicle) {
    const std::vector<double>& load = vehicle.initial_load;
    if (load.empty()) return;
    if (load.size() != static_cast<size_t>(data_.load_dimensions)) {
      errors_.Add(FieldPath(path_, field), "has ", load.size(), " entries, wanted one for each of ",
                  data_.load_dimensions, " load dimensions");
      return;
    }
    for (size_t k = 0; k < load.size(); ++k) {
      const FieldPath path(path_, field, k);
      const bool further = k > 0 && k <= vehicle.further_capacities.size();
      const double capacity = k == 0    ? vehicle.capacity
                              : further ? vehicle.further_capacities[k - 1]
                                        : kNoLimit;
      if (!errors_.CheckValue(path, load[k], 0) || load[k] <= capacity) continue;
      errors_.Add(path, FormatNumber(load[k]), " exceeds capacity ", FormatNumber(capacity));
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
      CheckBreakWindows(path, breaks[i]);
      CheckMaxLoad(FieldPath(path, "max_load").ToString(), breaks[i].max_load);
    }
  }

  // Checks the windows of a break after the first.
  void CheckBreakWindows(const FieldPath& parent, const Break& pause) {
    const TimeWindow* previous = &pause.window;
    for (size_t i = 0; i < pause.further_windows.size(); ++i) {
      const FieldPath path(parent, "further_windows", i);
      const TimeWindow& window = pause.further_windows[i];
      if (errors_.CheckHardWindow(path, window) && window.open <= previous->close) {
        errors_.Add(path, "opens at ", FormatNumber(window.open),
                    ", wanted after the previous window's close, ", FormatNumber(previous->close));
      }
      previous = &window;
    }
  }

  void CheckMaxLoad(const std::string& path, const std::vector<double>& loads) {
    if (!loads.empty() && loads.size() != static_cast<size_t>(data_.load_dimensions)) {
      errors_.Add(path, "has ", loads.size(), " entries, wanted one for each of ",
                  data_.load_dimensions, " load dimensions");
    }
    for (size_t k = 0; k < loads.size(); ++k) {
      errors_.CheckAllowance(Concat(path, "[", k, "]"), loads[k]);
    }
  }

  void CheckCustomerTimes(std::string_view field, const std::vector<CustomerTimes>& times) {
    std::set<NodeIndex> seen;
    for (size_t i = 0; i < times.size(); ++i) {
      const FieldPath path(path_, field, i);
      const NodeIndex node = times[i].customer;
      if (node < data_.num_depots || static_cast<size_t>(node) >= nodes_) {
        errors_.Add(FieldPath(path, "customer"), "got node ", node, ", wanted a customer: node ",
                    data_.num_depots, " to ", nodes_ - 1);
      } else if (!seen.insert(node).second) {
        errors_.Add(FieldPath(path, "customer"),
                    NodePath(data_, static_cast<size_t>(node)).ToString(),
                    " has an earlier entry, wanted one");
      }
      errors_.CheckAllowance(FieldPath(path, "service"), times[i].service);
      errors_.CheckAllowance(FieldPath(path, "setup"), times[i].setup);
    }
  }

  void CheckCompartments(std::string_view field, const std::vector<Compartment>& compartments) {
    if (compartments.size() > kMaxCompartments) {
      errors_.Add(FieldPath(path_, field), "has ", compartments.size(), " entries, wanted at most ",
                  kMaxCompartments);
      return;
    }
    for (size_t i = 0; i < compartments.size(); ++i) {
      const FieldPath path(path_, field, i);
      const FieldPath capacity(path, "capacity");
      if (compartments[i].capacity == 0) {
        errors_.Add(capacity, "absent or 0, wanted a positive number");
      } else {
        errors_.CheckValue(capacity, compartments[i].capacity, 0);
      }
      CheckLoadDimensions(path, compartments[i].load_dimensions);
    }
  }

  void CheckLoadDimensions(const FieldPath& parent, const std::vector<int32_t>& dimensions) {
    for (size_t i = 0; i < dimensions.size(); ++i) {
      const FieldPath path(parent, "load_dimensions", i);
      if (!errors_.CheckRange(path, dimensions[i], 0, data_.load_dimensions - 1)) continue;
      const auto end = dimensions.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::find(dimensions.begin(), end, dimensions[i]) == end) continue;
      errors_.Add(path, "got ", dimensions[i], " twice, wanted each load dimension once");
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
  const size_t nodes_;
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
