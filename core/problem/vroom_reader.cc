#include "core/problem/vroom_reader.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/reader_support.h"
#include "core/problem/vroom_paths.h"

namespace vrp {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kMetresPerKilometre = 1000;

bool AnyNotZero(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return value != 0; });
}

class Reader {
 public:
  Reader(VroomInput input, std::string_view source)
      : input_(std::move(input)),
        source_(source),
        groups_(VroomVehicleGroups(input_)),
        paths_(input_, groups_, nodes_) {}

  absl::StatusOr<Instance> Run() && {
    FindDepots();
    VRP_RETURN_IF_ERROR(CheckPlaces());
    VRP_RETURN_IF_ERROR(CheckNowhere());
    VRP_RETURN_IF_ERROR(CheckAmounts());
    VRP_RETURN_IF_ERROR(CheckSteps());
    AddTasks();
    AddShipments();
    for (const std::vector<int32_t>& group : groups_) VRP_RETURN_IF_ERROR(AddType(group));
    ShareMatrices();
    const bool priced = std::any_of(data_.vehicles.begin(), data_.vehicles.end(), [](auto& type) {
      return type.fixed_cost != 0 || type.cost_per_distance != 1;
    });
    data_.objective = priced ? Objective::kCost : Objective::kDistance;
    absl::StatusOr<Instance> instance = FinishInstance(std::move(data_), source_);
    if (instance.ok()) return instance;
    return absl::InvalidArgumentError(paths_.ByTheFile(FromAbsl(instance.status().message())));
  }

