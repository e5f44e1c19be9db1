#include "core/search/moves/penalised_local_search.h"

#include <algorithm>
#include <limits>

namespace vrp {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// Differences of costs below this are rounding.
double RoundingOf(const Problem& problem) {
  double scale = 0;
  for (const Vehicle& vehicle : problem.vehicles()) {
    scale = std::max(scale, vehicle.per_distance + vehicle.per_time);
  }
  return problem.epsilon() * scale;
}

}  // namespace

PenalisedLocalSearch::PenalisedLocalSearch(PenalisedRoutes& routes, FastRandom& random)
    : routes_(routes),
      random_(random),
      costs_(routes.edges().costs(0)),
      stride_(routes.edges().stride()),
      epsilon_(RoundingOf(routes.problem())),
      swap_star_(routes, epsilon_),
      near_(static_cast<size_t>(routes.problem().size()) * kNeighbours, -1),
      order_(routes.customers()),
      tested_(routes.problem().size(), 0),
      tested_alone_(routes.problem().size(), 0) {
  std::vector<char> is_served(routes.problem().size(), 0);
  for (const NodeIndex u : order_) is_served[u] = 1;
  for (const NodeIndex u : order_) {
    int32_t count = 0;
    for (const NodeIndex v : routes.problem().Related(u)) {
      if (count == kNeighbours) break;
      if (is_served[v]) near_[u * kNeighbours + count++] = v;
    }
  }
}

int64_t PenalisedLocalSearch::Restart() {
  settled_ = routes_.NewChange();
  routes_.NewChange();
  added_ = 0;
  return settled_;
}

bool PenalisedLocalSearch::Descend(const StopCondition& stop) {
  random_.Shuffle(std::span<NodeIndex>(order_));
  bool improved = true;
  for (int32_t sweep = 0; improved || sweep < 2; ++sweep) {
    improved = false;
    const bool with_empty = sweep > 0;
    if (!(routes_.alike() ? Sweep<true>(order_, with_empty, stop, improved)
                          : Sweep<false>(order_, with_empty, stop, improved))) {
      return false;
    }
    if (improved || routes_.timed()) continue;
    const double swapped = swap_star_.Improve(settled_, stop);
    added_ += swapped;
    improved = swapped < 0;
  }
  return true;
}

bool PenalisedLocalSearch::Repair(const StopCondition& stop) {
  Restart();
  routes_.MarkInfeasible();
  return Descend(stop);
}

void PenalisedLocalSearch::DescendFrom(int64_t change) {
  for (bool improved = true; improved;) {
    improved = false;
    changed_.clear();
    for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
      if (routes_.route(slot).changed <= change) continue;
      const auto there = routes_.CustomersOf(slot);
      changed_.insert(changed_.end(), there.begin(), there.end());
    }
    change = routes_.changes();
    random_.Shuffle(std::span<NodeIndex>(changed_));
    routes_.alike() ? Sweep<true>(changed_, true, {}, improved)
                    : Sweep<false>(changed_, true, {}, improved);
  }
}

// False when stopped.
template <bool kAlike>
bool PenalisedLocalSearch::Sweep(std::span<const NodeIndex> order, bool with_empty,
                                 const StopCondition& stop, bool& improved) {
  int32_t polls = 0;
  for (const NodeIndex u : order) {
    if (++polls % 32 == 0 && stop.ShouldStop()) return false;
    if (!kAlike && routes_.RouteOf(u) < 0) {
      if (TryServe(u)) improved = true;
      continue;
    }
    if (TestNeighbours<kAlike>(u)) improved = true;
    if (with_empty && TryEmptyRoute<kAlike>(u)) improved = true;
    if (!kAlike && routes_.optional(u) && TryLeaveOut(u)) improved = true;
  }
  return true;
}

template <bool kAlike>
bool PenalisedLocalSearch::TestNeighbours(NodeIndex u) {
  bool improved = false;
  const int64_t last = std::max(tested_[u], settled_);
  tested_[u] = routes_.changes();
  const NodeIndex* near = &near_[static_cast<size_t>(u) * kNeighbours];
  Mover mover = MoverOf<kAlike>(u);
  for (int32_t k = 0; k < kNeighbours && near[k] >= 0; ++k) {
    const int32_t route = routes_.visit(near[k]).route;
    if (!kAlike && route < 0) continue;
    if (std::max(routes_.route(mover.route).changed, routes_.route(route).changed) <= last)
      continue;
    if (!TryBeside<kAlike>(mover, near[k], route)) continue;
    improved = true;
    mover = MoverOf<kAlike>(u);
  }
  return improved;
}

