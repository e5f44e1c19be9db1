#include "core/search/search.h"

#include <atomic>
#include <optional>
#include <utility>

#include "core/base/run_on_threads.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/search/build/first_routes.h"
#include "core/search/build/within_spread.h"
#include "core/search/methods/annealing/annealing.h"
#include "core/search/methods/fleet_reduction/fewer_routes.h"
#include "core/search/methods/fleet_reduction/fleet_reduction.h"
#include "core/search/methods/penalised/penalised_search.h"
#include "core/search/methods/population/population_run.h"
#include "core/search/methods/regions/region_search.h"
#include "core/search/methods/tour/tour_search.h"
#include "core/search/model/budget_parts.h"
#include "core/search/model/fleet_bounds.h"
#include "core/search/model/later_stop.h"
#include "core/search/model/node_selection.h"
#include "core/search/portfolio.h"
#include "core/search/turned_routes.h"

namespace vrp {
namespace {

// How long a search may go on after the stop to make a first good plan.
constexpr absl::Duration kFirstPlanTime = absl::Milliseconds(3);
// Below this many nodes every tour is the same.
constexpr int32_t kSmallestTour = 4;
// Iterations a unit of a reduction of the fleet where the search has no end.
constexpr int64_t kEndlessReduction = 200;

// Runs the stages that the portfolio chooses, on one plan.
class Pipeline {
 public:
  // Makes the first routes. All arguments must outlive this.
  Pipeline(const Problem& problem, const SearchOptions& options, const StopCondition& hard_stop,
           ImprovementFn on_improvement)
      : problem_(problem),
        options_(options),
        hard_stop_(hard_stop),
        on_improvement_(on_improvement),
        random_(options.seed),
        first_(MakeFirstRoutes(problem, options.initial, LaterStop(options.stop, hard_stop),
                               random_, [this](const RouteStore& made) { Report(made.ToPlan()); })),
        routes_(first_.start) {
    if (HasPlan()) return;
    // All first plans exceed the limit on the spread between routes.
    const std::optional<RouteStore> limited = WithinSpread(routes_);
    if (limited.has_value()) Report(limited->ToPlan());
  }

  // Whether any plan was found that keeps the limit on the spread. Without frozen stops, one always
  // is.
  bool HasPlan() const { return value_.has_value(); }

  SearchResult Run() {
    if (options_.max_iterations == 0 || routes_.servable().size() <= 1) {
      result_.ended_by = EndOf(options_.stop.Check(), SearchEnd::kLocalOptimum);
      return std::move(result_);
    }
    for (const Stage& stage : StagesToComplete(routes_, options_)) {
      if (routes_.missing_weight() > 0) RunStage(stage);
    }
    for (const Stage& stage : StagesToImprove(routes_, Rest())) RunStage(stage);
    return std::move(result_);
  }

 private:
  SearchOptions Rest() const { return RestOf(options_, result_.iterations); }

  void Report(const Plan& plan) {
    const PlanValue value = ValueOf(problem_.instance(), plan);
    if (value_.has_value() && value >= *value_) return;
    if (!KeepsSpread(problem_.instance(), plan)) return;
    value_ = value;
    result_.plan = plan;
    result_.cost = value.cost;
    on_improvement_(plan, value.cost);
  }

  void Load(const Plan& plan) {
    for (int32_t slot = 0; slot < routes_.slots(); ++slot) routes_.SetRoute(slot, 0, {});
    routes_.Load(plan);
  }

