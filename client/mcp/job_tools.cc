// The tools that read jobs: `list_jobs`, `get_job` and `job_history`.
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/mcp/estimates.h"
#include "client/mcp/schema.h"
#include "client/mcp/tools.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "client/support/text.h"
#include "vrp/v1/solver_service.grpc.pb.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::client::mcp {
namespace {

constexpr char kSolveJobs[] = "solveJobs/";

// Default number of listed jobs and of points of a history, so that they fit a model's context.
constexpr int kDefaultJobs = 20;
constexpr int kMaxListedJobs = 200;
constexpr int kDefaultPoints = 40;
constexpr int kMaxListedPoints = 1000;

template <typename Job>
Json WithEstimate(Json object, const Job& job) {
  const std::optional<double> remaining = RemainingSeconds(job);
  object["remaining_seconds"] = remaining.has_value() ? JsonNumber(*remaining) : Json();
  return object;
}

template <typename Job>
std::string EstimateText(const Job& job) {
  const std::optional<double> remaining = RemainingSeconds(job);
  if (!remaining.has_value()) return "";
  return absl::StrCat("estimated remaining time: ", FormatSpan(absl::Seconds(*remaining)), "\n");
}

absl::StatusOr<ToolResult> ListTrainings(const ToolCall& call, int limit) {
  v1::ListTrainingJobsRequest request;
  request.set_page_size(limit);
  const Json labels = call.Get<Json>("labels", Json::object());
  for (const auto& [key, value] : labels.items()) {
    (*request.mutable_labels())[key] = value.get<std::string>();
  }
  const auto response = call.client.Call(&v1::TrainingService::Stub::ListTrainingJobs, request);
  if (!response.ok()) return response.status();
  Table table({"JOB", "STATE", "ATTEMPT", "CREATED", "EPOCH", "STEP", "VAL COST", "VAL GAP",
               "MODEL", "LABELS"});
  Json jobs = Json::array();
  for (const v1::TrainingJob& job : response->training_jobs()) {
    table.AddRow(JobRow(job));
    jobs.push_back(WithEstimate(JobJson(job), job));
  }
  return ToolResult{table.Text(),
                    {{"jobs", std::move(jobs)}, {"more", !response->next_page_token().empty()}}};
}

absl::StatusOr<ToolResult> ListSolves(const ToolCall& call, int limit) {
  if (call.arguments.contains("labels")) {
    return absl::InvalidArgumentError(
        "labels: solve jobs have none; omit labels, or use kind training");
  }
  v1::ListSolveJobsRequest request;
  request.set_page_size(limit);
  const auto response = call.client.Call(&v1::SolverService::Stub::ListSolveJobs, request);
  if (!response.ok()) return response.status();
  std::string text;
  Json jobs = Json::array();
  for (const v1::SolveJob& job : response->solve_jobs()) {
    absl::StrAppend(&text, job.name(), " ", JobStateWord(job.state()), " ", job.instance_name(),
                    "\n");
    jobs.push_back(WithEstimate(SolveJobJson(job), job));
  }
  return ToolResult{text.empty() ? "no solve jobs" : text,
                    {{"jobs", std::move(jobs)}, {"more", !response->next_page_token().empty()}}};
}

absl::StatusOr<ToolResult> AnswerListJobs(const ToolCall& call) {
  const int limit = call.Get<int>("limit", kDefaultJobs);
  return call.Get<std::string>("kind", "training") == "solve" ? ListSolves(call, limit)
                                                              : ListTrainings(call, limit);
}

absl::StatusOr<ToolResult> GetSolve(const ToolCall& call, const std::string& text) {
  const absl::StatusOr<std::string> name = JobResourceName(text, "solveJobs");
  if (!name.ok()) return name.status();
  v1::GetSolveJobRequest request;
  request.set_name(*name);
  const auto job = call.client.Call(&v1::SolverService::Stub::GetSolveJob, request);
  if (!job.ok()) return job.status();
  const std::string plan = job->has_response() ? SolveText(job->response()) : "";
  return ToolResult{absl::StrCat(SolveJobText(*job), EstimateText(*job), plan),
                    WithEstimate(SolveJobJson(*job), *job)};
}

absl::StatusOr<ToolResult> AnswerGetJob(const ToolCall& call) {
  const std::string text = call.Text("name");
  if (absl::StartsWith(text, kSolveJobs)) return GetSolve(call, text);
  const absl::StatusOr<std::string> name = JobResourceName(text);
  if (!name.ok()) return name.status();
  v1::GetTrainingJobRequest request;
  request.set_name(*name);
  const auto job = call.client.Call(&v1::TrainingService::Stub::GetTrainingJob, request);
  if (!job.ok()) return job.status();
  return ToolResult{absl::StrCat(JobText(*job), EstimateText(*job)),
                    WithEstimate(JobJson(*job), *job)};
}

absl::StatusOr<ToolResult> History(const ToolCall& call) {
  const absl::StatusOr<std::string> name = JobResourceName(call.Text("name"));
  if (!name.ok()) return name.status();
  v1::GetTrainingHistoryRequest request;
  request.set_name(*name);
  request.set_from_step(call.Get<int64_t>("from_step", 0));
  request.set_to_step(call.Get<int64_t>("to_step", 0));
  request.set_max_points(call.Get<int>("max_points", kDefaultPoints));
  request.set_epochs_only(call.Get<bool>("epochs_only", false));
  const auto history = call.client.Call(&v1::TrainingService::Stub::GetTrainingHistory, request);
  if (!history.ok()) return history.status();
  Json points = Json::array();
  for (const v1::TrainingHistoryPoint& point : history->points()) {
    points.push_back(HistoryPointJson(point));
  }
  return ToolResult{HistoryText(*history),
                    {{"points", std::move(points)}, {"stored_points", history->stored_points()}}};
}

}  // namespace

