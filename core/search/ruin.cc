#include "core/search/ruin.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

// The article's parameters: mean number of customers removed, longest string, share of strings with
// a gap, and how readily the gap grows.
constexpr double kMeanRemoved = 10;
constexpr double kLongestString = 10;
constexpr double kSplitRate = 0.5;
constexpr double kSplitGrowth = 0.01;

}  // namespace

std::vector<NodeIndex> Ruin::RemoveStrings() {
  removed_.clear();
  ruined_.clear();
  const SearchProblem& problem = routes_.problem();
  const auto served = static_cast<double>(problem.num_servable() - std::ssize(routes_.absent()));
  if (served < 1) return {};
  const double longest = std::min(kLongestString, served / routes_.routes_used());
  const double most_strings = 4 * kMeanRemoved / (1 + longest) - 1;
  const auto strings = static_cast<int32_t>(1 + random_.Unit() * most_strings);

  NodeIndex seed = 1 + random_.Below(problem.size() - 1);
  if (!routes_.absent().empty()) {
    seed = routes_.absent()[random_.Below(static_cast<int32_t>(routes_.absent().size()))];
  }
  if (routes_.RouteOf(seed) >= 0) RemoveStringWith(seed, static_cast<int32_t>(longest));
  for (const NodeIndex near : problem.Near(seed)) {
    if (std::ssize(ruined_) >= strings) break;
    const int32_t route = routes_.RouteOf(near);
    if (route < 0 || std::find(ruined_.begin(), ruined_.end(), route) != ruined_.end()) continue;
    RemoveStringWith(near, static_cast<int32_t>(longest));
  }
  return std::move(removed_);
}

void Ruin::RemoveStringWith(NodeIndex customer, int32_t longest) {
  const int32_t route = routes_.RouteOf(customer);
  const int32_t customers = routes_.route(route).customers();
  const int32_t length = random_.Between(1, std::max(1, std::min(longest, customers)));
  ruined_.push_back(route);
  int32_t kept = 0;
  if (length > 1 && length < customers && random_.Unit() < kSplitRate) {
    kept = 1;
    while (length + kept < customers && random_.Unit() < kSplitGrowth) ++kept;
  }
  const int32_t window = length + kept;
  const int32_t at = routes_.PositionOf(customer);
  const int32_t begin =
      random_.Between(std::max(1, at - window + 1), std::min(at, customers - window + 1));
  if (kept == 0) return TakeOut(route, begin, length);
  const int32_t before_gap = random_.Between(1, length - 1);
  TakeOut(route, begin + before_gap + kept, length - before_gap);
  if (routes_.route(route).empty()) return;
  TakeOut(route, begin, before_gap);
}

void Ruin::TakeOut(int32_t route, int32_t begin, int32_t count) {
  const std::vector<NodeIndex>& nodes = routes_.route(route).nodes;
  removed_.insert(removed_.end(), nodes.begin() + begin, nodes.begin() + begin + count);
  routes_.Remove(route, begin, count);
  if (routes_.RouteInTime(route)) return;
  removed_.insert(removed_.end(), nodes.begin() + 1, nodes.end() - 1);
  routes_.Remove(route, 1, routes_.route(route).customers());
}

}  // namespace vrp
