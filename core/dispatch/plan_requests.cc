#include "core/dispatch/plan_requests.h"

#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/search/search.h"

namespace vrp {
namespace {

constexpr int32_t kAbsent = -1;

// Replaces each request of `plan` by its entry in `numbers`. Drops those that are kAbsent there.
Plan Renumbered(const Plan& plan, const std::vector<int32_t>& numbers) {
  Plan renumbered;
  for (const PlannedRoute& route : plan) {
    PlannedRoute& added = renumbered.emplace_back();
    added.vehicle_type = route.vehicle_type;
    for (const NodeIndex request : route.customers) {
      if (numbers[request] != kAbsent) added.customers.push_back(numbers[request]);
    }
  }
  return renumbered;
}

std::vector<ProblemRequest> AllRequests(const DispatchState& state) {
  std::vector<ProblemRequest> requests;
  requests.reserve(state.requests.size());
  for (const DispatchRequest& request : state.requests) requests.push_back({.request = &request});
  return requests;
}

}  // namespace

absl::StatusOr<Plan> PlanNow(const DispatchSite& site, const DispatchState& state,
                             std::span<const ProblemRequest> requests,
                             const DecisionOptions& options, const std::vector<Plan>& initial) {
  if (requests.empty()) return Plan();
  VRP_ASSIGN_OR_RETURN(const DispatchProblem problem,
                       DispatchProblem::Create(site, requests, state.departure, state.available));
  if (!problem.instance().has_value()) return Plan();
  std::vector<int32_t> numbers;                                 // in the state, of each request
  std::vector<int32_t> places(state.requests.size(), kAbsent);  // in `requests`, likewise
  for (const ProblemRequest& request : requests) {
    const auto number = std::distance(state.requests.data(), request.request);
    places[number] = static_cast<int32_t>(numbers.size());
    numbers.push_back(static_cast<int32_t>(number));
  }
  SearchOptions search = {
      .stop = options.stop, .max_iterations = options.max_iterations, .seed = options.seed};
  for (const Plan& plan : initial) {
    search.initial.push_back(problem.FromRequests(Renumbered(plan, places)));
  }
  VRP_ASSIGN_OR_RETURN(const SearchResult result, Search(*problem.instance(), search));
  if (result.ended_by == SearchEnd::kCancelled) return absl::CancelledError("cancelled");
  return Renumbered(problem.ToRequests(result.plan), numbers);
}

absl::StatusOr<DispatchDecision> PlanRequests(const DispatchSite& site, const DispatchState& state,
                                              const std::vector<bool>& chosen,
                                              std::vector<std::string> reasons,
                                              const DecisionOptions& options,
                                              const std::vector<Plan>& initial) {
  std::vector<ProblemRequest> requests;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) requests.push_back({.request = &state.requests[i]});
  }
  VRP_ASSIGN_OR_RETURN(Plan plan, PlanNow(site, state, requests, options, initial));
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
