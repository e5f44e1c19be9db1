#include "core/search/search.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/search/build/construct.h"
#include "core/search/build/first_routes.h"
#include "core/search/feature_search.h"
#include "core/search/methods/annealing/annealing.h"
#include "core/search/methods/fleet_reduction/fewer_routes.h"
#include "core/search/methods/penalised/penalised_search.h"
#include "core/search/methods/population/population_run.h"
#include "core/search/methods/regions/region_search.h"
#include "core/search/methods/tour/tour_search.h"
#include "core/search/model/budget_parts.h"
#include "core/search/model/detours.h"
#include "core/search/model/later_stop.h"
#include "core/search/model/node_selection.h"
#include "core/search/model/problem.h"
#include "core/search/portfolio.h"
#include "core/search/route/penalised_routes.h"
#include "core/search/route/route_store.h"

namespace vrp {
namespace {

// How long a search may go on after the stop to make a first good plan.
constexpr absl::Duration kFirstPlanTime = absl::Milliseconds(3);
// Share of the budget spent trying to serve every customer where FindCompletePlan cannot help.
// After it the search takes the best plan that leaves some out.
constexpr double kCompletionShare = 0.3;
// Below this many nodes every tour is the same.
constexpr int32_t kSmallestTour = 4;

SearchResult SearchRegions(const Problem& problem, const RouteStore& routes,
                           const SearchOptions& options, ImprovementFn on_improvement) {
  const auto near = [&](NodeIndex customer) { return problem.Near(customer); };
  const RegionProblem regions = {problem.instance(), near, UsualTemperatures(routes),
                                 problem.epsilon()};
  return RegionSearch(regions, routes.ToPlan(), options, on_improvement);
}

SearchResult Anneal(RouteStore& routes, FastRandom& random, const SearchOptions& options,
                    const StopCondition& hard_stop, ImprovementFn on_improvement) {
  Annealing annealing(routes, random, options, hard_stop);
  SearchResult result;
  result.ended_by = annealing.Run(on_improvement);
  result.plan = annealing.BestPlan();
  result.iterations = annealing.iterations();
  return result;
}

SearchResult SearchByPopulation(const Problem& problem, RouteStore& routes, std::vector<Plan> plans,
                                const SearchOptions& options, const StopCondition& hard_stop,
                                FastRandom& random, ImprovementFn on_improvement) {
  const double share = AnnealedShare(problem);
  int64_t iterations = 0;
  if (share > 0) {
    const SearchOptions part = PartOf(options, share, problem.num_servable());
    const SearchResult found = problem.size() > kMostPopulationNodes
                                   ? SearchRegions(problem, routes, part, on_improvement)
                                   : Anneal(routes, random, part, hard_stop, on_improvement);
    iterations = found.iterations;
    plans.insert(plans.begin(), found.plan);
  }
  SearchResult result =
      RunPopulations(problem, plans, RestOf(options, iterations), random, on_improvement);
  result.iterations += iterations;
  return result;
}

bool GoesByRegions(const Problem& problem, const SearchOptions& options) {
  if (problem.single_tour()) return false;
  return options.threads > 1 || SearchesByRegions(problem.instance(), options);
}

// Searches from `routes`, which leave customers out, for a plan that serves all, in a share of the
// budget.
SearchResult SearchForComplete(const Problem& problem, RouteStore& routes, FastRandom& random,
                               const SearchOptions& options, const StopCondition& hard_stop,
                               ImprovementFn on_improvement) {
  const bool may_penalise = problem.size() <= kMaxPenalisedNodes;
  const double share = may_penalise ? kAnnealedCompletionShare : kCompletionShare;
  SearchResult result = Anneal(routes, random, PartOf(options, share, problem.num_servable()),
                               hard_stop, on_improvement);
  const bool complete_already = CountServed(result.plan) == problem.num_servable();
  if (!may_penalise || complete_already || options.stop.ShouldStop()) return result;
  if (!CanPenalise(problem)) return result;
  RouteStore partial(problem);
  partial.Load(result.plan);
  const SearchOptions part =
      PartOf(RestOf(options, result.iterations), kPenalisedCompletionShare, problem.num_servable());
  Plan complete = FindCompletePlan(partial, part, random, result.iterations);
  if (complete.empty()) return result;
  result.plan = std::move(complete);
  on_improvement(result.plan, PlanCost(problem.instance(), result.plan));
  return result;
}

// Ends early where the first plan leaves customers out.
SearchResult SearchRoutes(const Problem& problem, const SearchOptions& options,
                          const StopCondition& hard_stop, ImprovementFn on_improvement) {
  FastRandom random(options.seed);
  const StopCondition until = LaterStop(options.stop, hard_stop);
  FirstRoutes first =
      MakeFirstRoutes(problem, options.initial, until, random, [&](const RouteStore& made) {
        const Plan plan = made.ToPlan();
        on_improvement(plan, PlanCost(problem.instance(), plan));
      });
  RouteStore& routes = first.start;
  SearchResult result;
  result.plan = first.best;
  if (options.max_iterations == 0 || problem.num_servable() <= 1) {
    result.ended_by = EndOf(options.stop.Check(), SearchEnd::kLocalOptimum);
  } else if (routes.absent().empty() && PopulationFits(problem, options)) {
    return SearchByPopulation(problem, routes, std::move(first.complete), options, hard_stop,
                              random, on_improvement);
  } else if (routes.absent().empty() && GoesByRegions(problem, options)) {
    return SearchRegions(problem, routes, options, on_improvement);
  } else if (routes.absent().empty()) {
    result = Anneal(routes, random, options, hard_stop, on_improvement);
  } else {
    result = SearchForComplete(problem, routes, random, options, hard_stop, on_improvement);
  }
  result.cost = PlanCost(problem.instance(), result.plan);
  return result;
}

// Runs search(instance, options, on_improvement) with the nodes in the order of a curve.
template <typename SearchFn>
absl::StatusOr<SearchResult> SearchOnCurve(const Instance& instance, const SearchOptions& options,
                                           ImprovementFn on_improvement, SearchFn search) {
  const std::optional<NodeSelection> on_curve = InCurveOrder(instance, options.stop);
  if (!on_curve.has_value()) return search(instance, options, on_improvement);
  SearchOptions renumbered = options;
  for (auto* plans : {&renumbered.initial, &renumbered.samples}) {
    for (Plan& plan : *plans) plan = on_curve->ToSelection(plan);
  }
  VRP_ASSIGN_OR_RETURN(SearchResult result,
                       search(on_curve->instance(), renumbered, [&](const Plan& plan, Cost cost) {
                         on_improvement(on_curve->FromSelection(plan), cost);
                       }));
  result.plan = on_curve->FromSelection(result.plan);
  return result;
}

// Runs `search` from `before`, reports only what is better and returns the better of both.
template <typename SearchFn>
absl::StatusOr<SearchResult> SearchFrom(const Instance& instance, const Plan& before,
                                        ImprovementFn on_improvement, SearchFn search) {
  const PlanValue value = ValueOf(instance, before);
  VRP_ASSIGN_OR_RETURN(SearchResult result, search([&](const Plan& plan, Cost cost) {
                         if (ValueOf(instance, plan) < value) on_improvement(plan, cost);
                       }));
  if (value < ValueOf(instance, result.plan)) {
    result.plan = before;
    result.cost = value.cost;
  }
  return result;
}

absl::StatusOr<SearchResult> SearchPlain(const Problem& problem, SearchOptions options,
                                         const StopCondition& hard_stop,
                                         ImprovementFn on_improvement) {
  options.needs_detours = options.needs_detours.value_or(problem.detours().needed());
  if (*options.needs_detours) return FeatureSearch(problem, options, hard_stop, on_improvement);
  if (problem.tour_only() && problem.size() >= kSmallestTour) {
    return SearchTour(problem, options, on_improvement);
  }
  SearchResult first = SearchRoutes(problem, options, hard_stop, on_improvement);
  SearchOptions rest = RestOf(options, first.iterations);
  const bool ended = first.ended_by == SearchEnd::kLocalOptimum || options.stop.ShouldStop() ||
                     rest.max_iterations <= 0;
  if (ended) return first;
  // It began with customers left out, and some of the budget is left.
  rest.initial = {first.plan};
  const Instance& instance = problem.instance();
  const bool complete = CheckPlan(instance, first.plan).feasible;
  const auto search = [&](ImprovementFn report) -> absl::StatusOr<SearchResult> {
    if (complete) return SearchRoutes(problem, rest, hard_stop, report);
    return FeatureSearch(problem, rest, hard_stop, report);
  };
  VRP_ASSIGN_OR_RETURN(SearchResult result,
                       SearchFrom(instance, first.plan, on_improvement, search));
  result.iterations += first.iterations;
  return result;
}

// Whether to renumber the nodes. Small instances with features are in the cache in any order; of
// large matrices a copy for each of the searches side by side would take gigabytes.
bool PaysOnCurve(const Instance& instance) {
  const bool given =
      !instance.data().distance_matrix.empty() || !instance.data().duration_matrix.empty();
  return instance.num_nodes() > Problem::kScanAllNodes &&
         !(given && instance.num_nodes() > Problem::kMatrixNodes);
}

absl::StatusOr<SearchResult> RunSearch(const Instance& instance, const SearchOptions& options,
                                       ImprovementFn on_improvement) {
  const StopCondition hard_stop(SteadyNow() + kFirstPlanTime, nullptr);
  const bool plain = IsPlain(instance) && !FleetTooSmall(instance);
  const auto search = [&](const Instance& one, const SearchOptions& own, ImprovementFn report) {
    const Problem problem = Problem::Create(one, LaterStop(own.stop, hard_stop), own.samples);
    return plain ? SearchPlain(problem, own, hard_stop, report)
                 : FeatureSearch(problem, own, hard_stop, report);
  };
  if (!plain && !PaysOnCurve(instance)) return search(instance, options, on_improvement);
  return SearchOnCurve(instance, options, on_improvement, search);
}

struct GivenPlan {
  const Plan* plan = nullptr;
  PlanValue value = {};
};

// The best of the plans that break no rule but that they may leave customers out.
std::optional<GivenPlan> BestGiven(const Instance& instance, const std::vector<Plan>& plans) {
  std::optional<GivenPlan> best;
  for (const Plan& plan : plans) {
    if (!RoutesAreFeasible(CheckPlan(instance, plan))) continue;
    const PlanValue value = ValueOf(instance, plan);
    if (!best.has_value() || value < best->value) best = {&plan, value};
  }
  return best;
}

}  // namespace

absl::StatusOr<SearchResult> Search(const Instance& instance, const SearchOptions& options,
                                    ImprovementFn on_improvement) {
  const auto run = [&](ImprovementFn report) { return RunSearch(instance, options, report); };
  const std::optional<GivenPlan> given = BestGiven(instance, options.initial);
  if (given.has_value()) on_improvement(*given->plan, given->value.cost);
  VRP_ASSIGN_OR_RETURN(SearchResult result,
                       given.has_value() ? SearchFrom(instance, *given->plan, on_improvement, run)
                                         : run(on_improvement));
  const StopCondition hard_stop(SteadyNow() + kFirstPlanTime, nullptr);
  Plan fewer = WithFewerRoutes(instance, result.plan, LaterStop(options.stop, hard_stop));
  if (fewer.size() == result.plan.size()) return result;
  const PlanValue before = ValueOf(instance, result.plan);
  const PlanValue after = ValueOf(instance, fewer);
  result.plan = std::move(fewer);
  result.cost = after.cost;
  if (after < before) on_improvement(result.plan, result.cost);
  return result;
}

}  // namespace vrp
