#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/follow.h"
#include "client/commands/pages.h"
#include "client/flags.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/validators.h"

namespace vrp::client {
namespace {

void PrintJob(CommandContext& context, const v1::TrainingJob& job) {
  if (context.json()) {
    WriteJsonLine(context.out(), JobJson(job));
  } else {
    context.out() << JobText(job) << std::flush;
  }
}

ExitCode RunList(CommandContext& context, int64_t limit) {
  Table table({"JOB", "STATE", "ATTEMPT", "CREATED", "EPOCH", "STEP", "VAL COST", "MODEL"});
  const absl::Status listed = ForEachListed<v1::ListTrainingJobsRequest>(
      limit, [&](const auto& request) { return context.client().ListTrainingJobs(request); },
      [](const v1::ListTrainingJobsResponse& page) { return page.training_jobs(); },
      [&](const v1::TrainingJob& job) {
        if (context.json()) {
          WriteJsonLine(context.out(), JobJson(job));
        } else {
          table.AddRow(JobRow(job));
        }
      });
  if (!listed.ok()) return context.Fail(listed);
  if (!context.json()) context.out() << table.Text() << std::flush;
  return kExitDone;
}

ExitCode RunGet(CommandContext& context, const std::string& name) {
  const absl::StatusOr<std::string> resource = JobResourceName(name);
  if (!resource.ok()) return context.Fail(resource.status());
  v1::GetTrainingJobRequest request;
  request.set_name(*resource);
  const absl::StatusOr<v1::TrainingJob> job = context.client().GetTrainingJob(request);
  if (!job.ok()) return context.Fail(job.status(), *resource);
  PrintJob(context, *job);
  return kExitDone;
}

ExitCode RunProfile(CommandContext& context, const std::string& name) {
  const absl::StatusOr<std::string> resource = JobResourceName(name);
  if (!resource.ok()) return context.Fail(resource.status());
  v1::GetTrainingJobRequest request;
  request.set_name(*resource);
  const absl::StatusOr<v1::TrainingJob> job = context.client().GetTrainingJob(request);
  if (!job.ok()) return context.Fail(job.status(), *resource);
  if (context.json()) {
    WriteJsonLine(context.out(), ProfileJson(*job));
  } else {
    context.out() << ProfileText(*job) << std::flush;
  }
  return kExitDone;
}

ExitCode RunCancel(CommandContext& context, const std::string& name) {
  const absl::StatusOr<std::string> resource = JobResourceName(name);
  if (!resource.ok()) return context.Fail(resource.status());
  v1::CancelTrainingJobRequest request;
  request.set_name(*resource);
  const absl::StatusOr<v1::TrainingJob> job = context.client().CancelTrainingJob(request);
  if (!job.ok()) return context.Fail(job.status(), *resource);
  if (context.json()) {
    WriteJsonLine(context.out(), JobJson(*job));
  } else {
    context.out() << job->name() << " " << JobStateWord(job->state()) << std::endl;
  }
  return kExitDone;
}

ExitCode RunWatch(CommandContext& context, const std::string& name, int64_t from) {
  const absl::StatusOr<std::string> resource = JobResourceName(name);
  if (!resource.ok()) return context.Fail(resource.status());
  return FollowJob(context, {.name = *resource, .from_sequence = from});
}

// A command under `jobs` that takes the name of one job.
CLI::App* AddNamed(CLI::App& jobs, std::string_view verb, std::string_view description,
                   std::string_view examples, std::string& name) {
  CLI::App* command = AddCommand(jobs, verb, description, examples);
  command->add_option("NAME", name, "trainingJobs/ID or ID")->type_name("")->required();
  return command;
}

void AddList(CLI::App& jobs, ChosenCommand& chosen) {
  CLI::App* list =
      AddCommand(jobs, "list", "All jobs, newest first", "vrpctl jobs list --limit 10");
  const auto limit = std::make_shared<int64_t>(0);
  list->add_option("--limit", *limit, "At most so many; 0: all")
      ->check(WholeNumber(0))
      ->type_name("N");
  list->callback([limit, &chosen] {
    chosen = {"jobs list", [limit](CommandContext& context) { return RunList(context, *limit); }};
  });
}

void AddWatch(CLI::App& jobs, ChosenCommand& chosen) {
  const auto name = std::make_shared<std::string>();
  const auto from = std::make_shared<int64_t>(1);
  CLI::App* watch =
      AddNamed(jobs, "watch", "A job's events from the first one on, until it has ended",
               "vrpctl jobs watch trainingJobs/ID\n"
               "vrpctl jobs watch ID --from 120 --output json",
               *name);
  watch->add_option("--from", *from, "Sequence number of the first event")
      ->check(WholeNumber(0))
      ->type_name("N");
  watch->callback([name, from, &chosen] {
    chosen = {"jobs watch",
              [name, from](CommandContext& context) { return RunWatch(context, *name, *from); }};
  });
}

}  // namespace

void AddJobs(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* jobs = AddCommand(app, "jobs", "Training jobs: list, get, watch, profile, cancel",
                              "vrpctl jobs list\nvrpctl jobs watch trainingJobs/ID");
  jobs->require_subcommand(1);
  AddList(*jobs, chosen);
  AddWatch(*jobs, chosen);

  const auto name = std::make_shared<std::string>();
  AddNamed(*jobs, "get", "One job", "vrpctl jobs get trainingJobs/ID --output json", *name)
      ->callback([name, &chosen] {
        chosen = {"jobs get", [name](CommandContext& context) { return RunGet(context, *name); }};
      });
  AddNamed(*jobs, "profile", "Where the time of a job's steps goes",
           "vrpctl jobs profile trainingJobs/ID\n"
           "vrpctl jobs profile ID --output json | jq .phases",
           *name)
      ->callback([name, &chosen] {
        chosen = {"jobs profile",
                  [name](CommandContext& context) { return RunProfile(context, *name); }};
      });
  AddNamed(*jobs, "cancel", "Ask a job to end", "vrpctl jobs cancel trainingJobs/ID", *name)
      ->callback([name, &chosen] {
        chosen = {"jobs cancel",
                  [name](CommandContext& context) { return RunCancel(context, *name); }};
      });
}

}  // namespace vrp::client
