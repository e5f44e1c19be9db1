#include "core/search/population/granular_search.h"

#include <algorithm>
#include <array>

namespace vrp {

GranularSearch::GranularSearch(PenalisedRoutes& routes, FastRandom& random)
    : routes_(routes),
      random_(random),
      problem_(routes.problem()),
      epsilon_(routes.problem().epsilon()),
      swap_star_(routes),
      near_(static_cast<size_t>(problem_.size()) * kNeighbours, -1),
      tested_(problem_.size(), 0),
      tested_alone_(problem_.size(), 0) {
  for (NodeIndex u = 1; u < problem_.size(); ++u) {
    if (!problem_.Servable(u)) continue;
    order_.push_back(u);
    int32_t count = 0;
    for (const NodeIndex v : problem_.Related(u)) {
      if (count == kNeighbours) break;
      if (problem_.Servable(v)) near_[u * kNeighbours + count++] = v;
    }
  }
}

int64_t GranularSearch::Restart() {
  settled_ = moves_ + 1;
  moves_ += 2;
  added_ = 0;
  return settled_;
}

bool GranularSearch::Descend(const StopCondition& stop) {
  random_.Shuffle(std::span<NodeIndex>(order_));
  bool improved = true;
  for (int32_t sweep = 0; improved || sweep < 2; ++sweep) {
    improved = false;
    if (!Sweep(sweep > 0, stop, improved)) return false;
    if (improved || problem_.timed()) continue;
    const double swapped = swap_star_.Improve(settled_, moves_, stop);
    added_ += swapped;
    improved = swapped < 0;
  }
  return true;
}

bool GranularSearch::Repair(const StopCondition& stop) {
  routes_.MarkInfeasible(Restart() + 1);
  return Descend(stop);
}

// False when stopped.
bool GranularSearch::Sweep(bool with_empty, const StopCondition& stop, bool& improved) {
  int32_t polls = 0;
  for (const NodeIndex u : order_) {
    if (++polls % 32 == 0 && stop.ShouldStop()) return false;
    if (TestNeighbours(u)) improved = true;
    if (with_empty && TryEmptyRoute(u)) improved = true;
  }
  return true;
}

bool GranularSearch::TestNeighbours(NodeIndex u) {
  bool improved = false;
  const int64_t last = std::max(tested_[u], settled_);
  tested_[u] = moves_;
  const NodeIndex* near = &near_[u * kNeighbours];
  const PenalisedRoutes::Visit& at_u = routes_.visit(u);
  for (int32_t k = 0; k < kNeighbours && near[k] >= 0; ++k) {
    const NodeIndex v = near[k];
    const PenalisedRoutes::Visit& at_v = routes_.visit(v);
    const PenalisedRoutes::Route& route_u = routes_.route(at_u.route);
    const PenalisedRoutes::Route& route_v = routes_.route(at_v.route);
    if (std::max(route_u.changed, route_v.changed) <= last) continue;
    const double apart = Distance(u, v);
    const double limit = route_u.penalty + route_v.penalty;
    if (apart - std::max(at_u.longest, at_v.longest) < limit) {
      if (TryPlaceAfter(u, v, at_v.route) ||
          (at_v.previous == 0 && TryPlaceAfter(u, 0, at_v.route))) {
        improved = true;
        continue;
      }
    }
    if (4 * apart - 2 * (at_u.around + at_v.around) < limit &&
        TryExchange(MakePair(u, v, at_v.route))) {
      improved = true;
    }
  }
  return improved;
}

GranularSearch::Pair GranularSearch::MakePair(NodeIndex u, NodeIndex v, int32_t route_v) const {
  const PenalisedRoutes::Visit& at = routes_.visit(u);
  const PenalisedRoutes::Route& own = routes_.route(at.route);
  const PenalisedRoutes::Route& other = routes_.route(route_v);
  double limit = -epsilon_;
  if (at.route != route_v) {
    limit += own.penalty + other.penalty;
  } else if (problem_.timed()) {
    limit += own.penalty;
  }
  return {.u = u,
          .before_u = at.previous,
          .after_u = at.next,
          .v = v,
          .after_v = v == 0 ? other.nodes[1] : routes_.visit(v).next,
          .route_u = at.route,
          .route_v = route_v,
          .at_u = at.position,
          .at_v = routes_.visit(v).position,
          .load_u = own.load,
          .load_v = other.load,
          .limit = limit};
}

bool GranularSearch::TryPlaceAfter(NodeIndex u, NodeIndex v, int32_t route_v) {
  const Pair pair = MakePair(u, v, route_v);
  if (pair.after_v != u && TryRelocate(pair)) return true;
  if (pair.route_u == pair.route_v) return !problem_.timed() && v != 0 && TryTwoOpt(pair);
  return TryTails(pair) || (!problem_.timed() && TryTurnedTails(pair));
}

// u, or u and the next, or these two turned, after v.
bool GranularSearch::TryRelocate(const Pair& pair) {
  const auto [u, p, x, v, y, route_u, route_v, at_u, at_v, load_u, load_v, limit] = pair;
  const double to_u = Distance(v, u);
  const double from_u = Distance(u, y);
  const double closed = Distance(p, u) + Distance(v, y);
  const double edge = Distance(u, x);
  const Range place = {route_v, at_v + 1, 0};
  const double one = to_u + from_u + Distance(p, x) - closed - edge;
  if (one < limit && one < LimitAfter(pair, -problem_.demand(u)) &&
      Exchange({route_u, at_u, 1}, false, place, one)) {
    return true;
  }
  if (x == 0 || v == x) return false;
  const NodeIndex xx = routes_.visit(x).next;
  const double rest = Distance(p, xx) - closed - Distance(x, xx);
  const double two = rest + to_u + Distance(x, y);
  const double turned = rest + Distance(v, x) + from_u + Distance(x, u) - edge;
  if (std::min(two, turned) >= limit) return false;
  const double limit_two = LimitAfter(pair, -problem_.demand(u) - problem_.demand(x));
  if (two < limit_two && Exchange({route_u, at_u, 2}, false, place, two)) return true;
  return turned < limit_two && Exchange({route_u, at_u, 2}, true, place, turned);
}

// v -> u, and what preceded u -> what followed v.
bool GranularSearch::TryTails(const Pair& pair) {
  const auto [u, p, x, v, y, route_u, route_v, at_u, at_v, load_u, load_v, limit] = pair;
  const double added = Distance(v, u) + Distance(p, y) - Distance(p, u) - Distance(v, y);
  if (added >= limit) return false;
  const double tail_u = load_u - routes_.visit(p).load;
  const double tail_v = load_v - routes_.visit(v).load;
  if (added >= LimitAfter(pair, tail_v - tail_u)) return false;
  const auto end_u = static_cast<int32_t>(routes_.route(route_u).nodes.size()) - 1;
  const auto end_v = static_cast<int32_t>(routes_.route(route_v).nodes.size()) - 1;
  return Exchange({route_u, at_u, end_u - at_u}, false, {route_v, at_v + 1, end_v - at_v - 1},
                  added);
}

// u -> v turned to the depot, and what followed u turned -> what followed v.
bool GranularSearch::TryTurnedTails(const Pair& pair) {
  const auto [u, p, x, v, y, route_u, route_v, at_u, at_v, load_u, load_v, limit] = pair;
  double added = Distance(u, v) + Distance(x, y) - Distance(u, x) - Distance(v, y);
  if (!problem_.symmetric()) {
    added += routes_.visit(v).turned;
    if (x != 0) added += routes_.route(route_u).turned - routes_.visit(x).turned;
  }
  if (added >= limit) return false;
  const double first = routes_.visit(u).load + routes_.visit(v).load;
  const double limit_after = LimitAfter(pair, first - load_u);
  if (added >= limit_after) return false;
  added_ += added - limit_after - epsilon_;
  const std::vector<NodeIndex>& nodes_u = routes_.route(route_u).nodes;
  const std::vector<NodeIndex>& nodes_v = routes_.route(route_v).nodes;
  scratch_[0].assign(nodes_u.begin(), nodes_u.begin() + at_u + 1);
  for (int32_t i = at_v; i >= 0; --i) scratch_[0].push_back(nodes_v[i]);
  if (v == 0) scratch_[0].back() = 0;
  scratch_[1].assign(1, 0);
  for (auto i = static_cast<int32_t>(nodes_u.size()) - 2; i > at_u; --i) {
    scratch_[1].push_back(nodes_u[i]);
  }
  scratch_[1].insert(scratch_[1].end(), nodes_v.begin() + at_v + 1, nodes_v.end());
  ++moves_;
  routes_.SetRoute(route_u, scratch_[0], moves_);
  routes_.SetRoute(route_v, scratch_[1], moves_);
  return true;
}

// Turns the part between u and v, u being the first.
bool GranularSearch::TryTwoOpt(const Pair& pair) {
  const auto [u, p, x, v, y, route_u, route_v, at_u, at_v, load_u, load_v, limit] = pair;
  if (at_u > at_v || x == v) return false;
  double added = Distance(u, v) + Distance(x, y) - Distance(u, x) - Distance(v, y);
  if (!problem_.symmetric()) added += routes_.visit(v).turned - routes_.visit(x).turned;
  if (added >= -epsilon_) return false;
  scratch_[0] = routes_.route(route_u).nodes;
  std::reverse(scratch_[0].begin() + at_u + 1, scratch_[0].begin() + at_v + 1);
  return SetWithin(route_u, added);
}

// u with v; u and the next with v; both with their next.
bool GranularSearch::TryExchange(const Pair& pair) {
  const auto [u, p, x, v, y, route_u, route_v, at_u, at_v, load_u, load_v, limit] = pair;
  const NodeIndex q = routes_.visit(v).previous;
  if (u == q || u == y) return false;
  const double swapped = Distance(p, v) + Distance(q, u);
  const double closed = Distance(p, u) + Distance(q, v);
  const double one =
      swapped - closed + Distance(v, x) + Distance(u, y) - Distance(u, x) - Distance(v, y);
  const double given = problem_.demand(u);
  const double taken = problem_.demand(v);
  if (one < limit && one < LimitAfter(pair, taken - given) &&
      Exchange({route_u, at_u, 1}, false, {route_v, at_v, 1}, one)) {
    return true;
  }
  if (x == 0 || x == q) return false;
  const NodeIndex xx = routes_.visit(x).next;
  const double rest = swapped - closed - Distance(x, xx);
  const double two = rest + Distance(v, xx) + Distance(x, y) - Distance(v, y);
  const double given_two = given + problem_.demand(x);
  if (two < limit && two < LimitAfter(pair, taken - given_two) &&
      Exchange({route_u, at_u, 2}, false, {route_v, at_v, 1}, two)) {
    return true;
  }
  if (y == 0 || y == p) return false;
  const NodeIndex yy = routes_.visit(y).next;
  const double pairs = rest + Distance(y, xx) + Distance(x, yy) - Distance(y, yy);
  return pairs < limit && pairs < LimitAfter(pair, taken + problem_.demand(y) - given_two) &&
         Exchange({route_u, at_u, 2}, false, {route_v, at_v, 2}, pairs);
}

bool GranularSearch::TryEmptyRoute(NodeIndex u) {
  const int64_t last = std::max(tested_alone_[u], settled_);
  if (routes_.route(routes_.visit(u).route).changed <= last) return false;
  tested_alone_[u] = moves_;
  const int32_t empty = routes_.EmptyRoute();
  return empty >= 0 && TryPlaceAfter(u, 0, empty);
}

}  // namespace vrp
