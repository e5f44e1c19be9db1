#include "core/problem/formats/vroom/vroom_travel.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Largest number of entries of all matrices of an instance together: 4 GB.
constexpr double kMaxMatrixEntries = 5e8;
// Largest number of nodes whose matrices always have a row for each node, the form that the search
// reads fastest. With more nodes, up to kMaxMatrixNodes, matrices have this form only if on average
// at most kMaxNodesPerLocation nodes share a location. Otherwise they have a row for each location.
constexpr size_t kMaxExpandedNodes = 2'000;
constexpr size_t kMaxNodesPerLocation = 4;

bool HasSetup(const VroomTask& task) { return task.setup != 0 || !task.setup_per_type.empty(); }

}  // namespace

template <typename... Parts>
absl::Status VroomTravel::Error(const Parts&... parts) const {
  return absl::InvalidArgumentError(Concat(source_, ": ", parts...));
}

absl::Status VroomTravel::Check() {
  same_matrices_ = HaveSameMatrices();
  if (!NeedsMatrices()) return absl::OkStatus();
  if (by_matrix()) {
    const int32_t rows = input_.matrices.at(input_.vehicles.front().profile).size;
    if (rows > kMaxMatrixNodes) {
      return Error("matrices: ", rows, " rows exceed the limit of ", kMaxMatrixNodes);
    }
  }
  FindRows();
  if (row_nodes_.size() > kMaxMatrixNodes) {
    const std::string_view cause = by_matrix() ? "matrices: "
                                   : HasOpenStart()
                                       ? "vehicles: with a vehicle without a start, "
                                       : "vehicles: with a speed_factor other than 1, ";
    return Error(cause, row_nodes_.size(), " locations exceed the limit of ", kMaxMatrixNodes);
  }
  const auto locations = static_cast<double>(row_nodes_.size());
  const bool has_lengths = std::ranges::any_of(
      input_.vehicles, [this](const VroomVehicle& vehicle) { return LimitsLength(vehicle); });
  const auto kept =
      (has_lengths ? 3.0 : 2.0) * static_cast<double>(same_matrices_ ? 1 : groups_.size());
  if (locations * locations * kept <= kMaxMatrixEntries) return absl::OkStatus();
  return Error(
      "vehicles: ", groups_.size(), " types with matrices of ", row_nodes_.size(),
      " locations exceed the limit of ", FormatNumber(kMaxMatrixEntries),
      " matrix entries; wanted fewer locations, or vehicles of the same profile, speed_factor and "
      "costs");
}

bool VroomTravel::HasOpenStart() const {
  return std::any_of(nodes_.starts.begin(), nodes_.starts.end(),
                     [&](NodeIndex at) { return IsOpenStart(static_cast<size_t>(at)); });
}

bool VroomTravel::NeedsMatrices() const {
  return by_matrix() || HasOpenStart() ||
         std::any_of(groups_.begin(), groups_.end(), [&](const auto& group) {
           return input_.vehicles[group.front()].speed_factor != 1;
         });
}

void VroomTravel::FindRows() {
  std::map<std::pair<double, double>, int32_t> known;  // by row in the file, or by coordinates
  for (size_t node = 0; node < num_nodes(); ++node) {
    const VroomLocation& location = nodes_.locations[node];
    std::pair<double, double> key = {kNoLimit, kNoLimit};  // for an open start
    if (!IsOpenStart(node) && by_matrix()) key = {*location.index, 0};
    if (!IsOpenStart(node) && !by_matrix()) key = {location.position->x, location.position->y};
    const auto [found, added] = known.emplace(key, static_cast<int32_t>(row_nodes_.size()));
    if (added) row_nodes_.push_back(node);
    rows_.push_back(found->second);
  }
  const bool are_shared =
      num_nodes() > kMaxMatrixNodes || num_nodes() > kMaxNodesPerLocation * row_nodes_.size();
  if (num_nodes() > kMaxExpandedNodes && are_shared) return;
  rows_.clear();
  row_nodes_.resize(num_nodes());
  std::iota(row_nodes_.begin(), row_nodes_.end(), size_t{0});
}

