#include "core/search/recreate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace vrp {
void Recreate::InsertAll(std::vector<NodeIndex> customers) {
  customers.insert(customers.end(), routes_.absent().begin(), routes_.absent().end());
  sorter_.SortRandomly(customers, problem_, random_);
  routes_.SetAbsent(InsertInOrder(customers));
}

std::vector<NodeIndex> Recreate::InsertInOrder(std::span<const NodeIndex> customers) {
  std::vector<NodeIndex> left;
  for (const NodeIndex customer : customers) {
    const InsertionSpot spot = Find(customer);
    if (spot.found()) {
      routes_.Insert(customer, spot);
    } else {
      left.push_back(customer);
    }
  }
  return left;
}

InsertionSpot Recreate::Find(NodeIndex customer) {
  InsertionSpot best;
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

void Recreate::Scan(NodeIndex customer, InsertionSpot& best) {
  for (int32_t r = 0; r < std::ssize(routes_.routes()); ++r) {
    const SearchRoute& route = routes_.route(r);
    if (route.empty() || !problem_.Fits(route.load + problem_.demand(customer))) continue;
    ScanRoute(customer, r, best);
  }
}

void Recreate::ScanRoute(NodeIndex customer, int32_t index, InsertionSpot& best) {
  const SearchRoute& route = routes_.route(index);
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

Recreate::Places Recreate::PlacesInTime(NodeIndex customer, const SearchRoute& route) const {
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

void Recreate::LookBesideRelated(NodeIndex customer, InsertionSpot& best) {
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
    const VisitPlace& place = routes_.PlaceOf(looked[i]);
    const double there = to(looked[i]);
    before[i] = from(place.before) + there - place.edge_before;
    after[i] =
        (problem_.symmetric() ? there : from(looked[i])) + to(place.after) - place.edge_after;
  }
  const double demand = problem_.demand(customer);
  for (size_t i = 0; i < looked.size(); ++i) {
    if (std::min(before[i], after[i]) >= best.cost) continue;
    const VisitPlace& place = routes_.PlaceOf(looked[i]);
    if (place.route < 0 || !problem_.Fits(routes_.route(place.route).load + demand)) continue;
    InsertionSpot spot{.route = place.route, .after = place.position, .cost = after[i]};
    if (spot.cost < best.cost) Consider(customer, spot, best);
    spot = {.route = place.route, .after = place.position - 1, .cost = before[i]};
    if (spot.cost < best.cost) Consider(customer, spot, best);
  }
}

// `spot` is cheaper than `best` and keeps the capacity. Windows and blinks are asked last: few
// places get here.
void Recreate::Consider(NodeIndex customer, InsertionSpot spot, InsertionSpot& best) {
  if (problem_.timed() && !routes_.InsertionInTime(customer, routes_.route(spot.route), spot.after))
    return;
  if (!Blinks()) best = spot;
}

void InsertAbsent(RouteSet& routes) {
  if (routes.absent().empty()) return;
  std::vector<NodeIndex> customers = routes.absent();
  const SearchProblem& problem = routes.problem();
  std::stable_sort(customers.begin(), customers.end(),
                   [&](NodeIndex a, NodeIndex b) { return problem.demand(a) > problem.demand(b); });
  FastRandom random(1);
  routes.SetAbsent(Recreate(routes, random, 0).InsertInOrder(customers));
}

}  // namespace vrp