template <bool kAlike>
inline bool PenalisedLocalSearch::TryBeside(const Mover& mover, NodeIndex v, int32_t route) {
  const PenalisedRoutes::Visit& at_v = routes_.visit(v);
  const Target target = TargetOf<kAlike>(mover, v, route);
  // Where vehicles cost otherwise, a customer may change to one that is farther.
  const bool comparable = kAlike || routes_.route(mover.route).edges == routes_.route(route).edges;
  const double apart = Edge<kAlike>(route, mover.u, v);
  const double longest = std::max({mover.into, mover.out, at_v.into, at_v.out});
  if ((!comparable || apart - longest < target.limit) &&
      (TryBehind<kAlike>(mover, target) ||
       (routes_.IsEnd(at_v.previous) &&
        TryBehind<kAlike>(mover, TargetOf<kAlike>(mover, at_v.previous, route))))) {
    return true;
  }
  const double around = mover.into + mover.out + at_v.into + at_v.out;
  return (!comparable || 4 * apart - 2 * around < target.limit) &&
         TryExchange<kAlike>(mover, target);
}

template <bool kAlike>
PenalisedLocalSearch::Mover PenalisedLocalSearch::MoverOf(NodeIndex u) const {
  const PenalisedRoutes::Visit& at = routes_.visit(u);
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
                 .spared = at.into + at.out - Edge<kAlike>(at.route, at.previous, at.next),
                 .spared_two = -kNone};
  if (!routes_.IsEnd(at.next)) {
    const PenalisedRoutes::Visit& at_next = routes_.visit(at.next);
    mover.after_next = at_next.next;
    mover.out_next = at_next.out;
    mover.spared_two = at.into + at_next.out - Edge<kAlike>(at.route, at.previous, at_next.next);
  }
  return mover;
}

template <bool kAlike>
inline PenalisedLocalSearch::Target PenalisedLocalSearch::TargetOf(const Mover& mover, NodeIndex v,
                                                                   int32_t route) const {
  const PenalisedRoutes::Visit& at = routes_.visit(v);
  const PenalisedRoutes::Route& other = routes_.route(route);
  const bool is_start = routes_.IsEnd(v);
  const NodeIndex next = is_start ? other.nodes[1] : at.next;
  double limit = -epsilon_;
  if (mover.route != route) {
    const PenalisedRoutes::Route& own = routes_.route(mover.route);
    limit += own.penalty + other.penalty;
    if (!kAlike) {  // what may be closed, or must be opened
      if (other.empty()) {
        limit -= other.fixed;
      } else if (routes_.IsEnd(mover.next) && routes_.IsEnd(next)) {
        limit += other.fixed;
      }
      if (own.stops() <= 2 || (mover.position == 1 && routes_.IsEnd(next))) limit += own.fixed;
    }
  } else if (!routes_.simple()) {
    limit += other.penalty;
  }
  return {.v = v,
          .next = next,
          .route = route,
          .position = at.position,
          .load = other.load,
          .out = is_start ? Edge<kAlike>(route, v, next) : at.out,
          .limit = limit};
}

inline double PenalisedLocalSearch::Joined::Least() const {
  return std::min({one, two, turned, tails, turned_tails});
}

inline double PenalisedLocalSearch::Swapped::Least() const { return std::min({one, two, pairs}); }

template <bool kAlike>
inline PenalisedLocalSearch::Joined PenalisedLocalSearch::Join(const Mover& mover,
                                                               const Target& target) const {
  const NodeIndex u = mover.u;
  const NodeIndex v = target.v;
  const NodeIndex x = mover.next;
  const NodeIndex y = target.next;
  const auto edge = [&](NodeIndex a, NodeIndex b) { return Edge<kAlike>(target.route, a, b); };
  const double to_u = edge(v, u) - target.out;
  const double from_u = edge(u, y);
  Joined added = {.one = to_u + from_u - mover.spared,
                  .two = to_u + edge(x, y) - mover.spared_two,
                  .turned = edge(v, x) - target.out + edge(x, u) + from_u - mover.spared_two,
                  .tails = kNone,
                  .turned_tails = kNone};
  if (kAlike || mover.route == target.route) {
    added.turned -= mover.out;
    added.tails = to_u + edge(mover.previous, y) - mover.into;
    added.turned_tails = edge(u, v) - target.out + edge(x, y) - mover.out;
  } else if (routes_.route(mover.route).edges == routes_.route(target.route).edges) {
    added.turned -= mover.out;
    added.tails = TailsAdded(mover, target);
    added.turned_tails = TurnedTailsAdded(mover, target);
  } else {
    // The way from u to the next is another vehicle's now.
    const double here = routes_.IsEnd(x) ? 0 : edge(u, x);
    added.two += here - mover.out;
    added.turned -= mover.out;
    added.tails = TailsAdded(mover, target);
  }
  return added;
}