  void RunStage(const Stage& stage) {
    if (stage.share == 0 || (stage.share < 1 && options_.stop.ShouldStop())) return;
    const SearchOptions part =
        stage.share == 1 ? Rest() : PartOf(Rest(), stage.share, problem_.units());
    const auto report = [this](const Plan& plan, Cost) { Report(plan); };
    switch (stage.method) {
      case Method::kAnnealing:
        return Anneal(part, false);
      case Method::kAnnealedCompletion:
        Anneal(part, true);
        return Load(result_.plan);
      case Method::kFleetReduction:
        return ReduceFleet(part);
      case Method::kPenalised:
        is_penalised_ = true;
        Report(ImprovePenalised(routes_, part, random_, result_.iterations,
                                [this](const Plan& plan) { Report(plan); }));
        return Load(result_.plan);
      case Method::kPenalisedCompletion:
        Load(FindCompletePlan(routes_, part, random_, result_.iterations));
        Report(routes_.ToPlan());
        return Load(result_.plan);
      case Method::kPopulation:
        is_penalised_ = true;
        Add(RunPopulations(problem_, CompletePlans(), part, random_, report));
        return Load(result_.plan);
      case Method::kRegions:
        return SearchRegions(part);
    }
  }

  // On each thread from routes_.
  void Anneal(SearchOptions part, bool ends_complete) {
    if (part.max_iterations != INT64_MAX) part.max_iterations /= part.threads;
    std::atomic<bool> complete = false;
    std::vector<RouteStore> others(part.threads - 1, routes_);
    std::vector<SearchResult> found(part.threads);
    const int32_t started = RunOnThreads(part.threads, [&](int32_t index) {
      FastRandom own_random(part.seed + static_cast<uint64_t>(index));
      Annealing annealing(index == 0 ? routes_ : others[index - 1],
                          index == 0 ? random_ : own_random, part, hard_stop_);
      if (ends_complete) annealing.EndWhenComplete(complete);
      if (is_penalised_) annealing.BeginCooler();
      if (edge_cost_.has_value()) annealing.BeginHotter(*edge_cost_);
      found[index].ended_by = annealing.Run([&](const Plan& plan, Cost) {
        if (index == 0) Report(plan);
      });
      found[index].plan = annealing.BestPlan();
      found[index].iterations = annealing.iterations();
    });
    for (int32_t index = 0; index < started; ++index) {
      Report(found[index].plan);
      Add(found[index]);
    }
  }

  void ReduceFleet(SearchOptions part) {
    const bool endless =
        options_.max_iterations == INT64_MAX && options_.stop.deadline() == absl::InfiniteFuture();
    if (endless) part.max_iterations = kEndlessReduction * problem_.units();
    edge_cost_ = MeanEdgeCost(routes_);
    result_.iterations +=
        FleetReduction(routes_, random_).Run(part, [this] { Report(routes_.ToPlan()); });
  }

  void SearchRegions(const SearchOptions& part) {
    const auto near = [&](NodeIndex customer) { return problem_.Near(customer); };
    const RegionProblem regions = {problem_.instance(), near, UsualTemperatures(routes_),
                                   problem_.epsilon(), FewerRoutesMayPay(problem_)};
    Add(RegionSearch(regions, routes_.ToPlan(), part,
                     [this](const Plan& plan, Cost) { Report(plan); }));
  }

  // The best first.
  std::vector<Plan> CompletePlans() {
    std::vector<Plan> plans = std::move(first_.complete);
    if (plans.empty() || plans.front() != result_.plan) plans.insert(plans.begin(), result_.plan);
    return plans;
  }

  void Add(const SearchResult& found) {
    result_.iterations += found.iterations;
    result_.ended_by = found.ended_by;
  }

