#include "core/search/rich/rich_search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/search/grace.h"
#include "core/search/rich/rich_annealing.h"
#include "core/search/rich/rich_packing.h"

namespace vrp {
namespace {

// Optional units go into one of the first plans for up to that many times their prizes: together
// they may be worth a route that none of them is worth alone.
constexpr double kGenerous = 10;

bool IsBetter(const RichRouteSet& a, const RichRouteSet& b) {
  if (a.missing_weight() != b.missing_weight()) return a.missing_weight() < b.missing_weight();
  const double weight = a.problem().route_weight();
  return a.cost() + weight * a.used() < b.cost() + weight * b.used();
}

// The best of the given plans and our own constructions.
RichRouteSet FirstRoutes(const RichProblem& problem, const SearchOptions& options,
                         const StopCondition& stop, FastRandom& random) {
  const RichRouteSet empty(problem);
  std::optional<RichRouteSet> best;
  const auto consider = [&](const Plan& plan, double worth) {
    RichRouteSet routes = empty;
    routes.Load(plan);
    RichRecreate(routes, random, stop).InsertAbsent(worth);
    if (stop.ShouldStop()) PackAbsent(routes);
    if (!best.has_value() || IsBetter(routes, *best)) best.emplace(std::move(routes));
  };
  for (const Plan& plan : options.initial) consider(plan, 1);
  if (best.has_value() && stop.ShouldStop()) return *std::move(best);
  consider({}, 1);
  const bool optional = std::any_of(empty.servable().begin(), empty.servable().end(),
                                    [&](int32_t u) { return !problem.unit(u).required(); });
  if (optional && !stop.ShouldStop()) consider({}, kGenerous);
  return *std::move(best);
}

absl::Status CheckFrozen(const RichProblem& problem) {
  RouteEvaluator evaluator(problem);
  for (size_t slot = 0; slot < problem.frozen().size(); ++slot) {
    const RichFrozenRoute& frozen = problem.frozen()[slot];
    RichRoute route{.type = frozen.type, .nodes = frozen.nodes};
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

SearchEnd EndAtOnce(const StopCondition& stop) {
  const StopReason reason = stop.Check();
  if (reason == StopReason::kNone) return SearchEnd::kLocalOptimum;
  return reason == StopReason::kCancelled ? SearchEnd::kCancelled : SearchEnd::kDeadline;
}

}  // namespace

absl::StatusOr<SearchResult> RichSearch(const Instance& instance, const SearchOptions& options,
                                        const StopCondition& grace, ImprovementFn on_improvement) {
  const StopCondition until = AtLeastGrace(options.stop, grace);
  const RichProblem problem = RichProblem::Create(instance, until);
  VRP_RETURN_IF_ERROR(CheckFrozen(problem));
  FastRandom random(options.seed);
  RichRouteSet routes = FirstRoutes(problem, options, until, random);
  SearchResult result;
  result.plan = routes.ToPlan();
  result.cost = PlanCost(instance, result.plan);
  on_improvement(result.plan, result.cost);
  if (routes.servable().size() <= 1) {  // every place was looked at
    result.ended_by = EndAtOnce(options.stop);
    return result;
  }
  RichAnnealing annealing(routes, random, options, grace);
  result.ended_by = annealing.Run(on_improvement);
  result.iterations = annealing.iterations();
  result.plan = annealing.BestPlan();
  result.cost = PlanCost(instance, result.plan);
  return result;
}

}  // namespace vrp
