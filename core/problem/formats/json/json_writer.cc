#include "core/problem/formats/json/json_writer.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "nlohmann/json.hpp"

namespace vrp {
namespace {

using nlohmann::ordered_json;

constexpr double kExactIntegers = 9007199254740992;  // 2^53

// 5 rather than 5.0; all others in the shortest form that reads back to the same double. No limit
// is null.
ordered_json Value(double value) {
  if (std::isinf(value)) return nullptr;
  const bool integer = value == std::floor(value) && std::abs(value) < kExactIntegers;
  if (integer && !(value == 0 && std::signbit(value))) return static_cast<int64_t>(value);
  return value;
}

ordered_json Values(const std::vector<double>& values) {
  ordered_json array = ordered_json::array();
  for (const double value : values) array.push_back(Value(value));
  return array;
}

// `size` rows.
ordered_json Matrix(const std::vector<double>& matrix, size_t size) {
  ordered_json rows = ordered_json::array();
  for (size_t i = 0; i < size; ++i) {
    const auto start = matrix.begin() + static_cast<std::ptrdiff_t>(i * size);
    rows.push_back(Values({start, start + static_cast<std::ptrdiff_t>(size)}));
  }
  return rows;
}

// [open, close], and the cost of lateness where there is one.
ordered_json Window(const TimeWindow& window) {
  ordered_json array = {Value(window.open), Value(window.close)};
  if (window.soft()) array.push_back(Value(window.late_cost));
  return array;
}

// A number, or of several dimensions an array.
ordered_json Amounts(const std::vector<double>& amounts) {
  return amounts.size() == 1 ? Value(amounts.front()) : Values(amounts);
}

// Where it differs from what is usual.
template <typename T>
void Add(ordered_json& object, const char* key, const T& value, const T& usual) {
  if (value == usual) return;
  if constexpr (std::is_same_v<T, double>) {
    object[key] = Value(value);
  } else {
    object[key] = value;
  }
}

void AddBreaks(const VehicleType& vehicle, ordered_json& object) {
  for (const Break& pause : vehicle.breaks) {
    object["breaks"].push_back(
        {{"window", Window(pause.window)}, {"duration", Value(pause.duration)}});
  }
}

ordered_json Vehicle(const VehicleType& vehicle, size_t matrix_size) {
  const VehicleType usual;
  ordered_json object = ordered_json::object();
  Add(object, "id", vehicle.id, usual.id);
  Add(object, "count", vehicle.count, usual.count);
  Add(object, "depot", vehicle.depot, usual.depot);
  Add(object, "end_depot", vehicle.end_depot, usual.end_depot);
  if (vehicle.further_capacities.empty()) {
    Add(object, "capacity", vehicle.capacity, usual.capacity);
  } else {
    object["capacity"] = Values(vehicle.further_capacities);
    object["capacity"].insert(object["capacity"].begin(), Value(vehicle.capacity));
  }
  Add(object, "max_duration", vehicle.max_duration, usual.max_duration);
  Add(object, "max_distance", vehicle.max_distance, usual.max_distance);
  Add(object, "open_end", vehicle.open_end, usual.open_end);
  if (vehicle.shift != usual.shift) object["shift"] = Window(vehicle.shift);
  Add(object, "fixed_cost", vehicle.fixed_cost, usual.fixed_cost);
  Add(object, "cost_per_distance", vehicle.cost_per_distance, usual.cost_per_distance);
  Add(object, "cost_per_time", vehicle.cost_per_time, usual.cost_per_time);
  Add(object, "max_overtime", vehicle.max_overtime, usual.max_overtime);
  Add(object, "overtime_cost", vehicle.overtime_cost, usual.overtime_cost);
  Add(object, "max_stops", vehicle.max_stops, usual.max_stops);
  Add(object, "max_reloads", vehicle.max_reloads, usual.max_reloads);
  Add(object, "skills", vehicle.skills, usual.skills);
  AddBreaks(vehicle, object);
  if (!vehicle.distance_matrix.empty()) {
    object["distance_matrix"] = Matrix(vehicle.distance_matrix, matrix_size);
  }
  if (!vehicle.duration_matrix.empty()) {
    object["duration_matrix"] = Matrix(vehicle.duration_matrix, matrix_size);
  }
  return object;
}

void AddVehicles(const InstanceData& data, ordered_json& root) {
  if (data.vehicles.empty()) return;
  VehicleType plain;
  plain.capacity = data.vehicles.front().capacity;
  if (data.vehicles.size() == 1 && data.vehicles.front() == plain && plain.capacity != kNoLimit) {
    root["capacity"] = Value(plain.capacity);
    return;
  }
  const auto matrix_size = static_cast<size_t>(MatrixSize(data));
  for (const VehicleType& vehicle : data.vehicles) {
    root["vehicles"].push_back(Vehicle(vehicle, matrix_size));
  }
}

bool HasDefaultIds(const InstanceData& data) {
  for (size_t i = 0; i < data.ids.size(); ++i) {
    if (data.ids[i] != std::to_string(i)) return false;
  }
  return true;
}

// A number for each node, or of several dimensions a row.
ordered_json Loads(const InstanceData& data, const std::vector<double>& loads) {
  if (data.load_dimensions == 1) return Values(loads);
  const std::ptrdiff_t columns = data.load_dimensions;
  ordered_json rows = ordered_json::array();
  for (auto row = loads.begin(); row != loads.end(); row += columns) {
    rows.push_back(Values({row, row + columns}));
  }
  return rows;
}

void AddWindows(const InstanceData& data, ordered_json& root) {
  for (size_t node = 0; node < data.windows.size(); ++node) {
    ordered_json entry = Window(data.windows[node]);
    if (!data.further_windows.empty() && !data.further_windows[node].empty()) {
      entry = ordered_json::array({std::move(entry)});
      for (const TimeWindow& window : data.further_windows[node]) entry.push_back(Window(window));
    }
    root["time_windows"].push_back(std::move(entry));
  }
}

void AddRequests(const InstanceData& data, ordered_json& root) {
  for (const Shipment& shipment : data.shipments) {
    ordered_json object = ordered_json::object();
    if (!shipment.id.empty()) object["id"] = shipment.id;
    object["pickup"] = shipment.pickup;
    object["delivery"] = shipment.delivery;
    object["amount"] = Amounts(shipment.amounts);
    root["shipments"].push_back(std::move(object));
  }
  if (!data.alternative_groups.empty()) root["alternative_groups"] = data.alternative_groups;
}

void AddNodes(const InstanceData& data, ordered_json& root) {
  if (!HasDefaultIds(data)) root["ids"] = data.ids;
  for (const Position& position : data.positions) {
    root["coords"].push_back({Value(position.x), Value(position.y)});
  }
  const auto size = static_cast<size_t>(MatrixSize(data));
  if (!data.distance_matrix.empty()) root["distance_matrix"] = Matrix(data.distance_matrix, size);
  if (!data.duration_matrix.empty()) root["duration_matrix"] = Matrix(data.duration_matrix, size);
  if (!data.matrix_rows.empty()) root["matrix_rows"] = data.matrix_rows;
  if (data.kind != ProblemKind::kTsp) root["demands"] = Loads(data, data.demands);
  if (!data.backhauls.empty()) root["backhauls"] = Loads(data, data.backhauls);
  if (!data.pickups.empty()) root["pickups"] = Loads(data, data.pickups);
  AddWindows(data, root);
  if (!data.services.empty()) root["service"] = Values(data.services);
  if (!data.setups.empty()) root["setup"] = Values(data.setups);
  if (!data.releases.empty()) root["release"] = Values(data.releases);
  if (!data.required_skills.empty()) root["required_skills"] = data.required_skills;
  if (!data.prizes.empty()) root["prizes"] = Values(data.prizes);
  if (!data.priorities.empty()) root["priorities"] = data.priorities;
  for (const FeatureColumn& column : data.features) {
    root["features"][column.name] = Values(column.values);
  }
}

}  // namespace

std::string WriteJson(const Instance& instance) {
  const InstanceData& data = instance.data();
  ordered_json root = ordered_json::object();
  root["name"] = data.name;
  root["kind"] = KindName(data.kind);
  if (data.metric != Metric::kExact) root["metric"] = MetricName(data.metric);
  if (data.objective != Objective::kDistance) root["objective"] = ObjectiveName(data.objective);
  if (data.coordinates == CoordinateSystem::kLonLat) root["coordinates"] = "lon_lat";
  if (data.num_depots != 1) root["num_depots"] = data.num_depots;
  if (data.speed != 1) root["speed"] = Value(data.speed);
  AddVehicles(data, root);
  AddNodes(data, root);
  AddRequests(data, root);
  // As in the public random sets; the depot's window says the same.
  if (data.num_depots == 1 && !data.windows.empty() && data.windows.front().close != kNoLimit) {
    root["horizon"] = Value(data.windows.front().close);
  }
  if (data.reference_cost.has_value()) root["ref_cost"] = Value(*data.reference_cost);
  return root.dump();
}

}  // namespace vrp
