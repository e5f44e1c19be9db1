#include "core/problem/formats/vrplib/vrplib_form.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/vrplib/vrplib_allowed.h"
#include "core/problem/formats/vrplib/vrplib_type.h"

namespace vrp {
namespace {

size_t CountCustomers(const InstanceData& data) {
  return data.ids.size() - static_cast<size_t>(data.num_depots);
}

bool IsSymmetric(const std::vector<double>& matrix, size_t nodes) {
  for (size_t i = 0; i < nodes && !matrix.empty(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (matrix[i * nodes + j] != matrix[j * nodes + i]) return false;
    }
  }
  return true;
}

bool HasNoLoads(const InstanceData& data) {
  return data.load_dimensions == 1 &&
         std::all_of(data.vehicles.begin(), data.vehicles.end(),
                     [](const VehicleType& vehicle) { return vehicle.capacity == kNoLimit; });
}

std::string_view TypeWithWindows(const InstanceData& data) {
  if (!data.shipments.empty()) return "PDPTW";
  if (!data.backhauls.empty()) return "VRPBTW";
  if (data.metric == Metric::kScaled1000) return "MDVRPTW";
  return data.pickups.empty() ? "VRPTW" : "VRPSPDTW";
}

void NameShipments(InstanceData& data) {
  std::sort(data.shipments.begin(), data.shipments.end(),
            [](const Shipment& a, const Shipment& b) { return a.pickup < b.pickup; });
  for (Shipment& shipment : data.shipments) {
    if (shipment.id.empty()) shipment.id = Concat(shipment.pickup + 1, "-", shipment.delivery + 1);
  }
}

void LimitCapacities(InstanceData& data) {
  const auto dimensions = static_cast<size_t>(data.load_dimensions);
  std::vector<double> total(dimensions, 0);
  for (const auto* loads : {&data.demands, &data.backhauls, &data.pickups}) {
    for (size_t i = 0; i < loads->size(); ++i) total[i % dimensions] += (*loads)[i];
  }
  for (const Shipment& shipment : data.shipments) {
    for (size_t k = 0; k < dimensions; ++k) total[k] += shipment.amounts[k];
  }
  // Rounds up, so that the capacity suffices for any order of adding the loads.
  for (double& load : total) load = std::floor(load) + 1;
  for (VehicleType& vehicle : data.vehicles) {
    if (vehicle.capacity == kNoLimit) vehicle.capacity = total[0];
    vehicle.further_capacities.resize(dimensions - 1, kNoLimit);
    for (size_t k = 1; k < dimensions; ++k) {
      double& capacity = vehicle.further_capacities[k - 1];
      if (capacity == kNoLimit) capacity = total[k];
    }
  }
}

// Merges consecutive equal vehicle types, as the reader merges rows of vehicles.
void MergeVehicles(VrplibForm& form) {
  std::vector<VehicleType> merged;
  std::vector<size_t> allowed;
  for (size_t type = 0; type < form.data.vehicles.size(); ++type) {
    VehicleType vehicle = std::move(form.data.vehicles[type]);
    if (!merged.empty() && allowed.back() == form.allowed.set_of_type[type]) {
      VehicleType& last = merged.back();
      const int32_t count = std::exchange(vehicle.count, last.count);
      if (last == vehicle && count <= kMaxVehicles - last.count) {
        last.count = count == 0 || last.count == 0 ? 0 : last.count + count;
        continue;
      }
      vehicle.count = count;
    }
    merged.push_back(std::move(vehicle));
    allowed.push_back(form.allowed.set_of_type[type]);
  }
  form.data.vehicles = std::move(merged);
  form.allowed.set_of_type = std::move(allowed);
}

}  // namespace

void LimitFleet(InstanceData& data) {
  for (VehicleType& vehicle : data.vehicles) {
    if (vehicle.count == 0) vehicle.count = static_cast<int32_t>(CountCustomers(data));
  }
}

std::string_view VrplibTypeOf(const InstanceData& data) {
  const bool symmetric = IsSymmetric(data.distance_matrix, data.ids.size());
  if (data.kind == ProblemKind::kTsp) return symmetric ? "TSP" : "ATSP";
  if (data.kind == ProblemKind::kVrptw) return TypeWithWindows(data);
  if (!data.backhauls.empty()) return "VRPB";
  if (std::all_of(data.vehicles.begin(), data.vehicles.end(),
                  [](const VehicleType& vehicle) { return vehicle.open_end; })) {
    return "OVRP";
  }
  if (HasNoLoads(data)) return "GTSP";
  if (!data.pickups.empty()) return "VRPSPD";
  if (data.num_depots > 1) return "MDVRP";
  return symmetric ? "CVRP" : "ACVRP";
}

std::optional<std::string_view> VrplibWeightsOf(const InstanceData& data) {
  if (data.coordinates != CoordinateSystem::kPlanar) return std::nullopt;
  const bool scaled = data.metric == Metric::kScaled1000;
  if (FindVrplibType(VrplibTypeOf(data))->metric == data.metric &&
      (!scaled || data.speed == 1000)) {
    return "EUC_2D";
  }
  if (data.metric == Metric::kExact) return "EXACT_2D";
  if (data.metric == Metric::kCeiled) return "CEIL_2D";
  if (data.metric == Metric::kDimacs) return "FLOOR_2D";
  return std::nullopt;
}

bool HasVehicleRows(const VrplibForm& form) {
  if (form.data.vehicles.empty()) return false;
  const VehicleType& vehicle = form.data.vehicles.front();
  return form.data.vehicles.size() > 1 || form.data.load_dimensions > 1 || vehicle.depot != 0 ||
         vehicle.max_reloads > 0 || form.allowed.sets.front().size() < CountCustomers(form.data);
}

absl::StatusOr<VrplibForm> VrplibFormOf(InstanceData data) {
  VrplibForm form{.data = std::move(data)};
  VRP_ASSIGN_OR_RETURN(form.allowed, TakeAllowedCustomers(form.data));
  for (VehicleType& vehicle : form.data.vehicles) {
    if (vehicle.end() == vehicle.depot) vehicle.end_depot = kSameAsStart;
  }
  std::erase_if(form.data.alternative_groups, [](const auto& group) { return group.size() < 2; });
  NameShipments(form.data);
  if (!FindVrplibType(VrplibTypeOf(form.data))->no_loads) LimitCapacities(form.data);
  MergeVehicles(form);
  if (HasVehicleRows(form)) LimitFleet(form.data);
  return form;
}

}  // namespace vrp
