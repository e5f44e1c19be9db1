#include "core/search/population/population_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/search/population/population_search.h"

namespace vrp {
namespace {

// A few founders, then children at once: a child is worth more than another founder from the first
// milliseconds on.
constexpr int32_t kFounders = 6;
// Among this many children one newcomer, so that the population does not grow too much alike.
constexpr int64_t kNewcomerEvery = 50;
// Without a better plan for this many individuals a customer, the population starts anew.
constexpr int64_t kPatience = 50;
constexpr int64_t kLeastPatience = 1000;
// The fleet that a plan may use: this much above the least that the loads need, where the instance
// leaves it open (Vidal 2022).
constexpr double kSpareShare = 0.3;
constexpr int32_t kSpareRoutes = 3;
constexpr int32_t kMostNodes = 500;
constexpr absl::Duration kReportEvery = absl::Milliseconds(5);

int32_t RoutesAllowed(const SearchProblem& problem, const std::vector<Plan>& plans) {
  double load = 0;
  for (NodeIndex node = 1; node < problem.size(); ++node) {
    if (problem.Servable(node)) load += problem.demand(node);
  }
  const double least = std::ceil(load / problem.capacity());
  auto wanted = static_cast<int32_t>(std::ceil((1 + kSpareShare) * least)) + kSpareRoutes;
  for (const Plan& plan : plans) wanted = std::max(wanted, static_cast<int32_t>(plan.size()) + 1);
  return std::min(wanted, problem.max_routes());
}

class Run {
 public:
  Run(const SearchProblem& problem, const std::vector<Plan>& plans, const SearchOptions& options,
      FastRandom& random, ImprovementFn on_improvement)
      : problem_(problem),
        plans_(plans),
        options_(options),
        on_improvement_(on_improvement),
        work_(kWorkPerCustomer * problem.num_servable()),
        patience_(std::max(kLeastPatience, kPatience * problem.num_servable())),
        search_(problem, random, RoutesAllowed(problem, plans)) {
    result_.plan = plans.front();
    result_.cost = PlanCost(problem.instance(), result_.plan);
    reported_ = result_.cost;
  }

  SearchResult Go() {
    for (int64_t step = 0; result_.iterations < options_.max_iterations; ++step) {
      const StopReason reason = options_.stop.Check();
      if (reason != StopReason::kNone) {
        result_.ended_by =
            reason == StopReason::kCancelled ? SearchEnd::kCancelled : SearchEnd::kDeadline;
        break;
      }
      Step(step);
      result_.iterations = std::min(result_.iterations + work_, options_.max_iterations);
      result_.ended_by = SearchEnd::kIterations;
      Report(absl::Now());
    }
    Report(absl::InfiniteFuture());
    return std::move(result_);
  }

 private:
  void Step(int64_t step) {
    if (search_.idle() > patience_) {
      search_.Restart();
      founders_ = 0;
    }
    if (step < std::ssize(plans_)) {
      search_.AddPlan(plans_[step], options_.stop);
    } else if (founders_ < kFounders || search_.size() == 0) {
      ++founders_;
      search_.AddFounder(options_.stop);
    } else if (step % kNewcomerEvery == 0) {
      search_.AddFounder(options_.stop);
    } else {
      search_.AddChild(options_.stop);
    }
  }

  void Report(absl::Time now) {
    if (!search_.has_best() || now - reported_at_ < kReportEvery) return;
    if (search_.best().distance >= reported_ - problem_.epsilon()) return;
    reported_ = search_.best().distance;
    reported_at_ = now;
    Plan plan = ToPlan(search_.best());
    const Cost cost = PlanCost(problem_.instance(), plan);
    if (cost >= result_.cost) return;
    result_.plan = std::move(plan);
    result_.cost = cost;
    on_improvement_(result_.plan, cost);
  }

  const SearchProblem& problem_;
  const std::vector<Plan>& plans_;
  const SearchOptions& options_;
  ImprovementFn on_improvement_;
  const int64_t work_;
  const int64_t patience_;
  PopulationSearch search_;
  int32_t founders_ = 0;
  SearchResult result_;
  double reported_ = 0;
  absl::Time reported_at_ = absl::InfinitePast();
};

}  // namespace

bool PopulationFits(const SearchProblem& problem) {
  return !problem.timed() && !problem.single_tour() && problem.size() <= kMostNodes &&
         problem.DistanceRow(0) != nullptr && problem.Distance(0, 0) == 0 &&
         problem.num_servable() > 1 && !problem.Near(1).empty();
}

SearchResult RunPopulation(const SearchProblem& problem, const std::vector<Plan>& plans,
                           const SearchOptions& options, FastRandom& random,
                           ImprovementFn on_improvement) {
  return Run(problem, plans, options, random, on_improvement).Go();
}

}  // namespace vrp
