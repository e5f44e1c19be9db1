#include <span>

#include "core/search/moves/local_search.h"

namespace vrp {
namespace {

// A route cut in two: head [0, cut) and tail [cut, size).
struct Cut {
  const PlainRoute& route;
  int32_t at;

  NodeIndex last() const { return route.nodes[at - 1]; }
  NodeIndex next() const { return route.nodes[at]; }
  double edge() const { return route.edge[at - 1]; }
  std::span<const NodeIndex> head() const { return std::span(route.nodes).first(at); }
  std::span<const NodeIndex> tail() const { return std::span(route.nodes).subspan(at); }
};

// The head of each with the tail of the other.
bool TryTails(PlainRouteStore& routes, MoveScratch& scratch, Segment a, Segment b) {
  const Problem& problem = routes.problem();
  const Cut first{routes.route(a.route), a.begin};
  const Cut second{routes.route(b.route), b.begin};
  const double delta = problem.Distance(first.last(), second.next()) +
                       problem.Distance(second.last(), first.next()) - first.edge() - second.edge();
  if (delta >= -problem.epsilon()) return false;
  scratch.first.clear();
  Append(scratch.first, first.head());
  Append(scratch.first, second.tail());
  scratch.second.clear();
  Append(scratch.second, second.head());
  Append(scratch.second, first.tail());
  return Apply(routes, scratch, a.route, b.route);
}

// Both heads to one route, both tails to the other.
bool TryTurned(PlainRouteStore& routes, MoveScratch& scratch, Segment a, Segment b) {
  const Problem& problem = routes.problem();
  const Cut first{routes.route(a.route), a.begin};
  const Cut second{routes.route(b.route), b.begin};
  const double delta = problem.Distance(first.last(), second.last()) +
                       problem.Distance(first.next(), second.next()) - first.edge() - second.edge();
  if (delta >= -problem.epsilon()) return false;
  scratch.first.clear();
  Append(scratch.first, first.head());
  AppendTurned(scratch.first, second.head());
  scratch.second.clear();
  AppendTurned(scratch.second, first.tail());
  Append(scratch.second, second.tail());
  return Apply(routes, scratch, a.route, b.route);
}

}  // namespace

bool TryTwoOptStar(PlainRouteStore& routes, MoveScratch& scratch, NodeIndex u, NodeIndex v) {
  const int32_t a = routes.RouteOf(u);
  const int32_t b = routes.RouteOf(v);
  if (a == b) return false;
  const int32_t i = routes.PositionOf(u);
  const int32_t j = routes.PositionOf(v);
  // A Segment's begin is where the route is cut.
  const Segment before_u = {.route = a, .begin = i};
  const Segment after_u = {.route = a, .begin = i + 1};
  const Segment before_v = {.route = b, .begin = j};
  const Segment after_v = {.route = b, .begin = j + 1};
  if (TryTails(routes, scratch, after_u, before_v) || TryTails(routes, scratch, before_u, after_v))
    return true;
  if (!routes.problem().symmetric() || routes.problem().timed()) return false;
  return TryTurned(routes, scratch, after_u, after_v) ||
         TryTurned(routes, scratch, before_u, before_v);
}

}  // namespace vrp
