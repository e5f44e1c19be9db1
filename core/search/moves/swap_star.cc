#include "core/search/moves/swap_star.h"

#include <algorithm>
#include <limits>

namespace vrp {

SwapStar::SwapStar(PenalisedRoutes& routes, double rounding)
    : routes_(routes), problem_(routes.problem()), rounding_(rounding) {
  if (routes_.timed()) return;
  const auto count = static_cast<size_t>(routes.slots());
  places_.resize(count * problem_.size());
  tested_.resize(count * count);
  near_in_.resize(count * count);
  removal_.resize(problem_.size());
}

void SwapStar::FindNearRoutes(int64_t settled) {
  ++round_;
  pairs_.clear();
  const int32_t count = routes_.slots();
  for (const NodeIndex u : routes_.customers()) {
    const auto near = problem_.Near(u);
    const int32_t route_u = routes_.visit(u).route;
    if (route_u < 0) continue;
    const int64_t changed_u = routes_.route(route_u).changed;
    for (const NodeIndex v : near.first(std::min<size_t>(near.size(), kNear))) {
      const int32_t route_v = routes_.visit(v).route;
      if (route_v < 0 || route_u == route_v) continue;
      const auto [low, high] = std::minmax(route_u, route_v);
      const int64_t at = static_cast<int64_t>(low) * count + high;
      if (near_in_[at] == round_) continue;
      near_in_[at] = round_;
      if (std::max(changed_u, routes_.route(route_v).changed) > std::max(tested_[at], settled)) {
        pairs_.emplace_back(low, high);
      }
    }
  }
}

double SwapStar::Improve(int64_t settled, const StopCondition& stop) {
  FindNearRoutes(settled);
  double added = 0;
  int32_t polls = 0;
  for (const auto& [first, second] : pairs_) {
    if (++polls % 16 == 0 && stop.ShouldStop()) break;
    tested_[static_cast<int64_t>(first) * routes_.slots() + second] = routes_.changes();
    added += TryPair(first, second);
  }
  return added;
}

double SwapStar::TryPair(int32_t first, int32_t second) {
  for (const int32_t route : {first, second}) {
    const std::vector<NodeIndex>& nodes = routes_.route(route).nodes;
    for (size_t i = 1; i + 1 < nodes.size(); ++i) {
      const PenalisedRoutes::Visit& visit = routes_.visit(nodes[i]);
      removal_[nodes[i]] = routes_.Edge(route, nodes[i - 1], nodes[i + 1]) - visit.into - visit.out;
    }
  }
  Move best = {.cost = -rounding_};
  ConsiderSwaps(first, second, best);
  ConsiderRelocations(first, second, true, best);
  ConsiderRelocations(second, first, false, best);
  return best.u < 0 && best.v < 0 ? 0 : Apply(first, second, best);
}

void SwapStar::ConsiderSwaps(int32_t first, int32_t second, Move& best) {
  const PenalisedRoutes::Route& a = routes_.route(first);
  const PenalisedRoutes::Route& b = routes_.route(second);
  const double penalties = a.penalty + b.penalty;
  for (size_t i = 1; i + 1 < a.nodes.size(); ++i) {
    const NodeIndex u = a.nodes[i];
    if (!routes_.Allowed(second, {&u, 1})) continue;
    for (size_t j = 1; j + 1 < b.nodes.size(); ++j) {
      const NodeIndex v = b.nodes[j];
      const double shift = routes_.demand(v) - routes_.demand(u);
      const double least = routes_.LoadPenalty(a, a.load + shift) +
                           routes_.LoadPenalty(b, b.load - shift) - penalties + removal_[u] +
                           removal_[v];
      if (least >= best.cost || !routes_.Allowed(first, {&v, 1})) continue;
      const Place place_u = CheapestWithout(u, second, v);
      if (least + place_u.cost >= best.cost) continue;
      const Place place_v = CheapestWithout(v, first, u);
      const double cost = least + place_u.cost + place_v.cost;
      if (cost < best.cost) best = {cost, u, v, place_u.after, place_v.after};
    }
  }
}

void SwapStar::ConsiderRelocations(int32_t from, int32_t to, bool is_first, Move& best) {
  const PenalisedRoutes::Route& a = routes_.route(from);
  const PenalisedRoutes::Route& b = routes_.route(to);
  for (size_t i = 1; i + 1 < a.nodes.size(); ++i) {
    const NodeIndex u = a.nodes[i];
    const double demand = routes_.demand(u);
    const double least = routes_.LoadPenalty(a, a.load - demand) +
                         routes_.LoadPenalty(b, b.load + demand) - a.penalty - b.penalty +
                         removal_[u];
    if (least >= best.cost || !routes_.Allowed(to, {&u, 1})) continue;
    const Place place = PlacesOf(u, to).best[0];
    if (least + place.cost >= best.cost) continue;
    best = is_first ? Move{least + place.cost, u, -1, place.after, -1}
                    : Move{least + place.cost, -1, u, -1, place.after};
  }
}

const SwapStar::Places& SwapStar::PlacesOf(NodeIndex customer, int32_t route) {
  Places& places = places_[static_cast<int64_t>(customer) * routes_.slots() + route];
  const PenalisedRoutes::Route& target = routes_.route(route);
  if (places.when == target.changed) return places;
  places.when = target.changed;
  places.best.fill({std::numeric_limits<double>::infinity(), -1});
  auto& [best, second, third] = places.best;
  const bool symmetric = routes_.edges().symmetric();
  const double* edges = target.edges;
  const int64_t stride = routes_.edges().stride();
  const double* outs = edges + customer * stride;
  NodeIndex before = target.nodes[0];
  double into = edges[before * stride + customer];
  for (size_t i = 1; i < target.nodes.size(); ++i) {
    const NodeIndex after = target.nodes[i];
    const double out = outs[after];
    const double cost = into + out - edges[before * stride + after];
    into = symmetric ? out : edges[after * stride + customer];
    if (cost < third.cost) {
      third = {cost, before};
      if (third.cost < second.cost) std::swap(second, third);
      if (second.cost < best.cost) std::swap(best, second);
    }
    before = after;
  }
  return places;
}

SwapStar::Place SwapStar::CheapestWithout(NodeIndex customer, int32_t route, NodeIndex without) {
  const NodeIndex before = routes_.visit(without).previous;
  const NodeIndex after = routes_.visit(without).next;
  Place best = {routes_.Edge(route, before, customer) + routes_.Edge(route, customer, after) -
                    routes_.Edge(route, before, after),
                before};
  for (const Place& place : PlacesOf(customer, route).best) {
    if (place.after < 0 || place.after == before || place.after == without) continue;
    if (place.cost < best.cost) best = place;
    break;
  }
  return best;
}

void SwapStar::Compose(int32_t route, NodeIndex without, NodeIndex with, NodeIndex after,
                       std::vector<NodeIndex>& nodes) const {
  nodes.clear();
  const std::vector<NodeIndex>& old = routes_.route(route).nodes;
  for (size_t i = 0; i < old.size(); ++i) {
    if (old[i] != without) nodes.push_back(old[i]);
    if (with >= 0 && i + 1 < old.size() && old[i] == after) nodes.push_back(with);
  }
}

double SwapStar::Apply(int32_t first, int32_t second, const Move& move) {
  Compose(first, move.u, move.v, move.after_v, scratch_[0]);
  Compose(second, move.v, move.u, move.after_u, scratch_[1]);
  double added = move.cost;
  if (!routes_.simple()) {
    added = AddedBy(first, scratch_[0]) + AddedBy(second, scratch_[1]);
    if (added >= -rounding_) return 0;
  }
  routes_.SetRoute(first, scratch_[0]);
  routes_.SetRoute(second, scratch_[1]);
  return added;
}

double SwapStar::AddedBy(int32_t slot, std::span<const NodeIndex> nodes) const {
  const PenalisedRoutes::Route& route = routes_.route(slot);
  double added = -route.cost - routes_.ExtraCost(route);
  for (size_t i = 0; i + 1 < nodes.size(); ++i) added += routes_.Edge(slot, nodes[i], nodes[i + 1]);
  return added + routes_.ExtraCost({slot, route.nodes.front(), nodes.subspan(1, nodes.size() - 2),
                                    route.nodes.back(), slot});
}

}  // namespace vrp