template <bool kAlike>
bool PenalisedLocalSearch::TryBehind(const Mover& mover, const Target& target) {
  if (target.next == mover.u) return false;
  const Joined added = Join<kAlike>(mover, target);
  // Turning a part of a route may shorten it where costs are not symmetric.
  if (added.Least() >= target.limit && routes_.edges().symmetric()) return false;
  if (TryRelocate(mover, target, added)) return true;
  if (mover.route == target.route) {
    return !routes_.timed() && !routes_.IsEnd(target.v) &&
           TryTwoOpt(mover, target, added.turned_tails);
  }
  return TryTails(mover, target, added.tails) ||
         (!routes_.timed() && TryTurnedTails(mover, target, added.turned_tails));
}

template <bool kAlike>
inline PenalisedLocalSearch::Swapped PenalisedLocalSearch::Swap(const Mover& mover,
                                                                const Target& target) const {
  const NodeIndex u = mover.u;
  const NodeIndex v = target.v;
  const NodeIndex x = mover.next;
  const NodeIndex y = target.next;
  const NodeIndex p = mover.previous;
  const NodeIndex q = routes_.visit(v).previous;
  const auto own = [&](NodeIndex a, NodeIndex b) { return Edge<kAlike>(mover.route, a, b); };
  const auto other = [&](NodeIndex a, NodeIndex b) { return Edge<kAlike>(target.route, a, b); };
  const double heads = own(p, v) + other(q, u) - mover.into - routes_.visit(v).into;
  Swapped added = {heads + own(v, x) + other(u, y) - mover.out - target.out, kNone, kNone};
  if (routes_.IsEnd(x) || x == q) return added;
  // What the ways within the pairs cost more to the other vehicle.
  const bool alike =
      kAlike || routes_.route(mover.route).edges == routes_.route(target.route).edges;
  const double pair = alike ? 0 : other(u, x) - mover.out;
  added.two = heads + pair + own(v, mover.after_next) + other(x, y) - mover.out_next - target.out;
  if (routes_.IsEnd(y) || y == p) return added;
  const PenalisedRoutes::Visit& at_y = routes_.visit(y);
  const double other_pair = alike ? 0 : own(v, y) - target.out;
  added.pairs = heads + pair + other_pair + own(y, mover.after_next) + other(x, at_y.next) -
                mover.out_next - at_y.out;
  return added;
}

template <bool kAlike>
bool PenalisedLocalSearch::TryExchange(const Mover& mover, const Target& target) {
  if (target.next == mover.u || mover.next == target.v) return false;
  const Swapped added = Swap<kAlike>(mover, target);
  const double limit = target.limit;
  if (added.Least() >= limit) return false;
  const auto [one, two, pairs] = added;
  const double shift = routes_.demand(target.v) - routes_.demand(mover.u);
  const Range range = {mover.route, mover.position, 1};
  const Range range_two = {mover.route, mover.position, 2};
  const Range place = {target.route, target.position, 1};
  if (one < limit && one < LimitAfter(mover, target, shift) && Exchange(range, false, place, one)) {
    return true;
  }
  const double shift_two = shift - routes_.demand(mover.next);
  if (two < limit && two < LimitAfter(mover, target, shift_two) &&
      Exchange(range_two, false, place, two)) {
    return true;
  }
  return pairs < limit &&
         pairs < LimitAfter(mover, target, shift_two + routes_.demand(target.next)) &&
         Exchange(range_two, false, {target.route, target.position, 2}, pairs);
}

template <bool kAlike>
bool PenalisedLocalSearch::TryEmptyRoute(NodeIndex u) {
  const int64_t last = std::max(tested_alone_[u], settled_);
  if (routes_.route(routes_.visit(u).route).changed <= last) return false;
  tested_alone_[u] = routes_.changes();
  const Mover mover = MoverOf<kAlike>(u);
  const auto types = static_cast<int32_t>(routes_.problem().vehicles().size());
  for (int32_t type = 0; type < types; ++type) {
    const int32_t empty = routes_.EmptyOf(type);
    if (empty < 0) continue;
    const NodeIndex start = routes_.route(empty).nodes.front();
    if (TryBehind<kAlike>(mover, TargetOf<kAlike>(mover, start, empty))) return true;
  }
  return false;
}

}  // namespace vrp