bool VroomTravel::HaveSameMatrices() const {
  const VroomVehicle& first = input_.vehicles[groups_.front().front()];
  return std::all_of(groups_.begin(), groups_.end(), [&](const auto& group) {
    const VroomVehicle& other = input_.vehicles[group.front()];
    if (!by_matrix()) return other.speed_factor == first.speed_factor;
    return other.profile == first.profile && other.speed_factor == first.speed_factor &&
           other.cost_per_hour == first.cost_per_hour && other.cost_per_km == first.cost_per_km &&
           CostsByDuration(other) == CostsByDuration(first) &&
           SplitsCosts(other) == SplitsCosts(first);
  });
}

bool VroomTravel::CostsByDuration(const VroomVehicle& vehicle) const {
  if (!by_matrix()) return false;
  const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
  return vehicle.max_distance != kNoLimit && vehicle.cost_per_km == 0 && matrices.costs.empty() &&
         !matrices.distances.empty() && HasOnlyTravelTime();
}

bool VroomTravel::SplitsCosts(const VroomVehicle& vehicle) const {
  if (!by_matrix() || vehicle.max_distance == kNoLimit || CostsByDuration(vehicle)) return false;
  const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
  const bool by_distance = vehicle.cost_per_km != 0 && vehicle.cost_per_hour == 0;
  return !by_distance && matrices.costs.empty() && !matrices.distances.empty();
}

bool VroomTravel::LimitsLength(const VroomVehicle& vehicle) const {
  if (!by_matrix() || vehicle.max_distance == kNoLimit) return false;
  const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
  return !matrices.costs.empty() && !matrices.distances.empty();
}

bool VroomTravel::HasOnlyTravelTime() const {
  return std::all_of(input_.vehicles.begin(), input_.vehicles.end(),
                     [](const VroomVehicle& vehicle) { return vehicle.breaks.empty(); }) &&
         std::all_of(input_.tasks.begin(), input_.tasks.end(), [](const VroomTask& task) {
           return task.service == 0 && task.service_per_type.empty() && !HasSetup(task) &&
                  task.windows.empty();
         });
}

double VroomTravel::TimeFromOpenStart() const {
  return std::any_of(input_.tasks.begin(), input_.tasks.end(), HasSetup) ? kFromOpenStart : 0;
}

absl::Status VroomTravel::SetTravel(const InstanceData& data, int32_t number,
                                    VehicleType& type) const {
  const VroomVehicle& vehicle = input_.vehicles[number];
  if (by_matrix()) {
    VRP_RETURN_IF_ERROR(SetByMatrix(vehicle, number, type));
  } else {
    SetByPosition(data, vehicle, number, type);
  }
  return CheckTravel(vehicle, number, type);
}

absl::Status VroomTravel::CheckTravel(const VroomVehicle& vehicle, int32_t number,
                                      const VehicleType& type) const {
  const auto exceeds = [](const std::vector<double>& matrix) {
    return std::any_of(matrix.begin(), matrix.end(),
                       [](double value) { return !(value <= kMaxMagnitude); });
  };
  const std::string path = VroomVehiclePath(static_cast<size_t>(number));
  const bool has_both_costs = vehicle.cost_per_km != 0 && vehicle.cost_per_hour != 0;
  if (exceeds(type.duration_matrix) || !(type.cost_per_distance <= kMaxMagnitude) ||
      (!has_both_costs && exceeds(type.distance_matrix))) {
    return Error(path, ".speed_factor: got ", FormatNumber(vehicle.speed_factor),
                 ", with which travel times or their costs exceed the limit ",
                 FormatNumber(kMaxMagnitude));
  }
  if (!exceeds(type.distance_matrix)) return absl::OkStatus();
  return Error(path, ".costs: the costs of travel exceed the limit ", FormatNumber(kMaxMagnitude));
}

