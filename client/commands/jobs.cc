// Implements the commands `jobs list`, `watch`, `get` and `profile`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/follow.h"
#include "client/commands/lists.h"
#include "client/commands/named_resource.h"
#include "client/output/json.h"
#include "client/output/profile.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "client/support/validators.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::client {
namespace {

struct JobsListFlags {
  int64_t limit = 0;
  std::vector<std::string> labels;
};

struct JobsWatchFlags {
  std::string name;
  int64_t from = 1;
};

ExitCode ListJobs(CommandContext& context, const JobsListFlags& flags) {
  v1::ListTrainingJobsRequest filter;
  const absl::Status labelled = AddLabels(flags.labels, *filter.mutable_labels());
  if (!labelled.ok()) return context.Fail(labelled);
  return PrintPages(
      context, &v1::TrainingService::Stub::ListTrainingJobs, filter, flags.limit,
      [](const v1::ListTrainingJobsResponse& page) { return page.training_jobs(); },
      ListPrinter<v1::TrainingJob>(context,
                                   {"JOB", "STATE", "ATTEMPT", "CREATED", "EPOCH", "STEP",
                                    "VAL COST", "VAL GAP", "MODEL", "LABELS"},
                                   JobJson, JobRow));
}

ExitCode WatchTrainingJob(CommandContext& context, const JobsWatchFlags& flags) {
  const absl::StatusOr<std::string> resource = JobResourceName(flags.name);
  if (!resource.ok()) return context.Fail(resource.status());
  return FollowJob(context, {.name = *resource, .from_sequence = flags.from});
}

ExitCode GetJob(CommandContext& context, const std::string& name) {
  return CallByName(context, JobResourceName(name), &v1::TrainingService::Stub::GetTrainingJob,
                    [&context](const std::string&, const v1::TrainingJob& job) {
                      return context.Print(JobJson(job), JobText(job));
                    });
}

ExitCode ProfileJob(CommandContext& context, const std::string& name) {
  return CallByName(context, JobResourceName(name), &v1::TrainingService::Stub::GetTrainingJob,
                    [&context](const std::string&, const v1::TrainingJob& job) {
                      return context.Print(ProfileJson(job), ProfileText(job));
                    });
}

void AddJobsList(CLI::App& jobs, ChosenCommand& chosen) {
  CLI::App* list = AddCommand(jobs, "list", "List training jobs, newest first",
                              "vrpctl jobs list --limit 10\nvrpctl jobs list --label team=north");
  const auto flags = std::make_shared<JobsListFlags>();
  list->add_option("--limit", flags->limit, "List at most N jobs; 0: all")
      ->check(WholeNumber(0))
      ->type_name("N");
  AddLabelFlag(*list, flags->labels, "List only jobs with this label; repeatable");
  SetCallback(*list, chosen, flags, ListJobs);
}

void AddJobsWatch(CLI::App& jobs, ChosenCommand& chosen) {
  CLI::App* watch = AddCommand(jobs, "watch", "Print a job's events until the job ends",
                               absl::StrCat(kNewJobExample,
                                            "vrpctl jobs watch $job\n"
                                            "vrpctl jobs watch $job --from 3 --output json"));
  const auto flags = std::make_shared<JobsWatchFlags>();
  AddArgument(*watch, "NAME", flags->name, kJobNameHelp);
  watch->add_option("--from", flags->from, "Start with the event of this sequence number")
      ->check(WholeNumber(0))
      ->type_name("N");
  SetCallback(*watch, chosen, flags, WatchTrainingJob);
}

}  // namespace

void AddJobs(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* jobs =
      AddCommand(app, "jobs", "List, follow and control training jobs",
                 absl::StrCat(kNewJobExample, "vrpctl jobs list\n", kWaitForStepExample,
                              "vrpctl jobs stop $job  # ends it with a model\n"
                              "vrpctl jobs watch $job"));
  jobs->require_subcommand(1);
  AddJobsList(*jobs, chosen);
  AddJobsWatch(*jobs, chosen);
  const auto add = [&](std::string_view verb, std::string_view description,
                       std::string_view examples,
                       ExitCode (*run)(CommandContext&, const std::string&)) {
    CLI::App* command = AddCommand(*jobs, verb, description, examples);
    const auto name = std::make_shared<std::string>();
    AddArgument(*command, "NAME", *name, kJobNameHelp);
    SetCallback(*command, chosen, name, run);
  };
  add("get", "Show a job", absl::StrCat(kNewJobExample, "vrpctl jobs get $job --output json"),
      GetJob);
  add("profile", "Show a job's wall and thread time by phase",
      absl::StrCat(kNewJobExample,
                   "vrpctl jobs profile $job\n"
                   "vrpctl jobs profile $job --output json | jq .wall_phases"),
      ProfileJob);
  AddJobsControl(*jobs, chosen);
  AddJobsHistory(*jobs, chosen);
  AddJobsCompare(*jobs, chosen);
}

}  // namespace vrp::client
