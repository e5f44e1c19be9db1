#include "core/problem/plan/route_loads.h"

#include <algorithm>

namespace vrp {
namespace {

// Returns what the vehicle loads for the trip whose first visit is customers[index].
double TripDemand(const Instance& instance, const std::vector<NodeIndex>& customers, size_t index,
                  int32_t dimension) {
  double sum = 0;
  for (; index < customers.size() && !instance.is_depot(customers[index]); ++index) {
    sum += instance.demand(customers[index], dimension);
  }
  return sum;
}

// Adds the goods of shipments to `loads`, as LoadsAfterStops returns them.
void AddShipments(const Instance& instance, const std::vector<NodeIndex>& customers,
                  std::vector<double>& loads) {
  const auto dimensions = static_cast<size_t>(instance.load_dimensions());
  const auto change_after = [&](NodeIndex node, const std::vector<double>& amounts, double sign) {
    const auto found = std::find(customers.begin(), customers.end(), node);
    for (auto i = static_cast<size_t>(found - customers.begin()); i < customers.size(); ++i) {
      for (size_t k = 0; k < dimensions; ++k) loads[(i + 1) * dimensions + k] += sign * amounts[k];
    }
  };
  for (const Shipment& shipment : instance.data().shipments) {
    change_after(shipment.pickup, shipment.amounts, 1);
    change_after(shipment.delivery, shipment.amounts, -1);
  }
}

}  // namespace

std::vector<double> LoadsAfterStops(const Instance& instance, const VehicleType& vehicle,
                                    const std::vector<NodeIndex>& customers) {
  const int32_t dimensions = instance.load_dimensions();
  std::vector<double> loads;
  loads.reserve((customers.size() + 1) * static_cast<size_t>(dimensions));
  for (int32_t k = 0; k < dimensions; ++k) loads.push_back(TripDemand(instance, customers, 0, k));
  for (size_t i = 0; i < customers.size(); ++i) {
    const NodeIndex node = customers[i];
    for (int32_t k = 0; k < dimensions; ++k) {
      const double before = loads[loads.size() - static_cast<size_t>(dimensions)];
      loads.push_back(instance.is_depot(node)
                          ? TripDemand(instance, customers, i + 1, k)
                          : before + instance.pickup(node, k) + instance.backhaul(node, k) -
                                instance.demand(node, k));
    }
  }
  if (!instance.data().shipments.empty()) AddShipments(instance, customers, loads);
  if (vehicle.initial_load.empty()) return loads;
  for (size_t i = 0; i == 0 || (i <= customers.size() && !instance.is_depot(customers[i - 1]));
       ++i) {
    for (size_t k = 0; k < vehicle.initial_load.size(); ++k) {
      loads[i * vehicle.initial_load.size() + k] += vehicle.initial_load[k];
    }
  }
  return loads;
}

}  // namespace vrp