  const Problem& problem_;
  const SearchOptions& options_;
  const StopCondition& hard_stop_;
  ImprovementFn on_improvement_;
  FastRandom random_;
  std::optional<PlanValue> value_;  // of result_
  SearchResult result_;             // the best so far
  FirstRoutes first_;
  RouteStore& routes_;
  bool is_penalised_ = false;        // that search went before
  std::optional<double> edge_cost_;  // MeanEdgeCost before a reduction of the fleet
};

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

absl::StatusOr<SearchResult> SearchInOrder(const Instance& instance, const SearchOptions& options,
                                           const StopCondition& hard_stop,
                                           ImprovementFn on_improvement) {
  const Problem problem =
      Problem::Create(instance, LaterStop(options.stop, hard_stop), options.samples);
  if (problem.tour_only() && problem.size() >= kSmallestTour) {
    return SearchTour(problem, options, on_improvement);
  }
  VRP_RETURN_IF_ERROR(CheckFrozen(problem));
  Pipeline pipeline(problem, options, hard_stop, on_improvement);
  SearchResult result = pipeline.Run();
  if (pipeline.HasPlan()) return result;
  return absl::InvalidArgumentError(
      "balance.max_spread: found no plan that keeps it with the frozen stops; raise the limit or "
      "freeze fewer stops");
}

// Whether to renumber the nodes. Small instances with features are in the cache in any order; of
// large matrices a copy for each of the searches side by side would take gigabytes.
bool PaysOnCurve(const Instance& instance) {
  const bool given = !instance.data().distance_matrix.empty() ||
                     !instance.data().duration_matrix.empty() ||
                     !instance.data().duration_matrices.empty();
  return IsPlain(instance) || (instance.num_nodes() > Problem::kScanAllNodes &&
                               !(given && instance.num_nodes() > Problem::kMatrixNodes));
}

// Searches with the nodes in the order of a curve, if that pays.
absl::StatusOr<SearchResult> SearchOnCurve(const Instance& instance, const SearchOptions& options,
                                           ImprovementFn on_improvement) {
  const StopCondition hard_stop(SteadyNow() + kFirstPlanTime, nullptr);
  std::optional<NodeSelection> on_curve;
  if (PaysOnCurve(instance)) on_curve = InCurveOrder(instance, options.stop);
  if (!on_curve.has_value()) return SearchInOrder(instance, options, hard_stop, on_improvement);
  SearchOptions renumbered = options;
  for (auto* plans : {&renumbered.initial, &renumbered.samples}) {
    for (Plan& plan : *plans) plan = on_curve->ToSelection(plan);
  }
  const auto report = [&](const Plan& plan, Cost cost) {
    on_improvement(on_curve->FromSelection(plan), cost);
  };
  VRP_ASSIGN_OR_RETURN(SearchResult result,
                       SearchInOrder(on_curve->instance(), renumbered, hard_stop, report));
  result.plan = on_curve->FromSelection(result.plan);
  return result;
}

}  // namespace

absl::StatusOr<SearchResult> Search(const Instance& instance, const SearchOptions& options,
                                    ImprovementFn on_improvement) {
  // The best of the given plans that break no rule but that they may leave customers out.
  const Plan* given = nullptr;
  PlanValue value;
  for (const Plan& plan : options.initial) {
    if (!RoutesAreFeasible(CheckPlan(instance, plan))) continue;
    const PlanValue own = ValueOf(instance, plan);
    if (given != nullptr && own >= value) continue;
    given = &plan;
    value = own;
  }
  if (given != nullptr) on_improvement(*given, value.cost);
  const auto report = [&](const Plan& plan, Cost cost) {
    if (given == nullptr || ValueOf(instance, plan) < value) on_improvement(plan, cost);
  };
  VRP_ASSIGN_OR_RETURN(SearchResult result, SearchOnCurve(instance, options, report));
  const PlanValue found = ValueOf(instance, result.plan);
  if (given == nullptr || found <= value) {
    value = found;
  } else {
    result.plan = *given;
    result.cost = value.cost;
  }
  // Routes that become one change the spread.
  if (instance.data().balance.has_value()) return result;
  const StopCondition hard_stop(SteadyNow() + kFirstPlanTime, nullptr);
  const StopCondition stop = LaterStop(options.stop, hard_stop);
  Plan better = WithFewerRoutes(instance, WithTurnedRoutes(instance, result.plan, stop), stop);
  if (better == result.plan) return result;
  const PlanValue after = ValueOf(instance, better);
  result.plan = std::move(better);
  result.cost = after.cost;
  if (after < value) on_improvement(result.plan, result.cost);
  return result;
}

}  // namespace vrp
