#include "core/problem/instance/instance_difference.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/problem/instance/field_errors.h"

namespace vrp {
namespace {

std::string Shown(double value) { return FormatNumber(value); }
std::string Shown(int32_t value) { return Concat(value); }
std::string Shown(bool value) { return value ? "true" : "false"; }
std::string Shown(const std::string& value) { return Quoted(value); }
std::string Shown(const Position& value) {
  return Concat("[", Shown(value.x), ", ", Shown(value.y), "]");
}
std::string Shown(const TimeWindow& value) {
  return Concat("[", Shown(value.open), ", ", Shown(value.close),
                value.soft() ? Concat(", late_cost ", Shown(value.late_cost)) : "", "]");
}
template <typename T>
std::string Shown(const std::vector<T>& values) {
  return Concat(values.size(), values.size() == 1 ? " entry" : " entries");
}

class Comparison {
 public:
  Comparison(const InstanceData& a, const InstanceData& b) : a_(a), b_(b) {}

  std::optional<std::string> Run() && {
    Field("kind", std::string(KindName(a_.kind)), std::string(KindName(b_.kind)));
    Field("metric", std::string(MetricName(a_.metric)), std::string(MetricName(b_.metric)));
    Field("objective", std::string(ObjectiveName(a_.objective)),
          std::string(ObjectiveName(b_.objective)));
    Field("coordinates", System(a_), System(b_));
    Field("num_depots", a_.num_depots, b_.num_depots);
    Nodes("id", a_.ids, b_.ids, std::string());
    Field("load_dimensions", a_.load_dimensions, b_.load_dimensions);
    Nodes("demand", a_.demands, b_.demands, 0.0);
    Nodes("backhaul", a_.backhauls, b_.backhauls, 0.0);
    Nodes("pickup", a_.pickups, b_.pickups, 0.0);
    Nodes("window", a_.windows, b_.windows, TimeWindow{});
    Nodes("further_windows", a_.further_windows, b_.further_windows, std::vector<TimeWindow>());
    Nodes("service", a_.services, b_.services, 0.0);
    Nodes("setup", a_.setups, b_.setups, 0.0);
    Nodes("release", a_.releases, b_.releases, 0.0);
    Nodes("required_skills", a_.required_skills, b_.required_skills, std::vector<std::string>());
    Nodes("prize", a_.prizes, b_.prizes, kNoLimit);
    Nodes("priority", a_.priorities, b_.priorities, int32_t{0});
    Shipments();
    Whole("alternative_groups", a_.alternative_groups, b_.alternative_groups);
    Vehicles();
    Field("speed", a_.speed, b_.speed);
    Nodes("position", a_.positions, b_.positions, Position{});
    Whole("distance_matrix", a_.distance_matrix, b_.distance_matrix);
    Whole("duration_matrix", a_.duration_matrix, b_.duration_matrix);
    Whole("matrix_rows", a_.matrix_rows, b_.matrix_rows);
    Features();
    return std::move(found_);
  }

 private:
  static std::string System(const InstanceData& data) {
    return data.coordinates == CoordinateSystem::kLonLat ? "lon_lat" : "planar";
  }

  template <typename T>
  void Field(const std::string& path, const T& a, const T& b) {
    if (!found_.has_value() && !(a == b)) found_ = Concat(path, ": ", Shown(a));
  }

  template <typename T>
  void Whole(const std::string& path, const std::vector<T>& a, const std::vector<T>& b) {
    Field(path, a, b);
  }

  // Per-node values, several to a node where loads have dimensions.
  template <typename T>
  void Nodes(std::string_view field, const std::vector<T>& a, const std::vector<T>& b,
             const T& otherwise) {
    const size_t size = std::max(a.size(), b.size());
    const size_t columns = std::max<size_t>(1, size / std::max<size_t>(1, a_.ids.size()));
    for (size_t i = 0; i < size && !found_.has_value(); ++i) {
      const T& left = i < a.size() ? a[i] : otherwise;
      const T& right = i < b.size() ? b[i] : otherwise;
      if (left == right) continue;
      found_ = Concat(NodePath(a_, i / columns).ToString(), ".", field, ": ", Shown(left));
    }
  }

  void Shipments() {
    for (size_t i = 0; i < std::min(a_.shipments.size(), b_.shipments.size()); ++i) {
      const std::string path = Concat("shipments[", i, "].");
      Field(path + "id", a_.shipments[i].id, b_.shipments[i].id);
      Field(path + "pickup", a_.shipments[i].pickup, b_.shipments[i].pickup);
      Field(path + "delivery", a_.shipments[i].delivery, b_.shipments[i].delivery);
      Field(path + "amount", a_.shipments[i].amounts, b_.shipments[i].amounts);
    }
    Field("shipments", static_cast<int32_t>(a_.shipments.size()),
          static_cast<int32_t>(b_.shipments.size()));
  }

  void Features() {
    for (const FeatureColumn& column : a_.features) {
      const auto& others = b_.features;
      if (found_.has_value() || std::count(others.begin(), others.end(), column) > 0) continue;
      found_ = Concat("features.", column.name, ": ", column.values.size(), " numbers");
    }
    Field("features", static_cast<int32_t>(a_.features.size()),
          static_cast<int32_t>(b_.features.size()));
  }

  void Vehicles() {
    for (size_t v = 0; v < std::min(a_.vehicles.size(), b_.vehicles.size()); ++v) {
      CompareVehicle(Concat("vehicles[", v, "]."), a_.vehicles[v], b_.vehicles[v]);
    }
    Field("vehicles", static_cast<int32_t>(a_.vehicles.size()),
          static_cast<int32_t>(b_.vehicles.size()));
  }

  void CompareVehicle(const std::string& path, const VehicleType& a, const VehicleType& b) {
    Field(path + "id", a.id, b.id);
    Field(path + "count", a.count, b.count);
    Field(path + "depot", a.depot, b.depot);
    Field(path + "capacity", a.capacity, b.capacity);
    Field(path + "max_duration", a.max_duration, b.max_duration);
    Field(path + "max_distance", a.max_distance, b.max_distance);
    Field(path + "open_end", a.open_end, b.open_end);
    Field(path + "end_depot", a.end(), b.end());
    Field(path + "capacity", a.further_capacities, b.further_capacities);
    Field(path + "shift", a.shift, b.shift);
    Field(path + "fixed_cost", a.fixed_cost, b.fixed_cost);
    Field(path + "cost_per_distance", a.cost_per_distance, b.cost_per_distance);
    Field(path + "cost_per_time", a.cost_per_time, b.cost_per_time);
    Field(path + "max_overtime", a.max_overtime, b.max_overtime);
    Field(path + "overtime_cost", a.overtime_cost, b.overtime_cost);
    Field(path + "max_stops", a.max_stops, b.max_stops);
    Field(path + "max_reloads", a.max_reloads, b.max_reloads);
    Whole(path + "skills", a.skills, b.skills);
    Whole(path + "breaks", a.breaks, b.breaks);
    Whole(path + "distance_matrix", a.distance_matrix, b.distance_matrix);
    Whole(path + "duration_matrix", a.duration_matrix, b.duration_matrix);
  }

  const InstanceData& a_;
  const InstanceData& b_;
  std::optional<std::string> found_;
};

}  // namespace

std::optional<std::string> FirstDifference(const InstanceData& a, const InstanceData& b) {
  return Comparison(a, b).Run();
}

}  // namespace vrp
