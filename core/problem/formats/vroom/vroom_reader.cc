#include "core/problem/formats/vroom/vroom_reader.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/text/reader_support.h"
#include "core/problem/formats/vroom/vroom_parser.h"
#include "core/problem/formats/vroom/vroom_paths.h"
#include "core/problem/formats/vroom/vroom_rules.h"
#include "core/problem/formats/vroom/vroom_travel.h"
#include "core/problem/instance/fields.h"
#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

class VroomInstanceBuilder {
 public:
  VroomInstanceBuilder(VroomInput input, std::string_view source)
      : input_(std::move(input)),
        source_(source),
        groups_(VroomVehicleGroups(input_)),
        paths_(input_, nodes_),
        travel_(input_, groups_, nodes_, source) {}

  absl::StatusOr<Instance> Run() && {
    VRP_RETURN_IF_ERROR(CheckValues());
    if (groups_.empty())
      return Error("vehicles: max_tasks is 0 for all, wanted at least 1 for one of them");
    FindDepots();
    VRP_RETURN_IF_ERROR(CheckCounts());
    VRP_RETURN_IF_ERROR(CheckLocations());
    VRP_RETURN_IF_ERROR(CheckAmounts());
    VRP_RETURN_IF_ERROR(CheckSteps());
    VRP_RETURN_IF_ERROR(travel_.Check());
    AddNodes();
    AddShipments();
    for (const std::vector<int32_t>& group : groups_) VRP_RETURN_IF_ERROR(AddType(group));
    travel_.ShareMatrices(data_);
    const bool has_costs =
        std::any_of(data_.vehicles.begin(), data_.vehicles.end(), [](auto& type) {
          return type.fixed_cost != 0 || type.cost_per_distance != 1 || type.cost_per_time != 0 ||
                 type.cost_per_service_time != 0 || type.cost_per_travel_time != 0;
        });
    data_.objective = has_costs ? Objective::kCost : Objective::kDistance;
    return FinishInstance(std::move(data_), source_);
  }

