#include "core/search/methods/penalised/penalised_annealing.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/steady_time.h"
#include "core/search/methods/annealing/annealing.h"
#include "core/search/methods/annealing/cooling.h"
#include "core/search/route/penalty_control.h"

namespace vrp {
namespace {

// Penalties are adapted after each slice.
constexpr int64_t kSliceIterations = 50;

// Replaces the plan of `routes`.
void Reload(const Plan& plan, RouteStore& routes) {
  for (int32_t slot = 0; slot < routes.slots(); ++slot) routes.SetRoute(slot, 0, {});
  routes.Load(plan);
}

class PenalisedAnnealing {
 public:
  PenalisedAnnealing(const RouteStore& start, const PenalisedCourse& course,
                     const SearchOptions& options, FastRandom& random)
      : problem_(start.problem()),
        course_(course),
        options_(options),
        random_(random),
        cooling_(options, problem_.size()),
        mean_edge_(MeanEdgeOf(start)),
        control_(FirstPenalties(mean_edge_, 1), {.window = 1, .tolerance = 0}),
        penalised_(problem_.Penalised(control_.penalties())),
        routes_(penalised_),
        checked_(problem_) {
    routes_.Load(start.ToPlan());
    routes_.SetRestAbsent();
  }

  Plan Run(int64_t& iterations, absl::FunctionRef<void(const Plan&)> on_improvement) {
    int64_t done = 0;
    while (done < options_.max_iterations && !options_.stop.ShouldStop()) {
      SearchOptions slice = options_;
      slice.max_iterations = std::min(kSliceIterations, options_.max_iterations - done);
      Annealing annealing(routes_, random_, slice, options_.stop);
      const double temperature =
          mean_edge_.cost * course_.TemperatureAt(cooling_.Phase(done, SteadyNow()));
      annealing.KeepTemperature(std::max(temperature, std::numeric_limits<double>::min()));
      annealing.Run([](const Plan&, Cost) {});
      done += annealing.iterations();
      if (KeepIfBest(annealing.BestPlan())) on_improvement(best_);
      if (course_.ends_when_feasible && best_cost_ < Problem::kNever) break;
      AdaptPenalties();
    }
    iterations += done;
    return std::move(best_);
  }

 private:
  // Keeps `plan` if it breaks no limit, is complete and cheaper than the best. Returns whether it
  // has.
  bool KeepIfBest(const Plan& plan) {
    Reload(plan, checked_);
    checked_.SetRestAbsent();
    if (checked_.missing_weight() > 0 || checked_.cost() >= best_cost_ - problem_.epsilon()) {
      return false;
    }
    best_cost_ = checked_.cost();
    best_ = checked_.ToPlan();
    return true;
  }

  void AdaptPenalties() {
    LimitExcess excess;
    for (const SearchRoute& route : routes_.routes()) {
      if (!route.empty()) excess += ExcessOf(route);
    }
    if (!control_.Record(excess)) return;
    penalised_.SetPenalties(control_.penalties());
    std::vector<NodeIndex> nodes;
    for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
      if (routes_.route(slot).empty()) continue;
      nodes = routes_.route(slot).nodes;
      routes_.SetRoute(slot, routes_.route(slot).type, nodes);
    }
  }

  // Returns 1 for the first kind of limit that the route breaks.
  LimitExcess ExcessOf(const SearchRoute& route) {
    const Vehicle& vehicle = problem_.vehicle(route.type);
    RouteEvaluator& evaluator = checked_.evaluator();
    if (evaluator.Evaluate(vehicle, route.nodes).feasible) return {};
    if (!evaluator.LoadsAndOrderFit(vehicle, route.nodes)) return {.load = 1};
    return route.distance > vehicle.distance_limit ? LimitExcess{.distance = 1}
                                                   : LimitExcess{.time = 1};
  }

  const Problem& problem_;
  const PenalisedCourse course_;
  const SearchOptions& options_;
  FastRandom& random_;
  const Cooling cooling_;
  const MeanEdge mean_edge_;
  PenaltyControl control_;
  Problem penalised_;
  RouteStore routes_;   // of penalised_
  RouteStore checked_;  // keeps all limits
  Plan best_;
  double best_cost_ = Problem::kNever;
};

}  // namespace

Plan AnnealPenalised(const RouteStore& start, const PenalisedCourse& course,
                     const SearchOptions& options, FastRandom& random, int64_t& iterations,
                     absl::FunctionRef<void(const Plan&)> on_improvement) {
  return PenalisedAnnealing(start, course, options, random).Run(iterations, on_improvement);
}

}  // namespace vrp
