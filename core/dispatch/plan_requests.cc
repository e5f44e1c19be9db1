#include "core/dispatch/plan_requests.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/dispatch/problem.h"
#include "core/problem/checker/checker.h"
#include "core/search/search.h"

namespace vrp {
namespace {

// Keeps the requests of `plan` that are chosen, with their places among the chosen ones.
Plan ToChosen(const Plan& plan, const std::vector<int32_t>& place) {
  Plan kept;
  for (const PlannedRoute& route : plan) {
    PlannedRoute& added = kept.emplace_back();
    added.vehicle_type = route.vehicle_type;
    for (const NodeIndex request : route.customers) {
      if (place[request] >= 0) added.customers.push_back(place[request]);
    }
    if (added.customers.empty()) kept.pop_back();
  }
  return kept;
}

std::vector<ProblemRequest> AllRequests(const DispatchState& state) {
  std::vector<ProblemRequest> requests;
  requests.reserve(state.requests.size());
  for (const DispatchRequest& request : state.requests) requests.push_back({.request = &request});
  return requests;
}

}  // namespace

absl::StatusOr<DispatchDecision> PlanRequests(const DispatchSite& site, const DispatchState& state,
                                              const std::vector<bool>& chosen,
                                              std::vector<std::string> reasons,
                                              const DecisionOptions& options,
                                              const std::vector<Plan>& initial) {
  std::vector<ProblemRequest> requests;
  std::vector<int32_t> numbers;
  std::vector<int32_t> place(state.requests.size(), -1);
  for (size_t i = 0; i < state.requests.size(); ++i) {
    if (!chosen[i]) continue;
    place[i] = static_cast<int32_t>(numbers.size());
    numbers.push_back(static_cast<int32_t>(i));
    requests.push_back({.request = &state.requests[i]});
  }
  Plan plan;
  if (!requests.empty()) {
    VRP_ASSIGN_OR_RETURN(const DispatchProblem problem,
                         DispatchProblem::Create(site, requests, state.departure, state.available));
    if (problem.instance().has_value()) {
      SearchOptions search = {
          .stop = options.stop, .max_iterations = options.max_iterations, .seed = options.seed};
      for (const Plan& start : initial) {
        search.initial.push_back(problem.FromRequests(ToChosen(start, place)));
      }
      VRP_ASSIGN_OR_RETURN(const SearchResult result, Search(*problem.instance(), search));
      if (result.ended_by == SearchEnd::kCancelled) return absl::CancelledError("cancelled");
      plan = problem.ToRequests(result.plan);
      for (PlannedRoute& route : plan) {
        for (NodeIndex& request : route.customers) request = numbers[request];
      }
    }
  }
  return FinishDecision(site, state, std::move(plan), std::move(reasons));
}

absl::StatusOr<DispatchDecision> FinishDecision(const DispatchSite& site,
                                                const DispatchState& state, Plan plan,
                                                std::vector<std::string> reasons) {
  DispatchDecision decision = {.plan = std::move(plan)};
  const std::vector<bool> must_go = MustGo(site, state);
  std::vector<bool> leaves(state.requests.size());
  for (const PlannedRoute& route : decision.plan) {
    for (const NodeIndex request : route.customers) leaves[request] = true;
  }
  if (!decision.plan.empty()) {
    VRP_ASSIGN_OR_RETURN(
        const DispatchProblem problem,
        DispatchProblem::Create(site, AllRequests(state), state.departure, state.available));
    const Plan nodes = problem.FromRequests(decision.plan);
    const CheckReport report = CheckPlan(*problem.instance(), nodes);
    if (!RoutesAreFeasible(report)) {
      return absl::InternalError(Concat("the checker refuses a route of the decision: ",
                                        report.violations.front().message));
    }
    VRP_ASSIGN_OR_RETURN(decision.solution, MakeSolution(*problem.instance(), nodes));
    for (size_t i = 0; i < decision.plan.size(); ++i) {
      decision.solution.routes[i].vehicle_type = decision.plan[i].vehicle_type;
    }
    decision.cost = report.cost;
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i]) continue;
    WaitingRequest& waiting = decision.waiting.emplace_back();
    waiting.request = static_cast<int32_t>(i);
    waiting.missed = must_go[i];
    if (!site.ReachesDirectly(state.requests[i], state.departure)) {
      waiting.reason = "no vehicle that leaves now reaches it in time and returns in time";
    } else if (must_go[i]) {
      waiting.reason = "it has to leave now, but no vehicle at the depot can take it";
    } else {
      waiting.reason = std::move(reasons[i]);
    }
  }
  return decision;
}

}  // namespace vrp