absl::Status VroomTravel::SetByMatrix(const VroomVehicle& vehicle, int32_t number,
                                      VehicleType& type) const {
  const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
  const std::string path = VroomVehiclePath(static_cast<size_t>(number));
  if (vehicle.cost_per_km != 0 && matrices.distances.empty()) {
    return Error(path, ".costs.per_km: given, but profile ", Quoted(vehicle.profile),
                 " has no distances; wanted distances in its matrices");
  }
  const bool other_costs = vehicle.cost_per_hour != kSecondsPerHour || vehicle.cost_per_km != 0;
  if (!matrices.costs.empty() && other_costs) {
    return Error(path, ".costs: given, and a matrix of costs too; wanted one of them");
  }
  if (CostsByDuration(vehicle)) {
    SetByDuration(vehicle, number, type);
    return absl::OkStatus();
  }
  if (SplitsCosts(vehicle)) {
    SetBothCosts(vehicle, number, type);
    return absl::OkStatus();
  }
  const bool by_time = matrices.costs.empty() && vehicle.cost_per_km == 0;
  const bool by_distance = matrices.costs.empty() && !by_time && vehicle.cost_per_hour == 0;
  if (HasMatrices(number)) SetMatrices(vehicle, type);
  if (by_time) type.cost_per_distance = vehicle.cost_per_hour / kSecondsPerHour;
  if (by_distance) type.cost_per_distance = vehicle.cost_per_km / kMetresPerKilometre;
  if (by_time) type.max_distance = vehicle.max_travel_time;
  if (by_distance) type.max_distance = vehicle.max_distance;
  if (!by_time) type.driving_rules.max_driving = vehicle.max_travel_time;
  if (LimitsLength(vehicle)) type.max_distance = vehicle.max_distance;
  if (by_distance || vehicle.max_distance == kNoLimit || LimitsLength(vehicle)) {
    return absl::OkStatus();
  }
  return Error(path, ".max_distance: given, but profile ", Quoted(vehicle.profile),
               " has no distances; wanted distances in its matrices");
}

void VroomTravel::SetByDuration(const VroomVehicle& vehicle, int32_t number,
                                VehicleType& type) const {
  const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
  const auto size = static_cast<size_t>(matrices.size);
  if (HasMatrices(number)) {
    type.duration_matrix = Selected(matrices.durations, size, 1 / vehicle.speed_factor);
    type.distance_matrix = Selected(matrices.distances, size, 1);
  }
  type.cost_per_distance = 0;
  type.cost_per_time = vehicle.cost_per_hour / kSecondsPerHour;
  type.max_distance = vehicle.max_distance;
  type.max_duration = vehicle.max_travel_time;
}

void VroomTravel::SetBothCosts(const VroomVehicle& vehicle, int32_t number,
                               VehicleType& type) const {
  const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
  const auto size = static_cast<size_t>(matrices.size);
  if (HasMatrices(number)) {
    type.duration_matrix =
        Selected(matrices.durations, size, 1 / vehicle.speed_factor, TimeFromOpenStart());
    type.distance_matrix = Selected(matrices.distances, size, 1);
  }
  type.cost_per_distance = vehicle.cost_per_km / kMetresPerKilometre;
  type.cost_per_travel_time = vehicle.cost_per_hour / kSecondsPerHour;
  type.max_distance = vehicle.max_distance;
  type.driving_rules.max_driving = vehicle.max_travel_time;
}

