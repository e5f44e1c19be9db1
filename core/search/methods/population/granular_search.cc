#include "core/search/methods/population/granular_search.h"

#include <algorithm>
#include <limits>

namespace vrp {

GranularSearch::GranularSearch(PlainPenalisedRoutes& routes, FastRandom& random)
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
  const NodeIndex* near = &near_[static_cast<size_t>(u) * kNeighbours];
  Mover mover = MoverOf(u);
  for (int32_t k = 0; k < kNeighbours && near[k] >= 0; ++k) {
    const int32_t route = routes_.visit(near[k]).route;
    if (std::max(routes_.route(mover.route).changed, routes_.route(route).changed) <= last)
      continue;
    if (!TryBeside(mover, near[k], route)) continue;
    improved = true;
    mover = MoverOf(u);
  }
  return improved;
}

inline bool GranularSearch::TryBeside(const Mover& mover, NodeIndex v, int32_t route) {
  const PlainPenalisedRoutes::Visit& at_v = routes_.visit(v);
  const Target target = TargetOf(mover, v, route);
  const double apart = Distance(mover.u, v);
  const double longest = std::max({mover.into, mover.out, at_v.into, at_v.out});
  if (apart - longest < target.limit &&
      (TryBehind(mover, target) ||
       (at_v.previous == 0 && TryBehind(mover, TargetOf(mover, 0, route))))) {
    return true;
  }
  const double around = mover.into + mover.out + at_v.into + at_v.out;
  return 4 * apart - 2 * around < target.limit && TryExchange(mover, target);
}

GranularSearch::Mover GranularSearch::MoverOf(NodeIndex u) const {
  const PlainPenalisedRoutes::Visit& at = routes_.visit(u);
  Mover mover = {.u = u,
                 .previous = at.previous,
                 .next = at.next,
                 .after_next = 0,
                 .route = at.route,
                 .position = at.position,
                 .load = routes_.route(at.route).load,
                 .into = at.into,
                 .out = at.out,
                 .out_next = 0,
                 .spared = at.into + at.out - Distance(at.previous, at.next),
                 .spared_two = -std::numeric_limits<double>::infinity()};
  if (at.next != 0) {
    const PlainPenalisedRoutes::Visit& at_next = routes_.visit(at.next);
    mover.after_next = at_next.next;
    mover.out_next = at_next.out;
    mover.spared_two = at.into + at_next.out - Distance(at.previous, at_next.next);
  }
  return mover;
}

inline GranularSearch::Target GranularSearch::TargetOf(const Mover& mover, NodeIndex v,
                                                       int32_t route) const {
  const PlainPenalisedRoutes::Visit& at = routes_.visit(v);
  const PlainPenalisedRoutes::Route& other = routes_.route(route);
  double limit = -epsilon_;
  if (mover.route != route) {
    limit += routes_.route(mover.route).penalty + other.penalty;
  } else if (problem_.timed()) {
    limit += other.penalty;
  }
  const NodeIndex next = v == 0 ? other.nodes[1] : at.next;
  return {.v = v,
          .next = next,
          .route = route,
          .position = at.position,
          .load = other.load,
          .out = v == 0 ? Distance(0, next) : at.out,
          .limit = limit};
}

inline double GranularSearch::Joined::Least() const {
  return std::min({one, two, turned, tails, turned_tails});
}

inline double GranularSearch::Swapped::Least() const { return std::min({one, two, pairs}); }

inline GranularSearch::Joined GranularSearch::Join(const Mover& mover, const Target& target) const {
  const auto& [u, p, x, xx, route_u, at_u, load_u, into_u, out_u, out_x, spared, spared_two] =
      mover;
  const NodeIndex v = target.v;
  const NodeIndex y = target.next;
  const double to_u = Distance(v, u) - target.out;
  const double from_u = Distance(u, y);
  const double x_to_y = Distance(x, y);
  return {.one = to_u + from_u - spared,
          .two = to_u + x_to_y - spared_two,
          .turned = Distance(v, x) - target.out + Distance(x, u) - out_u + from_u - spared_two,
          .tails = to_u + Distance(p, y) - into_u,
          .turned_tails = Distance(u, v) - target.out + x_to_y - out_u};
}

bool GranularSearch::TryBehind(const Mover& mover, const Target& target) {
  if (target.next == mover.u) return false;
  const Joined added = Join(mover, target);
  // Turning a part of a route may shorten it where distances are not symmetric.
  if (added.Least() >= target.limit && problem_.symmetric()) return false;
  if (TryRelocate(mover, target, added)) return true;
  if (mover.route == target.route) {
    return !problem_.timed() && target.v != 0 && TryTwoOpt(mover, target, added.turned_tails);
  }
  return TryTails(mover, target, added.tails) ||
         (!problem_.timed() && TryTurnedTails(mover, target, added.turned_tails));
}

bool GranularSearch::TryRelocate(const Mover& mover, const Target& target, const Joined& added) {
  const auto [one, two, turned, tails, turned_tails] = added;
  const double demand = problem_.demand(mover.u);
  const Range place = {target.route, target.position + 1, 0};
  if (one < target.limit && one < LimitAfter(mover, target, -demand) &&
      Exchange({mover.route, mover.position, 1}, false, place, one)) {
    return true;
  }
  if (target.v == mover.next || std::min(two, turned) >= target.limit) return false;
  const Range range = {mover.route, mover.position, 2};
  const double limit = LimitAfter(mover, target, -demand - problem_.demand(mover.next));
  if (two < limit && Exchange(range, false, place, two)) return true;
  return turned < limit && Exchange(range, true, place, turned);
}

