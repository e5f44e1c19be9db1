#include "core/problem/formats/json/json_reader.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/json/json_fields.h"
#include "core/problem/formats/json/json_parts.h"
#include "core/problem/formats/text/reader_support.h"

namespace vrp {
namespace {

using nlohmann::json;

class JsonReader {
 public:
  JsonReader(const json& object, std::string_view source, const MatrixSource* matrices)
      : fields_(object, source), source_(source), matrices_(matrices) {}

  absl::StatusOr<Instance> Run() && {
    VRP_RETURN_IF_ERROR(ReadNames());
    VRP_RETURN_IF_ERROR(ReadGeometry());
    VRP_RETURN_IF_ERROR(ReadLoads());
    VRP_RETURN_IF_ERROR(ReadTimes());
    VRP_RETURN_IF_ERROR(ReadWindows());
    VRP_RETURN_IF_ERROR(ReadRequests());
    VRP_RETURN_IF_ERROR(ReadVehicles());
    VRP_RETURN_IF_ERROR(ReadFeatures());
    VRP_RETURN_IF_ERROR(ReadReference());
    VRP_RETURN_IF_ERROR(fields_.RefuseOthers());
    return FinishInstance(std::move(data_), source_);
  }

 private:
  absl::Status ReadNames() {
    VRP_ASSIGN_OR_RETURN(std::optional<std::string> name, fields_.String("name"));
    if (name.has_value()) data_.name = *std::move(name);
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> kind, fields_.String("kind"));
    if (!kind.has_value()) {
      return fields_.Error("kind",
                           "absent, wanted tsp, cvrp or vrptw (VROOM's input has jobs or "
                           "shipments instead)");
    }
    const std::optional<ProblemKind> known_kind = KindFromName(*kind);
    if (!known_kind.has_value()) {
      return fields_.Error("kind", "got ", Quoted(*kind), ", wanted tsp, cvrp or vrptw");
    }
    data_.kind = *known_kind;
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> metric, fields_.String("metric"));
    if (metric.has_value()) {
      const std::optional<Metric> known_metric = MetricFromName(*metric);
      if (!known_metric.has_value()) {
        return fields_.Error("metric", "got ", Quoted(*metric),
                             ", wanted exact, cvrplib, ceil, dimacs or scaled1000");
      }
      data_.metric = *known_metric;
    }
    return ReadObjective();
  }

