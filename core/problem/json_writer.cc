// WriteJson: an Instance in our own JSON, without a loss.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/problem/formats.h"
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

ordered_json Matrix(const std::vector<double>& matrix, size_t nodes) {
  ordered_json rows = ordered_json::array();
  for (size_t i = 0; i < nodes; ++i) {
    const auto start = matrix.begin() + static_cast<std::ptrdiff_t>(i * nodes);
    rows.push_back(Values({start, start + static_cast<std::ptrdiff_t>(nodes)}));
  }
  return rows;
}

ordered_json Vehicle(const VehicleType& vehicle) {
  ordered_json object = ordered_json::object();
  if (!vehicle.id.empty()) object["id"] = vehicle.id;
  if (vehicle.count != 0) object["count"] = vehicle.count;
  if (vehicle.depot != 0) object["depot"] = vehicle.depot;
  if (vehicle.capacity != kNoLimit) object["capacity"] = Value(vehicle.capacity);
  if (vehicle.max_duration != kNoLimit) object["max_duration"] = Value(vehicle.max_duration);
  if (vehicle.max_distance != kNoLimit) object["max_distance"] = Value(vehicle.max_distance);
  if (vehicle.open_end) object["open_end"] = true;
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
  for (const VehicleType& vehicle : data.vehicles) root["vehicles"].push_back(Vehicle(vehicle));
}

bool HasDefaultIds(const InstanceData& data) {
  for (size_t i = 0; i < data.ids.size(); ++i) {
    if (data.ids[i] != std::to_string(i)) return false;
  }
  return true;
}

void AddNodes(const InstanceData& data, ordered_json& root) {
  if (!HasDefaultIds(data)) root["ids"] = data.ids;
  for (const Position& position : data.positions) {
    root["coords"].push_back({Value(position.x), Value(position.y)});
  }
  const size_t nodes = data.ids.size();
  if (!data.distance_matrix.empty()) root["distance_matrix"] = Matrix(data.distance_matrix, nodes);
  if (!data.duration_matrix.empty()) root["duration_matrix"] = Matrix(data.duration_matrix, nodes);
  if (data.kind != ProblemKind::kTsp) root["demands"] = Values(data.demands);
  if (!data.backhauls.empty()) root["backhauls"] = Values(data.backhauls);
  for (const TimeWindow& window : data.windows) {
    root["time_windows"].push_back({Value(window.open), Value(window.close)});
  }
  if (!data.services.empty()) root["service"] = Values(data.services);
}

}  // namespace

std::string WriteJson(const Instance& instance) {
  const InstanceData& data = instance.data();
  ordered_json root = ordered_json::object();
  root["name"] = data.name;
  root["kind"] = KindName(data.kind);
  if (data.metric != Metric::kExact) root["metric"] = MetricName(data.metric);
  if (data.num_depots != 1) root["num_depots"] = data.num_depots;
  if (data.speed != 1) root["speed"] = Value(data.speed);
  AddVehicles(data, root);
  AddNodes(data, root);
  // As in the public random sets; the depot's window says the same.
  if (data.num_depots == 1 && !data.windows.empty() && data.windows.front().close != kNoLimit) {
    root["horizon"] = Value(data.windows.front().close);
  }
  if (data.reference_cost.has_value()) root["ref_cost"] = Value(*data.reference_cost);
  return root.dump();
}

}  // namespace vrp
