// `jobs cancel`, `stop`, `pause`, `resume`, `delete`, `publish`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/named_job.h"
#include "client/output/json.h"
#include "client/support/flags.h"

namespace vrp::client {
namespace {

// The name, and the state that the job is in now.
ExitCode PrintState(CommandContext& context, const v1::TrainingJob& job) {
  if (context.json()) {
    WriteJsonLine(context.out(), JobJson(job));
  } else {
    context.out() << job.name() << " " << JobStateWord(job.state());
    if (job.queue_position() > 0) context.out() << ", position " << job.queue_position();
    context.out() << std::endl;
  }
  return kExitDone;
}

template <typename Request>
ExitCode RunChange(CommandContext& context, const std::string& name,
                   absl::StatusOr<v1::TrainingJob> (RpcClient::*method)(const Request&)) {
  return CallForJob(
      context, name, method,
      [&context](const std::string&, const v1::TrainingJob& job) { PrintState(context, job); });
}

// Returns what stopping means for a job in its current state.
const char* StopNote(const v1::TrainingJob& job) {
  switch (job.state()) {
    case v1::JOB_STATE_STOPPING:
      return ": ends with a model after its current step and a validation";
    case v1::JOB_STATE_QUEUED:
      return ": goes before all other jobs, and ends with a model once it runs";
    case v1::JOB_STATE_CANCELLED:
      return ": ended without a model";
    default:
      return "";
  }
}

ExitCode RunStop(CommandContext& context, const std::string& name) {
  return CallForJob(context, name, &RpcClient::StopTrainingJob,
                    [&context](const std::string&, const v1::TrainingJob& job) {
                      if (context.json()) {
                        WriteJsonLine(context.out(), JobJson(job));
                      } else {
                        context.out() << job.name() << " " << JobStateWord(job.state())
                                      << StopNote(job) << std::endl;
                      }
                    });
}

ExitCode RunDelete(CommandContext& context, const std::string& name) {
  return CallForJob(context, name, &RpcClient::DeleteTrainingJob,
                    [&context](const std::string& resource, const auto&) {
                      if (context.json()) {
                        WriteJsonLine(context.out(), {{"deleted", resource}});
                      } else {
                        context.out() << resource << " deleted" << std::endl;
                      }
                    });
}

ExitCode RunPublish(CommandContext& context, const std::string& name) {
  return CallForJob(
      context, name, &RpcClient::PublishTrainingJob,
      [&context](const std::string& resource, const v1::PublishTrainingJobResponse& published) {
        if (context.json()) {
          WriteJsonLine(
              context.out(),
              {{"name", resource}, {"model", published.model()}, {"step", published.step()}});
        } else {
          context.out() << published.model() << ": weights after step " << published.step()
                        << "\nsolve with it: vrpctl solve FILE --strategy seeded --model "
                        << published.model() << "\nwith it and those published after it: --model "
                        << SplitModelName(published.model()).name << "@live" << std::endl;
        }
      });
}

}  // namespace

void AddJobsControl(CLI::App& jobs, ChosenCommand& chosen) {
  const auto name = std::make_shared<std::string>();
  const auto add = [&](std::string_view verb, std::string_view description,
                       std::string_view examples,
                       ExitCode (*run)(CommandContext&, const std::string&)) {
    const std::string path = "jobs " + std::string(verb);
    AddNamedJob(jobs, verb, description, examples, *name)->callback([name, path, run, &chosen] {
      chosen = {path, [name, run](CommandContext& context) { return run(context, *name); }};
    });
  };
  add("cancel", "End a job without a model",
      absl::StrCat(kNewJobExample, "vrpctl jobs cancel $job"),
      [](CommandContext& context, const std::string& id) {
        return RunChange(context, id, &RpcClient::CancelTrainingJob);
      });
  add("stop", "End a job now and keep a model",
      absl::StrCat(kNewJobExample, kWaitForStepExample,
                   "vrpctl jobs stop $job\nvrpctl jobs watch $job"),
      RunStop);
  add("pause", "Stop a job with a checkpoint, until it is resumed",
      absl::StrCat(kNewJobExample, "vrpctl jobs pause $job"),
      [](CommandContext& context, const std::string& id) {
        return RunChange(context, id, &RpcClient::PauseTrainingJob);
      });
  add("resume", "Queue a paused job again; it goes on from its checkpoint",
      absl::StrCat(kNewJobExample,
                   "vrpctl jobs pause $job\n"
                   "until vrpctl jobs resume $job; do sleep 1; done  # once it has paused"),
      [](CommandContext& context, const std::string& id) {
        return RunChange(context, id, &RpcClient::ResumeTrainingJob);
      });
  add("delete", "Forget an ended job and its files; models that it published stay",
      absl::StrCat(kNewJobExample, "vrpctl jobs watch $job\nvrpctl jobs delete $job"), RunDelete);
  add("publish", "Publish a running job's weights as a version of its model, NAME@live",
      absl::StrCat(kNewJobExample, kWaitForStepExample,
                   "vrpctl jobs publish $job --output json | jq -r .model"),
      RunPublish);
}

}  // namespace vrp::client
