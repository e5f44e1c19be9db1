#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/search/build/construct.h"
#include "core/search/model/problem.h"
#include "core/search/model/ranking.h"
#include "core/search/model/search_options.h"
#include "core/search/route/plain_route_store.h"
#include "core/search/ruin_recreate/plain_recreate.h"

namespace vrp {
namespace {

constexpr size_t kRelatedLooked = 40;
// Noisy plans are many and made in haste. Noise varies them enough, so fewer candidates do.
constexpr size_t kRelatedLookedNoisy = 15;

class Merger {
 public:
  explicit Merger(const Problem& problem) : problem_(problem), route_of_(problem.size(), -1) {
    for (NodeIndex node = 1; node < problem.size(); ++node) {
      if (!problem.Servable(node)) continue;
      route_of_[node] = static_cast<int32_t>(routes_.size());
      routes_.push_back({{node}, problem.demand(node)});
    }
    free_to_turn_ = problem.symmetric() && !problem.timed();
  }

  // Joins routes by the largest saving, times noise(). Each customer is the tail before the first
  // `looked` of its related ones. Returns early if `stop` holds.
  template <typename Noise>
  void Run(size_t looked, const StopCondition& stop, Noise noise) {
    std::vector<uint64_t> keys;  // the largest saving is the least key; then the least pair
    keys.reserve(problem_.size() * std::min(looked, problem_.Related(0).size()));
    std::vector<double> out(problem_.size());
    for (NodeIndex node = 1; node < problem_.size(); ++node) out[node] = problem_.Distance(0, node);
    for (NodeIndex tail = 1; tail < problem_.size(); ++tail) {
      if (route_of_[tail] < 0) continue;
      const double home = problem_.symmetric() ? out[tail] : problem_.Distance(tail, 0);
      const auto related = problem_.Related(tail);
      for (size_t k = 0; k < std::min(related.size(), looked); ++k) {
        const double amount = home + out[related[k]] - problem_.Distance(tail, related[k]);
        if (amount <= 0 || route_of_[related[k]] < 0) continue;
        keys.push_back(~RankKey(amount * noise(), -1) | (tail * looked + k));
      }
    }
    SortByValue(keys);
    for (size_t i = 0; i < keys.size(); ++i) {
      if (i % 256 == 255 && stop.ShouldStop()) return;
      const auto pair = static_cast<uint32_t>(keys[i]);
      const auto tail = static_cast<NodeIndex>(pair / looked);
      TryMerge(tail, problem_.Related(tail)[pair % looked]);
    }
  }

  // Joins the route that ends with `tail` and the one that begins with `head`, if that is feasible.
  void TryMerge(NodeIndex tail, NodeIndex head) {
    const int32_t a = route_of_[tail];
    const int32_t b = route_of_[head];
    if (a == b || !problem_.Fits(routes_[a].load + routes_[b].load)) return;
    std::vector<NodeIndex>& first = routes_[a].nodes;
    std::vector<NodeIndex>& second = routes_[b].nodes;
    if (free_to_turn_) {
      if (first.back() != tail && first.front() == tail) std::reverse(first.begin(), first.end());
      if (second.front() != head && second.back() == head) {
        std::reverse(second.begin(), second.end());
      }
    }
    if (first.back() != tail || second.front() != head) return;
    if (problem_.timed() && !InTime(first, second)) return;
    for (const NodeIndex node : second) route_of_[node] = a;
    first.insert(first.end(), second.begin(), second.end());
    routes_[a].load += routes_[b].load;
    second.clear();
  }

  Plan ToPlan() const {
    Plan plan;
    for (const Part& part : routes_) {
      if (part.nodes.empty()) continue;
      if (problem_.single_tour() && !plan.empty()) {
        plan[0].customers.insert(plan[0].customers.end(), part.nodes.begin(), part.nodes.end());
      } else {
        plan.push_back({.vehicle_type = 0, .customers = part.nodes});
      }
    }
    return plan;
  }

 private:
  struct Part {
    std::vector<NodeIndex> nodes;
    double load = 0;
  };

  bool InTime(const std::vector<NodeIndex>& first, const std::vector<NodeIndex>& second) {
    merged_ = first;
    merged_.insert(merged_.end(), second.begin(), second.end());
    return problem_.RouteFeasible(merged_);
  }

  const Problem& problem_;
  std::vector<int32_t> route_of_;
  std::vector<Part> routes_;
  std::vector<NodeIndex> merged_;
  bool free_to_turn_ = true;
};

// Returns the better of an unfinished plan and another one, which keeps to the fleet.
Plan Better(const Problem& problem, Plan unfinished, Plan other) {
  if (std::ssize(unfinished) > problem.max_routes()) return other;
  const Instance& instance = problem.instance();
  const bool better = PlanCost(instance, unfinished) < PlanCost(instance, other);
  return better ? std::move(unfinished) : std::move(other);
}

template <typename Noise>
Plan MergedPlan(const Problem& problem, const StopCondition& stop, size_t looked, Noise noise) {
  Merger merger(problem);
  merger.Run(looked, stop, noise);
  Plan plan = merger.ToPlan();
  if (stop.ShouldStop()) return Better(problem, std::move(plan), PackedPlan(problem));
  PlainRouteStore routes(problem);
  routes.Load(plan);
  InsertAbsent(routes);
  return routes.ToPlan();
}

}  // namespace

Plan SavingsPlan(const Problem& problem, const StopCondition& stop) {
  if (problem.Related(0).empty()) return PackedPlan(problem);
  return MergedPlan(problem, stop, kRelatedLooked, [] { return 1.0; });
}

Plan NoisySavingsPlan(const Problem& problem, const StopCondition& stop, double noise,
                      FastRandom& random) {
  return MergedPlan(problem, stop, kRelatedLookedNoisy,
                    [&] { return 1 + noise * (2 * random.Unit() - 1); });
}

Plan SavingsPlan(const Instance& instance, const StopCondition& stop) {
  if (!IsPlain(instance)) return {};
  return SavingsPlan(Problem::Create(instance, stop), stop);
}

}  // namespace vrp
