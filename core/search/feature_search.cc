#include "core/search/feature_search.h"

#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/search/build/first_routes.h"
#include "core/search/methods/annealing/annealing.h"
#include "core/search/methods/fleet_reduction/fleet_reduction.h"
#include "core/search/methods/penalised/penalised_search.h"
#include "core/search/methods/population/population_run.h"
#include "core/search/methods/regions/region_search.h"
#include "core/search/model/budget_parts.h"
#include "core/search/model/fleet_bounds.h"
#include "core/search/model/later_stop.h"
#include "core/search/portfolio.h"
#include "core/search/route/penalised_routes.h"

namespace vrp {
namespace {

// Share of the budget that may be spent on fewer routes, or iterations a unit if it has no end.
constexpr double kFleetShare = 0.3;
constexpr int64_t kEndlessReduction = 200;
// Share of the budget given to penalised search, if it is used.
constexpr double kPenalisedShare = 0.5;
// Share of the budget before a population, for that or ruin and recreate. (Measured: a share of 0.1
// costs 0.5 % more with 200 customers at 4 s.)
constexpr double kBeforePopulation = 0.4;

absl::Status CheckFrozen(const Problem& problem) {
  RouteEvaluator evaluator(problem);
  for (size_t slot = 0; slot < problem.frozen().size(); ++slot) {
    const FrozenSearchRoute& frozen = problem.frozen()[slot];
    SearchRoute route;
    route.type = frozen.type;
    route.nodes = frozen.nodes;
    MeasureEdges(problem, route);
    if (evaluator.Evaluate(problem.vehicle(frozen.type), frozen.nodes).feasible &&
        MeasureRoute(problem, evaluator, route)) {
      continue;
    }
    return absl::InvalidArgumentError(
        Concat("initial_solution.routes[", problem.instance().frozen()[slot].route,
               "].frozen_stops: keep to a limit only within the checker's tolerance"));
  }
  return absl::OkStatus();
}

void GoOnFrom(const Plan& plan, RouteStore& routes) {
  for (int32_t slot = 0; slot < routes.slots(); ++slot) routes.SetRoute(slot, 0, {});
  routes.Load(plan);
}

using ReportFn = absl::FunctionRef<void(const Plan&)>;

// A plain problem comes here when that was tried, or the loads forbid it.
bool MayFindComplete(const Problem& problem) {
  return !IsPlain(problem.instance()) && CanPenalise(problem) && FleetFilled(problem) <= 1;
}

// Searches from `routes`, which leave required units out, for a plan that serves all. `routes`
// become the best plan found, which `report` gets and keeps in `result`.
void SeekComplete(RouteStore& routes, const SearchOptions& options, const StopCondition& hard_stop,
                  FastRandom& random, SearchResult& result, ReportFn report) {
  const int32_t units = routes.problem().units();
  const SearchOptions before = PartOf(options, kAnnealedCompletionShare, units);
  Annealing annealing(routes, random, before, hard_stop);
  annealing.Run([&](const Plan& plan, Cost) { report(plan); });
  result.iterations += annealing.iterations();
  GoOnFrom(result.plan, routes);
  if (routes.missing_weight() == 0 || options.stop.ShouldStop()) return;
  const SearchOptions part =
      PartOf(RestOf(options, result.iterations), kPenalisedCompletionShare, units);
  const Plan complete = FindCompletePlan(routes, part, random, result.iterations);
  if (complete.empty()) return;
  GoOnFrom(complete, routes);
  report(routes.ToPlan());
}

// Takes routes away from `routes`, which serve all that is required.
void ReduceFleet(RouteStore& routes, const SearchOptions& options, FastRandom& random,
                 SearchResult& result, ReportFn report) {
  const int32_t units = routes.problem().units();
  SearchOptions part = PartOf(RestOf(options, result.iterations), kFleetShare, units);
  const bool endless =
      options.max_iterations == INT64_MAX && options.stop.deadline() == absl::InfiniteFuture();
  if (endless) part.max_iterations = kEndlessReduction * units;
  result.iterations += FleetReduction(routes, random).Run(part, [&] { report(routes.ToPlan()); });
}

// From the best plan to the end of `options`.
void SearchByPopulation(const Problem& problem, const SearchOptions& options, FastRandom& random,
                        SearchResult& result, ReportFn report) {
  const SearchResult found = RunPopulations(problem, {result.plan}, options, random,
                                            [&](const Plan& plan, Cost) { report(plan); });
  result.iterations += found.iterations;
  result.ended_by = found.ended_by;
}

// From `routes`, which become the best that is found, as with SeekComplete.
void SearchPenalised(RouteStore& routes, const SearchOptions& options, double share,
                     FastRandom& random, SearchResult& result, ReportFn report) {
  const SearchOptions part =
      PartOf(RestOf(options, result.iterations), share, routes.problem().units());
  if (PenalisesByPopulation(routes.problem())) {
    SearchByPopulation(routes.problem(), part, random, result, report);
  } else {
    report(ImprovePenalised(routes, part, random, result.iterations, report));
  }
  GoOnFrom(result.plan, routes);
}

// Anneals `routes` before a population.
// `edge_cost`: MeanEdgeCost before the fleet was reduced, if it was.
void AnnealFirst(RouteStore& routes, const SearchOptions& options, const StopCondition& hard_stop,
                 std::optional<double> edge_cost, FastRandom& random, SearchResult& result,
                 ReportFn report) {
  const SearchOptions part =
      PartOf(RestOf(options, result.iterations), kBeforePopulation, routes.problem().units());
  Annealing annealing(routes, random, part, hard_stop);
  if (edge_cost.has_value()) annealing.BeginHotter(*edge_cost);
  annealing.Run([&](const Plan& plan, Cost) { report(plan); });
  result.iterations += annealing.iterations();
}

// From `routes` to the end of the budget, as with SeekComplete.
void SearchRegions(const RouteStore& routes, const SearchOptions& options, SearchResult& result,
                   ReportFn report) {
  const Problem& problem = routes.problem();
  const auto near = [&](NodeIndex customer) { return problem.Near(customer); };
  const RegionProblem regions = {problem.instance(), near, UsualTemperatures(routes),
                                 problem.epsilon()};
  const SearchOptions rest = RestOf(options, result.iterations);
  const SearchResult found =
      RegionSearch(regions, routes.ToPlan(), rest, [&](const Plan& plan, Cost) { report(plan); });
  result.iterations += found.iterations;
  result.ended_by = found.ended_by;
}

}  // namespace

absl::StatusOr<SearchResult> FeatureSearch(const Problem& problem, const SearchOptions& options,
                                           const StopCondition& hard_stop,
                                           ImprovementFn on_improvement) {
  const Instance& instance = problem.instance();
  const StopCondition until = LaterStop(options.stop, hard_stop);
  VRP_RETURN_IF_ERROR(CheckFrozen(problem));
  FastRandom random(options.seed);
  FirstRoutes first =
      MakeFirstRoutes(problem, options.initial, until, random, [&](const RouteStore& routes) {
        const Plan plan = routes.ToPlan();
        on_improvement(plan, PlanCost(instance, plan));
      });
  PlanValue value = ValueOf(instance, first.best);
  SearchResult result{.plan = std::move(first.best), .cost = value.cost};
  if (first.start.servable().size() <= 1) {  // every place was looked at
    result.ended_by = EndOf(options.stop.Check(), SearchEnd::kLocalOptimum);
    return result;
  }
  const auto report_if_better = [&](const Plan& plan) {
    const PlanValue found = ValueOf(instance, plan);
    if (found >= value) return;
    value = found;
    result.plan = plan;
    result.cost = found.cost;
    on_improvement(plan, found.cost);
  };
  RouteStore& routes = first.start;
  if (routes.missing_weight() > 0 && MayFindComplete(problem)) {
    SeekComplete(routes, options, hard_stop, random, result, report_if_better);
  }
  const bool reduces = problem.route_weight() > 0 && routes.missing_weight() == 0;
  std::optional<double> edge_cost;
  if (reduces) {
    edge_cost = MeanEdgeCost(routes);
    ReduceFleet(routes, options, random, result, report_if_better);
  }
  if (SearchesByRegions(routes, options) && !options.stop.ShouldStop()) {
    SearchRegions(routes, options, result, report_if_better);
    return result;
  }
  const bool uses_population = routes.missing_weight() == 0 && PopulationFits(problem, options);
  const double before = uses_population ? kBeforePopulation : kPenalisedShare;
  const bool penalises = MayImprovePenalised(routes) && !options.stop.ShouldStop();
  if (penalises && !(uses_population && PenalisesByPopulation(problem))) {
    SearchPenalised(routes, options, before, random, result, report_if_better);
  }
  if (uses_population) {
    if (!penalises) {
      AnnealFirst(routes, options, hard_stop, edge_cost, random, result, report_if_better);
    }
    SearchByPopulation(problem, RestOf(options, result.iterations), random, result,
                       report_if_better);
    return result;
  }
  // Its best may be worse for a while than what it had before.
  const SearchOptions rest = RestOf(options, result.iterations);
  Annealing annealing(routes, random, rest, hard_stop);
  if (penalises) annealing.BeginCooler();
  if (edge_cost.has_value()) annealing.BeginHotter(*edge_cost);
  result.ended_by = annealing.Run([&](const Plan& plan, Cost) { report_if_better(plan); });
  result.iterations += annealing.iterations();
  return result;
}

}  // namespace vrp
