#include "core/search/methods/population/recreated_population.h"

#include "core/search/methods/annealing/annealing.h"
#include "core/search/model/budget_parts.h"

namespace vrp {
namespace {

// Iterations a unit for an individual, and the first temperatures, in mean costs of an edge.
constexpr int64_t kIterations = 60;
constexpr double kTemperature = 0.15;
constexpr double kFounderTemperature = 0.5;
// Share of what is left of the budget for a founder.
constexpr double kFounderShare = 0.05;

}  // namespace

RecreatedPopulation::RecreatedPopulation(const Problem& problem, FastRandom& random,
                                         const SearchOptions& options, const Plan& plan)
    : PopulationSearch(problem, random),
      options_(options),
      routes_(problem),
      recreate_(routes_, random, options.stop),
      exchange_(problem, random) {
  routes_.Load(plan);
  mean_edge_cost_ = MeanEdgeCost(routes_);
  penalties_.load = routes_.cost();
}

void RecreatedPopulation::Load(const Plan& plan) {
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) routes_.SetRoute(slot, 0, {});
  for (int32_t slot = 0; slot < std::ssize(problem_.frozen()); ++slot) {
    routes_.SetRoute(slot, problem_.frozen()[slot].type, problem_.frozen()[slot].nodes);
  }
  routes_.Load(plan);
}

void RecreatedPopulation::InsertAbsent() {
  const std::vector<int32_t> absent = routes_.absent();
  if (absent.empty()) return;
  routes_.SetAbsent({});
  const int32_t seed = absent[random_.Below(static_cast<int32_t>(absent.size()))];
  recreate_.InsertSome(absent, problem_.NodesOf(problem_.unit(seed)).front());
}

void RecreatedPopulation::AddPlan(const Plan& plan, const StopCondition& stop) {
  Load(plan);
  KeepRoutes();
  Educate(Briefly(stop), kTemperature);
}

void RecreatedPopulation::AddFounder(const StopCondition& stop) {
  if (stop.ShouldStop()) return;
  Load({});
  InsertAbsent();
  Educate(PartOf(RestOf(options_, iterations_), kFounderShare, problem_.units()),
          kFounderTemperature);
}

void RecreatedPopulation::AddRandom(const StopCondition& stop) {
  Load({});
  InsertAbsent();
  Educate(Briefly(stop), kTemperature);
}

void RecreatedPopulation::AddChild(const StopCondition& stop) {
  const auto [a, b] = DrawParents();
  Plan plan;
  for (Offspring::Route& route : exchange_.Cross(a, b).routes) {
    const size_t slot = plan.size();
    plan.push_back({.vehicle_type = slot < problem_.frozen().size()
                                        ? problem_.frozen()[slot].label
                                        : problem_.vehicle(route.type).originals.front().first,
                    .customers = std::move(route.customers)});
  }
  Load(plan);
  InsertAbsent();
  Educate(Briefly(stop), kTemperature);
}

SearchOptions RecreatedPopulation::Briefly(const StopCondition& stop) const {
  return {.stop = stop, .max_iterations = kIterations * problem_.units()};
}

void RecreatedPopulation::Educate(const SearchOptions& part, double first_temperature) {
  Annealing annealing(routes_, random_, part, part.stop);
  annealing.BeginAt(first_temperature, mean_edge_cost_);
  annealing.Run([](const Plan&, Cost) {});
  iterations_ += annealing.iterations();
  Load(annealing.BestPlan());
  KeepRoutes();
}

void RecreatedPopulation::KeepRoutes() { Keep(MakeIndividual(routes_), penalties_); }

}  // namespace vrp