 private:
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(source_, ": ", parts...));
  }

  absl::Status CheckValues() const {
    std::string lines;
    for (const std::string& error : VroomErrors(input_)) {
      lines += Concat(lines.empty() ? "" : "\n", source_, ": ", error);
    }
    return lines.empty() ? absl::OkStatus() : absl::InvalidArgumentError(lines);
  }

  bool by_matrix() const { return !input_.matrices.empty(); }
  size_t num_nodes() const { return nodes_.locations.size(); }

  NodeIndex DepotAt(const VroomLocation& location) {
    const auto found = std::find(nodes_.locations.begin(), nodes_.locations.end(), location);
    const auto depot = static_cast<NodeIndex>(found - nodes_.locations.begin());
    if (found == nodes_.locations.end()) nodes_.locations.push_back(location);
    return depot;
  }

  void FindDepots() {
    for (const VroomVehicle& vehicle : input_.vehicles) {
      nodes_.starts.push_back(DepotAt(vehicle.start));
      nodes_.ends.push_back(vehicle.end.has_value() ? DepotAt(*vehicle.end) : nodes_.starts.back());
    }
    nodes_.depots = static_cast<int32_t>(nodes_.locations.size());
    data_.num_depots = nodes_.depots;
    for (const VroomTask& task : input_.tasks) nodes_.locations.push_back(task.location);
  }

  absl::Status CheckCounts() const {
    if (input_.vehicles.size() > kMaxVehicles) {
      return Error("vehicles: ", input_.vehicles.size(), " vehicles exceed the limit of ",
                   kMaxVehicles);
    }
    if (num_nodes() <= kMaxNodes) return absl::OkStatus();
    return Error(input_.num_jobs > 0 ? "jobs" : "shipments", ": ", num_nodes(),
                 " tasks and locations of vehicles exceed the limit of ", kMaxNodes);
  }

  absl::Status CheckLocations() const {
    int32_t size = 0;
    for (const auto& [profile, matrices] : input_.matrices) size = std::max(size, matrices.size);
    for (size_t node = 0; node < nodes_.locations.size(); ++node) {
      const VroomLocation& location = nodes_.locations[node];
      const bool is_depot = std::cmp_less(node, nodes_.depots);
      if (is_depot && location.absent()) continue;  // an open start
      if (by_matrix() && (!location.index.has_value() || *location.index >= size)) {
        return Error(paths_.LocationPath(node), "_index: ",
                     location.index.has_value() ? Concat("got ", *location.index) : "absent",
                     ", wanted a row of the matrices: 0 to ", size - 1);
      }
      if (!by_matrix() && !location.position.has_value()) {
        return Error(paths_.LocationPath(node),
                     ": absent, wanted [longitude, latitude], since there are no matrices");
      }
    }
    for (int32_t v = 0; by_matrix() && v < std::ssize(input_.vehicles); ++v) {
      const auto matrices = input_.matrices.find(input_.vehicles[v].profile);
      if (matrices == input_.matrices.end() || matrices->second.size != size) {
        return Error(VroomVehiclePath(static_cast<size_t>(v)), ".profile: got ",
                     Quoted(input_.vehicles[v].profile), ", which has no matrices of ", size,
                     " rows; wanted a key of `matrices` with such matrices");
      }
    }
    return absl::OkStatus();
  }

  // Refuses amounts with different numbers of dimensions.
  absl::Status CheckAmounts() {
    size_t dimensions = 0;
    std::string first;
    const auto check = [&](const std::vector<double>& amounts, const std::string& path) {
      if (amounts.empty() || amounts.size() == dimensions) return absl::OkStatus();
      if (dimensions != 0) {
        return Error(path, ": has ", amounts.size(), " dimensions, wanted ", dimensions, " as in ",
                     first);
      }
      if (amounts.size() > kMaxLoadDimensions) {
        return Error(path, ": has ", amounts.size(), " entries, wanted at most ",
                     kMaxLoadDimensions);
      }
      dimensions = amounts.size();
      first = path;
      return absl::OkStatus();
    };
    for (int32_t v = 0; v < std::ssize(input_.vehicles); ++v) {
      VRP_RETURN_IF_ERROR(check(input_.vehicles[v].capacity,
                                VroomVehiclePath(static_cast<size_t>(v)) + ".capacity"));
      const std::vector<Break>& breaks = input_.vehicles[v].breaks;
      for (size_t b = 0; b < breaks.size(); ++b) {
        VRP_RETURN_IF_ERROR(check(breaks[b].max_load,
                                  Concat(VroomVehiclePath(static_cast<size_t>(v)), ".breaks[",
                                         input_.vehicles[v].break_names[b].index, "].max_load")));
      }
    }
    for (size_t t = 0; t < input_.tasks.size(); ++t) {
      const VroomTask& task = input_.tasks[t];
      VRP_RETURN_IF_ERROR(check(task.delivery, VroomDeliveryPath(input_, t)));
      VRP_RETURN_IF_ERROR(check(task.pickup, VroomTaskPath(input_, t) + ".pickup"));
      VRP_RETURN_IF_ERROR(check(task.amount, VroomRequestPath(input_, t) + ".amount"));
    }
    data_.load_dimensions = static_cast<int32_t>(std::max<size_t>(1, dimensions));
    return absl::OkStatus();
  }

  absl::Status CheckSteps() const {
    std::set<std::pair<VroomTaskType, int64_t>> known;
    for (const VroomTask& task : input_.tasks) known.emplace(task.type, task.id);
    for (int32_t v = 0; v < std::ssize(input_.vehicles); ++v) {
      for (const VroomStep& step : input_.vehicles[v].steps) {
        if (step.type != VroomStepType::kTask || known.contains({step.task, *step.id})) continue;
        return Error(VroomVehiclePath(static_cast<size_t>(v)), ".steps[", step.index, "].id: got ",
                     *step.id, ", wanted the id of a task");
      }
    }
    return absl::OkStatus();
  }

  void AddNodes() {
    const size_t nodes = num_nodes();
    ForEachNodeField(data_, [&](auto field, auto& values) {
      constexpr FieldKind kKind = decltype(field)::kKind;
      if constexpr (kKind == FieldKind::kName || kKind == FieldKind::kPosition) return;
      const bool is_load = kKind == FieldKind::kLoad;
      values.assign(nodes * (is_load ? Dimensions() : 1), field.Default());
    });
    const auto depots = static_cast<size_t>(data_.num_depots);
    for (size_t node = 0; node < depots; ++node) data_.ids.push_back(Concat("depot:", node));
    for (size_t node = depots; node < nodes; ++node) AddTask(node, input_.tasks[node - depots]);
    ClearUnusedFields();
    data_.kind = data_.windows.empty() ? ProblemKind::kCvrp : ProblemKind::kVrptw;
    AddPositions();
  }

  size_t Dimensions() const { return static_cast<size_t>(data_.load_dimensions); }

  void AddTask(size_t node, const VroomTask& task) {
    constexpr std::string_view kTypes[] = {"job:", "pickup:", "delivery:"};
    data_.ids.push_back(Concat(kTypes[static_cast<size_t>(task.type)], task.id));
    const auto first = static_cast<std::ptrdiff_t>(node * Dimensions());
    std::copy(task.delivery.begin(), task.delivery.end(), data_.demands.begin() + first);
    std::copy(task.pickup.begin(), task.pickup.end(), data_.pickups.begin() + first);
    if (!task.windows.empty()) {
      data_.windows[node] = task.windows.front();
      data_.further_windows[node].assign(task.windows.begin() + 1, task.windows.end());
    }
    data_.services[node] = task.service;
    data_.setups[node] = task.setup;
    data_.required_skills[node] = task.required_skills;
    data_.priorities[node] = task.priority;
  }

  // Clears the per-node fields that hold their default at every node.
  void ClearUnusedFields() {
    ForEachNodeField(data_, [&](auto field, auto& values) {
      constexpr FieldKind kKind = decltype(field)::kKind;
      if (kKind == FieldKind::kName || kKind == FieldKind::kPosition) return;
      const auto absent = field.Default();
      if (std::count(values.begin(), values.end(), absent) == std::ssize(values)) values.clear();
    });
  }

  void AddPositions() {
    data_.units.seconds_per_time = 1;
    if (by_matrix()) return;
    data_.units.metres_per_distance = 1;
    data_.coordinates = CoordinateSystem::kLonLat;
    data_.speed = kVroomSpeed;
    // The position of an open start is only for drawings; no distance depends on it.
    const Position placeholder = *input_.tasks.front().location.position;
    for (const VroomLocation& location : nodes_.locations) {
      data_.positions.push_back(location.position.value_or(placeholder));
    }
  }

  void AddShipments() {
    for (size_t t = 0; t + 1 < input_.tasks.size(); ++t) {
      const VroomTask& task = input_.tasks[t];
      if (task.type != VroomTaskType::kPickup) continue;
      std::vector<double> amounts = task.amount;
      amounts.resize(static_cast<size_t>(data_.load_dimensions), 0);
      const NodeIndex pickup = data_.num_depots + static_cast<NodeIndex>(t);
      data_.shipments.push_back({.id = Concat("shipment:", data_.shipments.size()),
                                 .pickup = pickup,
                                 .delivery = pickup + 1,
                                 .amounts = std::move(amounts)});
    }
  }

  absl::Status AddType(const std::vector<int32_t>& group) {
    const int32_t first = group.front();
    const VroomVehicle& vehicle = input_.vehicles[first];
    VehicleType type{.id = Concat(vehicle.id),
                     .count = static_cast<int32_t>(group.size()),
                     .depot = nodes_.starts[first],
                     .open_end = !vehicle.end.has_value(),
                     .shift = vehicle.window,
                     .fixed_cost = vehicle.fixed_cost,
                     .max_stops = vehicle.max_tasks,
                     .skills = vehicle.skills,
                     .breaks = vehicle.breaks};
    if (nodes_.ends[first] != nodes_.starts[first]) type.end_depot = nodes_.ends[first];
    if (!vehicle.capacity.empty()) {
      type.capacity = vehicle.capacity.front();
      type.further_capacities.assign(vehicle.capacity.begin() + 1, vehicle.capacity.end());
    }
    type.cost_per_service_time = vehicle.cost_per_task_hour / kSecondsPerHour;
    AddCustomerTimes(vehicle.type, type);
    VRP_RETURN_IF_ERROR(travel_.SetTravel(data_, first, type));
    data_.vehicles.push_back(std::move(type));
    return absl::OkStatus();
  }

  // Adds the times of tasks that depend on the vehicle's type.
  void AddCustomerTimes(const std::string& name, VehicleType& type) const {
    if (name.empty()) return;
    for (size_t t = 0; t < input_.tasks.size(); ++t) {
      const VroomTask& task = input_.tasks[t];
      const auto service = task.service_per_type.find(name);
      const auto setup = task.setup_per_type.find(name);
      CustomerTimes times = {.customer = data_.num_depots + static_cast<NodeIndex>(t)};
      if (service != task.service_per_type.end()) times.service = service->second;
      if (setup != task.setup_per_type.end()) times.setup = setup->second;
      if (times.service != kNoLimit || times.setup != kNoLimit)
        type.customer_times.push_back(times);
    }
  }

  const VroomInput input_;
  const std::string_view source_;
  const std::vector<std::vector<int32_t>> groups_;
  VroomNodes nodes_;
  const VroomPaths paths_;
  VroomTravel travel_;
  InstanceData data_;
};

}  // namespace

absl::StatusOr<Instance> InstanceFromVroom(const nlohmann::json& root, std::string_view name) {
  VRP_ASSIGN_OR_RETURN(VroomInput input, ReadVroomInput(root, name));
  return VroomInstanceBuilder(std::move(input), name).Run();
}

absl::StatusOr<Instance> ParseVroom(std::string_view text, std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const nlohmann::json root, ParseJsonText(text, name));
  return InstanceFromVroom(root, name);
}

}  // namespace vrp
