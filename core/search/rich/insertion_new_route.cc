// Routes that a unit opens.
#include <algorithm>

#include "core/search/rich/rich_insertion.h"

namespace vrp {

void RichInsertion::FindNewRoute(RichSpot spot, RichSpot& best) {
  if (!routes_.CanOpenRoute()) return;
  const auto types = static_cast<int32_t>(problem_.vehicles().size());
  const int32_t looked = best.found() ? std::min(types, kTypesLooked) : types;
  const int32_t first = looked < types ? random_.Below(types) : 0;
  double best_score = RichProblem::kNever;
  const double most = best.cost;
  // Fixed costs are ignored when more or fewer customers are served, because serving more ranks
  // first.
  const bool ignores_fixed_cost =
      !best.found() && problem_.unit(problem_.UnitOf(spot.node)).required();
  for (int32_t i = 0; i < looked; ++i) {
    spot.type = (first + i) % types;
    const RichVehicle& vehicle = problem_.vehicle(spot.type);
    if (!routes_.HasVehicle(spot.type)) continue;
    const double fixed = vehicle.fixed + problem_.route_weight();
    const double limit = ignores_fixed_cost ? most + fixed : most;
    const double way = problem_.Distance(vehicle, vehicle.start, spot.node) +
                       problem_.Distance(vehicle, spot.node, vehicle.end);
    if (spot.delivery < 0 && fixed + vehicle.per_distance * way >= limit) continue;
    const RouteValue value = routes_.evaluator().Evaluate(vehicle, Filled(spot));
    if (!value.feasible) continue;
    spot.cost = value.cost + problem_.route_weight();
    if (spot.cost >= limit) continue;
    const double score = NewRouteScore(spot);
    if (score >= best_score) continue;
    best_score = score;
    Take(spot, best);
  }
}

double RichInsertion::NewRouteScore(const RichSpot& spot) const {
  if (!mood_.shares_fixed_cost) return spot.cost;
  constexpr double kLeastShare = 0.05;
  const RichVehicle& vehicle = problem_.vehicle(spot.type);
  double share = kLeastShare;
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    const double load = problem_.delivered(spot.node)[k] + problem_.collected(spot.node)[k] +
                        std::max(0.0, problem_.carried(spot.node)[k]);
    if (load > 0) share = std::max(share, load / vehicle.capacity[k]);
  }
  return spot.cost - vehicle.fixed * (1 - std::min(1.0, share));
}

}  // namespace vrp
