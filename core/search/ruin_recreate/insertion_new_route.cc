// Routes that a unit opens.
#include <algorithm>

#include "core/search/ruin_recreate/insertion.h"

namespace vrp {

void Insertion::BoundNewRoutes() {
  if (problem_.vehicles().size() > kTypesBounded) return;
  least_alone_.assign(problem_.size(), Problem::kNever);
  for (const Vehicle& vehicle : problem_.vehicles()) {
    const double fixed = vehicle.fixed + problem_.route_weight();
    for (NodeIndex node = problem_.depots(); node < problem_.size(); ++node) {
      const double way = problem_.Distance(vehicle, vehicle.start, node) +
                         problem_.Distance(vehicle, node, vehicle.end);
      least_alone_[node] = std::min(least_alone_[node], fixed + vehicle.per_distance * way);
    }
  }
}

void Insertion::FindNewRoute(InsertionPlace place, InsertionPlace& best) {
  if (!routes_.CanOpenRoute()) return;
  const auto types = static_cast<int32_t>(problem_.vehicles().size());
  const int32_t looked = best.found() ? std::min(types, kTypesLooked) : types;
  const int32_t first = looked < types ? random_.Below(types) : 0;
  double best_score = Problem::kNever;
  const double most = best.cost;
  // Fixed costs are ignored when more or fewer customers are served, because serving more ranks
  // first.
  const bool ignores_fixed_cost =
      !best.found() && problem_.unit(problem_.UnitOf(place.node)).required();
  for (int32_t i = 0; i < looked; ++i) {
    place.type = first + i < types ? first + i : first + i - types;
    const Vehicle& vehicle = problem_.vehicle(place.type);
    const double fixed = vehicle.fixed + problem_.route_weight();
    const double limit = ignores_fixed_cost ? most + fixed : most;
    if (place.delivery < 0) {
      const double way = problem_.Distance(vehicle, vehicle.start, place.node) +
                         problem_.Distance(vehicle, place.node, vehicle.end);
      if (fixed + vehicle.per_distance * way >= limit) continue;
    }
    if (!routes_.HasVehicle(place.type)) continue;
    const RouteValue value = routes_.evaluator().Evaluate(vehicle, Filled(place));
    if (!value.feasible) continue;
    place.cost = value.cost + problem_.route_weight();
    if (place.cost >= limit) continue;
    const double score = NewRouteScore(place);
    if (score >= best_score) continue;
    best_score = score;
    Take(place, best);
  }
}

double Insertion::NewRouteScore(const InsertionPlace& place) const {
  if (!policy_.shares_fixed_cost) return place.cost;
  constexpr double kLeastShare = 0.05;
  const Vehicle& vehicle = problem_.vehicle(place.type);
  double share = kLeastShare;
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    const double load = problem_.delivered(place.node)[k] + problem_.collected(place.node)[k] +
                        std::max(0.0, problem_.carried(place.node)[k]);
    if (load > 0) share = std::max(share, load / vehicle.capacity[k]);
  }
  return place.cost - vehicle.fixed * (1 - std::min(1.0, share));
}

}  // namespace vrp
