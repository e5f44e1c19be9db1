#include "core/dispatch/scenario.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/status_macros.h"
#include "core/dispatch/problem.h"
#include "core/search/search.h"

namespace vrp {
namespace {

constexpr uint64_t kScenarioStream = 0x64697370;  // of random numbers

}  // namespace

absl::StatusOr<ScenarioPlan> PlanScenario(const DispatchSite& site, const DispatchState& state,
                                          const RequestSampler& sampler, int32_t lookahead,
                                          const std::vector<bool>& postponed,
                                          const DecisionOptions& options) {
  std::vector<double> departures = {state.departure};
  const size_t seen = std::min<size_t>(lookahead, state.later_departures.size());
  departures.insert(departures.end(), state.later_departures.begin(),
                    state.later_departures.begin() + static_cast<ptrdiff_t>(seen));
  CounterRandom random(options.seed, kScenarioStream);
  const std::vector<DispatchRequest> future = sampler.Draw(departures, random);
  std::vector<ProblemRequest> requests;
  requests.reserve(state.requests.size() + future.size());
  for (size_t i = 0; i < state.requests.size(); ++i) {
    const bool waits = postponed[i] && !state.later_departures.empty();
    requests.push_back({.request = &state.requests[i],
                        .release = waits ? state.later_departures.front() : state.departure});
  }
  for (const DispatchRequest& request : future) {
    requests.push_back({.request = &request, .release = request.release});
  }
  ScenarioPlan scenario;
  scenario.leaves_now.assign(state.requests.size(), false);
  VRP_ASSIGN_OR_RETURN(const DispatchProblem problem,
                       DispatchProblem::Create(site, requests, state.departure, state.available));
  if (!problem.instance().has_value()) return scenario;
  VRP_ASSIGN_OR_RETURN(const SearchResult result,
                       Search(*problem.instance(), {.stop = options.stop,
                                                    .max_iterations = options.max_iterations,
                                                    .seed = options.seed}));
  if (result.ended_by == SearchEnd::kCancelled) return absl::CancelledError("cancelled");
  const auto leaves_now = [&](NodeIndex request) {
    return requests[request].release <= state.departure;
  };
  for (PlannedRoute& route : problem.ToRequests(result.plan)) {
    if (!std::all_of(route.customers.begin(), route.customers.end(), leaves_now)) continue;
    for (const NodeIndex request : route.customers) scenario.leaves_now[request] = true;
    scenario.now.push_back(std::move(route));
  }
  return scenario;
}

}  // namespace vrp
