#include "core/problem/vroom_pricing.h"

#include <algorithm>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr double kMetresPerKilometre = 1000;
// Of all matrices of an instance together: 4 GB.
constexpr double kMostNumbers = 5e8;

}  // namespace

template <typename... Parts>
absl::Status VroomPricing::Error(const Parts&... parts) const {
  return absl::InvalidArgumentError(Concat(source_, ": ", parts...));
}

absl::Status VroomPricing::Check() {
  alike_ = AllAlike();
  if (!by_matrix()) return absl::OkStatus();
  const int32_t rows = input_.matrices.at(input_.vehicles.front().profile).size;
  if (rows > kMaxMatrixNodes) {
    return Error("matrices: ", rows, " rows exceed the limit of ", kMaxMatrixNodes);
  }
  const auto nodes = static_cast<double>(num_nodes());
  const auto kept = static_cast<double>(alike_ ? 2 : 2 * groups_.size());
  if (nodes <= kMaxExpandedNodes && nodes * nodes * kept <= kMostNumbers) return absl::OkStatus();
  return Error("jobs: ", input_.tasks.size(), " tasks, and ", groups_.size(),
               " types of vehicles: with matrices at most ", kMaxExpandedNodes,
               " tasks and depots are supported, and ", FormatNumber(kMostNumbers),
               " numbers for all types; wanted fewer tasks, or vehicles of the same profile, "
               "speed_factor and costs");
}

bool VroomPricing::AllAlike() const {
  const VroomVehicle& first = input_.vehicles[groups_.front().front()];
  return std::all_of(groups_.begin(), groups_.end(), [&](const auto& group) {
    const VroomVehicle& other = input_.vehicles[group.front()];
    return other.profile == first.profile && other.speed_factor == first.speed_factor &&
           other.cost_per_hour == first.cost_per_hour && other.cost_per_km == first.cost_per_km &&
           PaysByDuration(other) == PaysByDuration(first);
  });
}

bool VroomPricing::PaysByDuration(const VroomVehicle& vehicle) const {
  if (!by_matrix()) return false;
  const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
  return vehicle.max_distance != kNoLimit && vehicle.cost_per_km == 0 && matrices.costs.empty() &&
         !matrices.distances.empty() && TravelsOnly();
}

bool VroomPricing::TravelsOnly() const {
  return std::all_of(input_.vehicles.begin(), input_.vehicles.end(),
                     [](const VroomVehicle& vehicle) { return vehicle.breaks.empty(); }) &&
         std::all_of(input_.tasks.begin(), input_.tasks.end(), [](const VroomTask& task) {
           return task.service == 0 && task.setup == 0 && task.windows.empty();
         });
}

absl::Status VroomPricing::Price(const InstanceData& data, int32_t number,
                                 VehicleType& type) const {
  const VroomVehicle& vehicle = input_.vehicles[number];
  return by_matrix() ? ByMatrix(vehicle, number, type) : ByPlace(data, vehicle, type);
}

absl::Status VroomPricing::ByMatrix(const VroomVehicle& vehicle, int32_t number,
                                    VehicleType& type) const {
  const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
  const std::string path = VroomVehiclePath(static_cast<size_t>(number));
  if (vehicle.cost_per_km != 0 && matrices.distances.empty()) {
    return Error(path, ".costs.per_km: given, but profile ", Quoted(vehicle.profile),
                 " has no distances");
  }
  const bool other_costs = vehicle.cost_per_hour != kSecondsPerHour || vehicle.cost_per_km != 0;
  if (!matrices.costs.empty() && other_costs) {
    return Error(path, ".costs: given, and a matrix of costs too; wanted one of them");
  }
  if (PaysByDuration(vehicle)) {
    ByDuration(vehicle, number, type);
    return absl::OkStatus();
  }
  const bool by_time = matrices.costs.empty() && vehicle.cost_per_km == 0;
  const bool by_distance = matrices.costs.empty() && !by_time && vehicle.cost_per_hour == 0;
  if (HasMatrices(number)) SetMatrices(vehicle, type);
  if (by_time) type.cost_per_distance = vehicle.cost_per_hour / kSecondsPerHour;
  if (by_distance) type.cost_per_distance = vehicle.cost_per_km / kMetresPerKilometre;
  if (by_time) type.max_distance = vehicle.max_travel_time;
  if (by_distance) type.max_distance = vehicle.max_distance;
  if (!by_time && vehicle.max_travel_time != kNoLimit) {
    return Error(path, ".max_travel_time: supported where travel time alone costs");
  }
  if (!by_distance && vehicle.max_distance != kNoLimit) {
    return Error(path,
                 ".max_distance: supported where distance alone costs (costs.per_hour 0), or ",
                 "time alone, the matrices have distances, no task has service, setup or ",
                 "time_windows, and no vehicle breaks");
  }
  return absl::OkStatus();
}

void VroomPricing::ByDuration(const VroomVehicle& vehicle, int32_t number,
                              VehicleType& type) const {
  const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
  const auto size = static_cast<size_t>(matrices.size);
  if (HasMatrices(number)) {
    type.duration_matrix = Expanded(matrices.durations, size, 1 / vehicle.speed_factor);
    type.distance_matrix = Expanded(matrices.distances, size, 1);
  }
  type.cost_per_distance = 0;
  type.cost_per_time = vehicle.cost_per_hour / kSecondsPerHour;
  type.max_distance = vehicle.max_distance;
  type.max_duration = vehicle.max_travel_time;
}

void VroomPricing::SetMatrices(const VroomVehicle& vehicle, VehicleType& type) const {
  const VroomMatrices& matrices = input_.matrices.at(vehicle.profile);
  const auto size = static_cast<size_t>(matrices.size);
  type.duration_matrix = Expanded(matrices.durations, size, 1 / vehicle.speed_factor);
  if (!matrices.costs.empty()) {
    type.distance_matrix = Expanded(matrices.costs, size, 1);
  } else if (vehicle.cost_per_km == 0 && alike_) {
    type.distance_matrix = std::move(type.duration_matrix);  // the same: the speed is 1
    type.duration_matrix.clear();
  } else if (vehicle.cost_per_km == 0) {
    type.distance_matrix = type.duration_matrix;
  } else {
    type.distance_matrix = Expanded(matrices.distances, size, 1);
    if (vehicle.cost_per_hour == 0) return;
    for (size_t i = 0; i < type.distance_matrix.size(); ++i) {
      type.distance_matrix[i] =
          type.distance_matrix[i] * vehicle.cost_per_km / kMetresPerKilometre +
          type.duration_matrix[i] * vehicle.cost_per_hour / kSecondsPerHour;
    }
  }
}

std::vector<double> VroomPricing::Expanded(const std::vector<double>& matrix, size_t size,
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

// As the crow flies, where seconds are metres by another unit.
absl::Status VroomPricing::ByPlace(const InstanceData& data, const VroomVehicle& vehicle,
                                   VehicleType& type) const {
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
      const bool way = !IsNowhere(from) && !IsNowhere(to);
      const double metres =
          way ? GreatCircleDistance(data.metric, data.positions[from], data.positions[to]) : 0;
      if (nowhere) type.distance_matrix.push_back(metres);
      type.duration_matrix.push_back(metres / speed);
    }
  }
  return absl::OkStatus();
}

void VroomPricing::Share(InstanceData& data) const {
  if (alike_ && by_matrix()) {
    VehicleType& first = data.vehicles.front();
    data.distance_matrix = std::exchange(first.distance_matrix, {});
    data.duration_matrix = std::exchange(first.duration_matrix, {});
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
