#include "core/problem/formats/json/json_writer.h"

#include <cmath>
#include <type_traits>
#include <utility>

#include "core/problem/instance/choices.h"
#include "core/problem/instance/fields.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

using nlohmann::ordered_json;

constexpr double kExactIntegers = 9007199254740992;  // 2^53; doubles below hold every integer

// Returns the shortest form that reads back to the same double: 5 rather than 5.0. Returns null for
// no limit.
ordered_json NumberJson(double value) {
  if (std::isinf(value)) return nullptr;
  const bool integer = value == std::floor(value) && std::abs(value) < kExactIntegers;
  if (integer && !(value == 0 && std::signbit(value))) return static_cast<int64_t>(value);
  return value;
}

ordered_json NumbersJson(const std::vector<double>& values) {
  ordered_json array = ordered_json::array();
  for (const double value : values) array.push_back(NumberJson(value));
  return array;
}

// Returns an array of `size` rows.
ordered_json MatrixJson(const std::vector<double>& matrix, size_t size) {
  ordered_json rows = ordered_json::array();
  for (size_t i = 0; i < size; ++i) {
    const auto start = matrix.begin() + static_cast<std::ptrdiff_t>(i * size);
    rows.push_back(NumbersJson({start, start + static_cast<std::ptrdiff_t>(size)}));
  }
  return rows;
}

// Returns [open, close], followed by the cost of lateness if the window is soft.
ordered_json WindowJson(const TimeWindow& window) {
  ordered_json array = {NumberJson(window.open), NumberJson(window.close)};
  if (window.soft()) array.push_back(NumberJson(window.late_cost));
  return array;
}

// Returns a vehicle, a shipment, a rule, a break, driving rules, a compartment, a timed matrix or a
// balance. Omits keys whose value is the default.
template <typename Object>
ordered_json PartJson(const Object& object, size_t matrix_size);

// Returns the JSON value of a field that is not per node.
template <FieldKind kKind, typename Value>
ordered_json ValueJson(const Value& value, size_t matrix_size) {
  if constexpr (kKind == FieldKind::kHardWindow) {
    return WindowJson(value);
  } else if constexpr (kKind == FieldKind::kChoice) {
    return ChoiceName(value);
  } else if constexpr (kKind == FieldKind::kDistances || kKind == FieldKind::kDurations) {
    return MatrixJson(value, matrix_size);
  } else if constexpr (kKind == FieldKind::kMaxLoads) {
    const bool is_number = value.size() == 1 && value.front() != kNoLimit;
    return is_number ? NumberJson(value.front()) : NumbersJson(value);
  } else if constexpr (kKind == FieldKind::kLoads || kKind == FieldKind::kInitialLoad) {
    return value.size() == 1 ? NumberJson(value.front()) : NumbersJson(value);
  } else if constexpr (kKind == FieldKind::kReference) {
    return NumberJson(*value);
  } else if constexpr (kKind == FieldKind::kBalance) {
    return PartJson(*value, matrix_size);
  } else if constexpr (kKind == FieldKind::kFurtherWindows) {
    ordered_json array = ordered_json::array();
    for (const TimeWindow& window : value) array.push_back(WindowJson(window));
    return array;
  } else if constexpr (kKind == FieldKind::kBreaks || kKind == FieldKind::kCustomerTimes ||
                       kKind == FieldKind::kCompartments || kKind == FieldKind::kShipments ||
                       kKind == FieldKind::kVehicles || kKind == FieldKind::kRules ||
                       kKind == FieldKind::kTimedDurations) {
    ordered_json array = ordered_json::array();
    for (const auto& part : value) array.push_back(PartJson(part, matrix_size));
    return array;
  } else if constexpr (kKind == FieldKind::kDrivingRules) {
    return PartJson(value, matrix_size);
  } else if constexpr (std::is_same_v<Value, double>) {
    return NumberJson(value);
  } else {
    return value;
  }
}

// Whether the reader requires the key.
constexpr bool IsRequired(FieldKind kind) {
  return kind == FieldKind::kCustomer || kind == FieldKind::kLoads || kind == FieldKind::kTime ||
         kind == FieldKind::kChoice;
}

// Returns the capacities of all load dimensions.
ordered_json CapacitiesJson(const VehicleType& vehicle, const std::vector<double>& further) {
  ordered_json array = NumbersJson(further);
  array.insert(array.begin(), NumberJson(vehicle.capacity));
  return array;
}

template <typename Object>
ordered_json PartJson(const Object& object, size_t matrix_size) {
  const Object default_object;
  ordered_json part = ordered_json::object();
  ForEachField(object, [&](auto field, const auto& value) {
    constexpr FieldKind kKind = decltype(field)::kKind;
    if (value == default_object.*field.member && !IsRequired(kKind)) return;
    ordered_json& target = part[std::string(field.json)];
    if constexpr (kKind == FieldKind::kFurtherCapacities) {
      target = CapacitiesJson(object, value);
    } else {
      target = ValueJson<kKind>(value, matrix_size);
    }
  });
  return part;
}

