#include "core/search/ruin_recreate/plain_recreate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace vrp {
void PlainRecreate::InsertAll(std::vector<NodeIndex> customers) {
  customers.insert(customers.end(), routes_.absent().begin(), routes_.absent().end());
  sorter_.SortRandomly(customers, problem_, random_);
  routes_.SetAbsent(InsertInOrder(customers));
}

std::vector<NodeIndex> PlainRecreate::InsertInOrder(std::span<const NodeIndex> customers) {
  std::vector<NodeIndex> left;
  for (const NodeIndex customer : customers) {
    const PlainInsertionPlace place = Find(customer);
    if (place.found()) {
      routes_.Insert(customer, place);
    } else {
      left.push_back(customer);
    }
  }
  return left;
}

PlainInsertionPlace PlainRecreate::Find(NodeIndex customer) {
  PlainInsertionPlace best;
  best.cost = std::numeric_limits<double>::infinity();
  const bool may_open = routes_.CanOpenRoute();
  if (problem_.size() <= kScanAllNodes) {
    Scan(customer, best);
  } else {
    LookBesideRelated(customer, best);
    if (!best.found() && !may_open) Scan(customer, best);
  }
  if (!may_open) return best;
  const double alone = problem_.Distance(0, customer) + problem_.Distance(customer, 0);
  if (alone < best.cost) best = {.route = routes_.EmptyRoute(), .after = 0, .cost = alone};
  return best;
}

void PlainRecreate::Scan(NodeIndex customer, PlainInsertionPlace& best) {
  for (int32_t r = 0; r < std::ssize(routes_.routes()); ++r) {
    const PlainRoute& route = routes_.route(r);
    if (route.empty() || !problem_.Fits(route.load + problem_.demand(customer))) continue;
    ScanRoute(customer, r, best);
  }
}

void PlainRecreate::ScanRoute(NodeIndex customer, int32_t index, PlainInsertionPlace& best) {
  const PlainRoute& route = routes_.route(index);
  const double* row = problem_.symmetric() ? problem_.DistanceRow(customer) : nullptr;
  const NodeIndex* nodes = route.nodes.data();
  const double* edge = route.edge.data();
  const auto [begin, end] = PlacesInTime(customer, route);
  if (row == nullptr) {
    for (int32_t i = begin; i < end; ++i) {
      const double cost = problem_.Distance(nodes[i], customer) +
                          problem_.Distance(customer, nodes[i + 1]) - edge[i];
      if (cost < best.cost) Consider(customer, {.route = index, .after = i, .cost = cost}, best);
    }
    return;
  }
  double from = row[nodes[begin]];
  for (int32_t i = begin; i < end; ++i) {
    const double to = row[nodes[i + 1]];
    const double cost = from + to - edge[i];
    if (cost < best.cost) Consider(customer, {.route = index, .after = i, .cost = cost}, best);
    from = to;
  }
}

PlainRecreate::Places PlainRecreate::PlacesInTime(NodeIndex customer,
                                                  const PlainRoute& route) const {
  const int32_t places = route.customers() + 1;
  if (!problem_.timed()) return {.begin = 0, .end = places};
  const double close = problem_.close(customer);
  const double served = problem_.open(customer) + problem_.service(customer);
  const VisitTimes* times = route.times.data();
  int32_t begin = 0;
  while (begin < places && !problem_.InTime(served, times[begin + 1].latest)) ++begin;
  int32_t end = places;
  while (end > begin && !problem_.InTime(times[end - 1].departure, close)) --end;
  return {.begin = begin, .end = end};
}

void PlainRecreate::LookBesideRelated(NodeIndex customer, PlainInsertionPlace& best) {
  const double* row = problem_.symmetric() ? problem_.DistanceRow(customer) : nullptr;
  const auto from = [&](NodeIndex node) {
    return row != nullptr ? row[node] : problem_.Distance(node, customer);
  };
  const auto to = [&](NodeIndex node) {
    return row != nullptr ? row[node] : problem_.Distance(customer, node);
  };
  const auto related = problem_.Related(customer);
  const auto looked = related.first(std::min<size_t>(related.size(), kRelatedLooked));
  // All costs first: so the waits for memory overlap.
  std::array<double, kRelatedLooked> before;
  std::array<double, kRelatedLooked> after;
  for (size_t i = 0; i < looked.size(); ++i) {
    const VisitPlace& visit = routes_.PlaceOf(looked[i]);
    const double there = to(looked[i]);
    before[i] = from(visit.before) + there - visit.edge_before;
    after[i] =
        (problem_.symmetric() ? there : from(looked[i])) + to(visit.after) - visit.edge_after;
  }
  const double demand = problem_.demand(customer);
  for (size_t i = 0; i < looked.size(); ++i) {
    if (std::min(before[i], after[i]) >= best.cost) continue;
    const VisitPlace& visit = routes_.PlaceOf(looked[i]);
    if (visit.route < 0 || !problem_.Fits(routes_.route(visit.route).load + demand)) continue;
    PlainInsertionPlace place{.route = visit.route, .after = visit.position, .cost = after[i]};
    if (place.cost < best.cost) Consider(customer, place, best);
    place = {.route = visit.route, .after = visit.position - 1, .cost = before[i]};
    if (place.cost < best.cost) Consider(customer, place, best);
  }
}

// `place` is cheaper than `best` and keeps the capacity. Windows and blinks are asked last: few
// places get here.
void PlainRecreate::Consider(NodeIndex customer, PlainInsertionPlace place,
                             PlainInsertionPlace& best) {
  if (problem_.timed() &&
      !routes_.InsertionInTime(customer, routes_.route(place.route), place.after))
    return;
  if (!Blinks()) best = place;
}

void InsertAbsent(PlainRouteStore& routes) {
  if (routes.absent().empty()) return;
  std::vector<NodeIndex> customers = routes.absent();
  const Problem& problem = routes.problem();
  std::stable_sort(customers.begin(), customers.end(),
                   [&](NodeIndex a, NodeIndex b) { return problem.demand(a) > problem.demand(b); });
  FastRandom random(1);
  routes.SetAbsent(PlainRecreate(routes, random, 0).InsertInOrder(customers));
}

}  // namespace vrp
