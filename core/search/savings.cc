#include <algorithm>
#include <utility>
#include <vector>

#include "core/search/construct.h"
#include "core/search/recreate.h"
#include "core/search/route_set.h"
#include "core/search/search.h"
#include "core/search/search_problem.h"

namespace vrp {
namespace {

constexpr size_t kRelatedLooked = 40;
// What noise adds to the choice, fewer candidates need not: these plans are many and made in haste.
constexpr size_t kRelatedLookedNoisy = 15;

struct Saving {
  double amount = 0;
  NodeIndex tail = 0;  // the last of one route ...
  NodeIndex head = 0;  // ... before the first of another

  bool operator<(const Saving& other) const {
    return std::pair(amount, std::pair(-tail, -head)) <
           std::pair(other.amount, std::pair(-other.tail, -other.head));
  }
};

class Merger {
 public:
  explicit Merger(const SearchProblem& problem) : problem_(problem), route_of_(problem.size(), -1) {
    for (NodeIndex node = 1; node < problem.size(); ++node) {
      if (!problem.Servable(node)) continue;
      route_of_[node] = static_cast<int32_t>(routes_.size());
      routes_.push_back({{node}, problem.demand(node)});
    }
    free_to_turn_ = problem.symmetric() && !problem.timed();
  }

  // Of each customer with the first `looked` of its related ones.
  std::vector<Saving> Savings(size_t looked) const {
    std::vector<Saving> savings;
    for (NodeIndex tail = 1; tail < problem_.size(); ++tail) {
      if (route_of_[tail] < 0) continue;
      const auto related = problem_.Related(tail);
      for (const NodeIndex head : related.first(std::min(related.size(), looked))) {
        const double amount =
            problem_.Distance(tail, 0) + problem_.Distance(0, head) - problem_.Distance(tail, head);
        if (amount > 0 && route_of_[head] >= 0) savings.push_back({amount, tail, head});
      }
    }
    return savings;
  }

  void TryMerge(const Saving& saving) {
    const int32_t a = route_of_[saving.tail];
    const int32_t b = route_of_[saving.head];
    if (a == b || !problem_.Fits(routes_[a].load + routes_[b].load)) return;
    std::vector<NodeIndex>& first = routes_[a].nodes;
    std::vector<NodeIndex>& second = routes_[b].nodes;
    if (free_to_turn_) {
      if (first.back() != saving.tail && first.front() == saving.tail)
        std::reverse(first.begin(), first.end());
      if (second.front() != saving.head && second.back() == saving.head) {
        std::reverse(second.begin(), second.end());
      }
    }
    if (first.back() != saving.tail || second.front() != saving.head) return;
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

  const SearchProblem& problem_;
  std::vector<int32_t> route_of_;
  std::vector<Part> routes_;
  std::vector<NodeIndex> merged_;
  bool free_to_turn_ = true;
};

// Of a plan that was not finished and another, which keeps to the fleet.
Plan Better(const SearchProblem& problem, Plan unfinished, Plan other) {
  if (std::ssize(unfinished) > problem.max_routes()) return other;
  const Instance& instance = problem.instance();
  const bool better = PlanCost(instance, unfinished) < PlanCost(instance, other);
  return better ? std::move(unfinished) : std::move(other);
}

Plan MergeBy(const SearchProblem& problem, Merger& merger, std::vector<Saving> savings,
             const StopCondition& stop) {
  std::make_heap(savings.begin(), savings.end());
  for (int64_t step = 1; !savings.empty(); ++step) {
    if (step % 256 == 0 && stop.ShouldStop()) break;
    std::pop_heap(savings.begin(), savings.end());
    merger.TryMerge(savings.back());
    savings.pop_back();
  }
  Plan plan = merger.ToPlan();
  if (stop.ShouldStop()) return Better(problem, std::move(plan), PackedPlan(problem));
  RouteSet routes(problem);
  routes.Load(plan);
  InsertAbsent(routes);
  return routes.ToPlan();
}

}  // namespace

Plan SavingsPlan(const SearchProblem& problem, const StopCondition& stop) {
  if (problem.Related(0).empty()) return PackedPlan(problem);
  Merger merger(problem);
  return MergeBy(problem, merger, merger.Savings(kRelatedLooked), stop);
}

Plan NoisySavingsPlan(const SearchProblem& problem, const StopCondition& stop, double noise,
                      FastRandom& random) {
  Merger merger(problem);
  std::vector<Saving> savings = merger.Savings(kRelatedLookedNoisy);
  for (Saving& saving : savings) saving.amount *= 1 + noise * (2 * random.Unit() - 1);
  return MergeBy(problem, merger, std::move(savings), stop);
}

Plan SavingsPlan(const Instance& instance, const StopCondition& stop) {
  if (!IsPlain(instance)) return {};
  return SavingsPlan(SearchProblem::Create(instance, stop), stop);
}

}  // namespace vrp
