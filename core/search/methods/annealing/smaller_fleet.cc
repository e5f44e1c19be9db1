// Annealing's trial of a smaller fleet, where fewer routes are not the objective.
#include <cstdint>

#include "core/search/methods/annealing/annealing.h"
#include "core/search/methods/fleet_reduction/fleet_reduction.h"
#include "core/search/model/budget_parts.h"
#include "core/search/model/fleet_bounds.h"

namespace vrp {
namespace {

// Fewer routes may be cheaper, but ruins hardly ever empty a long one, while they open one with
// ease. So in this part of the budget a smaller fleet is tried and improved; then the search goes
// on from there unless that costs more than before.
constexpr double kFewerFrom = 0.1;
constexpr double kFewerShare = 0.02;  // of what is left then
constexpr double kFewerJudged = 0.2;

}  // namespace

void Annealing::SteerFleet(double used) {
  if (BeginsFewer(used)) return BeginFewer();
  const bool weighted = route_weight_ > routes_.problem().route_weight();
  if (weighted && used >= kFewerJudged) EndFewer();
}

bool Annealing::BeginsFewer(double used) const {
  return used >= kFewerFrom && !before_fewer_.tried && route_weight_ == 0 && !IsUnfinished() &&
         best_.energy > 0 && fewest_routes_ < best_used_ && FewerRoutesMayPay(routes_.problem());
}

// Until the end of this a route weighs more than the whole plan costs.
void Annealing::BeginFewer() {
  RestoreBest();
  before_fewer_ = {.tried = true, .routes = best_routes_, .cost = best_.energy};
  const SearchOptions part =
      PartOf(RestOf(options_, iterations_), kFewerShare, routes_.problem().units());
  const int32_t used = routes_.used();
  iterations_ += FleetReduction(routes_, random_).Run(part, [] {});
  routes_.LimitRoutes(INT32_MAX);
  if (routes_.used() == used) return;
  route_weight_ = 2 * best_.energy;
  best_.energy += route_weight_ * used;
  current_ = Measure();
  KeepBest();
}

void Annealing::EndFewer() {
  route_weight_ = 0;
  RestoreBest();
  if (best_.energy <= before_fewer_.cost) return;
  best_routes_ = before_fewer_.routes;
  RestoreBest();
}

}  // namespace vrp