Tool ListJobsTool() {
  return {
      .name = "list_jobs",
      .title = "List jobs",
      .description =
          "Lists training jobs or solve jobs, newest first, with state, progress and estimated "
          "remaining_seconds.",
      .input_schema = ArgumentsSchema(
          {{"kind", EnumProperty("Default: training", {"training", "solve"})},
           {"limit", WholeNumberProperty("Maximum number of jobs; default: 20", 1, kMaxListedJobs)},
           {"labels",
            {{"type", "object"},
             {"description",
              "Only training jobs with all of these labels, e.g. "
              "{\"team\": \"north\"}"},
             {"additionalProperties", {{"type", "string"}}}}}}),
      .run = AnswerListJobs};
}

Tool GetJobTool() {
  return {
      .name = "get_job",
      .title = "Show a job",
      .description =
          "Returns a job's state, progress and estimated remaining_seconds; of a training job its "
          "settings and published model, of an ended solve job its plan.",
      .input_schema = ArgumentsSchema(
          {{"name", TextProperty("trainingJobs/ID, solveJobs/ID, or ID of a training job")}},
          {"name"}),
      .run = AnswerGetJob};
}

Tool JobHistoryTool() {
  constexpr int64_t kMaxStep = int64_t{1} << 53;
  return {
      .name = "job_history",
      .title = "Show a training job's metrics",
      .description =
          "Returns a training job's metrics over its steps: loss, costs, validation gap, learning "
          "rate, instances per second.",
      .input_schema = ArgumentsSchema(
          {{"name", TextProperty("trainingJobs/ID or ID")},
           {"from_step", WholeNumberProperty("First step; default: the first", 0, kMaxStep)},
           {"to_step", WholeNumberProperty("Last step; default: the newest", 0, kMaxStep)},
           {"max_points",
            WholeNumberProperty("Maximum number of points, chosen evenly; default: 40", 1,
                                kMaxListedPoints)},
           {"epochs_only", FlagProperty("Only the ends of epochs")}},
          {"name"}),
      .run = History};
}

}  // namespace vrp::client::mcp
