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
    const auto there = routes_.CustomersOf(place.slot);
    filled_.assign(there.begin(), there.end());
    filled_.insert(filled_.begin() + place.after, customer);
    routes_.SetCustomers(place.slot, filled_);
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
    if (slot < 0 || !MayServe(slot, customer)) continue;
    const double load_added = routes_.LoadAdded(routes_.route(slot), customer);
    Consider(slot, customer, load_added, routes_.PositionOf(near), best);
    Consider(slot, customer, load_added, routes_.PositionOf(near) - 1, best);
    if (++looked == kBesideLooked) break;
  }
}

void PenalisedRecreate::Scan(int32_t slot, NodeIndex customer, Place& best) {
  if (!MayServe(slot, customer)) return;
  const PenalisedRoutes::Route& route = routes_.route(slot);
  const double load_added = routes_.LoadAdded(route, customer);
  if (load_added >= best.added) return;
  for (int32_t i = 0; i + 1 < route.size(); ++i) Consider(slot, customer, load_added, i, best);
}

void PenalisedRecreate::Consider(int32_t slot, NodeIndex customer, double load_added, int32_t after,
                                 Place& best) {
  const double limit = best.added - load_added;
  const double added = load_added + routes_.PlaceAdded(routes_.route(slot), after, customer, limit);
  if (added < best.added && random_.Unit() >= kBlink) best = {added, slot, after};
}

bool PenalisedRecreate::MayServe(int32_t slot, NodeIndex customer) const {
  return problem_.Allowed(problem_.vehicle(routes_.route(slot).type), customer);
}

}  // namespace vrp
