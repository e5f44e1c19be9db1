// The tools `solve` and `start_solve_job`.
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/mcp/schema.h"
#include "client/mcp/solve_request.h"
#include "client/mcp/tools.h"
#include "client/output/tables.h"
#include "client/support/text.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp::client::mcp {
namespace {

// Default and longest budget of a solve job.
constexpr absl::Duration kDefaultJobBudget = absl::Minutes(10);
constexpr absl::Duration kMaxJobBudget = absl::Hours(24);

Json RoutesSchema() {
  const Json stop = {{"type", "object"},
                     {"properties",
                      {{"id", {{"type", "string"}}},
                       {"arrival", {{"type", "number"}}},
                       {"load", Json::object()}}}};
  const Json route = {{"type", "object"},
                      {"properties",
                       {{"vehicle", {{"type", "integer"}}},
                        {"stops", {{"type", "array"}, {"items", stop}}},
                        {"distance", {{"type", "number"}}},
                        {"duration", {{"type", "number"}}}}}};
  return {{"type", "array"}, {"items", route}};
}

Json SolveOutputSchema() {
  const Json unserved = {
      {"type", "object"},
      {"properties", {{"id", {{"type", "string"}}}, {"reason", {{"type", "string"}}}}}};
  const Json properties = {
      {"cost", {{"type", "number"}}},
      {"gap",
       {{"type", "number"},
        {"description", "Relative to the instance's reference cost; 0.01: 1 %"}}},
      {"routes", RoutesSchema()},
      {"feasible", {{"type", "boolean"}, {"description", "By the independent checker"}}},
      {"violations", {{"type", "array"}}},
      {"unserved", {{"type", "array"}, {"items", unserved}}}};
  return {{"type", "object"},
          {"properties", properties},
          {"required", {"cost", "routes", "feasible", "violations", "unserved"}}};
}

std::string ImprovementMessage(const v1::Improvement& improvement) {
  const v1::Solution& plan = improvement.solution();
  std::string text = absl::StrCat("cost ", FormatNumber(plan.cost()), ", ",
                                  FormatCount(plan.routes_size(), "route"));
  if (plan.unserved_size() > 0) absl::StrAppend(&text, ", ", plan.unserved_size(), " unserved");
  return text;
}

// Solves with a progress notification for each improvement.
absl::StatusOr<v1::SolveResponse> SolveWithProgress(const ToolCall& call,
                                                    const v1::SolveRequest& request,
                                                    absl::Duration timeout) {
  absl::StatusOr<v1::SolveResponse> response =
      absl::InternalError("the daemon ended the stream without an answer; solve again");
  const double total = absl::ToDoubleSeconds(ToDuration(request.budget()));
  const absl::Status status = call.client.Stream(
      &v1::SolverService::Stub::StreamSolve, request,
      [&](const v1::StreamSolveResponse& message) {
        if (message.has_response()) response = message.response();
        if (message.has_improvement()) {
          const v1::Improvement& improvement = message.improvement();
          call.report(absl::ToDoubleSeconds(ToDuration(improvement.elapsed())), total,
                      ImprovementMessage(improvement));
        }
        return true;
      },
      timeout);
  if (!status.ok()) return status;
  return response;
}

absl::StatusOr<ToolResult> Solve(const ToolCall& call) {
  const absl::StatusOr<v1::SolveRequest> request = SolveRequestOf(call, kDefaultBudget);
  if (!request.ok()) return request.status();
  const absl::Duration timeout = ToDuration(request->budget()) + kSolveGrace;
  const absl::StatusOr<v1::SolveResponse> response =
      call.report ? SolveWithProgress(call, *request, timeout)
                  : call.client.Call(&v1::SolverService::Stub::Solve, *request, timeout);
  if (!response.ok()) return response.status();
  return ToolResult{SolveText(*response), SolveJson(*response)};
}

absl::StatusOr<ToolResult> StartSolveJob(const ToolCall& call) {
  absl::StatusOr<v1::SolveRequest> solve = SolveRequestOf(call, kDefaultJobBudget);
  if (!solve.ok()) return solve.status();
  v1::CreateSolveJobRequest request;
  *request.mutable_solve() = *std::move(solve);
  request.set_request_id(call.Text("request_id"));
  const absl::StatusOr<v1::SolveJob> job =
      call.client.Call(&v1::SolverService::Stub::CreateSolveJob, request, kInstanceTimeout);
  if (!job.ok()) return job.status();
  return ToolResult{absl::StrCat(SolveJobText(*job), "read its plan with get_job"),
                    SolveJobJson(*job)};
}

}  // namespace

Tool SolveTool(absl::Duration max_budget) {
  return {.name = "solve",
          .title = "Plan routes",
          .description =
              "Plans vehicle routes and returns the best plan found within the budget: cost, "
              "routes with the customers' ids in order, unserved customers with reasons, and "
              "whether an independent checker found it feasible. Handles capacities, time "
              "windows, several depots, mixed fleets, pickups and deliveries, skills, breaks and "
              "optional customers. Changes nothing on the server.",
          .input_schema = ArgumentsSchema(SolveProperties(kDefaultBudget, max_budget)),
          .output_schema = SolveOutputSchema(),
          .run = Solve};
}

Tool StartSolveJobTool() {
  Json properties = SolveProperties(kDefaultJobBudget, kMaxJobBudget);
  properties["request_id"] =
      TextProperty("Makes a repeated call return the same job, at most 64 bytes; default: none");
  return {.name = "start_solve_job",
          .title = "Start a long solve",
          .description =
              "Queues a solve of minutes to hours, which survives this conversation and restarts "
              "of the server, and returns its name at once. Read state and plan with get_job. For "
              "less than a minute use solve.",
          .input_schema = ArgumentsSchema(std::move(properties)),
          .effect = Effect::kChanges,
          .idempotent = false,
          .run = StartSolveJob};
}

}  // namespace vrp::client::mcp
