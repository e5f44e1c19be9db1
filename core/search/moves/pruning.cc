#include "core/search/moves/pruning.h"

#include <algorithm>

namespace vrp {

Pruning::Pruning(RouteStore& routes)
    : routes_(routes),
      problem_(routes.problem()),
      has_optional_(std::ranges::any_of(problem_.all_units(), [](const Unit& unit) {
        return !unit.required() && unit.kind != Unit::Kind::kShipment;
      })) {}

void Pruning::Prune(std::span<const int32_t> slots) {
  pruned_.clear();
  for (const int32_t slot : slots) {
    while (PruneOne(slot)) {
    }
  }
  if (pruned_.empty()) return;
  pruned_.insert(pruned_.end(), routes_.absent().begin(), routes_.absent().end());
  routes_.SetAbsent(pruned_);
}

bool Pruning::PruneOne(int32_t slot) {
  const SearchRoute& route = routes_.route(slot);
  double most = problem_.epsilon();
  int32_t at = -1;
  for (int32_t i = route.fixed + 1; i + 1 < route.size(); ++i) {
    const double waste = Waste(route, i);
    if (waste <= most) continue;
    most = waste;
    at = i;
  }
  if (at < 0) return false;
  const int32_t u = problem_.UnitOf(route.nodes[at]);
  left_ = route.nodes;
  left_.erase(left_.begin() + at);
  const Vehicle& vehicle = problem_.vehicle(route.type);
  DropEmptyTrips(problem_, vehicle, left_);
  if (left_.size() <= 2) left_.clear();
  if (!left_.empty()) {
    // Where a detour is shorter than the direct way, the rest may come too late or cost more.
    const RouteValue value = routes_.evaluator().Evaluate(vehicle, left_);
    if (!value.feasible || value.cost + problem_.unit(u).prize >= route.cost) return false;
  }
  routes_.SetRoute(slot, route.type, left_);
  pruned_.push_back(u);
  return true;
}

double Pruning::Waste(const SearchRoute& route, int32_t at) const {
  const NodeIndex node = route.nodes[at];
  if (problem_.is_depot(node)) return -Problem::kNever;
  const Unit& unit = problem_.unit(problem_.UnitOf(node));
  if (unit.required() || problem_.OtherEnd(node) >= 0) return -Problem::kNever;
  if (route.size() == 3) return route.cost + problem_.route_weight() - unit.prize;
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const double direct = problem_.Distance(vehicle, route.nodes[at - 1], route.nodes[at + 1]);
  return vehicle.per_distance * (route.edge[at - 1] + route.edge[at] - direct) - unit.prize +
         problem_.LostPrize(node);
}

}  // namespace vrp
