#include "core/search/methods/tour/tour_search.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/steady_time.h"
#include "core/search/methods/annealing/cooling.h"
#include "core/search/methods/tour/tour.h"
#include "core/search/methods/tour/tour_improver.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/space_curve.h"

namespace vrp {
namespace {

constexpr int32_t kLongestBridged = 50;
// In mean edges, at the beginning of a cooling with kWarmPace or more iterations a node.
constexpr double kFirstTemperature = 0.4;
constexpr double kWarmPace = 10;
constexpr int64_t kPoll = 16;
constexpr absl::Duration kReportEvery = absl::Milliseconds(5);

// Before which of the order's nodes, the first excepted, `node` adds the least.
std::vector<NodeIndex>::iterator CheapestPlace(std::vector<NodeIndex>& order, NodeIndex node,
                                               const Problem& problem) {
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
std::vector<NodeIndex> OrderOf(const Plan& plan, const Problem& problem,
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

double TourLength(const Problem& problem, const std::vector<NodeIndex>& order) {
  return problem.SequenceDistance(order) + problem.Distance(order.back(), order.front());
}

Plan ToPlan(std::vector<NodeIndex> order) {
  std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
  order.erase(order.begin());
  return {{.vehicle_type = 0, .customers = std::move(order)}};
}

class TourSearch {
 public:
  TourSearch(const Problem& problem, const SearchOptions& options, std::vector<NodeIndex> order)
      : problem_(problem),
        options_(options),
        cooling_(options, problem.size()),
        random_(options.seed),
        tour_(std::move(order)),
        improver_(problem, tour_) {}

  SearchResult Run(ImprovementFn on_improvement) {
    for (const NodeIndex node : tour_.order()) improver_.Push(node);
    improver_.Run(kNoLimit, options_.stop);
    best_ = tour_.order();
    Report(on_improvement);
    SearchResult result;
    result.ended_by = Perturb(on_improvement, result.iterations);
    result.plan = ToPlan(best_);
    result.cost = PlanCost(problem_.instance(), result.plan);
    return result;
  }

 private:
  void Report(ImprovementFn on_improvement) {
    const Plan plan = ToPlan(best_);
    on_improvement(plan, PlanCost(problem_.instance(), plan));
    reported_ = SteadyNow();
    unreported_ = false;
  }

  SearchEnd Perturb(ImprovementFn on_improvement, int64_t& iterations);
  void Step();
  double BridgePaths();

  const Problem& problem_;
  const SearchOptions& options_;
  const Cooling cooling_;
  FastRandom random_;
  Tour tour_;
  TourImprover improver_;
  double temperature_ = 0;  // in the unit of distances
  double above_best_ = 0;   // length of tour_ minus that of best_
  std::vector<NodeIndex> best_;
  std::vector<NodeIndex> bridged_;
  absl::Time reported_;
  bool unreported_ = false;
};

SearchEnd TourSearch::Perturb(ImprovementFn on_improvement, int64_t& iterations) {
  SearchEnd end = options_.max_iterations == 0 ? SearchEnd::kLocalOptimum : SearchEnd::kIterations;
  const double mean_edge = TourLength(problem_, best_) / tour_.size();
  for (; iterations < options_.max_iterations; ++iterations) {
    if (iterations % kPoll == 0) {
      end = EndOf(options_.stop.Check(), SearchEnd::kIterations);
      if (end != SearchEnd::kIterations) break;
      const absl::Time now = SteadyNow();
      const double monitor = cooling_.IterationsPerNode(iterations, now) / kWarmPace;
      temperature_ = kFirstTemperature * mean_edge * std::min(monitor, 1.0) *
                     (1 - cooling_.Phase(iterations, now));
      if (unreported_ && now - reported_ >= kReportEvery) Report(on_improvement);
    }
    Step();
  }
  if (unreported_) Report(on_improvement);
  return end;
}

void TourSearch::Step() {
  tour_.ForgetChanges();
  const double added = BridgePaths();
  const double change = added + improver_.Run(added, StopCondition());
  const double allowed = -temperature_ * std::log(1 - random_.Unit());
  if (change > std::max(allowed, problem_.epsilon())) return tour_.UndoChanges();
  above_best_ += change;
  if (above_best_ >= -problem_.epsilon()) return;
  best_ = tour_.order();
  above_best_ = 0;
  unreported_ = true;
}

// Reverses the order of three successive paths, each in its own direction: a double bridge, which
// the improver cannot take back in one move. Returns the length that it added.
double TourSearch::BridgePaths() {
  const int32_t longest = std::min(kLongestBridged, (tour_.size() - 2) / 3);
  if (longest < 1) return 0;
  const int32_t begin = random_.Below(tour_.size());
  int32_t cuts[] = {0, 0, 0, 0};  // positions after `begin`
  for (int32_t i = 1; i <= 3; ++i) cuts[i] = cuts[i - 1] + random_.Between(1, longest);
  const auto node_at = [&](int32_t nodes) {
    const int32_t position = begin + nodes;
    return tour_.At(position < tour_.size() ? position : position - tour_.size());
  };
  NodeIndex last[4];  // on either side of a cut
  NodeIndex next[4];
  double change = 0;
  for (int32_t i = 0; i < 4; ++i) {
    last[i] = node_at(cuts[i]);
    next[i] = node_at(cuts[i] + 1);
    change -= problem_.Distance(last[i], next[i]);
    improver_.Push(last[i]);
    improver_.Push(next[i]);
  }
  bridged_.clear();
  for (int32_t i = 3; i > 0; --i) {
    for (int32_t at = cuts[i - 1] + 1; at <= cuts[i]; ++at) bridged_.push_back(node_at(at));
  }
  tour_.Overwrite(tour_.After(begin), bridged_);
  return change + problem_.Distance(last[0], next[2]) + problem_.Distance(last[3], next[1]) +
         problem_.Distance(last[2], next[0]) + problem_.Distance(last[1], next[3]);
}

}  // namespace

SearchResult SearchTour(const Problem& problem, const SearchOptions& options,
                        ImprovementFn on_improvement) {
  std::vector<NodeIndex> best =
      problem.instance().has_distance_matrix()
          ? NearestOrder(problem.size(), 1, options.stop,
                         [&](NodeIndex a, NodeIndex b) { return problem.Distance(a, b); })
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
