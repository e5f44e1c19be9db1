#include "core/search/moves/tail_exchange.h"

#include <algorithm>

#include "core/search/moves/tail_tries.h"

namespace vrp {
namespace {

// How often unlike vehicles go with their tails.
constexpr double kSwapRate = 0.5;

}  // namespace

bool TailExchange::Run(double temperature, double route_weight) {
  if (routes_.used() == 0) return false;
  // With windows too: more tries cost more than short routes gain by them.
  if (!TailTriesAreDue(random_, std::ssize(routes_.servable()), routes_.used(),
                       kCustomersPerTailTry)) {
    return false;
  }
  route_weight_ = route_weight;
  bool changed = false;
  for (int32_t i = 0; i < kTailTriesAtOnce; ++i) {
    const NodeIndex u = problem_.depots() + random_.Below(problem_.size() - problem_.depots());
    changed |= TryFrom(u, DrawMostAdded(random_, temperature));
  }
  return changed;
}

// Both heads are kept: that of u's route goes on with a related customer, that before it with who
// came after u.
bool TailExchange::TryFrom(NodeIndex u, double most_added) {
  const VisitPlace& place = routes_.PlaceOf(u);
  if (place.route < 0) return false;
  const RouteCut own = {.slot = place.route, .kept = place.position + 1};
  if (!tails_.MayCut(own)) return false;
  Found best;
  best.added = most_added - problem_.epsilon();
  const auto related = problem_.Related(u);
  for (const NodeIndex v : related.first(std::min(related.size(), kTailsTried))) {
    const VisitPlace& to = routes_.PlaceOf(v);
    if (to.route < 0 || to.route == own.slot) continue;
    Consider({.own = own, .other = {.slot = to.route, .kept = to.position}}, best);
  }
  ConsiderUnused(own, best);
  return best.any && tails_.Apply(best.swap);
}

// One type, drawn by lot.
void TailExchange::ConsiderUnused(const RouteCut& own, Found& best) {
  if (own.kept + 1 == routes_.route(own.slot).size()) return;
  const auto types = static_cast<int32_t>(problem_.vehicles().size());
  if (tails_.TakeUnused(random_.Below(types))) Consider({.own = own, .other = {}}, best);
}

void TailExchange::Consider(TailSwap swap, Found& best) {
  swap.swaps_vehicles = tails_.MaySwapVehicles(swap) && random_.Unit() < kSwapRate;
  const double weight = route_weight_ == 0 ? 0 : route_weight_ * tails_.RoutesAdded(swap);
  if (tails_.LeastAdded(swap) + weight >= best.added) return;
  if (!tails_.MayFit(swap) || !tails_.MayCut(swap.other)) return;
  const double added = tails_.Added(swap, best.added - weight) + weight;
  if (added < best.added) best = {.swap = swap, .added = added, .any = true};
}

}  // namespace vrp