bool HasDefaultIds(const InstanceData& data) {
  for (size_t i = 0; i < data.ids.size(); ++i) {
    if (data.ids[i] != std::to_string(i)) return false;
  }
  return true;
}

class InstanceJson {
 public:
  explicit InstanceJson(const InstanceData& data)
      : data_(data), matrix_size_(static_cast<size_t>(MatrixSize(data))) {}

  std::string Run() && {
    ForEachField(data_, [&](auto field, const auto& value) {
      if (field.json.empty()) return;
      const std::string key(field.json);
      if constexpr (decltype(field)::kPerNode) {
        AddNodes<decltype(field)::kKind>(key, value);
      } else {
        AddField(field, key, value);
      }
    });
    AddHorizon();
    return root_.dump();
  }

 private:
  template <typename Field>
  void AddField(const Field& field, const std::string& key, const typename Field::Value& value) {
    if constexpr (Field::kKind == FieldKind::kVehicles) {
      if (AddCapacity()) return;
    }
    if constexpr (Field::kKind == FieldKind::kColumns) {
      for (const FeatureColumn& column : value)
        root_[key][column.name] = NumbersJson(column.values);
    } else if constexpr (Field::kKind != FieldKind::kUnits) {
      const bool always =
          Field::kKind == FieldKind::kName || std::is_same_v<typename Field::Value, ProblemKind>;
      if (!always && value == field.Default()) return;
      root_[key] = ValueJson<Field::kKind>(value, matrix_size_);
    }
  }

  // Adds the capacity if the only vehicle type states nothing else. Returns whether it was added.
  bool AddCapacity() {
    if (data_.vehicles.size() != 1 || data_.vehicles.front().capacity == kNoLimit) return false;
    VehicleType plain;
    plain.capacity = data_.vehicles.front().capacity;
    if (data_.vehicles.front() != plain) return false;
    root_["capacity"] = NumberJson(plain.capacity);
    return true;
  }

  template <FieldKind kKind, typename Value>
  void AddNodes(const std::string& key, const std::vector<Value>& values) {
    if (values.empty()) return;
    if constexpr (kKind == FieldKind::kName) {
      if (!HasDefaultIds(data_)) root_[key] = values;
    } else if constexpr (kKind == FieldKind::kPosition) {
      for (const Position& position : values) {
        root_[key].push_back({NumberJson(position.x), NumberJson(position.y)});
      }
    } else if constexpr (kKind == FieldKind::kLoad) {
      if (data_.kind != ProblemKind::kTsp) root_[key] = LoadsJson(values);
    } else if constexpr (kKind == FieldKind::kWindow) {
      for (size_t node = 0; node < values.size(); ++node) {
        root_[key].push_back(NodeWindowsJson(node));
      }
    } else if constexpr (std::is_same_v<Value, double>) {
      root_[key] = NumbersJson(values);
    } else if constexpr (kKind != FieldKind::kFurtherWindows) {  // written with the first windows
      root_[key] = values;
    }
  }

  // Returns a number for each node, or a row for each node if there are several load dimensions.
  ordered_json LoadsJson(const std::vector<double>& loads) const {
    if (data_.load_dimensions == 1) return NumbersJson(loads);
    const std::ptrdiff_t columns = data_.load_dimensions;
    ordered_json rows = ordered_json::array();
    for (auto row = loads.begin(); row != loads.end(); row += columns) {
      rows.push_back(NumbersJson({row, row + columns}));
    }
    return rows;
  }

  // Returns a window, or an array if the node has several.
  ordered_json NodeWindowsJson(size_t node) const {
    ordered_json entry = WindowJson(data_.windows[node]);
    if (data_.further_windows.empty() || data_.further_windows[node].empty()) return entry;
    entry = ordered_json::array({std::move(entry)});
    for (const TimeWindow& window : data_.further_windows[node]) {
      entry.push_back(WindowJson(window));
    }
    return entry;
  }

  // Repeats the depot's close, as the public random sets do.
  void AddHorizon() {
    if (data_.num_depots != 1 || data_.windows.empty()) return;
    const double close = data_.windows.front().close;
    if (close != kNoLimit) root_["horizon"] = NumberJson(close);
  }

  const InstanceData& data_;
  const size_t matrix_size_;
  ordered_json root_ = ordered_json::object();
};

}  // namespace

std::string WriteJson(const Instance& instance) { return InstanceJson(instance.data()).Run(); }

}  // namespace vrp
