#include "core/search/moves/type_change.h"

#include <algorithm>

#include "core/search/route/route_trips.h"

namespace vrp {

RouteValue TypeChange::Retyped(int32_t slot, int32_t type) {
  const Problem& problem = routes_.problem();
  const Vehicle& vehicle = problem.vehicle(type);
  retyped_ = routes_.route(slot).nodes;
  for (NodeIndex& node : retyped_) {
    if (problem.is_depot(node)) node = ReloadInsteadOf(vehicle, node);
  }
  retyped_.front() = vehicle.start;
  retyped_.back() = vehicle.end;
  if (problem.has_reloads()) DropEmptyTrips(problem, vehicle, retyped_);
  return routes_.evaluator().Evaluate(vehicle, retyped_);
}

void TypeChange::SetType(int32_t slot, int32_t type) {
  Retyped(slot, type);
  routes_.SetRoute(slot, type, retyped_);
}

void TypeChange::Shake(int32_t slot) {
  const SearchRoute& route = routes_.route(slot);
  if (route.empty()) return;
  const int32_t type = random_.Below(static_cast<int32_t>(routes_.problem().vehicles().size()));
  if (type == route.type || !routes_.HasVehicle(type) || route.fixed > 0) return;
  if (Retyped(slot, type).feasible) routes_.SetRoute(slot, type, retyped_);
}

void TypeChange::Improve(std::span<const int32_t> slots) {
  for (const int32_t slot : slots) {
    if (routes_.route(slot).empty() || routes_.route(slot).fixed > 0) continue;
    ImproveAlone(slot);
    ImproveBySwap(slot);
  }
}

void TypeChange::ImproveAlone(int32_t slot) {
  const auto types = static_cast<int32_t>(routes_.problem().vehicles().size());
  const int32_t first = random_.Below(types);
  int32_t best = routes_.route(slot).type;
  double best_cost = routes_.route(slot).cost - routes_.problem().epsilon();
  for (int32_t i = 0; i < std::min(types, kLooked); ++i) {
    const int32_t type = (first + i) % types;
    if (type == routes_.route(slot).type || !routes_.HasVehicle(type)) continue;
    const RouteValue value = Retyped(slot, type);
    if (!value.feasible || value.cost >= best_cost) continue;
    best = type;
    best_cost = value.cost;
  }
  if (best != routes_.route(slot).type) SetType(slot, best);
}

void TypeChange::ImproveBySwap(int32_t slot) {
  const int32_t other = random_.Below(routes_.slots());
  const int32_t type = routes_.route(slot).type;
  const int32_t other_type = routes_.route(other).type;
  if (routes_.route(other).empty() || other_type == type || routes_.route(other).fixed > 0) return;
  const RouteValue value = Retyped(slot, other_type);
  if (!value.feasible) return;
  const RouteValue other_value = Retyped(other, type);
  const double now = routes_.route(slot).cost + routes_.route(other).cost;
  const double limit = now - routes_.problem().epsilon();
  if (!other_value.feasible || value.cost + other_value.cost >= limit) return;
  SetType(slot, other_type);
  SetType(other, type);
}

}  // namespace vrp
