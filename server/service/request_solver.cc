#include "server/service/request_solver.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/problem/plan/plan_value.h"
#include "server/convert/solution_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

// Serialises a plan without times, because they follow from the order of visits.
std::string WritePlan(const Plan& plan) {
  v1::Solution message;
  for (const PlannedRoute& planned : plan) {
    v1::Route& route = *message.add_routes();
    route.set_vehicle(planned.vehicle_type);
    for (const NodeIndex node : planned.customers) route.add_stops()->set_node(node);
  }
  return message.SerializeAsString();
}

absl::StatusOr<Plan> ReadPlan(const Instance& instance, const std::string& text) {
  v1::Solution message;
  if (!message.ParseFromString(text)) {
    return absl::DataLossError("the stored plan is damaged; create the job again");
  }
  return PlanFromProto(instance, message);
}

FoundPlan Describe(const Instance& instance, const Plan& plan, Cost cost) {
  const auto used = [](const PlannedRoute& route) { return !route.customers.empty(); };
  return {.cost = cost,
          .routes = std::count_if(plan.begin(), plan.end(), used),
          .unserved = std::ssize(FindUnserved(instance, plan).customers),
          .text = WritePlan(plan)};
}

// Adds the search time of earlier attempts to the budget and the times. A stopped job ends with
// STOPPED, not with CANCELLED.
void AddEarlierAttempts(const SolveTask& task, v1::SolveResponse& response) {
  *response.mutable_budget() = ToProto(task.search_time + task.budget);
  for (google::protobuf::Duration* time :
       {response.mutable_times()->mutable_search(), response.mutable_times()->mutable_total()}) {
    *time = ToProto(FromProto(*time).value_or(absl::ZeroDuration()) + task.search_time);
  }
  if (response.end_reason() == v1::END_REASON_CANCELLED) {
    response.set_end_reason(v1::END_REASON_STOPPED);
  }
}

}  // namespace

absl::StatusOr<RequestSolver::Ready> RequestSolver::Prepare(const SolveTask& task,
                                                            v1::SolveRequest request) const {
  const auto roads = std::make_shared<RoadRecord>(handler_.roads());
  VRP_RETURN_IF_ERROR(roads->Load(request));
  const CallContext context{.received = SteadyNow(), .cancel = task.cancel, .roads = roads.get()};
  const SolveLimits limits = handler_.job_limits();
  // A later attempt goes on from its own plan if the history was deleted.
  absl::StatusOr<SolverHandler::Prepared> prepared = handler_.Prepare(request, limits, context);
  if (absl::IsNotFound(prepared.status()) && !task.plan.empty() && request.has_similar_day()) {
    request.clear_similar_day();
    prepared = handler_.Prepare(request, limits, context);
  }
  std::string note;
  if (absl::IsNotFound(prepared.status()) && !task.plan.empty() && !request.model().empty()) {
    note =
        Concat("continued from its stored plan without the model: ", prepared.status().message());
    request.clear_model();
    request.clear_habit_weight();
    request.set_strategy(v1::STRATEGY_SEARCH);
    prepared = handler_.Prepare(request, limits, context);
  }
  VRP_RETURN_IF_ERROR(prepared.status());
  return Ready{std::move(request), *std::move(prepared), std::move(note), roads};
}

absl::StatusOr<TaskAnswer> RequestSolver::Solve(const SolveTask& task, TaskReporter& reporter) {
  v1::SolveRequest request;
  if (!request.ParseFromString(task.request)) {
    return absl::DataLossError("the stored request is damaged; create the job again");
  }
  VRP_ASSIGN_OR_RETURN(Ready ready, Prepare(task, std::move(request)));
  SolverHandler::Prepared& prepared = ready.prepared;
  const Instance& instance = prepared.instance;
  SolveOptions& options = prepared.options;
  options.budget = task.budget;
  options.since_improvement = task.since_improvement;
  options.stop.min_time = std::max(options.stop.min_time - task.search_time, absl::ZeroDuration());
  options.threads = std::min(options.threads, max_threads_);
  const Instance& searched = options.habits == nullptr ? instance : options.habits->searched();
  std::optional<PlanValue> best;
  if (!task.plan.empty()) {
    VRP_ASSIGN_OR_RETURN(Plan plan, ReadPlan(instance, task.plan));
    best = ValueOf(searched, plan);
    options.initial.push_back(std::move(plan));
  }
  options.on_improvement = [&](const Plan& plan, Cost cost) {
    const PlanValue value = ValueOf(searched, plan);
    if (best.has_value() && !(value < *best)) return;
    best = value;
    reporter.ReportPlan(Describe(instance, plan, cost));
  };
  VRP_ASSIGN_OR_RETURN(v1::SolveResponse response, handler_.Run(ready.request, prepared));
  AddEarlierAttempts(task, response);
  if (!ready.policy_note.empty()) response.set_policy_note(ready.policy_note);
  return TaskAnswer{.answer = response.SerializeAsString(),
                    .plan = FoundPlan{.cost = response.solution().cost(),
                                      .routes = response.solution().routes_size(),
                                      .unserved = response.solution().unserved_size(),
                                      .text = {}},
                    .cancelled = response.end_reason() == v1::END_REASON_STOPPED};
}

}  // namespace vrp
