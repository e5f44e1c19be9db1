#include "core/search/turned_routes.h"

#include <algorithm>
#include <cmath>

#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"

namespace vrp {
namespace {

// Largest relative difference of costs that are equal.
constexpr double kTurnedRounding = 1e-9;

bool HasFrozenStops(const Instance& instance, const PlannedRoute& route) {
  return std::ranges::any_of(instance.frozen(), [&](const FrozenRoute& frozen) {
    return frozen.vehicle_type == route.vehicle_type;
  });
}

// Whether a way can differ from the way back.
bool HasMatrices(const Instance& instance) {
  const InstanceData& data = instance.data();
  return !data.distance_matrix.empty() || !data.duration_matrix.empty() ||
         !data.duration_matrices.empty() ||
         std::ranges::any_of(instance.vehicles(), [](const VehicleType& type) {
           return !type.distance_matrix.empty() || !type.duration_matrix.empty();
         });
}

}  // namespace

Plan WithTurnedRoutes(const Instance& instance, Plan plan, const StopCondition& stop) {
  if (!HasMatrices(instance)) return plan;
  for (PlannedRoute& route : plan) {
    if (stop.ShouldStop()) return plan;
    if (route.customers.size() < 2 || HasFrozenStops(instance, route)) continue;
    const PlanValue before = ValueOf(instance, {route});
    std::ranges::reverse(route.customers);
    const PlanValue after = ValueOf(instance, {route});
    const double least = kTurnedRounding * std::abs(before.cost);
    const bool cheaper = after < before && before.cost - after.cost > least;
    // The whole plan, because other vehicles may have frozen stops.
    if (cheaper && RoutesAreFeasible(CheckPlan(instance, plan))) continue;
    std::ranges::reverse(route.customers);
  }
  return plan;
}

}  // namespace vrp
