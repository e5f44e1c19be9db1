// Exchanges parts of routes where that pays, and customers with prizes for nothing.
#include <algorithm>
#include <array>
#include <limits>

#include "core/search/moves/penalised_local_search.h"

namespace vrp {
namespace {

using Nodes = std::span<const NodeIndex>;
using Parts = PenalisedRoutes::Parts;

void Append(std::vector<NodeIndex>& target, Nodes nodes) {
  target.insert(target.end(), nodes.begin(), nodes.end());
}

}  // namespace

bool PenalisedLocalSearch::TryRelocate(const Mover& mover, const Target& target,
                                       const Joined& added) {
  const auto [one, two, turned, tails, turned_tails] = added;
  const double demand = routes_.demand(mover.u);
  const Range place = {target.route, target.position + 1, 0};
  if (one < target.limit && one < LimitAfter(mover, target, -demand) &&
      Exchange({mover.route, mover.position, 1}, false, place, one)) {
    return true;
  }
  if (target.v == mover.next || std::min(two, turned) >= target.limit) return false;
  const Range range = {mover.route, mover.position, 2};
  const double limit = LimitAfter(mover, target, -demand - routes_.demand(mover.next));
  if (two < limit && Exchange(range, false, place, two)) return true;
  return turned < limit && Exchange(range, true, place, turned);
}

double PenalisedLocalSearch::TailsAdded(const Mover& mover, const Target& target) const {
  const PenalisedRoutes::Route& a = routes_.route(mover.route);
  const PenalisedRoutes::Route& b = routes_.route(target.route);
  const NodeIndex last_a = a.nodes[a.stops()];
  const NodeIndex last_b = b.nodes[b.stops()];
  const bool to_end = routes_.IsEnd(target.next);
  const NodeIndex next = to_end ? a.nodes.back() : target.next;
  double added = routes_.Edge(mover.route, mover.previous, next) - mover.into +
                 routes_.Edge(target.route, target.v, mover.u) - target.out +
                 routes_.Edge(target.route, last_a, b.nodes.back()) - routes_.visit(last_a).out +
                 routes_.Retyped(b.type, a, mover.u);
  if (to_end) return added;
  return added + routes_.Edge(mover.route, last_b, a.nodes.back()) - routes_.visit(last_b).out +
         routes_.Retyped(a.type, b, target.next);
}

// v -> u, and what preceded u -> what followed v.
bool PenalisedLocalSearch::TryTails(const Mover& mover, const Target& target, double added) {
  if (added >= target.limit) return false;
  const double tail_u = mover.load - routes_.visit(mover.previous).load;
  const double tail_v = target.load - routes_.visit(target.v).load;
  if (added >= LimitAfter(mover, target, tail_v - tail_u)) return false;
  const Nodes a = routes_.CustomersOf(mover.route);
  const Nodes b = routes_.CustomersOf(target.route);
  if (!routes_.Allowed(target.route, a.subspan(mover.position - 1)) ||
      !routes_.Allowed(mover.route, b.subspan(target.position))) {
    return false;
  }
  return SetBoth({mover.route, mover.previous, {}, target.next, target.route},
                 {target.route, target.v, {}, mover.u, mover.route}, added);
}

// Returns what it adds that the first part of v's route and the last part of u's are turned.
double PenalisedLocalSearch::TurningAdded(const Mover& mover, const Target& target) const {
  const PenalisedRoutes::Route& a = routes_.route(mover.route);
  const PenalisedRoutes::Route& b = routes_.route(target.route);
  double added = 0;
  if (!routes_.IsEnd(target.v)) {
    const NodeIndex first = b.nodes[1];
    added += routes_.visit(target.v).turned - routes_.visit(first).into +
             routes_.Edge(mover.route, first, a.nodes.back());
  }
  if (!routes_.IsEnd(mover.next)) {
    const NodeIndex last = a.nodes[a.stops()];
    added += routes_.visit(last).turned - routes_.visit(mover.next).turned -
             routes_.visit(last).out + routes_.Edge(target.route, b.nodes.front(), last);
  }
  return added;
}

// Where both have the same costs.
double PenalisedLocalSearch::TurnedTailsAdded(const Mover& mover, const Target& target) const {
  const NodeIndex v = routes_.IsEnd(target.v) ? routes_.route(mover.route).nodes.back() : target.v;
  const NodeIndex x =
      routes_.IsEnd(mover.next) ? routes_.route(target.route).nodes.front() : mover.next;
  return routes_.Edge(mover.route, mover.u, v) - target.out +
         routes_.Edge(target.route, x, target.next) - mover.out + TurningAdded(mover, target);
}

// u -> v turned to the end, and what followed u turned -> what followed v.
bool PenalisedLocalSearch::TryTurnedTails(const Mover& mover, const Target& target, double added) {
  if (routes_.alike() && !routes_.edges().symmetric()) added += TurningAdded(mover, target);
  if (added >= target.limit) return false;
  const double first = routes_.visit(mover.u).load + routes_.visit(target.v).load;
  if (added >= LimitAfter(mover, target, first - mover.load)) return false;
  const Nodes a = routes_.CustomersOf(mover.route);
  const Nodes b = routes_.CustomersOf(target.route);
  if (!routes_.Allowed(target.route, a.subspan(mover.position)) ||
      !routes_.Allowed(mover.route, b.first(target.position))) {
    return false;
  }
  scratch_[0].assign(1, 0);
  Append(scratch_[0], a.first(mover.position));
  for (int32_t i = target.position; i > 0; --i) scratch_[0].push_back(b[i - 1]);
  scratch_[0].push_back(0);
  scratch_[1].assign(1, 0);
  for (auto i = std::ssize(a); i > mover.position; --i) scratch_[1].push_back(a[i - 1]);
  Append(scratch_[1], b.subspan(target.position));
  scratch_[1].push_back(0);
  added += routes_.ExtraCost(Whole(mover.route, scratch_[0])) +
           routes_.ExtraCost(Whole(target.route, scratch_[1]));
  return SetComposed(mover.route, target.route, added);
}

// Turns the part between u and v, u being the first.
bool PenalisedLocalSearch::TryTwoOpt(const Mover& mover, const Target& target, double added) {
  if (mover.position > target.position || mover.next == target.v) return false;
  if (!routes_.edges().symmetric()) {
    added += routes_.visit(target.v).turned - routes_.visit(mover.next).turned;
  }
  if (added >= target.limit) return false;
  scratch_[0] = routes_.route(mover.route).nodes;
  std::reverse(scratch_[0].begin() + mover.position + 1, scratch_[0].begin() + target.position + 1);
  return SetWithin(mover.route, added);
}

bool PenalisedLocalSearch::Exchange(Range first, bool turned, Range second, double added) {
  const Nodes a = routes_.route(first.route).nodes;
  const Nodes b = routes_.route(second.route).nodes;
  Nodes moved = a.subspan(first.begin, first.count);
  std::array<NodeIndex, 2> pair = {};
  if (turned) {
    pair = {moved[1], moved[0]};
    moved = pair;
  }
  if (first.route == second.route) return ExchangeWithin(first, moved, second, added);
  const Nodes other = b.subspan(second.begin, second.count);
  if (!routes_.Allowed(first.route, other) || !routes_.Allowed(second.route, moved)) return false;
  return SetBoth(
      {first.route, a[first.begin - 1], other, a[first.begin + first.count], first.route},
      {second.route, b[second.begin - 1], moved, b[second.begin + second.count], second.route},
      added);
}

bool PenalisedLocalSearch::ExchangeWithin(Range first, Nodes moved, Range second, double added) {
  const Nodes nodes = routes_.route(first.route).nodes;
  const Nodes other = nodes.subspan(second.begin, second.count);
  const bool in_order = first.begin < second.begin;
  const Range& early = in_order ? first : second;
  const Range& late = in_order ? second : first;
  const int32_t middle = early.begin + early.count;
  scratch_[0].assign(nodes.begin(), nodes.begin() + early.begin);
  Append(scratch_[0], in_order ? other : moved);
  Append(scratch_[0], nodes.subspan(middle, late.begin - middle));
  Append(scratch_[0], in_order ? moved : other);
  Append(scratch_[0], nodes.subspan(late.begin + late.count));
  return SetWithin(first.route, added);
}

bool PenalisedLocalSearch::SetBoth(const Parts& first, const Parts& second, double added) {
  const double before =
      routes_.ExtraCost(routes_.route(first.slot)) + routes_.ExtraCost(routes_.route(second.slot));
  added += routes_.ExtraCost(first);
  if (added >= before - epsilon_) return false;
  added += routes_.ExtraCost(second);
  if (added >= before - epsilon_) return false;
  Compose(first, scratch_[0]);
  Compose(second, scratch_[1]);
  return SetComposed(first.slot, second.slot, added);
}

void PenalisedLocalSearch::Compose(const Parts& parts, std::vector<NodeIndex>& nodes) const {
  const std::vector<NodeIndex>& own = routes_.route(parts.slot).nodes;
  nodes.assign(own.begin(), own.begin() + routes_.visit(parts.before).position + 1);
  Append(nodes, parts.middle);
  if (routes_.IsEnd(parts.after)) {
    nodes.push_back(own.back());
  } else {
    Append(nodes,
           Nodes(routes_.route(parts.tail).nodes).subspan(routes_.visit(parts.after).position));
  }
}

// `added` includes what the composed routes cost beyond their edges.
bool PenalisedLocalSearch::SetComposed(int32_t first, int32_t second, double added) {
  added -= routes_.ExtraCost(routes_.route(first)) + routes_.ExtraCost(routes_.route(second));
  if (added >= -epsilon_) return false;
  added_ += added;
  routes_.SetRoute(first, scratch_[0]);
  routes_.SetRoute(second, scratch_[1]);
  return true;
}

Parts PenalisedLocalSearch::Whole(int32_t slot, Nodes nodes) const {
  const std::vector<NodeIndex>& own = routes_.route(slot).nodes;
  return {slot, own.front(), nodes.subspan(1, nodes.size() - 2), own.back(), slot};
}

bool PenalisedLocalSearch::SetWithin(int32_t route, double added) {
  if (!routes_.simple()) {
    added += routes_.ExtraCost(Whole(route, scratch_[0])) - routes_.ExtraCost(routes_.route(route));
  }
  if (added >= -epsilon_) return false;
  added_ += added;
  routes_.SetRoute(route, scratch_[0]);
  return true;
}

bool PenalisedLocalSearch::TryServe(NodeIndex u) {
  const int64_t last = std::max(tested_[u], settled_);
  tested_[u] = routes_.changes();
  double least = -epsilon_;
  Parts best;
  const auto consider = [&](int32_t slot, NodeIndex before, NodeIndex after) {
    if (!routes_.Allowed(slot, {&u, 1})) return;
    const PenalisedRoutes::Route& route = routes_.route(slot);
    double added = routes_.Edge(slot, before, u) + routes_.Edge(slot, u, after) -
                   routes_.Edge(slot, before, after) - routes_.prize(u) +
                   (route.empty() ? route.fixed : -route.penalty);
    if (added >= least) return;
    const Parts parts = {slot, before, {&u, 1}, after, slot};
    added += routes_.ExtraCost(parts) - route.fixed;
    if (added >= least) return;
    least = added;
    best = parts;
  };
  for (int32_t k = 0; k < kNeighbours && near_[u * kNeighbours + k] >= 0; ++k) {
    const NodeIndex v = near_[u * kNeighbours + k];
    const PenalisedRoutes::Visit& at = routes_.visit(v);
    if (at.route < 0 || routes_.route(at.route).changed <= last) continue;
    consider(at.route, v, at.next);
    consider(at.route, at.previous, v);
  }
  for (int32_t type = 0; type < std::ssize(routes_.problem().vehicles()); ++type) {
    const int32_t slot = routes_.EmptyOf(type);
    if (slot < 0) continue;
    consider(slot, routes_.route(slot).nodes.front(), routes_.route(slot).nodes.back());
  }
  if (least >= -epsilon_) return false;
  Compose(best, scratch_[0]);
  added_ += least;
  routes_.SetRoute(best.slot, scratch_[0]);
  return true;
}

bool PenalisedLocalSearch::TryLeaveOut(NodeIndex u) {
  const PenalisedRoutes::Visit& at = routes_.visit(u);
  const PenalisedRoutes::Route& route = routes_.route(at.route);
  double added = routes_.prize(u) + routes_.Edge(at.route, at.previous, at.next) - at.into -
                 at.out - routes_.ExtraCost(route);
  if (added >= -epsilon_) return false;
  const Parts parts = {at.route, at.previous, {}, at.next, at.route};
  added += routes_.ExtraCost(parts);
  if (added >= -epsilon_) return false;
  Compose(parts, scratch_[0]);
  added_ += added;
  routes_.SetRoute(at.route, scratch_[0]);
  return true;
}

}  // namespace vrp
