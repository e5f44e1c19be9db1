#include "core/search/tour_search.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/steady_time.h"
#include "core/search/fast_random.h"
#include "core/search/space_curve.h"
#include "core/search/tour.h"
#include "core/search/tour_improver.h"

namespace vrp {
namespace {

constexpr int32_t kLongestSwapped = 50;
constexpr int64_t kPoll = 16;
constexpr absl::Duration kReportEvery = absl::Milliseconds(5);

std::vector<NodeIndex> NearestOrder(const SearchProblem& problem, const StopCondition& stop) {
  std::vector<NodeIndex> order(problem.size());
  std::iota(order.begin(), order.end(), 0);
  for (int32_t i = 1; i < problem.size(); ++i) {
    if (i % 32 == 0 && stop.ShouldStop()) break;
    const auto nearest =
        std::min_element(order.begin() + i, order.end(), [&](NodeIndex a, NodeIndex b) {
          return problem.Distance(order[i - 1], a) < problem.Distance(order[i - 1], b);
        });
    std::iter_swap(order.begin() + i, nearest);
  }
  return order;
}

// Before which of the order's nodes, the first excepted, `node` adds the least.
std::vector<NodeIndex>::iterator CheapestPlace(std::vector<NodeIndex>& order, NodeIndex node,
                                               const SearchProblem& problem) {
  size_t best = order.size();
  const auto added = [&](NodeIndex from, NodeIndex to) {
    return problem.Distance(from, node) + problem.Distance(node, to) - problem.Distance(from, to);
  };
  double least = added(order.back(), order.front());
  for (size_t i = 1; i < order.size(); ++i) {
    const double cost = added(order[i - 1], order[i]);
    if (cost < least) best = i;
    least = std::min(least, cost);
  }
  return order.begin() + static_cast<std::ptrdiff_t>(best);
}

// All nodes: those of the given plan in its order, each of the others where it costs least (while
// there is time; then at the end).
std::vector<NodeIndex> OrderOf(const Plan& plan, const SearchProblem& problem,
                               const StopCondition& stop) {
  std::vector<NodeIndex> order = {0};
  std::vector<char> seen(problem.size(), 0);
  seen[0] = 1;
  for (const PlannedRoute& route : plan) {
    for (const NodeIndex node : route.customers) {
      if (node < 0 || node >= problem.size() || std::exchange(seen[node], 1)) continue;
      order.push_back(node);
    }
  }
  for (NodeIndex node = 0; node < problem.size(); ++node) {
    if (seen[node]) continue;
    const bool at_end = stop.ShouldStop();
    order.insert(at_end ? order.end() : CheapestPlace(order, node, problem), node);
  }
  return order;
}

double TourLength(const SearchProblem& problem, const std::vector<NodeIndex>& order) {
  return problem.SequenceDistance(order) + problem.Distance(order.back(), order.front());
}

Plan ToPlan(const Tour& tour) {
  std::vector<NodeIndex> order = tour.order();
  std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
  order.erase(order.begin());
  return {{.vehicle_type = 0, .customers = std::move(order)}};
}

class TourSearch {
 public:
  TourSearch(const SearchProblem& problem, const SearchOptions& options,
             std::vector<NodeIndex> order)
      : problem_(problem),
        options_(options),
        random_(options.seed),
        tour_(std::move(order)),
        improver_(problem, tour_) {}

  SearchResult Run(ImprovementFn on_improvement) {
    for (const NodeIndex node : tour_.order()) improver_.Push(node);
    improver_.Run(options_.stop);
    Report(on_improvement);
    SearchResult result;
    result.ended_by = Perturb(on_improvement, result.iterations);
    result.plan = ToPlan(tour_);
    result.cost = PlanCost(problem_.instance(), result.plan);
    return result;
  }

 private:
  void Report(ImprovementFn on_improvement) {
    const Plan plan = ToPlan(tour_);
    on_improvement(plan, PlanCost(problem_.instance(), plan));
    reported_ = SteadyNow();
    unreported_ = false;
  }

  SearchEnd Perturb(ImprovementFn on_improvement, int64_t& iterations);
  void Step();

  const SearchProblem& problem_;
  const SearchOptions& options_;
  FastRandom random_;
  Tour tour_;
  TourImprover improver_;
  absl::Time reported_;
  bool unreported_ = false;
};

SearchEnd TourSearch::Perturb(ImprovementFn on_improvement, int64_t& iterations) {
  SearchEnd end = options_.max_iterations == 0 ? SearchEnd::kLocalOptimum : SearchEnd::kIterations;
  for (; iterations < options_.max_iterations; ++iterations) {
    if (iterations % kPoll == 0) {
      const StopReason reason = options_.stop.Check();
      if (reason != StopReason::kNone) {
        end = reason == StopReason::kCancelled ? SearchEnd::kCancelled : SearchEnd::kDeadline;
        break;
      }
      if (unreported_ && SteadyNow() - reported_ >= kReportEvery) Report(on_improvement);
    }
    Step();
  }
  if (unreported_) Report(on_improvement);
  return end;
}

void TourSearch::Step() {
  const int32_t size = tour_.size();
  const int32_t longest = std::min(kLongestSwapped, (size - 2) / 2);
  const int32_t at = random_.Below(size);
  const auto node_at = [&](int32_t position) {
    return tour_.At(position >= size ? position - size : position);
  };
  const int32_t first = random_.Between(1, longest);
  const int32_t second = random_.Between(1, longest);
  tour_.ForgetChanges();
  double change =
      improver_.SwapPaths(node_at(at), node_at(at + first), node_at(at + first + second));
  change += improver_.Run(StopCondition());
  if (change > problem_.epsilon()) {
    tour_.UndoChanges();
  } else if (change < -problem_.epsilon()) {
    unreported_ = true;
  }
}

}  // namespace

SearchResult SearchTour(const SearchProblem& problem, const SearchOptions& options,
                        ImprovementFn on_improvement) {
  std::vector<NodeIndex> best = problem.instance().has_distance_matrix()
                                    ? NearestOrder(problem, options.stop)
                                    : CurveOrder(problem.instance());
  double best_length = TourLength(problem, best);
  for (const Plan& plan : options.initial) {
    std::vector<NodeIndex> order = OrderOf(plan, problem, options.stop);
    const double length = TourLength(problem, order);
    if (length >= best_length) continue;
    best = std::move(order);
    best_length = length;
  }
  return TourSearch(problem, options, std::move(best)).Run(on_improvement);
}

}  // namespace vrp
