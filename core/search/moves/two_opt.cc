#include <algorithm>
#include <span>

#include "core/search/moves/local_search.h"

namespace vrp {
namespace {

bool TryTurn(PlainRouteStore& routes, MoveScratch& scratch, Segment part) {
  const Problem& problem = routes.problem();
  const PlainRoute& route = routes.route(part.route);
  if (part.begin < 1 || part.end > route.customers() || part.begin >= part.end) return false;
  const std::span<const NodeIndex> nodes = route.nodes;
  double delta = problem.Distance(nodes[part.begin - 1], nodes[part.end]) +
                 problem.Distance(nodes[part.begin], nodes[part.end + 1]) -
                 route.edge[part.begin - 1] - route.edge[part.end];
  if (!problem.symmetric()) {
    for (int32_t i = part.begin; i < part.end; ++i) {
      delta += problem.Distance(nodes[i + 1], nodes[i]) - route.edge[i];
    }
  }
  if (delta >= -problem.epsilon()) return false;
  scratch.first.clear();
  Append(scratch.first, nodes.first(part.begin));
  AppendTurned(scratch.first, nodes.subspan(part.begin, part.end - part.begin + 1));
  Append(scratch.first, nodes.subspan(part.end + 1));
  return Apply(routes, scratch, part.route, -1);
}

}  // namespace

bool TryTwoOpt(PlainRouteStore& routes, MoveScratch& scratch, NodeIndex u, NodeIndex v) {
  const int32_t route = routes.RouteOf(u);
  if (routes.RouteOf(v) != route) return false;
  const int32_t low = std::min(routes.PositionOf(u), routes.PositionOf(v));
  const int32_t high = std::max(routes.PositionOf(u), routes.PositionOf(v));
  return TryTurn(routes, scratch, {.route = route, .begin = low + 1, .end = high}) ||
         TryTurn(routes, scratch, {.route = route, .begin = low, .end = high - 1});
}

}  // namespace vrp
