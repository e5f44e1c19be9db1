#include "core/search/ruin_recreate/penalised_recreate.h"

#include <span>

namespace vrp {
namespace {

// Each place that would be the best so far is overlooked with this probability.
constexpr double kBlink = 0.01;
// Above Problem::kScanAllNodes: places beside that many related customers.
constexpr int32_t kBesideLooked = 40;

}  // namespace

void PenalisedRecreate::Insert(std::vector<NodeIndex>& customers) {
  sorter_.SortRandomly(customers, problem_, random_);
  for (const NodeIndex customer : customers) {
    Place place = Find(customer);
    while (place.slot < 0) place = Find(customer);  // each was overlooked
    const std::vector<NodeIndex>& there = routes_.route(place.slot).nodes;
    filled_.assign(there.begin(), there.end());
    filled_.insert(filled_.begin() + place.after + 1, customer);
    routes_.SetRoute(place.slot, filled_);
  }
}

PenalisedRecreate::Place PenalisedRecreate::Find(NodeIndex customer) {
  Place best;
  if (problem_.size() > Problem::kScanAllNodes) LookBesideRelated(customer, best);
  if (best.slot < 0) {
    for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
      if (!routes_.route(slot).empty()) Scan(slot, customer, best);
    }
  }
  for (int32_t type = 0; type < std::ssize(problem_.vehicles()); ++type) {
    if (routes_.EmptyOf(type) >= 0) Scan(routes_.EmptyOf(type), customer, best);
  }
  return best;
}

void PenalisedRecreate::LookBesideRelated(NodeIndex customer, Place& best) {
  int32_t looked = 0;
  for (const NodeIndex near : problem_.Related(customer)) {
    const int32_t slot = routes_.RouteOf(near);
    if (slot < 0 || !routes_.Allowed(slot, {&customer, 1})) continue;
    const double least = LeastAdded(slot, customer);
    Consider(slot, customer, least, routes_.PositionOf(near), best);
    Consider(slot, customer, least, routes_.PositionOf(near) - 1, best);
    if (++looked == kBesideLooked) break;
  }
}

void PenalisedRecreate::Scan(int32_t slot, NodeIndex customer, Place& best) {
  if (!routes_.Allowed(slot, {&customer, 1})) return;
  const double least = LeastAdded(slot, customer);
  for (int32_t i = 0; i <= routes_.route(slot).stops(); ++i) {
    Consider(slot, customer, least, i, best);
  }
}

double PenalisedRecreate::LeastAdded(int32_t slot, NodeIndex customer) const {
  const PenalisedRoutes::Route& route = routes_.route(slot);
  const double load = route.load + routes_.demand(customer);
  return (route.empty() ? route.fixed : 0) + routes_.LoadPenalty(route, load) - route.penalty;
}

void PenalisedRecreate::Consider(int32_t slot, NodeIndex customer, double least, int32_t after,
                                 Place& best) {
  const PenalisedRoutes::Route& route = routes_.route(slot);
  const NodeIndex before = route.nodes[after];
  const NodeIndex next = route.nodes[after + 1];
  const double edges = routes_.Edge(slot, before, customer) + routes_.Edge(slot, customer, next) -
                       routes_.Edge(slot, before, next);
  double added = edges + least;
  if (added >= best.added) return;
  if (!routes_.simple()) {
    added = edges + routes_.ExtraCost({slot, before, {&customer, 1}, next, slot}) -
            routes_.ExtraCost(route);
  }
  if (added < best.added && random_.Unit() >= kBlink) best = {added, slot, after};
}

}  // namespace vrp
