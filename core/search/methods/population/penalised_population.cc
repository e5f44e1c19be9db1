#include "core/search/methods/population/penalised_population.h"

#include <algorithm>
#include <utility>

#include "core/search/build/construct.h"
#include "core/search/methods/population/split.h"

namespace vrp {
namespace {

// Savings of a founder are multiplied by a random factor within 1 +- this.
constexpr double kNoise = 0.3;
// One child of so many comes from the ordered crossover, the others from the exchange of routes,
// which leaves most routes as they are and costs a fraction of it.
constexpr int32_t kExchangesPerTour = 20;

// Returns penalties such that the largest load too much costs as much as the longest way out, and a
// unit of time or distance too much as much as one of driving.
Penalties FirstPenalties(const PenalisedRoutes& routes) {
  const Problem& problem = routes.problem();
  double farthest = 0;
  double demand = 0;
  double cost = 0;
  double duration = 0;
  double distance = 0;
  for (const NodeIndex node : routes.customers()) {
    demand = std::max(demand, routes.demand(node));
    double least = Problem::kNever;
    for (int32_t type = 0; type < std::ssize(problem.vehicles()); ++type) {
      const int64_t at = problem.vehicle(type).start * routes.edges().stride() + node;
      const double way = routes.edges().costs(type)[at];
      least = std::min(least, way);
      cost += way;
      distance += routes.edges().distances(type)[at];
      duration += routes.edges().durations(type)[at];
    }
    farthest = std::max(farthest, least);
  }
  return {.load = demand > 0 ? farthest / demand : 1,
          .time = duration > 0 && cost > 0 ? cost / duration : 1,
          .distance = distance > 0 && cost > 0 ? cost / distance : 1};
}

}  // namespace

PenalisedPopulation::PenalisedPopulation(const Problem& problem, FastRandom& random,
                                         std::span<const int32_t> counts)
    : PopulationSearch(problem, random),
      routes_(problem, counts),
      control_(FirstPenalties(routes_), {}),
      recreate_(routes_, random),
      search_(routes_, random),
      exchange_(routes_, random),
      evaluator_(problem) {
  routes_.SetPenalties(control_.penalties());
}

void PenalisedPopulation::Load(const Offspring& offspring) {
  routes_.Clear();
  const int64_t settled = search_.Restart();
  std::vector<int32_t> used(problem_.vehicles().size(), 0);
  for (const Offspring::Route& route : offspring.routes) {
    routes_.SetCustomers(routes_.FirstOf(route.type) + used[route.type]++, route.customers,
                         route.is_settled ? settled : settled + 1);
  }
}

void PenalisedPopulation::LoadTour(std::span<const NodeIndex> tour) {
  Offspring offspring;
  const auto add = [&](std::span<const NodeIndex> customers) {
    offspring.routes.push_back({.customers = {customers.begin(), customers.end()}});
  };
  int32_t begin = 0;
  for (const int32_t end : SplitTour(routes_, tour)) {
    add(tour.subspan(begin, end - begin));
    begin = end;
  }
  // If no cut is allowed, one route takes all customers.
  if (begin < std::ssize(tour)) add(tour.subspan(begin));
  Load(offspring);
}

bool PenalisedPopulation::FleetSuffices(const Plan& plan) const {
  std::vector<int32_t> used(problem_.vehicles().size(), 0);
  return std::all_of(plan.begin(), plan.end(), [&](const PlannedRoute& route) {
    const int32_t type = problem_.TypeOf(route.vehicle_type);
    return ++used[type] <= routes_.CountOf(type);
  });
}

void PenalisedPopulation::AddPlan(const Plan& plan, const StopCondition& stop) {
  Offspring offspring;
  for (const PlannedRoute& route : plan) {
    offspring.routes.push_back(
        {.type = problem_.TypeOf(route.vehicle_type), .customers = route.customers});
  }
  Load(offspring);
  // The descent may lead out of what is feasible.
  if (routes_.Feasible()) KeepBest(MakeIndividual(routes_));
  Educate(stop);
}

void PenalisedPopulation::AddFounder(const StopCondition& stop) {
  if (!problem_.plain()) return AddRandom(stop);
  const Plan plan = NoisySavingsPlan(problem_, stop, kNoise, random_);
  if (!FleetSuffices(plan) || CountServed(plan) < std::ssize(routes_.customers())) {
    return AddRandom(stop);
  }
  AddPlan(plan, stop);
}

void PenalisedPopulation::AddRandom(const StopCondition& stop) {
  std::vector<NodeIndex> order = routes_.customers();
  random_.Shuffle(std::span<NodeIndex>(order));
  if (routes_.alike()) {
    LoadTour(order);
  } else {
    Load({});
    recreate_.Insert(order);
  }
  Educate(stop);
}

void PenalisedPopulation::AddChild(const StopCondition& stop) {
  const auto [a, b] = DrawParents();
  if (random_.Below(kExchangesPerTour) == 0 && routes_.alike()) {
    LoadTour(CrossTours(a, b, random_));
  } else {
    Load(exchange_.Cross(a, b));
  }
  Educate(stop);
}

void PenalisedPopulation::Educate(const StopCondition& stop) {
  iterations_ += kWorkPerCustomer * std::ssize(routes_.customers());
  if (!search_.Descend(stop)) return;
  KeepRoutes();
  const LimitExcess excess = routes_.Excess();
  if (!routes_.Feasible() && random_.Below(2) == 0) {
    routes_.SetPenalties(control_.Repairing());
    if (search_.Repair(stop) && routes_.Feasible()) KeepRoutes();
  }
  if (control_.Record(excess)) {
    population_.UpdatePenalties(control_.penalties());
  }
  routes_.SetPenalties(control_.penalties());
}

void PenalisedPopulation::KeepRoutes() { Keep(MakeIndividual(routes_), control_.penalties()); }

// Sums in another order round otherwise: what is given out is asked again, visit by visit.
bool PenalisedPopulation::Confirms(const Individual& individual) {
  for (int32_t index = 0; index < individual.num_routes(); ++index) {
    const Vehicle& vehicle = problem_.vehicle(individual.types[index]);
    if (!evaluator_.Evaluate(vehicle, WithEnds(vehicle, individual.Route(index))).feasible) {
      return false;
    }
  }
  return true;
}

}  // namespace vrp
