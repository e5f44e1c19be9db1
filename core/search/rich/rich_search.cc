#include "core/search/rich/rich_search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/search/grace.h"
#include "core/search/regions/region_search.h"
#include "core/search/rich/fleet_bounds.h"
#include "core/search/rich/fleet_reduction.h"
#include "core/search/rich/relaxed_routes.h"
#include "core/search/rich/relaxed_search.h"
#include "core/search/rich/rich_annealing.h"
#include "core/search/rich/rich_packing.h"
#include "core/search/rich/rich_pruning.h"
#include "core/search/search_parts.h"

namespace vrp {
namespace {

// Into one of the first plans optional units go whatever they cost: together they may be worth a
// route that none of them is worth alone. The search begins there, though the plan may cost more
// than one that leaves nearly all of them out, wherever it has that many times the time that the
// plan took: it takes visits away with ease, but hardly ever opens a route that pays only with
// many.
constexpr double kGenerous = 1e6;  // times their prizes
constexpr double kGenerousTimes = 10;
// Above so many nodes routes to the farthest units come first: such plans cost 10 to 50 % less, of
// which much is left when there is little time for each node. With fewer the search is soon as far
// from either, and unlike vehicles and reloads are the better for the bulkiest first.
constexpr int32_t kFarFirstFrom = 150;
// Share of the budget that may be spent on fewer routes, or iterations a unit if it has no end.
constexpr double kFleetShare = 0.3;
constexpr int64_t kEndlessReduction = 200;
// What of the budget goes to plans that break limits, where that is tried.
constexpr double kRelaxedShare = 0.5;
// Where moves are judged slowly, up to so many nodes. (Measured: MDVRPTW of 361 to 481 nodes cost
// 0.9 % more at 5 s.)
constexpr int32_t kMostJudgedSlowly = 300;
constexpr int32_t kRegionsFrom = 1000;  // units

bool IsBetter(const RichRouteSet& a, const RichRouteSet& b) {
  if (a.missing_weight() != b.missing_weight()) return a.missing_weight() < b.missing_weight();
  const double weight = a.problem().route_weight();
  return a.cost() + weight * a.used() < b.cost() + weight * b.used();
}

void PruneAll(RichRouteSet& routes) {
  std::vector<int32_t> slots;
  for (int32_t slot = 0; slot < routes.slots(); ++slot) {
    if (!routes.route(slot).empty()) slots.push_back(slot);
  }
  RichPruning(routes).Prune(slots);
}

struct FirstRoutes {
  RichRouteSet start;  // of the search
  Plan best;           // not worse than it
};

// Of the given plans and our own constructions.
FirstRoutes MakeFirstRoutes(const RichProblem& problem, const SearchOptions& options,
                            const StopCondition& stop, FastRandom& random) {
  const RichRouteSet empty(problem);
  const auto filled = [&](const Plan& plan, double worth, RichRecreate::First first) {
    RichRouteSet routes = empty;
    routes.Load(plan);
    RichRecreate(routes, random, stop).InsertAbsent(worth, first);
    if (stop.ShouldStop()) PackAbsent(routes);
    return routes;
  };
  const bool from_afar = problem.size() > kFarFirstFrom;
  const auto made = [&](const Plan& plan) {
    if (!from_afar) return filled(plan, 1, RichRecreate::First::kBulky);
    RichRouteSet routes = filled(plan, 1, RichRecreate::First::kFar);
    if (routes.missing_weight() == 0 || stop.ShouldStop()) return routes;
    RichRouteSet bulky = filled(plan, 1, RichRecreate::First::kBulky);
    return IsBetter(bulky, routes) ? bulky : routes;
  };
  std::optional<RichRouteSet> best;
  const auto consider = [&](RichRouteSet routes) {
    if (!best.has_value() || IsBetter(routes, *best)) best.emplace(std::move(routes));
  };
  for (const Plan& plan : options.initial) consider(made(plan));
  if (!best.has_value() || !stop.ShouldStop()) consider(made({}));
  const bool optional = std::any_of(empty.servable().begin(), empty.servable().end(),
                                    [&](int32_t u) { return !problem.unit(u).required(); });
  Plan plan = best->ToPlan();
  if (!optional || stop.ShouldStop()) return {*std::move(best), std::move(plan)};
  const absl::Time begun = SteadyNow();
  RichRouteSet generous = filled({}, kGenerous, RichRecreate::First::kBulky);
  PruneAll(generous);
  const absl::Time worthwhile = SteadyNow() + kGenerousTimes * (SteadyNow() - begun);
  const bool starts_there = options.initial.empty() && worthwhile < stop.deadline() &&
                            generous.missing_weight() <= best->missing_weight();
  const bool is_better = IsBetter(generous, *best);
  if (is_better) plan = generous.ToPlan();
  return {starts_there || is_better ? std::move(generous) : *std::move(best), std::move(plan)};
}

absl::Status CheckFrozen(const RichProblem& problem) {
  RouteEvaluator evaluator(problem);
  for (size_t slot = 0; slot < problem.frozen().size(); ++slot) {
    const RichFrozenRoute& frozen = problem.frozen()[slot];
    RichRoute route{.type = frozen.type, .nodes = frozen.nodes};
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

void GoOnFrom(const Plan& plan, RichRouteSet& routes) {
  for (int32_t slot = 0; slot < routes.slots(); ++slot) routes.SetRoute(slot, 0, {});
  routes.Load(plan);
}

using TellFn = absl::FunctionRef<void(const Plan&)>;

// A plain problem comes here when that was tried, or the loads forbid it.
bool MayFindWhole(const RichProblem& problem) {
  return !IsPlain(problem.instance()) && CanRelax(problem) && FleetFilled(problem) <= 1;
}

// From `routes`, which leave units out that are required. They become the best that is found, of
// which `tell` is told, who keeps it in `result`.
void SeekWhole(RichRouteSet& routes, const SearchOptions& options, const StopCondition& grace,
               FastRandom& random, SearchResult& result, TellFn tell) {
  const int32_t units = routes.problem().units();
  const SearchOptions before = PartOf(options, kAnnealedHope, units);
  RichAnnealing annealing(routes, random, before, grace);
  annealing.Run([&](const Plan& plan, Cost) { tell(plan); });
  result.iterations += annealing.iterations();
  GoOnFrom(result.plan, routes);
  if (routes.missing_weight() == 0 || options.stop.ShouldStop()) return;
  const SearchOptions part = PartOf(RestOf(options, result.iterations), kRelaxedHope, units);
  const Plan whole = FindWholePlan(routes, part, random, result.iterations);
  if (whole.empty()) return;
  GoOnFrom(whole, routes);
  tell(routes.ToPlan());
}

// Takes routes away from `routes`, which serve all that is required.
void ReduceFleet(RichRouteSet& routes, const SearchOptions& options, FastRandom& random,
                 SearchResult& result, TellFn tell) {
  const int32_t units = routes.problem().units();
  SearchOptions part = PartOf(RestOf(options, result.iterations), kFleetShare, units);
  const bool endless =
      options.max_iterations == INT64_MAX && options.stop.deadline() == absl::InfiniteFuture();
  if (endless) part.max_iterations = kEndlessReduction * units;
  result.iterations += FleetReduction(routes, random).Run(part, [&] { tell(routes.ToPlan()); });
}

// Where vehicles drive unlike ways, as from several depots, moves between them are judged slowly.
bool JudgesSlowly(const RichProblem& problem) {
  const RichVehicle& first = problem.vehicle(0);
  return !std::all_of(problem.vehicles().begin(), problem.vehicles().end(),
                      [&](const RichVehicle& other) { return DriveAlike(first, other); });
}

// Whether a search among plans that break limits goes before: where each unit is required, and a
// route is worth no more than it costs.
bool MayImproveRelaxed(const RichRouteSet& routes) {
  const RichProblem& problem = routes.problem();
  const bool all_required = std::all_of(routes.servable().begin(), routes.servable().end(),
                                        [&](int32_t u) { return problem.unit(u).required(); });
  if (problem.size() > kMostJudgedSlowly && JudgesSlowly(problem)) return false;
  return all_required && routes.missing_weight() == 0 && problem.route_weight() == 0 &&
         CanRelax(problem);
}

// From `routes`, which become the best that is found, as with SeekWhole.
void SearchRelaxed(RichRouteSet& routes, const SearchOptions& options, FastRandom& random,
                   SearchResult& result, TellFn tell) {
  const SearchOptions part =
      PartOf(RestOf(options, result.iterations), kRelaxedShare, routes.problem().units());
  tell(ImproveRelaxed(routes, part, random, result.iterations, tell));
  GoOnFrom(result.plan, routes);
}

// Returns whether a search by regions finds better plans than one of the whole problem. (Measured
// with windows: it does with prizes from 600 customers on, without from 1,000 on.)
bool SearchesByRegions(const RichRouteSet& routes, const SearchOptions& options) {
  const RichProblem& problem = routes.problem();
  if (problem.detours().needed()) return false;
  if (options.threads > 1) return true;
  const bool has_prizes = !problem.instance().data().prizes.empty();
  return routes.missing_weight() == 0 && (has_prizes || problem.units() >= kRegionsFrom) &&
         RegionsPay(problem.units(), options.stop);
}

// From `routes` to the end of the budget, as with SeekWhole.
void SearchRegions(const RichRouteSet& routes, const SearchOptions& options, SearchResult& result,
                   TellFn tell) {
  const RichProblem& problem = routes.problem();
  const auto near = [&](NodeIndex customer) { return problem.Near(customer); };
  const RegionProblem regions = {problem.instance(), near, UsualTemperatures(routes),
                                 problem.epsilon()};
  const SearchOptions rest = RestOf(options, result.iterations);
  const SearchResult found =
      RegionSearch(regions, routes.ToPlan(), rest, [&](const Plan& plan, Cost) { tell(plan); });
  result.iterations += found.iterations;
  result.ended_by = found.ended_by;
}

}  // namespace

absl::StatusOr<SearchResult> RichSearch(const Instance& instance, const SearchOptions& options,
                                        const StopCondition& grace, ImprovementFn on_improvement) {
  const StopCondition until = AtLeastGrace(options.stop, grace);
  const RichProblem problem = RichProblem::Create(instance, until);
  VRP_RETURN_IF_ERROR(CheckFrozen(problem));
  FastRandom random(options.seed);
  FirstRoutes first = MakeFirstRoutes(problem, options, until, random);
  PlanValue value = ValueOf(instance, first.best);
  SearchResult result{.plan = std::move(first.best), .cost = value.cost};
  on_improvement(result.plan, result.cost);
  if (first.start.servable().size() <= 1) {  // every place was looked at
    result.ended_by = EndOf(options.stop.Check(), SearchEnd::kLocalOptimum);
    return result;
  }
  const auto tell_if_better = [&](const Plan& plan) {
    const PlanValue found = ValueOf(instance, plan);
    if (found >= value) return;
    value = found;
    result.plan = plan;
    result.cost = found.cost;
    on_improvement(plan, found.cost);
  };
  RichRouteSet& routes = first.start;
  if (routes.missing_weight() > 0 && MayFindWhole(problem)) {
    SeekWhole(routes, options, grace, random, result, tell_if_better);
  }
  const bool reduces = problem.route_weight() > 0 && routes.missing_weight() == 0;
  const double edge_cost = MeanEdgeCost(routes);
  if (reduces) ReduceFleet(routes, options, random, result, tell_if_better);
  if (SearchesByRegions(routes, options) && !options.stop.ShouldStop()) {
    SearchRegions(routes, options, result, tell_if_better);
    return result;
  }
  const bool relaxes = MayImproveRelaxed(routes) && !options.stop.ShouldStop();
  if (relaxes) SearchRelaxed(routes, options, random, result, tell_if_better);
  // Its best may be worse for a while than what it had before.
  const SearchOptions rest = RestOf(options, result.iterations);
  RichAnnealing annealing(routes, random, rest, grace);
  if (relaxes) annealing.BeginCooler();
  if (reduces) annealing.BeginHotter(edge_cost);
  result.ended_by = annealing.Run([&](const Plan& plan, Cost) { tell_if_better(plan); });
  result.iterations += annealing.iterations();
  return result;
}

}  // namespace vrp
