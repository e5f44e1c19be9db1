#include "core/search/model/node_loads.h"

#include <algorithm>
#include <cmath>

namespace vrp {
namespace {

bool AnyAbove0(const double* row, int32_t count) {
  return std::any_of(row, row + count, [](double value) { return value > 0; });
}

}  // namespace

NodeLoads::NodeLoads(const Instance& instance)
    : dimensions_(instance.load_dimensions()), capacity_(instance.capacity()) {
  const InstanceData& data = instance.data();
  const int32_t size = instance.num_nodes();
  delivered_ = data.demands;
  collected_.assign(delivered_.size(), 0.0);
  for (size_t i = 0; i < data.pickups.size(); ++i) collected_[i] += data.pickups[i];
  for (size_t i = 0; i < data.backhauls.size(); ++i) collected_[i] += data.backhauls[i];
  carried_.assign(delivered_.size(), 0.0);
  if (!data.shipments.empty()) {
    pickup_of_.assign(size, -1);
    delivery_of_.assign(size, -1);
  }
  for (const Shipment& shipment : data.shipments) {
    pickup_of_[shipment.delivery] = shipment.pickup;
    delivery_of_[shipment.pickup] = shipment.delivery;
    for (size_t k = 0; k < shipment.amounts.size(); ++k) {
      carried_[shipment.pickup * int64_t{dimensions_} + k] += shipment.amounts[k];
      carried_[shipment.delivery * int64_t{dimensions_} + k] -= shipment.amounts[k];
    }
  }
  linehaul_.resize(size);
  backhaul_.assign(size, 0);
  for (NodeIndex node = 0; node < size; ++node) {
    linehaul_[node] = AnyAbove0(delivered(node), dimensions_);
    if (data.backhauls.empty()) continue;
    backhaul_[node] = AnyAbove0(&data.backhauls[node * int64_t{dimensions_}], dimensions_);
    has_backhauls_ = has_backhauls_ || backhaul_[node];
  }
  has_shipments_ = !data.shipments.empty();
  plain_loads_ = !has_shipments_ && data.backhauls.empty() && data.pickups.empty() &&
                 std::all_of(data.vehicles.begin(), data.vehicles.end(),
                             [](const VehicleType& type) { return type.max_reloads == 0; });
}

void NodeLoads::SetCapacities(const std::vector<Vehicle>& vehicles) {
  capacity_limit_ = vehicles.front().capacity.front();
  most_capacity_.assign(dimensions_, 0.0);
  for (const Vehicle& vehicle : vehicles) {
    for (int32_t k = 0; k < dimensions_; ++k) {
      // Beside one without a limit, loads are still shares of those that have one.
      if (std::isfinite(vehicle.capacity[k])) {
        most_capacity_[k] = std::max(most_capacity_[k], vehicle.capacity[k]);
      }
    }
  }
  const auto size = static_cast<NodeIndex>(linehaul_.size());
  bulk_.assign(size, 0.0);
  for (NodeIndex node = 0; node < size; ++node) {
    for (int32_t k = 0; k < dimensions_; ++k) {
      if (most_capacity_[k] == 0) continue;
      const double load = std::max(
          delivered(node)[k], std::max(collected(node)[k], 0.0) + std::max(carried(node)[k], 0.0));
      bulk_[node] = std::max(bulk_[node], load / most_capacity_[k]);
    }
  }
}

}  // namespace vrp