  absl::Status ReadObjective() {
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> objective, fields_.String("objective"));
    if (!objective.has_value()) return absl::OkStatus();
    const std::optional<Objective> known = ObjectiveFromName(*objective);
    if (!known.has_value()) {
      return fields_.Error("objective", "got ", Quoted(*objective),
                           ", wanted distance, vehicles_then_distance, duration or cost");
    }
    data_.objective = *known;
    return absl::OkStatus();
  }

  absl::Status ReadCoordinates() {
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> system, fields_.String("coordinates"));
    if (system.has_value() && *system != "planar" && *system != "lon_lat") {
      return fields_.Error("coordinates", "got ", Quoted(*system), ", wanted planar or lon_lat");
    }
    if (system == "lon_lat") data_.coordinates = CoordinateSystem::kLonLat;
    return absl::OkStatus();
  }

  absl::Status ReadGeometry() {
    VRP_RETURN_IF_ERROR(ReadCoordinates());
    VRP_ASSIGN_OR_RETURN(const std::vector<double> coords, fields_.Rows("coords", 2));
    for (size_t i = 0; i < coords.size(); i += 2) {
      data_.positions.push_back({coords[i], coords[i + 1]});
    }
    VRP_ASSIGN_OR_RETURN(data_.matrix_rows, fields_.Integers("matrix_rows"));
    const bool any_size = !data_.matrix_rows.empty();
    const MatrixKeys keys{matrices_, any_size ? 0 : data_.positions.size()};
    VRP_RETURN_IF_ERROR(keys.Read(fields_, data_.distance_matrix, data_.duration_matrix));
    if (data_.positions.empty() && data_.distance_matrix.empty()) {
      return fields_.Error("coords", "absent or empty, and no distance_matrix either");
    }
    nodes_ = data_.positions.size();
    if (nodes_ == 0) nodes_ = data_.matrix_rows.size();
    if (nodes_ == 0) nodes_ = static_cast<size_t>(std::sqrt(data_.distance_matrix.size()));
    VRP_ASSIGN_OR_RETURN(const std::optional<double> speed, fields_.Number("speed"));
    data_.speed = speed.value_or(1);
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> depots, fields_.Integer("num_depots"));
    data_.num_depots = depots.value_or(1);
    return absl::OkStatus();
  }

  absl::Status ReadLoads() {
    VRP_ASSIGN_OR_RETURN(data_.ids, fields_.Strings("ids"));
    VRP_ASSIGN_OR_RETURN(const size_t columns, fields_.Columns("demands"));
    if (columns == 0 && data_.kind != ProblemKind::kTsp) {
      return fields_.Error("demands", "absent or empty, wanted a number for each node");
    }
    const size_t dimensions = std::max<size_t>(1, columns);
    data_.load_dimensions = static_cast<int32_t>(dimensions);
    VRP_ASSIGN_OR_RETURN(data_.demands, fields_.Table("demands", dimensions));
    VRP_ASSIGN_OR_RETURN(data_.backhauls, fields_.Table("backhauls", dimensions));
    VRP_ASSIGN_OR_RETURN(data_.pickups, fields_.Table("pickups", dimensions));
    return absl::OkStatus();
  }

  absl::Status ReadTimes() {
    VRP_ASSIGN_OR_RETURN(data_.services, OneForAll("service"));
    VRP_ASSIGN_OR_RETURN(data_.setups, OneForAll("setup"));
    VRP_ASSIGN_OR_RETURN(data_.releases, OneForAll("release"));
    return absl::OkStatus();
  }

  // An array with a number for each node, or one number for all customers.
  absl::StatusOr<std::vector<double>> OneForAll(const std::string& key) {
    const json* value = fields_.Find(key);
    if (value == nullptr) return std::vector<double>();
    if (value->is_array()) return fields_.Numbers(key);
    VRP_ASSIGN_OR_RETURN(const std::optional<double> same, fields_.Number(key));
    std::vector<double> values(nodes_, *same);
    const auto depots = static_cast<size_t>(data_.num_depots);
    for (size_t i = 0; i < std::min(depots, nodes_); ++i) values[i] = 0;
    return values;
  }

  absl::Status ReadRequests() {
    VRP_ASSIGN_OR_RETURN(data_.required_skills, fields_.StringLists("required_skills"));
    VRP_ASSIGN_OR_RETURN(data_.prizes, fields_.Numbers("prizes", kNoLimit));
    VRP_ASSIGN_OR_RETURN(data_.priorities, fields_.Integers("priorities"));
    VRP_ASSIGN_OR_RETURN(data_.alternative_groups, fields_.IntegerLists("alternative_groups"));
    const json* shipments = fields_.Find("shipments");
    if (shipments == nullptr) return absl::OkStatus();
    if (!shipments->is_array()) {
      return fields_.Error("shipments", "got ", Shown(*shipments), ", wanted an array");
    }
    for (const json& shipment : *shipments) {
      const std::string place = Concat(source_, ": shipments[", data_.shipments.size(), "]");
      VRP_ASSIGN_OR_RETURN(Shipment read, ShipmentFromJson(shipment, place));
      data_.shipments.push_back(std::move(read));
    }
    return absl::OkStatus();
  }

  // [[open, close], ...]; a node's entry may be an array of windows.
  absl::Status ReadNodeWindows() {
    const json* windows = fields_.Find("time_windows");
    if (windows == nullptr) return absl::OkStatus();
    if (!windows->is_array()) {
      return fields_.Error("time_windows", "got ", Shown(*windows), ", wanted an array");
    }
    for (const json& entry : *windows) {
      const size_t node = data_.windows.size();
      const std::string place = Concat(source_, ": time_windows[", node, "]");
      VRP_ASSIGN_OR_RETURN(const std::vector<TimeWindow> read, WindowsFromJson(entry, place));
      data_.windows.push_back(read.front());
      if (read.size() == 1) continue;
      data_.further_windows.resize(windows->size());
      data_.further_windows[node].assign(read.begin() + 1, read.end());
    }
    return absl::OkStatus();
  }

  absl::Status ReadWindows() {
    VRP_RETURN_IF_ERROR(ReadNodeWindows());
    VRP_ASSIGN_OR_RETURN(const std::optional<double> horizon, fields_.Number("horizon"));
    if (!horizon.has_value()) return absl::OkStatus();
    if (data_.windows.empty()) {
      return fields_.Error("horizon", "given, but there are no time_windows");
    }
    if (*horizon < 0 || *horizon > kMaxMagnitude) {
      return fields_.Error("horizon", "got ", FormatNumber(*horizon), ", wanted 0 to ",
                           FormatNumber(kMaxMagnitude));
    }
    const auto depots = static_cast<size_t>(data_.num_depots);
    for (size_t i = 0; i < std::min(depots, data_.windows.size()); ++i) {
      double& close = data_.windows[i].close;
      // An end beyond the limit stays, so that it is refused for itself.
      if (close <= kMaxMagnitude || close == kNoLimit) close = std::min(close, *horizon);
    }
    return absl::OkStatus();
  }

  absl::Status ReadVehicles() {
    VRP_ASSIGN_OR_RETURN(const std::optional<double> capacity, fields_.Number("capacity"));
    const json* vehicles = fields_.Find("vehicles");
    if (vehicles == nullptr) {
      if (capacity.has_value()) data_.vehicles = {{.id = {}, .capacity = *capacity}};
      if (capacity.has_value() || data_.kind == ProblemKind::kTsp) return absl::OkStatus();
      return fields_.Error("capacity", "absent, and no vehicles either");
    }
    if (capacity.has_value()) {
      return fields_.Error("capacity", "given, and vehicles too; wanted one of them");
    }
    if (!vehicles->is_array() || vehicles->size() > kMaxVehicles) {
      return fields_.Error("vehicles", "got ", Shown(*vehicles), ", wanted an array of at most ",
                           kMaxVehicles, " objects");
    }
    for (const json& vehicle : *vehicles) {
      VRP_ASSIGN_OR_RETURN(
          VehicleType read,
          VehicleFromJson(vehicle, Concat(source_, ": vehicles[", data_.vehicles.size(), "]"),
                          {matrices_, nodes_}));
      data_.vehicles.push_back(std::move(read));
    }
    if (fields_.Find("objective") == nullptr && AnyStatesACost(*vehicles)) {
      data_.objective = Objective::kCost;
    }
    return absl::OkStatus();
  }

  // As in messages: who states what vehicles cost wants it to count.
  static bool AnyStatesACost(const json& vehicles) {
    constexpr std::string_view kCosts[] = {"fixed_cost", "cost_per_distance", "cost_per_time",
                                           "overtime_cost"};
    return std::any_of(vehicles.begin(), vehicles.end(), [&](const json& vehicle) {
      return std::any_of(std::begin(kCosts), std::end(kCosts),
                         [&](std::string_view key) { return vehicle.contains(key); });
    });
  }

  absl::Status ReadFeatures() {
    const json* features = fields_.Find("features");
    if (features == nullptr) return absl::OkStatus();
    if (!features->is_object()) {
      return fields_.Error("features", "got ", Shown(*features),
                           ", wanted an object with an array of numbers for each column");
    }
    JsonFields columns(*features, Concat(source_, ": features"));
    for (const auto& [name, unused] : features->items()) {
      VRP_ASSIGN_OR_RETURN(std::vector<double> values, columns.Numbers(name));
      data_.features.push_back({.name = name, .values = std::move(values)});
    }
    return absl::OkStatus();
  }

  // ref_routes and ref_by are for people and tests; their form is checked, their content is not
  // used.
  absl::Status ReadReference() {
    VRP_ASSIGN_OR_RETURN(data_.reference_cost, fields_.Number("ref_cost"));
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> by, fields_.String("ref_by"));
    const json* routes = fields_.Find("ref_routes");
    if (routes == nullptr) return absl::OkStatus();
    if (!routes->is_array()) {
      return fields_.Error("ref_routes", "got ", Shown(*routes), ", wanted an array");
    }
    for (size_t r = 0; r < routes->size(); ++r) {
      if (!(*routes)[r].is_array()) {
        return fields_.Error(Concat("ref_routes[", r, "]"), "got ", Shown((*routes)[r]),
                             ", wanted an array");
      }
      for (const json& node : (*routes)[r]) {
        if (node.is_number_unsigned() && node.get<uint64_t>() < nodes_) continue;
        return fields_.Error(Concat("ref_routes[", r, "]"), "got ", Shown(node),
                             ", wanted a node from 0 to ", nodes_ - 1);
      }
    }
    return absl::OkStatus();
  }

  JsonFields fields_;
  std::string_view source_;
  const MatrixSource* matrices_;
  size_t nodes_ = 0;
  InstanceData data_;
};

}  // namespace

absl::StatusOr<Instance> InstanceFromJson(const json& root, std::string_view name,
                                          const MatrixSource* matrices) {
  return JsonReader(root, name, matrices).Run();
}

}  // namespace vrp
