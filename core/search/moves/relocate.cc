#include <algorithm>
#include <span>

#include "core/search/moves/local_search.h"

namespace vrp {
namespace {

constexpr int32_t kLongest = 3;

class RelocateMove {
 public:
  RelocateMove(PlainRouteStore& routes, MoveScratch& scratch, NodeIndex v)
      : routes_(routes), problem_(routes.problem()), scratch_(scratch), v_(v) {}

  bool Try(Segment segment) {
    const PlainRoute& route = routes_.route(segment.route);
    const auto& nodes = route.nodes;
    if (segment.begin < 1 || segment.end > route.customers()) return false;
    const int32_t target = routes_.RouteOf(v_);
    const int32_t at = routes_.PositionOf(v_);
    if (target == segment.route && at >= segment.begin && at <= segment.end) return false;
    gain_ = route.edge[segment.begin - 1] + route.edge[segment.end] -
            problem_.Distance(nodes[segment.begin - 1], nodes[segment.end + 1]);
    load_ = 0;
    for (int32_t i = segment.begin; i <= segment.end; ++i) load_ += problem_.demand(nodes[i]);
    if (target != segment.route && !problem_.Fits(routes_.route(target).load + load_)) return false;
    for (const int32_t after : {at, at - 1}) {
      if (TryPlace(segment, after, false) ||
          (segment.begin < segment.end && TryPlace(segment, after, true))) {
        return true;
      }
    }
    return false;
  }

 private:
  // Between positions after and after + 1 of v's route.
  bool TryPlace(Segment segment, int32_t after, bool turned) {
    const int32_t target = routes_.RouteOf(v_);
    const bool same = target == segment.route;
    if (same && after >= segment.begin - 1 && after <= segment.end) return false;
    const auto& nodes = routes_.route(segment.route).nodes;
    const PlainRoute& other = routes_.route(target);
    const NodeIndex head = turned ? nodes[segment.end] : nodes[segment.begin];
    const NodeIndex tail = turned ? nodes[segment.begin] : nodes[segment.end];
    double added = problem_.Distance(other.nodes[after], head) +
                   problem_.Distance(tail, other.nodes[after + 1]) - other.edge[after];
    if (turned && !problem_.symmetric()) {
      for (int32_t i = segment.begin; i < segment.end; ++i) {
        added +=
            problem_.Distance(nodes[i + 1], nodes[i]) - problem_.Distance(nodes[i], nodes[i + 1]);
      }
    }
    if (added - gain_ >= -problem_.epsilon()) return false;
    Build(segment, after, turned);
    return Apply(routes_, scratch_, segment.route, same ? -1 : target);
  }

  void Build(Segment segment, int32_t after, bool turned) {
    const int32_t target = routes_.RouteOf(v_);
    const std::span<const NodeIndex> from = routes_.route(segment.route).nodes;
    const std::span<const NodeIndex> to = routes_.route(target).nodes;
    const auto moved = from.subspan(segment.begin, segment.end - segment.begin + 1);
    const auto put = [&](std::vector<NodeIndex>& out) {
      turned ? AppendTurned(out, moved) : Append(out, moved);
    };
    scratch_.first.clear();
    if (target != segment.route) {
      Append(scratch_.first, from.first(segment.begin));
      Append(scratch_.first, from.subspan(segment.end + 1));
      scratch_.second.clear();
      Append(scratch_.second, to.first(after + 1));
      put(scratch_.second);
      Append(scratch_.second, to.subspan(after + 1));
    } else if (after < segment.begin) {
      Append(scratch_.first, from.first(after + 1));
      put(scratch_.first);
      Append(scratch_.first, from.subspan(after + 1, segment.begin - after - 1));
      Append(scratch_.first, from.subspan(segment.end + 1));
    } else {
      Append(scratch_.first, from.first(segment.begin));
      Append(scratch_.first, from.subspan(segment.end + 1, after - segment.end));
      put(scratch_.first);
      Append(scratch_.first, from.subspan(after + 1));
    }
  }

  PlainRouteStore& routes_;
  const Problem& problem_;
  MoveScratch& scratch_;
  const NodeIndex v_;
  double gain_ = 0;
  double load_ = 0;
};

}  // namespace

bool TryRelocate(PlainRouteStore& routes, MoveScratch& scratch, NodeIndex u, NodeIndex v) {
  RelocateMove move(routes, scratch, v);
  const int32_t route = routes.RouteOf(u);
  const int32_t at = routes.PositionOf(u);
  for (int32_t length = 1; length <= kLongest; ++length) {
    if (move.Try({.route = route, .begin = at, .end = at + length - 1})) return true;
    if (length > 1 && move.Try({.route = route, .begin = at - length + 1, .end = at})) return true;
  }
  return false;
}

}  // namespace vrp
