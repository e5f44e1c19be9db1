#include "core/search/ruin_recreate/plain_ruin.h"

#include <utility>

#include "core/search/ruin_recreate/string_removal.h"

namespace vrp {
namespace {

// In as many ruins as there are customers, this many take out a whole route: strings alone hardly
// ever make do with one route less.
constexpr double kRouteRemovals = 2;

}  // namespace

std::vector<NodeIndex> PlainRuin::Remove() {
  removed_.clear();
  const Problem& problem = routes_.problem();
  const auto served = static_cast<double>(problem.num_servable() - std::ssize(routes_.absent()));
  if (served < 1) return {};
  const StringSizes sizes = DrawStringSizes(random_, served, routes_.routes_used());

  NodeIndex seed = 1 + random_.Below(problem.size() - 1);
  if (!routes_.absent().empty()) {
    seed = routes_.absent()[random_.Below(static_cast<int32_t>(routes_.absent().size()))];
  }
  if (const int32_t route = routes_.RouteOf(seed);
      route >= 0 && random_.Unit() * served < kRouteRemovals) {
    TakeOut(route, 1, routes_.route(route).customers());
    return std::move(removed_);
  }
  RemoveStrings(routes_, random_, seed, sizes, ruined_,
                [&](int32_t route, const RemovedString& string) {
                  if (string.rest > 0) {
                    TakeOut(route, string.begin + string.first + string.kept, string.rest);
                    if (routes_.route(route).empty()) return;
                  }
                  TakeOut(route, string.begin, string.first);
                });
  return std::move(removed_);
}

void PlainRuin::TakeOut(int32_t route, int32_t begin, int32_t count) {
  const std::vector<NodeIndex>& nodes = routes_.route(route).nodes;
  removed_.insert(removed_.end(), nodes.begin() + begin, nodes.begin() + begin + count);
  routes_.Remove(route, begin, count);
  if (routes_.RouteInTime(route)) return;
  removed_.insert(removed_.end(), nodes.begin() + 1, nodes.end() - 1);
  routes_.Remove(route, 1, routes_.route(route).customers());
}

}  // namespace vrp
