#include <span>
#include <utility>

#include "core/search/moves/local_search.h"

namespace vrp {
namespace {

constexpr int32_t kLongest = 2;

double LoadOf(const PlainRouteStore& routes, Segment segment) {
  double load = 0;
  for (int32_t i = segment.begin; i <= segment.end; ++i) {
    load += routes.problem().demand(routes.route(segment.route).nodes[i]);
  }
  return load;
}

// What changes in distance when `in` takes the place of `out`. They do not touch.
double Delta(const PlainRouteStore& routes, Segment out, Segment in) {
  const Problem& problem = routes.problem();
  const PlainRoute& to = routes.route(out.route);
  const PlainRoute& from = routes.route(in.route);
  return problem.Distance(to.nodes[out.begin - 1], from.nodes[in.begin]) +
         problem.Distance(from.nodes[in.end], to.nodes[out.end + 1]) - to.edge[out.begin - 1] -
         to.edge[out.end];
}

bool LoadsFit(const PlainRouteStore& routes, Segment a, Segment b) {
  if (a.route == b.route) return true;
  const double shift = LoadOf(routes, b) - LoadOf(routes, a);
  return routes.problem().Fits(routes.route(a.route).load + shift) &&
         routes.problem().Fits(routes.route(b.route).load - shift);
}

std::span<const NodeIndex> Nodes(const PlainRouteStore& routes, Segment segment) {
  const std::span<const NodeIndex> nodes = routes.route(segment.route).nodes;
  return nodes.subspan(segment.begin, segment.end - segment.begin + 1);
}

void BuildReplaced(const PlainRouteStore& routes, Segment out, Segment in,
                   std::vector<NodeIndex>& target) {
  const std::span<const NodeIndex> nodes = routes.route(out.route).nodes;
  target.clear();
  Append(target, nodes.first(out.begin));
  Append(target, Nodes(routes, in));
  Append(target, nodes.subspan(out.end + 1));
}

bool TrySegments(PlainRouteStore& routes, MoveScratch& scratch, Segment a, Segment b) {
  for (const Segment& segment : {a, b}) {
    if (segment.begin < 1 || segment.end > routes.route(segment.route).customers()) return false;
  }
  const bool same = a.route == b.route;
  if (same && a.begin > b.begin) std::swap(a, b);
  if (same && b.begin <= a.end + 1) return false;
  if (Delta(routes, a, b) + Delta(routes, b, a) >= -routes.problem().epsilon()) return false;
  if (!LoadsFit(routes, a, b)) return false;
  if (!same) {
    BuildReplaced(routes, a, b, scratch.first);
    BuildReplaced(routes, b, a, scratch.second);
    return Apply(routes, scratch, a.route, b.route);
  }
  const std::span<const NodeIndex> nodes = routes.route(a.route).nodes;
  scratch.first.clear();
  Append(scratch.first, nodes.first(a.begin));
  Append(scratch.first, Nodes(routes, b));
  Append(scratch.first, nodes.subspan(a.end + 1, b.begin - a.end - 1));
  Append(scratch.first, Nodes(routes, a));
  Append(scratch.first, nodes.subspan(b.end + 1));
  return Apply(routes, scratch, a.route, -1);
}

}  // namespace

bool TryExchange(PlainRouteStore& routes, MoveScratch& scratch, NodeIndex u, NodeIndex v) {
  const int32_t a = routes.RouteOf(u);
  const int32_t b = routes.RouteOf(v);
  const int32_t i = routes.PositionOf(u);
  const int32_t j = routes.PositionOf(v);
  for (int32_t more_u = 0; more_u < kLongest; ++more_u) {
    for (int32_t more_v = 0; more_v < kLongest; ++more_v) {
      const Segment follows_v = {.route = b, .begin = j + 1, .end = j + 1 + more_v};
      if (TrySegments(routes, scratch, {.route = a, .begin = i, .end = i + more_u}, follows_v))
        return true;
      const Segment precedes_v = {.route = b, .begin = j - 1 - more_v, .end = j - 1};
      if (TrySegments(routes, scratch, {.route = a, .begin = i - more_u, .end = i}, precedes_v))
        return true;
    }
  }
  return false;
}

}  // namespace vrp
