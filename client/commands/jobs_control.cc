// Implements the commands `jobs cancel`, `stop`, `pause`, `resume`, `delete` and `publish`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/follow.h"
#include "client/commands/named_resource.h"
#include "client/connection/model_kind.h"
#include "client/output/json.h"
#include "client/support/flags.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::client {
namespace {

using TrainingStub = v1::TrainingService::Stub;

// Changes a job's state with `method` and prints the new state.
template <typename Request>
ExitCode ChangeJob(CommandContext& context, const std::string& name,
                   UnaryMethod<TrainingStub, Request, v1::TrainingJob> method) {
  return CallByName(context, JobResourceName(name), method,
                    [&context](const std::string&, const v1::TrainingJob& job) {
                      return PrintJobState(context, job);
                    });
}

ExitCode CancelJob(CommandContext& context, const std::string& name) {
  return ChangeJob(context, name, &TrainingStub::CancelTrainingJob);
}

ExitCode PauseJob(CommandContext& context, const std::string& name) {
  return ChangeJob(context, name, &TrainingStub::PauseTrainingJob);
}

ExitCode ResumeJob(CommandContext& context, const std::string& name) {
  return ChangeJob(context, name, &TrainingStub::ResumeTrainingJob);
}

// Returns how a job ends after a request to stop the job, judged by its state; empty for other
// states.
const char* StopOutcome(const v1::TrainingJob& job) {
  switch (job.state()) {
    case v1::JOB_STATE_STOPPING:
      return ": ends with a model after its current step and a validation";
    case v1::JOB_STATE_QUEUED:
      return ": runs before all other jobs and then ends with a model";
    case v1::JOB_STATE_CANCELLED:
      return ": ended without a model";
    default:
      return "";
  }
}

ExitCode StopJob(CommandContext& context, const std::string& name) {
  return CallByName(context, JobResourceName(name), &TrainingStub::StopTrainingJob,
                    [&context](const std::string&, const v1::TrainingJob& job) {
                      return context.Print(JobJson(job),
                                           absl::StrCat(job.name(), " ", JobStateWord(job.state()),
                                                        StopOutcome(job), "\n"));
                    });
}

ExitCode DeleteJob(CommandContext& context, const std::string& name) {
  return DeleteByName(context, JobResourceName(name), &TrainingStub::DeleteTrainingJob);
}

ExitCode PublishJob(CommandContext& context, const std::string& name) {
  return CallByName(
      context, JobResourceName(name), &TrainingStub::PublishTrainingJob,
      [&context](const std::string& resource, const v1::PublishTrainingJobResponse& published) {
        const std::string& model = published.model();
        return context.Print(
            {{"name", resource}, {"model", model}, {"step", published.step()}},
            absl::StrCat(model, ": weights after step ", published.step(), "\n",
                         UseLine(context.client(), model), "\nuse it or a newer one: --model ",
                         SplitModelName(model).name, "@live\n"));
      },
      kPublishTimeout);
}

}  // namespace

void AddJobsControl(CLI::App& jobs, ChosenCommand& chosen) {
  const auto add = [&](std::string_view verb, std::string_view description,
                       std::string_view examples,
                       ExitCode (*run)(CommandContext&, const std::string&)) {
    CLI::App* command =
        AddCommand(jobs, verb, description, absl::StrCat(kNewJobExample, std::string(examples)));
    const auto name = std::make_shared<std::string>();
    AddArgument(*command, "NAME", *name, kJobNameHelp);
    SetCallback(*command, chosen, name, run);
  };
  add("cancel", "End a job without a model", "vrpctl jobs cancel $job", CancelJob);
  add("stop", "End a job early and keep a model",
      absl::StrCat(kWaitForStepExample, "vrpctl jobs stop $job\nvrpctl jobs watch $job"), StopJob);
  add("pause", "Pause a job at a checkpoint", "vrpctl jobs pause $job", PauseJob);
  add("resume", "Queue a paused job again, to continue from its checkpoint",
      "vrpctl jobs pause $job\n"
      "until vrpctl jobs resume $job; do sleep 1; done  # once it has paused",
      ResumeJob);
  add("delete", "Delete an ended job and its files, but not its published models",
      "vrpctl jobs watch $job\nvrpctl jobs delete $job", DeleteJob);
  add("publish", "Publish a running job's weights as NAME@live",
      absl::StrCat(kWaitForStepExample, "vrpctl jobs publish $job --output json | jq -r .model"),
      PublishJob);
}

}  // namespace vrp::client
