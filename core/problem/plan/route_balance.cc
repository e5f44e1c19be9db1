#include "core/problem/plan/route_balance.h"

#include <algorithm>

#include "core/problem/plan/plan_value.h"

namespace vrp {
namespace {

// Rounding of measures, as a share of the largest. The checker allows twice as much.
constexpr double kSpreadRounding = 1e-9;

// Returns the amounts that shipments bring from each node, in the first load dimension.
std::vector<double> ShippedFrom(const Instance& instance) {
  std::vector<double> shipped(static_cast<size_t>(instance.num_nodes()), 0.0);
  for (const Shipment& shipment : instance.data().shipments) {
    shipped[static_cast<size_t>(shipment.pickup)] = shipment.amounts.front();
  }
  return shipped;
}

double LoadOf(const Instance& instance, const PlannedRoute& route,
              const std::vector<double>& shipped) {
  double load = 0;
  for (const NodeIndex node : route.customers) {
    load += instance.demand(node) + instance.pickup(node) + instance.backhaul(node) +
            shipped[static_cast<size_t>(node)];
  }
  return load;
}

}  // namespace

double SpreadMeter::Excess(const Balance& balance) const {
  if (routes_ < 2 || balance.max_spread == kNoLimit) return 0;
  return std::max(0.0, Spread() - balance.max_spread - kSpreadRounding * largest_);
}

int64_t LimitedVehicles(const Instance& instance) {
  int64_t sum = 0;
  for (const VehicleType& type : instance.vehicles()) sum += type.count;
  return sum;
}

SpreadMeter MeasureSpread(const Instance& instance, const Plan& plan,
                          const std::vector<RouteFigures>& figures) {
  const Balance& balance = *instance.data().balance;
  std::vector<double> shipped;
  if (balance.measure == BalanceMeasure::kLoad) shipped = ShippedFrom(instance);
  SpreadMeter meter;
  size_t next = 0;
  for (const PlannedRoute& route : plan) {
    if (route.customers.empty()) continue;
    const RouteFigures& own = figures[next++];
    switch (balance.measure) {
      case BalanceMeasure::kDuration:
        meter.Add(own.duration);
        break;
      case BalanceMeasure::kDistance:
        meter.Add(own.distance);
        break;
      case BalanceMeasure::kLoad:
        meter.Add(LoadOf(instance, route, shipped));
        break;
      case BalanceMeasure::kStops:
        meter.Add(static_cast<double>(std::ranges::count_if(
            route.customers, [&](NodeIndex node) { return !instance.is_depot(node); })));
        break;
    }
  }
  meter.AddUnused(balance, LimitedVehicles(instance));
  return meter;
}

}  // namespace vrp
