// The tools that change jobs.
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/connection/model_kind.h"
#include "client/mcp/schema.h"
#include "client/mcp/tools.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "vrp/v1/solver_service.grpc.pb.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::client::mcp {
namespace {

bool IsSolveJob(const ToolCall& call) { return absl::StartsWith(call.Text("name"), "solveJobs/"); }

// Calls `method` with the name of the call's job in `collection`.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> CallByName(const ToolCall& call, const char* collection,
                                    UnaryMethod<Stub, Request, Response> method,
                                    absl::Duration timeout = kLookupTimeout) {
  const absl::StatusOr<std::string> name = JobResourceName(call.Text("name"), collection);
  if (!name.ok()) return name.status();
  Request request;
  request.set_name(*name);
  return call.client.Call(method, request, timeout);
}

template <typename Request>
absl::StatusOr<ToolResult> ChangeTraining(
    const ToolCall& call, UnaryMethod<v1::TrainingService::Stub, Request, v1::TrainingJob> method) {
  const absl::StatusOr<v1::TrainingJob> job = CallByName(call, "trainingJobs", method);
  if (!job.ok()) return job.status();
  return ToolResult{absl::StrCat(job->name(), " ", JobStateWord(job->state())), JobJson(*job)};
}

absl::StatusOr<ToolResult> AnswerStopJob(const ToolCall& call) {
  if (!IsSolveJob(call)) return ChangeTraining(call, &v1::TrainingService::Stub::StopTrainingJob);
  const auto job = CallByName(call, "solveJobs", &v1::SolverService::Stub::StopSolveJob);
  if (!job.ok()) return job.status();
  return ToolResult{SolveJobText(*job), SolveJobJson(*job)};
}

absl::StatusOr<ToolResult> AnswerDeleteJob(const ToolCall& call) {
  const absl::Status status =
      IsSolveJob(call)
          ? CallByName(call, "solveJobs", &v1::SolverService::Stub::DeleteSolveJob).status()
          : CallByName(call, "trainingJobs", &v1::TrainingService::Stub::DeleteTrainingJob)
                .status();
  if (!status.ok()) return status;
  return ToolResult{absl::StrCat(call.Text("name"), ": deleted"), {{"deleted", call.Text("name")}}};
}

absl::StatusOr<ToolResult> AnswerPublishJob(const ToolCall& call) {
  const auto published = CallByName(
      call, "trainingJobs", &v1::TrainingService::Stub::PublishTrainingJob, kPublishTimeout);
  if (!published.ok()) return published.status();
  const std::string architecture = ArchitectureOf(call.client, published->model());
  const char* use = "; solve with it: strategy seeded, model ";
  if (architecture == "dispatch") use = "; dispatch with it: policy model, model ";
  if (architecture == "habits") use = "; solve as drivers drive: model ";
  return ToolResult{absl::StrCat(published->model(), ": weights after step ", published->step(),
                                 use, published->model()),
                    {{"model", published->model()}, {"step", published->step()}}};
}

Tool JobTool(const char* name, const char* title, const char* description, Effect effect,
             std::function<absl::StatusOr<ToolResult>(const ToolCall&)> run) {
  return {.name = name,
          .title = title,
          .description = description,
          .input_schema =
              ArgumentsSchema({{"name", TextProperty("The job, from list_jobs")}}, {"name"}),
          .effect = effect,
          .run = std::move(run)};
}

template <auto method>
absl::StatusOr<ToolResult> Change(const ToolCall& call) {
  return ChangeTraining(call, method);
}

}  // namespace

std::vector<Tool> JobControlTools() {
  std::vector<Tool> tools;
  tools.push_back(
      JobTool("stop_job", "Stop a job and keep its result",
              "Ends a training job after its current step and publishes a model, or ends a "
              "solve job with its best plan.",
              Effect::kChanges, AnswerStopJob));
  tools.push_back(JobTool("pause_job", "Pause a training job",
                          "Pauses a training job at a checkpoint; resume_job continues it.",
                          Effect::kChanges, Change<&v1::TrainingService::Stub::PauseTrainingJob>));
  tools.push_back(JobTool("resume_job", "Resume a training job",
                          "Queues a paused training job again, to continue from its checkpoint.",
                          Effect::kChanges, Change<&v1::TrainingService::Stub::ResumeTrainingJob>));
  tools.push_back(
      JobTool("publish_job", "Publish a running training job's weights",
              "Publishes the current weights of a running training job as a new version "
              "of its model, with the alias live; the job continues.",
              Effect::kChanges, AnswerPublishJob));
  tools.back().idempotent = false;  // a further call publishes newer weights as a new version
  tools.push_back(
      JobTool("cancel_job", "Cancel a training job without a model",
              "Ends a training job without a model. Its work is lost; stop_job keeps it.",
              Effect::kDestroys, Change<&v1::TrainingService::Stub::CancelTrainingJob>));
  tools.push_back(
      JobTool("delete_job", "Delete an ended job",
              "Deletes an ended training job with its log, checkpoints and metrics, but not "
              "its published models; or an ended solve job with its plan.",
              Effect::kDestroys, AnswerDeleteJob));
  return tools;
}

}  // namespace vrp::client::mcp
