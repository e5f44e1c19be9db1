#include "core/dispatch/simulation.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/dispatch/hindsight.h"

namespace vrp {
namespace {

// The vehicles that are away.
class Fleet {
 public:
  explicit Fleet(std::vector<int32_t> sizes) : sizes_(std::move(sizes)), returns_(sizes_.size()) {}

  // Returns the number of vehicles of each type at the depot at `departure`.
  std::vector<int32_t> AvailableAt(double departure) const {
    std::vector<int32_t> available = sizes_;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (sizes_[i] == DispatchState::kUnlimited) continue;
      available[i] -= static_cast<int32_t>(
          std::count_if(returns_[i].begin(), returns_[i].end(),
                        [&](double returned) { return returned > departure; }));
    }
    return available;
  }
  void Leave(const Route& route) {
    returns_[route.vehicle_type].push_back(route.stops.back().arrival);
  }

 private:
  const std::vector<int32_t> sizes_;
  std::vector<std::vector<double>> returns_;  // the return of each vehicle that left, by type
};

std::vector<int32_t> FleetSizes(const DispatchSite& site, const SimulationOptions& options) {
  if (!options.fleet.empty()) return options.fleet;
  std::vector<int32_t> sizes;
  for (const VehicleType& vehicle : site.instance().vehicles()) {
    sizes.push_back(vehicle.count == 0 ? DispatchState::kUnlimited : vehicle.count);
  }
  return sizes;
}

SimulatedDecision Figures(const DispatchSite& site, const DispatchState& state,
                          const DispatchDecision& decision) {
  const std::vector<bool> must_go = MustGo(site, state);
  SimulatedDecision figures = {.departure = state.departure,
                               .known = static_cast<int32_t>(state.requests.size()),
                               .routes = static_cast<int32_t>(decision.plan.size()),
                               .scenarios = decision.scenarios,
                               .cost = decision.cost};
  figures.must_go = static_cast<int32_t>(std::count(must_go.begin(), must_go.end(), true));
  figures.dispatched = figures.known - static_cast<int32_t>(decision.waiting.size());
  for (const WaitingRequest& waiting : decision.waiting) figures.missed += waiting.missed ? 1 : 0;
  return figures;
}

}  // namespace

WaitingState StateAt(const DispatchDay& day, int32_t decision, const std::vector<bool>& served) {
  WaitingState waiting = {.state = {.departure = day.departures[decision]}};
  waiting.state.later_departures.assign(day.departures.begin() + decision + 1,
                                        day.departures.end());
  for (size_t i = 0; i < day.requests.size(); ++i) {
    if (served[i] || day.requests[i].release > waiting.state.departure) continue;
    waiting.numbers.push_back(static_cast<int32_t>(i));
    waiting.state.requests.push_back(day.requests[i]);
  }
  return waiting;
}

absl::StatusOr<SimulatedDay> SimulateDay(const DispatchSite& site, const DispatchDay& day,
                                         const DispatchPolicy& policy,
                                         const SimulationOptions& options) {
  SimulatedDay result;
  Fleet fleet(FleetSizes(site, options));
  std::vector<bool> gone(day.requests.size());  // served or missed
  for (size_t k = 0; k < day.departures.size(); ++k) {
    auto [state, numbers] = StateAt(day, static_cast<int32_t>(k), gone);
    state.available = fleet.AvailableAt(state.departure);
    const absl::Time begin = SteadyNow();
    VRP_ASSIGN_OR_RETURN(
        const DispatchDecision decision,
        policy.Decide(state, {.stop = StopCondition(begin + options.decision_time, options.cancel),
                              .max_iterations = options.max_iterations,
                              .seed = options.seed + k}));
    SimulatedDecision figures = Figures(site, state, decision);
    figures.seconds = absl::ToDoubleSeconds(SteadyNow() - begin);
    result.decisions.push_back(figures);
    for (PlannedRoute route : decision.plan) {
      for (NodeIndex& request : route.customers) {
        request = numbers[request];
        gone[request] = true;
      }
      result.plan.push_back(std::move(route));
    }
    for (const Route& route : decision.solution.routes) fleet.Leave(route);
    for (const WaitingRequest& waiting : decision.waiting) {
      if (!waiting.missed) continue;
      gone[numbers[waiting.request]] = true;
      result.missed.push_back(numbers[waiting.request]);
    }
  }
  VRP_ASSIGN_OR_RETURN(const HindsightPlan checked, CheckDayPlan(site, day, result.plan));
  result.cost = checked.cost;
  return result;
}

}  // namespace vrp
