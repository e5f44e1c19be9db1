// Finds places of insertions by their cost and what they change about the spread between routes.
#include <algorithm>
#include <numeric>

#include "core/search/ruin_recreate/insertion.h"

namespace vrp {
namespace {

constexpr double kNever = Problem::kNever;
// How often a new route is judged without the spread. It is the smallest at first, and might
// otherwise never be opened.
constexpr double kUnbiasedRate = 0.5;
// How often all places are tried in a route that should grow, where a detour may pay.
constexpr double kDetourRate = 0.25;

}  // namespace

InsertionPlace Insertion::FindBalanced(const Unit& unit, double limit) {
  const BalanceOutlook outlook(routes_.balance(), routes_.routes());
  const std::span<const NodeIndex> nodes = problem_.NodesOf(unit);
  InsertionPlace best;
  best.cost = limit;
  const auto consider = [&](const InsertionPlace& wanted, bool may_open) {
    if (rules_.bound() >= 0) return FindBalancedIn(rules_.bound(), outlook, wanted, best);
    for (const int32_t slot : balanced_slots_) {
      if (rules_.Allows(slot)) FindBalancedIn(slot, outlook, wanted, best);
    }
    if (may_open) FindBalancedNew(outlook, wanted, best);
  };
  const auto consider_all = [&](bool may_open) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (problem_.IsDelivery(nodes[i])) continue;
      const NodeIndex delivery = problem_.DeliveryInUnit(nodes[i]);
      rules_.Begin(nodes.subspan(i, delivery >= 0 ? 2 : 1));
      if (delivery >= 0) ends_have_loads_ = HasOwnLoad(nodes[i]) || HasOwnLoad(delivery);
      consider({.node = nodes[i], .delivery = delivery}, may_open);
    }
  };
  GatherBalanced(nodes, outlook);
  consider_all(true);
  if (best.found() || problem_.size() <= Problem::kScanAllNodes) return best;
  GatherAll();
  consider_all(false);
  return best;
}

void Insertion::GatherAll() {
  balanced_slots_.resize(routes_.slots());
  std::iota(balanced_slots_.begin(), balanced_slots_.end(), 0);
}

void Insertion::GatherBalanced(std::span<const NodeIndex> nodes, const BalanceOutlook& outlook) {
  if (problem_.size() <= Problem::kScanAllNodes) return GatherAll();
  balanced_slots_.clear();
  const auto gather = [&](int32_t slot) {
    if (slot >= 0 && std::ranges::count(balanced_slots_, slot) == 0)
      balanced_slots_.push_back(slot);
  };
  for (const NodeIndex node : nodes) {
    const auto related = problem_.Related(node);
    for (const NodeIndex other : related.first(std::min<size_t>(related.size(), kRelatedLooked))) {
      gather(routes_.RouteOf(other));
    }
  }
  gather(outlook.smallest_slot());
}

void Insertion::FindBalancedIn(int32_t slot, const BalanceOutlook& outlook, InsertionPlace wanted,
                               InsertionPlace& best) {
  if (routes_.route(slot).empty()) return;
  InsertionPlace found;
  found.cost = best.cost + outlook.MostSaved(slot);
  if (wanted.delivery >= 0) {
    ScanShipment(wanted.node, wanted.delivery, slot, found);
  } else if (MayTake(slot, wanted.node)) {
    ScanRoutes(wanted.node, {&slot, 1}, found);
  }
  if (!found.found()) return;
  const double measure = MeasureWith(found);
  if (measure == kNever) return;
  found.cost += outlook.Added(slot, measure);
  if (found.cost < best.cost) best = found;
  if (wanted.delivery < 0 && routes_.balance().needs_value() && outlook.MostSaved(slot) > 0 &&
      random_.Unit() < kDetourRate) {
    TryAllPlaces(slot, outlook, wanted, best);
  }
}

void Insertion::TryAllPlaces(int32_t slot, const BalanceOutlook& outlook, InsertionPlace wanted,
                             InsertionPlace& best) {
  const SearchRoute& route = routes_.route(slot);
  wanted.slot = slot;
  for (wanted.after = route.fixed; wanted.after + 1 < route.size(); ++wanted.after) {
    const std::span<const NodeIndex> nodes = Filled(wanted);
    const RouteValue value = routes_.evaluator().Evaluate(problem_.vehicle(route.type), nodes);
    if (!value.feasible) continue;
    wanted.cost =
        value.cost - route.cost + outlook.Added(slot, routes_.balance().MeasureOf(nodes, value));
    if (wanted.cost < best.cost) best = wanted;
  }
}

void Insertion::FindBalancedNew(const BalanceOutlook& outlook, InsertionPlace wanted,
                                InsertionPlace& best) {
  // FindNewRoute asks whether another place was found, and replaces all of `found` with a new one.
  InsertionPlace found = {.cost = best.cost, .slot = 0, .node = best.node};
  const bool is_unbiased = random_.Unit() < kUnbiasedRate;
  if (!is_unbiased) found.cost += outlook.MostSaved(-1);
  FindNewRoute(wanted, found);
  if (found.type < 0) return;
  if (!is_unbiased) {
    const double measure = MeasureWith(found);
    if (measure == kNever) return;
    found.cost += outlook.Added(-1, measure);
    // As in FindNewRoute, serving a required unit comes before the fixed cost.
    const bool is_needed = !best.found() && problem_.unit(problem_.UnitOf(wanted.node)).required();
    const double fixed = problem_.vehicle(found.type).fixed + problem_.route_weight();
    if (found.cost - (is_needed ? fixed : 0) >= best.cost) return;
  }
  best = found;
}

double Insertion::MeasureWith(const InsertionPlace& place) {
  const BalanceTerm& balance = routes_.balance();
  const Vehicle& vehicle =
      problem_.vehicle(place.slot < 0 ? place.type : routes_.route(place.slot).type);
  const std::span<const NodeIndex> nodes = Filled(place);
  RouteValue value;
  if (balance.needs_value()) {
    value = routes_.evaluator().Evaluate(vehicle, nodes);
    if (!value.feasible) return kNever;
  }
  return balance.MeasureOf(nodes, value);
}

}  // namespace vrp