 private:
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(source_, ": ", parts...));
  }

  bool by_matrix() const { return !input_.matrices.empty(); }
  size_t num_nodes() const { return nodes_.places.size(); }

  NodeIndex DepotAt(const VroomLocation& location) {
    const auto found = std::find(nodes_.places.begin(), nodes_.places.end(), location);
    const auto depot = static_cast<NodeIndex>(found - nodes_.places.begin());
    if (found == nodes_.places.end()) nodes_.places.push_back(location);
    return depot;
  }

  void FindDepots() {
    for (const VroomVehicle& vehicle : input_.vehicles) {
      nodes_.starts.push_back(DepotAt(vehicle.start));
      nodes_.ends.push_back(vehicle.end.has_value() ? DepotAt(*vehicle.end) : nodes_.starts.back());
    }
    nodes_.depots = static_cast<int32_t>(nodes_.places.size());
    data_.num_depots = nodes_.depots;
    for (const VroomTask& task : input_.tasks) nodes_.places.push_back(task.location);
  }

  absl::Status CheckPlaces() const {
    int32_t size = 0;
    for (const auto& [profile, matrices] : input_.matrices) size = std::max(size, matrices.size);
    for (size_t node = 0; node < nodes_.places.size(); ++node) {
      const VroomLocation& place = nodes_.places[node];
      if (place.absent()) continue;
      if (by_matrix() && (!place.index.has_value() || *place.index >= size)) {
        return Error(paths_.Place(node),
                     "_index: ", place.index.has_value() ? Concat("got ", *place.index) : "absent",
                     ", wanted a row of the matrices: 0 to ", size - 1);
      }
      if (!by_matrix() && !place.position.has_value()) {
        return Error(paths_.Place(node), ": absent, and there are no matrices");
      }
    }
    for (int32_t v = 0; by_matrix() && v < std::ssize(input_.vehicles); ++v) {
      const auto matrices = input_.matrices.find(input_.vehicles[v].profile);
      if (matrices == input_.matrices.end() || matrices->second.size != size) {
        return Error(VroomPaths::Vehicle(v), ".profile: ", Quoted(input_.vehicles[v].profile),
                     " has no matrices of ", size, " rows");
      }
    }
    return absl::OkStatus();
  }

  // Where vehicles start that start with their first task: a depot from which all is 0 away.
  bool IsNowhere(size_t node) const {
    return node < static_cast<size_t>(data_.num_depots) && nodes_.places[node].absent();
  }

  // A setup is due where a vehicle comes from elsewhere, which 0 away is not.
  absl::Status CheckNowhere() const {
    const auto nowhere =
        std::find_if(nodes_.places.begin(), nodes_.places.begin() + data_.num_depots,
                     [](const VroomLocation& place) { return place.absent(); });
    if (nowhere == nodes_.places.begin() + data_.num_depots) return absl::OkStatus();
    const std::string path = paths_.Place(static_cast<size_t>(nowhere - nodes_.places.begin()));
    if (std::any_of(input_.tasks.begin(), input_.tasks.end(),
                    [](const VroomTask& task) { return task.setup != 0; })) {
      return Error(path, ": absent: with setup times, routes that start with a task are not ",
                   "supported yet");
    }
    return absl::OkStatus();
  }

  // All amounts that are given have the same number of dimensions.
  absl::Status CheckAmounts() {
    size_t dimensions = 0;
    std::string first;
    const auto check = [&](const std::vector<double>& amounts, const std::string& path) {
      if (amounts.empty() || amounts.size() == dimensions) return absl::OkStatus();
      if (dimensions != 0) {
        return Error(path, ": has ", amounts.size(), " dimensions, wanted ", dimensions, " as in ",
                     first);
      }
      dimensions = amounts.size();
      first = path;
      return absl::OkStatus();
    };
    for (int32_t v = 0; v < std::ssize(input_.vehicles); ++v) {
      VRP_RETURN_IF_ERROR(check(input_.vehicles[v].capacity, VroomPaths::Vehicle(v) + ".capacity"));
    }
    for (size_t t = 0; t < input_.tasks.size(); ++t) {
      const VroomTask& task = input_.tasks[t];
      VRP_RETURN_IF_ERROR(check(task.delivery, paths_.Task(t) + ".delivery"));
      VRP_RETURN_IF_ERROR(check(task.pickup, paths_.Task(t) + ".pickup"));
      VRP_RETURN_IF_ERROR(check(task.amount, paths_.Task(t) + ".amount"));
    }
    data_.load_dimensions = static_cast<int32_t>(std::max<size_t>(1, dimensions));
    return absl::OkStatus();
  }

  absl::Status CheckSteps() const {
    std::set<std::pair<VroomTaskType, int64_t>> known;
    for (const VroomTask& task : input_.tasks) known.emplace(task.type, task.id);
    for (int32_t v = 0; v < std::ssize(input_.vehicles); ++v) {
      for (const VroomStep& step : input_.vehicles[v].steps) {
        if (known.contains({step.type, step.id})) continue;
        return Error(VroomPaths::Vehicle(v), ".steps: got the id ", step.id,
                     ", which is no task's");
      }
    }
    return absl::OkStatus();
  }

  // A column is dropped again where no task asks for it.
  void AddTasks() {
    const size_t nodes = num_nodes();
    const auto dimensions = static_cast<size_t>(data_.load_dimensions);
    data_.demands.assign(nodes * dimensions, 0);
    data_.pickups.assign(nodes * dimensions, 0);
    data_.windows.assign(nodes, {});
    data_.further_windows.assign(nodes, {});
    data_.services.assign(nodes, 0);
    data_.setups.assign(nodes, 0);
    data_.required_skills.assign(nodes, {});
    data_.priorities.assign(nodes, 0);
    bool any_window = false, any_further = false, any_skill = false, any_priority = false;
    for (size_t node = 0; node < static_cast<size_t>(data_.num_depots); ++node) {
      data_.ids.push_back(Concat("depot:", node));
    }
    for (auto node = static_cast<size_t>(data_.num_depots); node < nodes; ++node) {
      const VroomTask& task = input_.tasks[node - static_cast<size_t>(data_.num_depots)];
      constexpr std::string_view kTypes[] = {"job:", "pickup:", "delivery:"};
      data_.ids.push_back(Concat(kTypes[static_cast<size_t>(task.type)], task.id));
      std::copy(task.delivery.begin(), task.delivery.end(),
                data_.demands.begin() + static_cast<std::ptrdiff_t>(node * dimensions));
      std::copy(task.pickup.begin(), task.pickup.end(),
                data_.pickups.begin() + static_cast<std::ptrdiff_t>(node * dimensions));
      if (!task.windows.empty()) {
        data_.windows[node] = task.windows.front();
        data_.further_windows[node].assign(task.windows.begin() + 1, task.windows.end());
      }
      data_.services[node] = task.service;
      data_.setups[node] = task.setup;
      data_.required_skills[node] = task.skills;
      data_.priorities[node] = task.priority;
      any_window = any_window || !task.windows.empty();
      any_further = any_further || task.windows.size() > 1;
      any_skill = any_skill || !task.skills.empty();
      any_priority = any_priority || task.priority != 0;
    }
    data_.kind = any_window ? ProblemKind::kVrptw : ProblemKind::kCvrp;
    if (!AnyNotZero(data_.pickups)) data_.pickups.clear();
    if (!any_window) data_.windows.clear();
    if (!any_further) data_.further_windows.clear();
    if (!AnyNotZero(data_.services)) data_.services.clear();
    if (!AnyNotZero(data_.setups)) data_.setups.clear();
    if (!any_skill) data_.required_skills.clear();
    if (!any_priority) data_.priorities.clear();
    data_.units.seconds_per_time = 1;
    if (by_matrix()) return;
    data_.units.metres_per_distance = 1;
    data_.coordinates = CoordinateSystem::kLonLat;
    data_.speed = kVroomSpeed;
    // Nowhere is drawn where the first task is; no distance is from there.
    const Position anywhere = *input_.tasks.front().location.position;
    for (const VroomLocation& place : nodes_.places) {
      data_.positions.push_back(place.position.value_or(anywhere));
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
    VRP_RETURN_IF_ERROR(by_matrix() ? PriceByMatrix(vehicle, first, type)
                                    : PriceByPlace(vehicle, type));
    data_.vehicles.push_back(std::move(type));
    return absl::OkStatus();
  }

  size_t Row(size_t node) const { return static_cast<size_t>(*nodes_.places[node].index); }

  // Rows and columns of the nodes, times `factor`.
  std::vector<double> Expanded(const std::vector<double>& matrix, size_t size,
                               double factor) const {
    std::vector<double> expanded;
    expanded.reserve(num_nodes() * num_nodes());
    for (size_t from = 0; from < num_nodes(); ++from) {
      for (size_t to = 0; to < num_nodes(); ++to) {
        const bool way = !IsNowhere(from) && !IsNowhere(to);
        expanded.push_back(way ? factor * matrix[Row(from) * size + Row(to)] : 0);
      }
    }
    return expanded;
  }

  // VROOM's costs are those of travel alone, so they are the type's distances: seconds where only
  // time costs, metres where only distance does, else their price.
  absl::Status PriceByMatrix(const VroomVehicle& vehicle, int32_t number, VehicleType& type) const {
    const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
    const auto size = static_cast<size_t>(matrices.size);
    type.duration_matrix = Expanded(matrices.durations, size, 1 / vehicle.speed_factor);
    const std::string path = VroomPaths::Vehicle(number);
    if (vehicle.cost_per_km != 0 && matrices.distances.empty()) {
      return Error(path, ".costs.per_km: given, but profile ", Quoted(vehicle.profile),
                   " has no distances");
    }
    bool limits_time = false, limits_distance = false;
    if (!matrices.costs.empty()) {
      if (vehicle.cost_per_hour != kSecondsPerHour || vehicle.cost_per_km != 0) {
        return Error(path, ".costs: given, and a matrix of costs too; wanted one of them");
      }
      type.distance_matrix = Expanded(matrices.costs, size, 1);
    } else if (vehicle.cost_per_km == 0) {
      type.distance_matrix = type.duration_matrix;
      type.cost_per_distance = vehicle.cost_per_hour / kSecondsPerHour;
      limits_time = true;
    } else {
      type.distance_matrix = Expanded(matrices.distances, size, 1);
      type.cost_per_distance = vehicle.cost_per_km / kMetresPerKilometre;
      limits_distance = vehicle.cost_per_hour == 0;
      if (!limits_distance) PriceBoth(vehicle, type);
    }
    if (limits_time) type.max_distance = vehicle.max_travel_time;
    if (limits_distance) type.max_distance = vehicle.max_distance;
    if (!limits_time && vehicle.max_travel_time != kNoLimit) {
      return Error(path, ".max_travel_time: supported where travel time alone costs");
    }
    if (!limits_distance && vehicle.max_distance != kNoLimit) {
      return Error(path, ".max_distance: supported where distance alone costs");
    }
    return absl::OkStatus();
  }

  static void PriceBoth(const VroomVehicle& vehicle, VehicleType& type) {
    for (size_t i = 0; i < type.distance_matrix.size(); ++i) {
      type.distance_matrix[i] =
          type.distance_matrix[i] * vehicle.cost_per_km / kMetresPerKilometre +
          type.duration_matrix[i] * vehicle.cost_per_hour / kSecondsPerHour;
    }
    type.cost_per_distance = 1;
  }

  // As the crow flies, where seconds are metres by another unit.
  absl::Status PriceByPlace(const VroomVehicle& vehicle, VehicleType& type) const {
    const double speed = kVroomSpeed * vehicle.speed_factor;
    type.cost_per_distance =
        vehicle.cost_per_hour / kSecondsPerHour / speed + vehicle.cost_per_km / kMetresPerKilometre;
    type.max_distance = std::min(vehicle.max_distance, vehicle.max_travel_time * speed);
    const bool nowhere = std::any_of(nodes_.starts.begin(), nodes_.starts.end(),
                                     [&](auto at) { return IsNowhere(static_cast<size_t>(at)); });
    if (vehicle.speed_factor == 1 && !nowhere) return absl::OkStatus();
    if (num_nodes() > static_cast<size_t>(kMaxMatrixNodes)) {
      return Error(
          nowhere ? "vehicles: one without a start" : "vehicles: a speed_factor other than 1",
          " needs at most ", kMaxMatrixNodes, " places, got ", num_nodes());
    }
    for (size_t from = 0; from < num_nodes(); ++from) {
      for (size_t to = 0; to < num_nodes(); ++to) {
        const double metres = MetresAsTheCrowFlies(from, to);
        if (nowhere) type.distance_matrix.push_back(metres);
        type.duration_matrix.push_back(metres / speed);
      }
    }
    return absl::OkStatus();
  }

  double MetresAsTheCrowFlies(size_t from, size_t to) const {
    if (IsNowhere(from) || IsNowhere(to)) return 0;
    return GreatCircleDistance(data_.metric, data_.positions[from], data_.positions[to]);
  }

  // Matrices that all types share are the instance's own.
  void ShareMatrices() {
    for (const auto matrix : {&VehicleType::distance_matrix, &VehicleType::duration_matrix}) {
      auto& common =
          matrix == &VehicleType::distance_matrix ? data_.distance_matrix : data_.duration_matrix;
      const auto& first = data_.vehicles.front().*matrix;
      const bool same = std::all_of(data_.vehicles.begin(), data_.vehicles.end(),
                                    [&](const auto& type) { return type.*matrix == first; });
      if (same || by_matrix()) common = first;
      for (VehicleType& type : data_.vehicles) {
        if (same) (type.*matrix).clear();
      }
    }
  }

  const VroomInput input_;
  const std::string_view source_;
  const std::vector<std::vector<int32_t>> groups_;
  VroomNodes nodes_;
  const VroomPaths paths_;
  InstanceData data_;
};

}  // namespace

absl::StatusOr<Instance> InstanceFromVroom(VroomInput input, std::string_view name) {
  return Reader(std::move(input), name).Run();
}

}  // namespace vrp
