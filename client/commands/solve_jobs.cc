#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/answer.h"
#include "client/commands/command.h"
#include "client/commands/follow_solve.h"
#include "client/commands/pages.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "client/support/validators.h"

namespace vrp::client {
namespace {

// What the commands under `solve-jobs` are told.
struct Flags {
  std::string name;
  int64_t limit = 0;
  int64_t from = 1;
  AnswerFiles files;
};

ExitCode RunList(CommandContext& context, const Flags& flags) {
  Table table(
      {"JOB", "STATE", "ATTEMPT", "CREATED", "INSTANCE", "SEARCHED", "COST", "ROUTES", "UNSERVED"});
  const absl::Status listed = ForEachListed(
      flags.limit, v1::ListSolveJobsRequest(),
      [&](const auto& request) { return context.client().ListSolveJobs(request); },
      [](const v1::ListSolveJobsResponse& page) { return page.solve_jobs(); },
      [&](const v1::SolveJob& job) {
        if (context.json()) {
          WriteJsonLine(context.out(), SolveJobJson(job));
        } else {
          table.AddRow(SolveJobRow(job));
        }
      });
  if (!listed.ok()) return context.Fail(listed);
  if (!context.json()) context.out() << table.Text() << std::flush;
  return kExitDone;
}

// Of the commands for one job: calls `run` with the job's resource name.
template <typename Run>
ExitCode WithName(CommandContext& context, const Flags& flags, Run run) {
  const absl::StatusOr<std::string> name = JobResourceName(flags.name, "solveJobs");
  return name.ok() ? run(*name) : context.Fail(name.status());
}

ExitCode RunGet(CommandContext& context, const Flags& flags) {
  return WithName(context, flags, [&](const std::string& name) {
    v1::GetSolveJobRequest request;
    request.set_name(name);
    const absl::StatusOr<v1::SolveJob> job = context.client().GetSolveJob(request);
    if (!job.ok()) return context.Fail(job.status(), name);
    if (context.json()) {
      WriteJsonLine(context.out(), SolveJobJson(*job));
    } else {
      context.out() << SolveJobText(*job) << std::flush;
    }
    if (!job->has_answer()) {
      if (!flags.files.any()) return kExitDone;
      return context.Fail(
          absl::FailedPreconditionError("--solution and --plot: the job has no answer (yet)"),
          name);
    }
    if (!context.json()) context.out() << "\n";
    return CloseAnswer(context, flags.files, job->answer());
  });
}

ExitCode RunWatch(CommandContext& context, const Flags& flags) {
  return WithName(context, flags, [&](const std::string& name) {
    return FollowSolveJob(context, {.name = name, .from_sequence = flags.from}, flags.files);
  });
}

ExitCode RunStop(CommandContext& context, const Flags& flags) {
  return WithName(context, flags, [&](const std::string& name) {
    v1::StopSolveJobRequest request;
    request.set_name(name);
    const absl::StatusOr<v1::SolveJob> job = context.client().StopSolveJob(request);
    if (!job.ok()) return context.Fail(job.status(), name);
    if (context.json()) {
      WriteJsonLine(context.out(), SolveJobJson(*job));
    } else {
      context.out() << job->name() << " " << JobStateWord(job->state()) << std::endl;
    }
    return kExitDone;
  });
}

ExitCode RunDelete(CommandContext& context, const Flags& flags) {
  return WithName(context, flags, [&](const std::string& name) {
    v1::DeleteSolveJobRequest request;
    request.set_name(name);
    const absl::Status deleted = context.client().DeleteSolveJob(request).status();
    if (!deleted.ok()) return context.Fail(deleted, name);
    if (!context.json()) context.out() << name << " deleted" << std::endl;
    return kExitDone;
  });
}

using RunFunction = ExitCode (*)(CommandContext&, const Flags&);

struct Verb {
  const char* name;
  const char* description;
  std::string examples;
  RunFunction run;
};

CLI::App* AddVerb(CLI::App& jobs, ChosenCommand& chosen, const Verb& verb,
                  const std::shared_ptr<Flags>& flags) {
  CLI::App* command = AddCommand(jobs, verb.name, verb.description, verb.examples);
  command->callback(
      [flags, &chosen, path = std::string("solve-jobs ") + verb.name, run = verb.run] {
        chosen = {path, [flags, run](CommandContext& context) { return run(context, *flags); }};
      });
  return command;
}

void AddName(CLI::App* command, const std::shared_ptr<Flags>& flags) {
  command->add_option("NAME", flags->name, "solveJobs/ID or ID")->type_name("")->required();
}

}  // namespace

void AddSolveJobs(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* jobs = AddCommand(
      app, "solve-jobs", "Long solves (solve --job): list, get, watch, stop, delete",
      absl::StrCat(kNewSolveJobExample,
                   "vrpctl solve-jobs stop $job  # ends the search, keeps its best plan\n"
                   "vrpctl solve-jobs watch $job"));
  jobs->require_subcommand(1);
  const auto flags = std::make_shared<Flags>();
  CLI::App* list = AddVerb(
      *jobs, chosen,
      {"list", "All solve jobs, newest first", "vrpctl solve-jobs list --limit 10", RunList},
      flags);
  list->add_option("--limit", flags->limit, "At most so many; 0: all")
      ->check(WholeNumber(0))
      ->type_name("N");
  CLI::App* get =
      AddVerb(*jobs, chosen,
              {"get", "One job, and its answer once there is one; exit codes of solve",
               absl::StrCat(kNewSolveJobExample,
                            "vrpctl solve-jobs get $job\n"
                            "vrpctl solve-jobs stop $job\n"
                            "vrpctl solve-jobs watch $job --solution city.sol --plot city.svg\n"
                            "vrpctl solve-jobs get $job --output json | jq .answer.cost"),
               RunGet},
              flags);
  AddName(get, flags);
  AddAnswerFileOptions(*get, flags->files);
  CLI::App* watch = AddVerb(*jobs, chosen,
                            {"watch", "A job's events from the first one on, then its answer",
                             absl::StrCat(kNewSolveJobExample,
                                          "vrpctl solve-jobs watch $job\n"
                                          "vrpctl solve-jobs watch $job --from 2 --output json"),
                             RunWatch},
                            flags);
  AddName(watch, flags);
  AddAnswerFileOptions(*watch, flags->files);
  watch->add_option("--from", flags->from, "Sequence number of the first event")
      ->check(WholeNumber(0))
      ->type_name("N");
  AddName(AddVerb(*jobs, chosen,
                  {"stop", "End the search now; the job succeeds with its best plan",
                   absl::StrCat(kNewSolveJobExample, "vrpctl solve-jobs stop $job"), RunStop},
                  flags),
          flags);
  AddName(AddVerb(*jobs, chosen,
                  {"delete", "Forget an ended job, its events and its answer",
                   absl::StrCat(kNewSolveJobExample,
                                "vrpctl solve-jobs stop $job\n"
                                "vrpctl solve-jobs watch $job\n"
                                "vrpctl solve-jobs delete $job"),
                   RunDelete},
                  flags),
          flags);
}

}  // namespace vrp::client
