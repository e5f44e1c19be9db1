#include "core/search/methods/population/population_search.h"

#include <algorithm>
#include <utility>

#include "core/search/build/construct.h"
#include "core/search/methods/population/split.h"

namespace vrp {
namespace {

// Of a founder's savings.
constexpr double kNoise = 0.3;
// One child of so many comes from the ordered crossover, the others from the exchange of routes,
// which leaves most routes as they are and costs a fraction of it.
constexpr int32_t kExchangesPerTour = 20;
// Attempts to draw two different parents.
constexpr int kTries = 10;

// Returns penalties such that the largest load too much costs as much as the longest way out, and a
// unit of time too late as much as one of driving.
Penalties FirstPenalties(const Problem& problem) {
  double farthest = 0;
  double demand = 0;
  double distance = 0;
  double duration = 0;
  for (NodeIndex node = 1; node < problem.size(); ++node) {
    farthest = std::max(farthest, problem.Distance(0, node));
    demand = std::max(demand, problem.demand(node));
    distance += problem.Distance(0, node);
    duration += problem.Duration(0, node);
  }
  return {.load = demand > 0 ? farthest / demand : 1,
          .time = duration > 0 && distance > 0 ? distance / duration : 1};
}

}  // namespace

PopulationSearch::PopulationSearch(const Problem& problem, FastRandom& random, int32_t max_routes)
    : problem_(problem),
      random_(random),
      max_routes_(max_routes),
      control_(FirstPenalties(problem), {}),
      routes_(problem, max_routes),
      search_(routes_, random),
      exchange_(problem, random) {}

void PopulationSearch::Load(const Offspring& offspring) {
  const int64_t settled = search_.Restart();
  routes_.Clear();
  for (size_t index = 0; index < offspring.routes.size(); ++index) {
    scratch_.assign(1, 0);
    scratch_.insert(scratch_.end(), offspring.routes[index].begin(), offspring.routes[index].end());
    scratch_.push_back(0);
    routes_.SetRoute(static_cast<int32_t>(index), scratch_,
                     offspring.is_settled[index] ? settled : settled + 1);
  }
}

void PopulationSearch::LoadTour(std::span<const NodeIndex> tour) {
  const std::vector<int32_t> ends = SplitTour(problem_, control_.penalties(), tour, max_routes_);
  Offspring offspring;
  int32_t begin = 0;
  for (const int32_t end : ends) {
    offspring.routes.emplace_back(tour.begin() + begin, tour.begin() + end);
    begin = end;
  }
  // Too little room for any cut: the last route takes what is left, at the penalty of its load.
  if (begin < std::ssize(tour)) {
    if (offspring.routes.empty()) offspring.routes.emplace_back();
    offspring.routes.back().insert(offspring.routes.back().end(), tour.begin() + begin, tour.end());
  }
  offspring.is_settled.assign(offspring.routes.size(), 0);
  Load(offspring);
}

void PopulationSearch::AddPlan(const Plan& plan, const StopCondition& stop) {
  Offspring offspring;
  for (const PlannedRoute& route : plan) offspring.routes.push_back(route.customers);
  offspring.is_settled.assign(offspring.routes.size(), 0);
  Load(offspring);
  // The descent may lead out of what is feasible.
  if (routes_.Feasible()) KeepBest(MakeIndividual(routes_));
  Educate(stop);
}

void PopulationSearch::AddFounder(const StopCondition& stop) {
  const Plan plan = NoisySavingsPlan(problem_, stop, kNoise, random_);
  if (std::ssize(plan) > max_routes_ || CountServed(plan) < problem_.num_servable()) {
    return AddRandom(stop);
  }
  AddPlan(plan, stop);
}

void PopulationSearch::AddRandom(const StopCondition& stop) {
  std::vector<NodeIndex> tour;
  for (NodeIndex node = 1; node < problem_.size(); ++node) {
    if (problem_.Servable(node)) tour.push_back(node);
  }
  random_.Shuffle(std::span<NodeIndex>(tour));
  LoadTour(tour);
  Educate(stop);
}

void PopulationSearch::AddChild(const StopCondition& stop) {
  const Individual& a = population_.Tournament(random_);
  const Individual* b = &population_.Tournament(random_);
  for (int tries = 0; b == &a && tries < kTries; ++tries) b = &population_.Tournament(random_);
  if (random_.Below(kExchangesPerTour) == 0) {
    LoadTour(CrossTours(a, *b, random_));
  } else {
    Load(exchange_.Cross(a, *b, control_.penalties(), max_routes_));
  }
  Educate(stop);
}

void PopulationSearch::Educate(const StopCondition& stop) {
  routes_.SetPenalties(control_.penalties());
  if (!search_.Descend(stop)) return;
  Keep();
  const bool load_feasible = routes_.Excess() == 0;
  const bool time_feasible = problem_.InTime(routes_.Warp(), 0);
  if (!routes_.Feasible() && random_.Below(2) == 0) {
    routes_.SetPenalties(control_.Repairing());
    if (search_.Repair(stop) && routes_.Feasible()) Keep();
  }
  if (control_.Record({.load = load_feasible, .time = time_feasible}))
    population_.UpdatePenalties(control_.penalties());
}

void PopulationSearch::Keep() {
  Individual individual = MakeIndividual(routes_);
  ++idle_;
  if (individual.feasible) KeepBest(individual);
  population_.Add(std::move(individual), control_.penalties());
}

void PopulationSearch::KeepBest(const Individual& individual) {
  if (best_.has_value() && individual.distance >= best_->distance - problem_.epsilon()) return;
  if (!RoutesFeasible(individual)) return;
  best_ = individual;
  idle_ = 0;
}

// Sums in another order round otherwise: what is given out is asked again, visit by visit.
bool PopulationSearch::RoutesFeasible(const Individual& individual) const {
  for (int32_t index = 0; index < individual.num_routes(); ++index) {
    if (!problem_.RouteFeasible(individual.Route(index))) return false;
  }
  return true;
}

void PopulationSearch::Restart() {
  population_.Clear();
  idle_ = 0;
}

}  // namespace vrp
