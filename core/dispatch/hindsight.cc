#include "core/dispatch/hindsight.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/dispatch/problem.h"
#include "core/problem/checker/checker.h"
#include "core/search/search.h"

namespace vrp {
namespace {

// Vehicles that return may leave again, which routes of one problem cannot say. So their number is
// unlimited here.
absl::StatusOr<DispatchProblem> WholeDay(const DispatchSite& site, const DispatchDay& day) {
  std::vector<ProblemRequest> requests;
  requests.reserve(day.requests.size());
  for (const DispatchRequest& request : day.requests) {
    requests.push_back({.request = &request, .release = request.release});
  }
  const std::vector<int32_t> available(site.instance().vehicles().size(),
                                       DispatchState::kUnlimited);
  return DispatchProblem::Create(site, requests, day.departures.front(), available);
}

absl::StatusOr<HindsightPlan> Checked(const DispatchProblem& problem, const DispatchDay& day,
                                      Plan plan) {
  HindsightPlan checked;
  if (!problem.instance().has_value()) return checked;
  const Plan nodes = problem.FromRequests(plan);
  const CheckReport report = CheckPlan(*problem.instance(), nodes);
  if (!RoutesAreFeasible(report)) {
    return absl::InternalError(Concat(
        "day ", day.name, ": the checker refuses a route: ", report.violations.front().message));
  }
  checked.plan = std::move(plan);
  checked.cost = report.cost;
  std::vector<bool> served(day.requests.size());
  for (const PlannedRoute& route : checked.plan) {
    for (const NodeIndex request : route.customers) served[request] = true;
  }
  for (size_t i = 0; i < served.size(); ++i) {
    if (!served[i]) checked.unserved.push_back(static_cast<int32_t>(i));
  }
  return checked;
}

}  // namespace

absl::StatusOr<HindsightPlan> PlanInHindsight(const DispatchSite& site, const DispatchDay& day,
                                              const DecisionOptions& options,
                                              const std::vector<Plan>& initial) {
  VRP_ASSIGN_OR_RETURN(const DispatchProblem problem, WholeDay(site, day));
  if (!problem.instance().has_value()) return HindsightPlan();
  SearchOptions search = {
      .stop = options.stop, .max_iterations = options.max_iterations, .seed = options.seed};
  for (const Plan& plan : initial) search.initial.push_back(problem.FromRequests(plan));
  VRP_ASSIGN_OR_RETURN(const SearchResult result, Search(*problem.instance(), search));
  if (result.ended_by == SearchEnd::kCancelled) return absl::CancelledError("cancelled");
  return Checked(problem, day, problem.ToRequests(result.plan));
}

absl::StatusOr<HindsightPlan> CheckDayPlan(const DispatchSite& site, const DispatchDay& day,
                                           Plan plan) {
  VRP_ASSIGN_OR_RETURN(const DispatchProblem problem, WholeDay(site, day));
  return Checked(problem, day, std::move(plan));
}

int32_t DecisionOf(const DispatchDay& day, const PlannedRoute& route) {
  double release = day.departures.front();
  for (const NodeIndex request : route.customers) {
    release = std::max(release, day.requests[request].release);
  }
  const auto at = std::lower_bound(day.departures.begin(), day.departures.end(), release);
  return static_cast<int32_t>(std::distance(day.departures.begin(), at));
}

}  // namespace vrp
