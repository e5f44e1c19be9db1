#include "core/search/moves/local_search.h"

#include <algorithm>
#include <numeric>

namespace vrp {
namespace {

constexpr size_t kNeighboursTried = 20;

class Descent {
 public:
  Descent(PlainRouteStore& routes, FastRandom& random, const StopCondition& stop)
      : routes_(routes),
        stop_(stop),
        order_(routes.problem().size() - 1),
        tested_(routes.problem().size(), -1) {
    std::iota(order_.begin(), order_.end(), 1);
    random.Shuffle(std::span<NodeIndex>(order_));
  }

  void Run() {
    for (bool improved = true; improved;) {
      improved = false;
      for (size_t i = 0; i < order_.size(); ++i) {
        if (i % 32 == 0 && stop_.ShouldStop()) return;
        improved |= Improve(order_[i]);
      }
    }
  }

 private:
  // A pair is looked at again only after one of its routes has changed (Vidal 2022, HGS-CVRP).
  bool Improve(NodeIndex u) {
    if (routes_.RouteOf(u) < 0) return false;
    const int64_t last_tested = tested_[u];
    tested_[u] = clock_;
    bool improved = false;
    const auto related = routes_.problem().Related(u);
    for (const NodeIndex v : related.first(std::min(related.size(), kNeighboursTried))) {
      if (routes_.RouteOf(v) < 0) continue;
      if (std::max(ChangedAt(u), ChangedAt(v)) <= last_tested) continue;
      while (Step(u, v)) improved = true;
    }
    return improved;
  }

  bool Step(NodeIndex u, NodeIndex v) {
    if (!TryRelocate(routes_, scratch_, u, v) && !TryTwoOptStar(routes_, scratch_, u, v) &&
        !TryTwoOpt(routes_, scratch_, u, v) && !TryExchange(routes_, scratch_, u, v)) {
      return false;
    }
    ++clock_;
    changed_.resize(routes_.routes().size(), 0);
    for (const int32_t route : routes_.TakeChanged()) changed_[route] = clock_;
    return true;
  }

  int64_t ChangedAt(NodeIndex node) const {
    const size_t route = routes_.RouteOf(node);
    return route < changed_.size() ? changed_[route] : 0;
  }

  PlainRouteStore& routes_;
  const StopCondition& stop_;
  std::vector<NodeIndex> order_;
  std::vector<int64_t> tested_;   // per node: clock_ when its moves were looked at
  std::vector<int64_t> changed_;  // per route: clock_ of its last change
  int64_t clock_ = 0;
  MoveScratch scratch_;
};

}  // namespace

void Descend(PlainRouteStore& routes, FastRandom& random, const StopCondition& stop) {
  Descent(routes, random, stop).Run();
}

bool Apply(PlainRouteStore& routes, const MoveScratch& scratch, int32_t first, int32_t second) {
  const Problem& problem = routes.problem();
  if (!problem.SequenceFeasible(scratch.first)) return false;
  if (second >= 0 && !problem.SequenceFeasible(scratch.second)) return false;
  routes.SetRoute(first, scratch.first);
  if (second >= 0) routes.SetRoute(second, scratch.second);
  return true;
}

void Append(std::vector<NodeIndex>& target, std::span<const NodeIndex> nodes) {
  target.insert(target.end(), nodes.begin(), nodes.end());
}

void AppendTurned(std::vector<NodeIndex>& target, std::span<const NodeIndex> nodes) {
  target.insert(target.end(), nodes.rbegin(), nodes.rend());
}

}  // namespace vrp