// v -> u, and what preceded u -> what followed v.
bool GranularSearch::TryTails(const Mover& mover, const Target& target, double added) {
  if (added >= target.limit) return false;
  const double tail_u = mover.load - routes_.visit(mover.previous).load;
  const double tail_v = target.load - routes_.visit(target.v).load;
  if (added >= LimitAfter(mover, target, tail_v - tail_u)) return false;
  const auto end_u = static_cast<int32_t>(routes_.route(mover.route).nodes.size()) - 1;
  const auto end_v = static_cast<int32_t>(routes_.route(target.route).nodes.size()) - 1;
  return Exchange({mover.route, mover.position, end_u - mover.position}, false,
                  {target.route, target.position + 1, end_v - target.position - 1}, added);
}

// u -> v turned to the depot, and what followed u turned -> what followed v.
bool GranularSearch::TryTurnedTails(const Mover& mover, const Target& target, double added) {
  if (!problem_.symmetric()) {
    added += routes_.visit(target.v).turned;
    if (mover.next != 0) {
      added += routes_.route(mover.route).turned - routes_.visit(mover.next).turned;
    }
  }
  if (added >= target.limit) return false;
  const double first = routes_.visit(mover.u).load + routes_.visit(target.v).load;
  const double limit_after = LimitAfter(mover, target, first - mover.load);
  if (added >= limit_after) return false;
  added_ += added - limit_after - epsilon_;
  const std::vector<NodeIndex>& nodes_u = routes_.route(mover.route).nodes;
  const std::vector<NodeIndex>& nodes_v = routes_.route(target.route).nodes;
  scratch_[0].assign(nodes_u.begin(), nodes_u.begin() + mover.position + 1);
  for (int32_t i = target.position; i >= 0; --i) scratch_[0].push_back(nodes_v[i]);
  if (target.v == 0) scratch_[0].back() = 0;
  scratch_[1].assign(1, 0);
  for (auto i = static_cast<int32_t>(nodes_u.size()) - 2; i > mover.position; --i) {
    scratch_[1].push_back(nodes_u[i]);
  }
  scratch_[1].insert(scratch_[1].end(), nodes_v.begin() + target.position + 1, nodes_v.end());
  ++moves_;
  routes_.SetRoute(mover.route, scratch_[0], moves_);
  routes_.SetRoute(target.route, scratch_[1], moves_);
  return true;
}

// Turns the part between u and v, u being the first.
bool GranularSearch::TryTwoOpt(const Mover& mover, const Target& target, double added) {
  if (mover.position > target.position || mover.next == target.v) return false;
  if (!problem_.symmetric()) {
    added += routes_.visit(target.v).turned - routes_.visit(mover.next).turned;
  }
  if (added >= -epsilon_) return false;
  scratch_[0] = routes_.route(mover.route).nodes;
  std::reverse(scratch_[0].begin() + mover.position + 1, scratch_[0].begin() + target.position + 1);
  return SetWithin(mover.route, added);
}

inline GranularSearch::Swapped GranularSearch::Swap(const Mover& mover,
                                                    const Target& target) const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const auto& [u, p, x, xx, route_u, at_u, load_u, into_u, out_u, out_x, spared, spared_two] =
      mover;
  const NodeIndex v = target.v;
  const NodeIndex y = target.next;
  const NodeIndex q = routes_.visit(v).previous;
  const double heads = Distance(p, v) + Distance(q, u) - into_u - routes_.visit(v).into;
  Swapped added = {heads + Distance(v, x) + Distance(u, y) - out_u - target.out, kNone, kNone};
  if (x == 0 || x == q) return added;
  added.two = heads + Distance(v, xx) + Distance(x, y) - out_x - target.out;
  if (y == 0 || y == p) return added;
  const PlainPenalisedRoutes::Visit& at_y = routes_.visit(y);
  added.pairs = heads + Distance(y, xx) + Distance(x, at_y.next) - out_x - at_y.out;
  return added;
}

bool GranularSearch::TryExchange(const Mover& mover, const Target& target) {
  if (target.next == mover.u || mover.next == target.v) return false;
  const Swapped added = Swap(mover, target);
  const double limit = target.limit;
  if (added.Least() >= limit) return false;
  const auto [one, two, pairs] = added;
  const double shift = problem_.demand(target.v) - problem_.demand(mover.u);
  const Range range = {mover.route, mover.position, 1};
  const Range range_two = {mover.route, mover.position, 2};
  const Range place = {target.route, target.position, 1};
  if (one < limit && one < LimitAfter(mover, target, shift) && Exchange(range, false, place, one)) {
    return true;
  }
  const double shift_two = shift - problem_.demand(mover.next);
  if (two < limit && two < LimitAfter(mover, target, shift_two) &&
      Exchange(range_two, false, place, two)) {
    return true;
  }
  return pairs < limit &&
         pairs < LimitAfter(mover, target, shift_two + problem_.demand(target.next)) &&
         Exchange(range_two, false, {target.route, target.position, 2}, pairs);
}

bool GranularSearch::TryEmptyRoute(NodeIndex u) {
  const int64_t last = std::max(tested_alone_[u], settled_);
  if (routes_.route(routes_.visit(u).route).changed <= last) return false;
  tested_alone_[u] = moves_;
  const int32_t empty = routes_.EmptyRoute();
  if (empty < 0) return false;
  const Mover mover = MoverOf(u);
  return TryBehind(mover, TargetOf(mover, 0, empty));
}

}  // namespace vrp
