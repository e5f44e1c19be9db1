#include "core/solve/unserved.h"

#include <algorithm>
#include <string>

namespace vrp {
namespace {

// Whether `vehicle` can drive to `customer` alone and be back in time, where it has to be.
bool Reachable(const Instance& instance, const VehicleType& vehicle, NodeIndex customer) {
  if (!instance.has_windows()) return true;
  const double arrival =
      instance.window(vehicle.depot).open + instance.Duration(vehicle.depot, customer);
  const TimeWindow window = instance.window(customer);
  if (arrival > window.close) return false;
  if (vehicle.open_end) return true;
  const double departure = std::max(arrival, window.open) + instance.service(customer);
  return departure + instance.Duration(customer, vehicle.depot) <=
         instance.window(vehicle.depot).close;
}

bool FleetExhausted(const Instance& instance, const Solution& solution) {
  int64_t fleet = 0;
  for (const VehicleType& vehicle : instance.vehicles()) {
    if (vehicle.count == 0) return false;
    fleet += vehicle.count;
  }
  return std::ssize(solution.routes) >= fleet;
}

}  // namespace

Solution WithReasons(const Instance& instance, Solution solution) {
  const auto vehicles = instance.vehicles();
  const bool exhausted = !vehicles.empty() && FleetExhausted(instance, solution);
  for (Unserved& unserved : solution.unserved) {
    const NodeIndex customer = unserved.customer;
    const auto carries = [&](const VehicleType& v) {
      return instance.demand(customer) <= v.capacity;
    };
    const auto reaches = [&](const VehicleType& v) {
      return carries(v) && Reachable(instance, v, customer);
    };
    if (!vehicles.empty() && std::none_of(vehicles.begin(), vehicles.end(), carries)) {
      unserved.reason = "demand exceeds capacity";
    } else if (!vehicles.empty() && std::none_of(vehicles.begin(), vehicles.end(), reaches)) {
      unserved.reason = "time window cannot be reached";
    } else {
      unserved.reason = exhausted ? "fleet exhausted" : "no feasible position found in the budget";
    }
  }
  return solution;
}

}  // namespace vrp
