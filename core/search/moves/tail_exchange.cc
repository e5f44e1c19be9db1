#include "core/search/moves/tail_exchange.h"

#include <algorithm>
#include <cmath>

namespace vrp {
namespace {

// How often unlike vehicles go with their tails.
constexpr double kSwapRate = 0.5;
// One exchange is looked for beside each ruin and recreate where routes have so many customers;
// they are looked for some at a time. The second is where one is judged in constant time: windows
// refuse most.
constexpr double kCustomersPerTry = 15;
constexpr double kTimedCustomersPerTry = 4;
constexpr int32_t kTriesAtOnce = 3;
// As many related customers' tails are looked at for one.
constexpr size_t kTailsTried = 20;

}  // namespace

TailExchange::TailExchange(RouteStore& routes, FastRandom& random)
    : routes_(routes), problem_(routes.problem()), random_(random), tails_(routes) {
  const Vehicle& first = problem_.vehicle(0);
  for (const Vehicle& vehicle : problem_.vehicles()) {
    one_way_ = one_way_ && DriveAlike(first, vehicle) && vehicle.per_time == 0 &&
               vehicle.per_service_time == 0 && vehicle.per_travel_time == 0 &&
               vehicle.per_distance == first.per_distance;
    most_fixed_ = std::max(most_fixed_, vehicle.fixed);
  }
}

bool TailExchange::Run(double temperature, double route_weight) {
  if (routes_.used() == 0) return false;
  const double per_try = one_way_ && problem_.timed() ? kTimedCustomersPerTry : kCustomersPerTry;
  const auto customers = static_cast<double>(std::ssize(routes_.servable()));
  if (random_.Unit() * kTriesAtOnce >= customers / (per_try * routes_.used())) return false;
  route_weight_ = route_weight;
  bool changed = false;
  for (int32_t i = 0; i < kTriesAtOnce; ++i) {
    const NodeIndex u = problem_.depots() + random_.Below(problem_.size() - problem_.depots());
    changed |= TryFrom(u, -temperature * std::log(1 - random_.Unit()));
  }
  return changed;
}

inline bool TailExchange::MayPay(NodeIndex u, const VisitPlace& from, NodeIndex v,
                                 const VisitPlace& to, double most_added) const {
  const Vehicle& any = problem_.vehicle(0);
  const double bridge = problem_.Distance(any, to.before, from.after);
  const double added = problem_.Distance(any, u, v) + bridge - from.edge_after - to.edge_before;
  if (any.per_distance * added >= most_added) {
    if (to.position > 1 || from.position + 2 < routes_.route(from.route).size()) return false;
    // The other route vanishes.
    const double saved = most_fixed_ + route_weight_ + any.per_distance * bridge;
    if (any.per_distance * added - saved >= most_added) return false;
  }
  return tails_.InTime({.own = {.slot = from.route, .kept = from.position + 1},
                        .other = {.slot = to.route, .kept = to.position}});
}

// Both heads are kept: that of u's route goes on with a related customer, that before it with who
// came after u.
bool TailExchange::TryFrom(NodeIndex u, double most_added) {
  const VisitPlace place = routes_.PlaceOf(u);
  if (place.route < 0) return false;
  const RouteCut own = {.slot = place.route, .kept = place.position + 1};
  if (!tails_.MayCut(own)) return false;
  Found best;
  best.added = most_added - problem_.epsilon();
  if (routes_.balance().active()) outlook_.emplace(routes_.balance(), routes_.routes());
  const auto related = problem_.Related(u);
  for (const NodeIndex v : related.first(std::min(related.size(), kTailsTried))) {
    const VisitPlace& to = routes_.PlaceOf(v);
    if (to.route < 0 || to.route == own.slot ||
        (one_way_ && !MayPay(u, place, v, to, best.added + MostSaved(own.slot, to.route)))) {
      continue;
    }
    Consider({.own = own, .other = {.slot = to.route, .kept = to.position}}, best);
  }
  ConsiderUnused(own, best);
  return best.any && tails_.Apply(best.swap);
}

// One type, drawn by lot.
void TailExchange::ConsiderUnused(const RouteCut& own, Found& best) {
  if (own.kept + 1 == routes_.route(own.slot).size()) return;
  const auto types = static_cast<int32_t>(problem_.vehicles().size());
  const int32_t type = random_.Below(types);
  if (one_way_) {
    const Vehicle& vehicle = problem_.vehicle(type);
    const std::vector<NodeIndex>& nodes = routes_.route(own.slot).nodes;
    const double added = problem_.Distance(vehicle, nodes[own.kept - 1], vehicle.end) +
                         problem_.Distance(vehicle, vehicle.start, nodes[own.kept]) -
                         routes_.route(own.slot).edge[own.kept - 1];
    const double limit = best.added + MostSaved(own.slot, -1);
    if (vehicle.fixed + route_weight_ + vehicle.per_distance * added >= limit) return;
  }
  if (tails_.TakeUnused(type)) Consider({.own = own, .other = {}}, best);
}

void TailExchange::Consider(TailSwap swap, Found& best) {
  swap.swaps_vehicles = tails_.MaySwapVehicles(swap) && random_.Unit() < kSwapRate;
  const double weight = route_weight_ == 0 ? 0 : route_weight_ * tails_.RoutesAdded(swap);
  const double limit = best.added + MostSaved(swap.own.slot, swap.other.slot);
  if (tails_.LeastAdded(swap) + weight >= limit) return;
  if (!tails_.MayFit(swap) || !tails_.MayCut(swap.other)) return;
  double added = tails_.Added(swap, limit - weight) + weight;
  if (routes_.balance().active() && added < Problem::kNever) added += tails_.AddedByBalance(swap);
  if (added < best.added) best = {.swap = swap, .added = added, .any = true};
}

}  // namespace vrp
