// Implements the commands `solve-jobs list`, `get`, `watch`, `stop` and `delete`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/follow_solve.h"
#include "client/commands/lists.h"
#include "client/commands/named_resource.h"
#include "client/commands/solve_output.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "client/support/validators.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp::client {
namespace {

using SolverStub = v1::SolverService::Stub;

// The flags of all commands under `solve-jobs`.
struct SolveJobsFlags {
  std::string name;
  int64_t limit = 0;
  int64_t from = 1;
  PlanFiles files;
};

absl::StatusOr<std::string> SolveJobName(const SolveJobsFlags& flags) {
  return JobResourceName(flags.name, "solveJobs");
}

ExitCode ListSolveJobs(CommandContext& context, const SolveJobsFlags& flags) {
  return PrintPages(
      context, &SolverStub::ListSolveJobs, v1::ListSolveJobsRequest(), flags.limit,
      [](const v1::ListSolveJobsResponse& page) { return page.solve_jobs(); },
      ListPrinter<v1::SolveJob>(context,
                                {"JOB", "STATE", "ATTEMPT", "CREATED", "INSTANCE", "SEARCHED",
                                 "COST", "ROUTES", "UNSERVED"},
                                SolveJobJson, SolveJobRow));
}

ExitCode GetSolveJob(CommandContext& context, const SolveJobsFlags& flags) {
  return CallByName(
      context, SolveJobName(flags), &SolverStub::GetSolveJob,
      [&](const std::string& name, const v1::SolveJob& job) {
        context.Print(SolveJobJson(job), SolveJobText(job));
        if (job.has_response()) {
          if (!context.json()) context.out() << "\n";
          return PrintAndWriteResponse(context, flags.files, job.response());
        }
        if (!flags.files.any()) return kExitDone;
        return context.Fail(
            absl::FailedPreconditionError("--solution and --plot: the job has no answer; if the "
                                          "job runs, wait for its end: solve-jobs watch"),
            name);
      });
}

ExitCode WatchSolveJob(CommandContext& context, const SolveJobsFlags& flags) {
  const absl::StatusOr<std::string> name = SolveJobName(flags);
  if (!name.ok()) return context.Fail(name.status());
  return FollowSolveJob(context, {.name = *name, .from_sequence = flags.from}, flags.files);
}

ExitCode StopSolveJob(CommandContext& context, const SolveJobsFlags& flags) {
  return CallByName(context, SolveJobName(flags), &SolverStub::StopSolveJob,
                    [&](const std::string&, const v1::SolveJob& job) {
                      return context.Print(
                          SolveJobJson(job),
                          absl::StrCat(job.name(), " ", JobStateWord(job.state()), "\n"));
                    });
}

ExitCode DeleteSolveJob(CommandContext& context, const SolveJobsFlags& flags) {
  return DeleteByName(context, SolveJobName(flags), &SolverStub::DeleteSolveJob);
}

void AddSolveJobsList(CLI::App& jobs, ChosenCommand& chosen) {
  CLI::App* list = AddCommand(jobs, "list", "List solve jobs, newest first",
                              "vrpctl solve-jobs list --limit 10");
  const auto flags = std::make_shared<SolveJobsFlags>();
  list->add_option("--limit", flags->limit, "List at most N jobs; 0: all")
      ->check(WholeNumber(0))
      ->type_name("N");
  SetCallback(*list, chosen, flags, ListSolveJobs);
}

}  // namespace

void AddSolveJobs(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* jobs = AddCommand(
      app, "solve-jobs", "List, follow and control long solves (solve --job)",
      absl::StrCat(kNewSolveJobExample,
                   "vrpctl solve-jobs stop $job  # ends the search, keeps its best plan\n"
                   "vrpctl solve-jobs watch $job"));
  jobs->require_subcommand(1);
  AddSolveJobsList(*jobs, chosen);
  const auto flags = std::make_shared<SolveJobsFlags>();
  const auto add = [&](std::string_view verb, std::string_view description,
                       std::string_view examples,
                       ExitCode (*run)(CommandContext&, const SolveJobsFlags&)) {
    CLI::App* command = AddCommand(*jobs, verb, description,
                                   absl::StrCat(kNewSolveJobExample, std::string(examples)));
    AddArgument(*command, "NAME", flags->name, "Name the job: solveJobs/ID or ID");
    SetCallback(*command, chosen, flags, run);
    return command;
  };
  CLI::App* get = add("get", "Show a job and its answer; exit codes as for solve",
                      "vrpctl solve-jobs get $job\n"
                      "vrpctl solve-jobs stop $job\n"
                      "vrpctl solve-jobs watch $job --solution city.sol --plot city.svg\n"
                      "vrpctl solve-jobs get $job --output json | jq .answer.cost",
                      GetSolveJob);
  AddPlanFileOptions(*get, flags->files);
  CLI::App* watch = add("watch", "Print a job's events, then its answer",
                        "vrpctl solve-jobs watch $job\n"
                        "vrpctl solve-jobs watch $job --from 2 --output json",
                        WatchSolveJob);
  AddPlanFileOptions(*watch, flags->files);
  watch->add_option("--from", flags->from, "Start with the event of this sequence number")
      ->check(WholeNumber(0))
      ->type_name("N");
  add("stop", "End the search now; the job succeeds with its best plan",
      "vrpctl solve-jobs stop $job", StopSolveJob);
  add("delete", "Delete an ended job, its events and its answer",
      "vrpctl solve-jobs stop $job\n"
      "vrpctl solve-jobs watch $job\n"
      "vrpctl solve-jobs delete $job",
      DeleteSolveJob);
}

}  // namespace vrp::client
