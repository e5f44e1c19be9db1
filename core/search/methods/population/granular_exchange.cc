// Exchanges ranges of visits within and between routes, where that pays.
#include <algorithm>
#include <array>

#include "core/search/methods/population/granular_search.h"

namespace vrp {
namespace {

using Nodes = std::span<const NodeIndex>;

void Append(std::vector<NodeIndex>& target, Nodes nodes) {
  target.insert(target.end(), nodes.begin(), nodes.end());
}

}  // namespace

bool GranularSearch::Exchange(Range first, bool turned, Range second, double added) {
  const Nodes nodes = routes_.route(first.route).nodes;
  Nodes moved = nodes.subspan(first.begin, first.count);
  std::array<NodeIndex, 2> pair = {};
  if (turned) {
    pair = {moved[1], moved[0]};
    moved = pair;
  }
  return first.route == second.route ? ExchangeWithin(first, moved, second, added)
                                     : ExchangeBetween(first, moved, second, added);
}

bool GranularSearch::ExchangeBetween(Range first, Nodes moved, Range second, double added) {
  const PlainPenalisedRoutes::Route& a = routes_.route(first.route);
  const PlainPenalisedRoutes::Route& b = routes_.route(second.route);
  const Nodes other = Nodes(b.nodes).subspan(second.begin, second.count);
  const auto load_of = [&](const PlainPenalisedRoutes::Route& route, const Range& range) {
    if (range.count == 0) return 0.0;
    return routes_.visit(route.nodes[range.begin + range.count - 1]).load -
           routes_.visit(route.nodes[range.begin - 1]).load;
  };
  const double shift = load_of(b, second) - load_of(a, first);
  added += routes_.LoadPenalty(a.load + shift) + routes_.LoadPenalty(b.load - shift) - a.penalty -
           b.penalty;
  if (added >= -epsilon_) return false;
  const NodeIndex after_a = a.nodes[first.begin + first.count];
  const NodeIndex after_b = b.nodes[second.begin + second.count];
  if (problem_.timed()) {
    const NodeIndex before_a = a.nodes[first.begin - 1];
    const NodeIndex before_b = b.nodes[second.begin - 1];
    const bool tails = after_a == 0 && after_b == 0 && first.count > 2;
    const double warp =
        tails ? routes_.WarpOf(before_a, {}, b.nodes[second.begin]) +
                    routes_.WarpOf(before_b, {}, moved.front())
              : routes_.WarpOf(before_a, other, after_a) + routes_.WarpOf(before_b, moved, after_b);
    added += routes_.WarpPenalty(warp);
    if (added >= -epsilon_) return false;
  }
  scratch_[0].assign(a.nodes.begin(), a.nodes.begin() + first.begin);
  Append(scratch_[0], other);
  Append(scratch_[0], Nodes(a.nodes).subspan(first.begin + first.count));
  scratch_[1].assign(b.nodes.begin(), b.nodes.begin() + second.begin);
  Append(scratch_[1], moved);
  Append(scratch_[1], Nodes(b.nodes).subspan(second.begin + second.count));
  ++moves_;
  added_ += added;
  routes_.SetRoute(first.route, scratch_[0], moves_);
  routes_.SetRoute(second.route, scratch_[1], moves_);
  return true;
}

bool GranularSearch::ExchangeWithin(Range first, Nodes moved, Range second, double added) {
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

bool GranularSearch::SetWithin(int32_t route, double added) {
  if (problem_.timed()) {
    const Nodes nodes = scratch_[0];
    const double warp = routes_.WarpOf(0, nodes.subspan(1, nodes.size() - 2), 0);
    added += routes_.WarpPenalty(warp - routes_.route(route).warp);
  }
  if (added >= -epsilon_) return false;
  added_ += added;
  routes_.SetRoute(route, scratch_[0], ++moves_);
  return true;
}

}  // namespace vrp
