#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/follow.h"
#include "client/commands/named_job.h"
#include "client/commands/pages.h"
#include "client/output/json.h"
#include "client/output/profile.h"
#include "client/output/tables.h"
#include "client/support/validators.h"

namespace vrp::client {
namespace {

void PrintJob(CommandContext& context, const v1::TrainingJob& job) {
  if (context.json()) {
    WriteJsonLine(context.out(), JobJson(job));
  } else {
    context.out() << JobText(job) << std::flush;
  }
}

struct ListFlags {
  int64_t limit = 0;
  std::vector<std::string> labels;
};

ExitCode RunList(CommandContext& context, const ListFlags& flags) {
  v1::ListTrainingJobsRequest filter;
  const absl::Status labelled = AddLabels(flags.labels, *filter.mutable_labels());
  if (!labelled.ok()) return context.Fail(labelled);
  Table table({"JOB", "STATE", "ATTEMPT", "CREATED", "EPOCH", "STEP", "VAL COST", "VAL GAP",
               "MODEL", "LABELS"});
  const absl::Status listed = ForEachListed(
      flags.limit, filter,
      [&](const auto& request) { return context.client().ListTrainingJobs(request); },
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
  return CallForJob(
      context, name, &RpcClient::GetTrainingJob,
      [&context](const std::string&, const v1::TrainingJob& job) { PrintJob(context, job); });
}

ExitCode RunProfile(CommandContext& context, const std::string& name) {
  return CallForJob(context, name, &RpcClient::GetTrainingJob,
                    [&context](const std::string&, const v1::TrainingJob& job) {
                      if (context.json()) {
                        WriteJsonLine(context.out(), ProfileJson(job));
                      } else {
                        context.out() << ProfileText(job) << std::flush;
                      }
                    });
}

ExitCode RunWatch(CommandContext& context, const std::string& name, int64_t from) {
  const absl::StatusOr<std::string> resource = JobResourceName(name);
  if (!resource.ok()) return context.Fail(resource.status());
  return FollowJob(context, {.name = *resource, .from_sequence = from});
}

void AddList(CLI::App& jobs, ChosenCommand& chosen) {
  CLI::App* list = AddCommand(jobs, "list", "All jobs, newest first",
                              "vrpctl jobs list --limit 10\nvrpctl jobs list --label team=north");
  const auto flags = std::make_shared<ListFlags>();
  list->add_option("--limit", flags->limit, "At most so many; 0: all")
      ->check(WholeNumber(0))
      ->type_name("N");
  AddLabelFlag(*list, flags->labels, "Only jobs with this label; repeatable");
  list->callback([flags, &chosen] {
    chosen = {"jobs list", [flags](CommandContext& context) { return RunList(context, *flags); }};
  });
}

void AddWatch(CLI::App& jobs, ChosenCommand& chosen) {
  const auto name = std::make_shared<std::string>();
  const auto from = std::make_shared<int64_t>(1);
  CLI::App* watch =
      AddNamedJob(jobs, "watch", "A job's events from the first one on, until it has ended",
                  absl::StrCat(kNewJobExample,
                               "vrpctl jobs watch $job\n"
                               "vrpctl jobs watch $job --from 3 --output json"),
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
  CLI::App* jobs =
      AddCommand(app, "jobs", "Training jobs: follow, pause, resume, stop, publish, compare, ...",
                 absl::StrCat(kNewJobExample, "vrpctl jobs list\n", kWaitForStepExample,
                              "vrpctl jobs stop $job  # ends it with a model\n"
                              "vrpctl jobs watch $job"));
  jobs->require_subcommand(1);
  AddList(*jobs, chosen);
  AddWatch(*jobs, chosen);

  const auto name = std::make_shared<std::string>();
  AddNamedJob(*jobs, "get", "One job",
              absl::StrCat(kNewJobExample, "vrpctl jobs get $job --output json"), *name)
      ->callback([name, &chosen] {
        chosen = {"jobs get", [name](CommandContext& context) { return RunGet(context, *name); }};
      });
  AddNamedJob(*jobs, "profile", "Where a job's time goes: wall time and thread time",
              absl::StrCat(kNewJobExample,
                           "vrpctl jobs profile $job\n"
                           "vrpctl jobs profile $job --output json | jq .wall_phases"),
              *name)
      ->callback([name, &chosen] {
        chosen = {"jobs profile",
                  [name](CommandContext& context) { return RunProfile(context, *name); }};
      });
  AddJobsControl(*jobs, chosen);
  AddJobsHistory(*jobs, chosen);
  AddJobsCompare(*jobs, chosen);
}

}  // namespace vrp::client
