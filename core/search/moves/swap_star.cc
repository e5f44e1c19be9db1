#include "core/search/moves/swap_star.h"

#include <algorithm>
#include <limits>

namespace vrp {

SwapStar::SwapStar(PlainPenalisedRoutes& routes) : routes_(routes), problem_(routes.problem()) {
  if (problem_.timed()) return;
  const auto count = static_cast<size_t>(routes.num_routes());
  places_.resize(count * problem_.size());
  tested_.resize(count * count);
  near_in_.resize(count * count);
  removal_.resize(problem_.size());
  for (NodeIndex node = 1; node < problem_.size(); ++node) {
    if (problem_.Servable(node)) customers_.push_back(node);
  }
}

void SwapStar::FindNearRoutes(int64_t settled) {
  ++round_;
  pairs_.clear();
  const int32_t count = routes_.num_routes();
  for (const NodeIndex u : customers_) {
    const auto near = problem_.Near(u);
    const int32_t route_u = routes_.visit(u).route;
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

double SwapStar::Improve(int64_t settled, int64_t& moves, const StopCondition& stop) {
  FindNearRoutes(settled);
  double added = 0;
  int32_t polls = 0;
  for (const auto& [first, second] : pairs_) {
    if (++polls % 16 == 0 && stop.ShouldStop()) break;
    tested_[static_cast<int64_t>(first) * routes_.num_routes() + second] = moves;
    added += TryPair(first, second, moves);
  }
  return added;
}

double SwapStar::TryPair(int32_t first, int32_t second, int64_t& moves) {
  for (const int32_t route : {first, second}) {
    const std::vector<NodeIndex>& nodes = routes_.route(route).nodes;
    for (size_t i = 1; i + 1 < nodes.size(); ++i) {
      removal_[nodes[i]] = routes_.Distance(nodes[i - 1], nodes[i + 1]) -
                           routes_.Distance(nodes[i - 1], nodes[i]) -
                           routes_.Distance(nodes[i], nodes[i + 1]);
    }
  }
  Move best = {.cost = -problem_.epsilon()};
  ConsiderSwaps(first, second, best);
  ConsiderRelocations(first, second, true, best);
  ConsiderRelocations(second, first, false, best);
  if (best.u == 0 && best.v == 0) return 0;
  Apply(first, second, best, ++moves);
  return best.cost;
}

void SwapStar::ConsiderSwaps(int32_t first, int32_t second, Move& best) {
  const PlainPenalisedRoutes::Route& a = routes_.route(first);
  const PlainPenalisedRoutes::Route& b = routes_.route(second);
  const double penalties = a.penalty + b.penalty;
  for (size_t i = 1; i + 1 < a.nodes.size(); ++i) {
    const NodeIndex u = a.nodes[i];
    for (size_t j = 1; j + 1 < b.nodes.size(); ++j) {
      const NodeIndex v = b.nodes[j];
      const double shift = problem_.demand(v) - problem_.demand(u);
      const double least = routes_.LoadPenalty(a.load + shift) +
                           routes_.LoadPenalty(b.load - shift) - penalties + removal_[u] +
                           removal_[v];
      if (least >= best.cost) continue;
      const Place place_u = CheapestWithout(u, second, v);
      if (least + place_u.cost >= best.cost) continue;
      const Place place_v = CheapestWithout(v, first, u);
      const double cost = least + place_u.cost + place_v.cost;
      if (cost < best.cost) best = {cost, u, v, place_u.after, place_v.after};
    }
  }
}

void SwapStar::ConsiderRelocations(int32_t from, int32_t to, bool is_first, Move& best) {
  const PlainPenalisedRoutes::Route& a = routes_.route(from);
  const PlainPenalisedRoutes::Route& b = routes_.route(to);
  for (size_t i = 1; i + 1 < a.nodes.size(); ++i) {
    const NodeIndex u = a.nodes[i];
    const double demand = problem_.demand(u);
    const double least = routes_.LoadPenalty(a.load - demand) +
                         routes_.LoadPenalty(b.load + demand) - a.penalty - b.penalty + removal_[u];
    if (least >= best.cost) continue;
    const Place place = PlacesOf(u, to).best[0];
    if (least + place.cost >= best.cost) continue;
    best = is_first ? Move{least + place.cost, u, 0, place.after, 0}
                    : Move{least + place.cost, 0, u, 0, place.after};
  }
}

const SwapStar::Places& SwapStar::PlacesOf(NodeIndex customer, int32_t route) {
  Places& places = places_[static_cast<int64_t>(customer) * routes_.num_routes() + route];
  const PlainPenalisedRoutes::Route& target = routes_.route(route);
  if (places.when == target.changed) return places;
  places.when = target.changed;
  places.best.fill({std::numeric_limits<double>::infinity(), 0});
  auto& [best, second, third] = places.best;
  NodeIndex before = 0;
  double into = routes_.Distance(0, customer);
  for (size_t i = 1; i < target.nodes.size(); ++i) {
    const NodeIndex after = target.nodes[i];
    const double out = routes_.Distance(customer, after);
    const double cost = into + out - routes_.Distance(before, after);
    into = problem_.symmetric() ? out : routes_.Distance(after, customer);
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
  Place best = {routes_.Distance(before, customer) + routes_.Distance(customer, after) -
                    routes_.Distance(before, after),
                before};
  for (const Place& place : PlacesOf(customer, route).best) {
    if (place.after == before || place.after == without) continue;
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
    if (i == 0 || old[i] != without || without == 0) nodes.push_back(old[i]);
    const bool here = i == 0 ? after == 0 : (i + 1 < old.size() && old[i] == after);
    if (with != 0 && here) nodes.push_back(with);
  }
}

void SwapStar::Apply(int32_t first, int32_t second, const Move& move, int64_t when) {
  Compose(first, move.u, move.v, move.after_v, scratch_[0]);
  Compose(second, move.v, move.u, move.after_u, scratch_[1]);
  routes_.SetRoute(first, scratch_[0], when);
  routes_.SetRoute(second, scratch_[1], when);
}

}  // namespace vrp