void VroomTravel::SetMatrices(const VroomVehicle& vehicle, VehicleType& type) const {
  const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
  const auto size = static_cast<size_t>(matrices.size);
  type.duration_matrix =
      Selected(matrices.durations, size, 1 / vehicle.speed_factor, TimeFromOpenStart());
  if (!matrices.costs.empty()) {
    type.distance_matrix = Selected(matrices.costs, size, 1);
    const auto limits_length = [this](const VroomVehicle& other) { return LimitsLength(other); };
    if (same_matrices_ ? std::ranges::any_of(input_.vehicles, limits_length)
                       : LimitsLength(vehicle)) {
      type.length_matrix = Selected(matrices.distances, size, 1);
    }
  } else if (vehicle.cost_per_km == 0 && same_matrices_) {
    // The instance derives durations from distances; at speed 1, both are equal.
    type.distance_matrix = std::move(type.duration_matrix);
    type.duration_matrix.clear();
  } else if (vehicle.cost_per_km == 0) {
    type.distance_matrix = type.duration_matrix;
  } else {
    type.distance_matrix = Selected(matrices.distances, size, 1);
    if (vehicle.cost_per_hour == 0) return;
    for (size_t i = 0; i < type.distance_matrix.size(); ++i) {
      type.distance_matrix[i] =
          type.distance_matrix[i] * vehicle.cost_per_km / kMetresPerKilometre +
          type.duration_matrix[i] * vehicle.cost_per_hour / kSecondsPerHour;
    }
  }
}

std::vector<double> VroomTravel::Selected(const std::vector<double>& matrix, size_t size,
                                          double factor, double from_open_start) const {
  std::vector<double> selected;
  selected.reserve(row_nodes_.size() * row_nodes_.size());
  for (const size_t from : row_nodes_) {
    for (const size_t to : row_nodes_) {
      if (IsOpenStart(to)) {
        selected.push_back(0);
      } else {
        selected.push_back(IsOpenStart(from) ? from_open_start
                                             : factor * matrix[Row(from) * size + Row(to)]);
      }
    }
  }
  return selected;
}

// Uses great-circle distances at constant speed.
void VroomTravel::SetByPosition(const InstanceData& data, const VroomVehicle& vehicle,
                                int32_t number, VehicleType& type) const {
  const double speed = kVroomSpeed * vehicle.speed_factor;
  type.cost_per_distance =
      vehicle.cost_per_hour / kSecondsPerHour / speed + vehicle.cost_per_km / kMetresPerKilometre;
  const double by_time = vehicle.max_travel_time * speed;
  type.max_distance = std::min(vehicle.max_distance,
                               by_time == kNoLimit ? kNoLimit : std::min(by_time, kMaxMagnitude));
  const bool has_open_start = HasOpenStart();
  const double from_open_start = TimeFromOpenStart();
  if (!HasMatrices(number) || (vehicle.speed_factor == 1 && !has_open_start)) return;
  for (const size_t from : row_nodes_) {
    for (const size_t to : row_nodes_) {
      const bool is_trip = !IsOpenStart(from) && !IsOpenStart(to);
      const double metres =
          is_trip ? GreatCircleDistance(data.metric, data.positions[from], data.positions[to]) : 0;
      if (has_open_start) type.distance_matrix.push_back(metres);
      const bool leaves_open_start = IsOpenStart(from) && !IsOpenStart(to);
      type.duration_matrix.push_back(leaves_open_start ? from_open_start : metres / speed);
    }
  }
}

void VroomTravel::ShareMatrices(InstanceData& data) const {
  data.matrix_rows = rows_;
  if (same_matrices_) {
    VehicleType& first = data.vehicles.front();
    data.distance_matrix = std::exchange(first.distance_matrix, {});
    data.duration_matrix = std::exchange(first.duration_matrix, {});
    data.length_matrix = std::exchange(first.length_matrix, {});
    return;
  }
  for (const auto matrix : {&VehicleType::distance_matrix, &VehicleType::duration_matrix}) {
    auto& common =
        matrix == &VehicleType::distance_matrix ? data.distance_matrix : data.duration_matrix;
    const auto& first = data.vehicles.front().*matrix;
    const bool same = std::all_of(data.vehicles.begin(), data.vehicles.end(),
                                  [&](const auto& type) { return type.*matrix == first; });
    if (same || by_matrix()) common = first;
    for (VehicleType& type : data.vehicles) {
      if (same) (type.*matrix).clear();
    }
  }
}

}  // namespace vrp
