#include "client/commands/solve_flags.h"

#include <CLI/CLI.hpp>
#include <limits>

#include "absl/strings/str_cat.h"
#include "client/support/enum_words.h"
#include "client/support/flags.h"
#include "client/support/text.h"
#include "client/support/validators.h"

namespace vrp::client {
namespace {

// Sets the stopping criteria and the budget. Lets the daemon choose the budget by size if no flag
// gives a budget, a time without an improvement or an iteration limit. In this case, a job has the
// default budget of jobs.
absl::Status SetBudget(const SolveFlags& flags, v1::SolveRequest& request) {
  const absl::Status stop = SetStop(flags.stop, request);
  if (!stop.ok()) return stop;
  if (flags.budget.empty() && flags.stop.is_share()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--stop-after: ", flags.stop.after,
                     " is a share of the budget, wanted also --budget, or a time such as 2s"));
  }
  if (!flags.budget.empty()) {
    const absl::StatusOr<absl::Duration> budget = ParseBudget(flags.budget);
    if (!budget.ok()) return budget.status();
    *request.mutable_budget() = ToProtoDuration(*budget);
  } else if (!flags.job && !flags.stop.needs_no_budget()) {
    request.mutable_stop()->set_automatic(true);
  }
  return absl::OkStatus();
}

// Whether to use all idle threads. A seed or an iteration limit asks for a reproducible plan, which
// needs one thread.
bool UsesIdleThreads(const SolveFlags& flags) {
  if (flags.threads.has_value()) return *flags.threads == 0;
  if (!flags.answers.empty()) return false;  // other instances use them better
  return !flags.seed_given && flags.stop.max_iterations == 0;
}

void AddJobOptions(CLI::App& command, SolveFlags& flags) {
  command.add_flag("--job", flags.job,
                   "Solve as a job that survives restarts; Ctrl-C leaves it running (solve-jobs)");
  command.add_flag("--detach", flags.detach, "With --job: print the job's name and return at once");
  command
      .add_option("--request-id", flags.request_id,
                  "With --job: create at most one job per id; default: a new id")
      ->type_name("ID");
}

void AddAnswerOptions(CLI::App& command, SolveFlags& flags) {
  command
      .add_option("--answers", flags.answers,
                  "Write the answers to .jsonl files into this folder; continues after any end")
      ->type_name("FOLDER");
  command
      .add_option("--in-flight", flags.in_flight,
                  "With --answers: send N instances at a time; default: twice a daemon's threads")
      ->type_name("N")
      ->check(WholeNumber(1, 4096));
}

void AddDecodeOptions(CLI::App& command, SolveFlags& flags) {
  command.add_flag("--network-only", flags.network_only,
                   "Fail if the network has no plan in time, instead of using search");
  command.add_option("--width", flags.width, "Use N samples or beams; default: the daemon's")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int32_t>::max()));
  command
      .add_option("--rounds", flags.rounds,
                  "Run N rounds of strategy improved (GPU); default: the daemon's")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int32_t>::max()));
}

void AddModelOptions(CLI::App& command, SolveFlags& flags) {
  command
      .add_option("FILE", flags.files,
                  "Solve CVRPLIB, TSPLIB, Solomon, JSON, VROOM or .jsonl; - for standard input")
      ->type_name("")
      ->required();
  command
      .add_option("--model", flags.model,
                  "Use NAME, NAME@3, NAME@ALIAS or models/NAME/versions/3; default: search only")
      ->type_name("MODEL");
  command
      .add_option("--habit-weight", flags.habit_weight,
                  "With a habit model: follow it this much, 0 to 10; default: 0.1")
      ->type_name("WEIGHT");
  command
      .add_option("--strategy", flags.strategy,
                  "Use auto, seeded, greedy, sample, beam, multi_start, improved or search")
      ->type_name("WORD")
      ->capture_default_str();
}

void AddSearchOptions(CLI::App& command, SolveFlags& flags) {
  command
      .add_option("--budget", flags.budget,
                  "Spend this time per instance; default: by size, at most 30s; with --job 10m")
      ->type_name("TIME");
  AddStopOptions(command, flags.stop);
  command
      .add_option(
          "--threads", flags.threads,
          "Run N searches; 0: all idle threads; default: 0, 1 with --seed, --max-iterations")
      ->type_name("N")
      ->check(WholeNumber(0, std::numeric_limits<int32_t>::max()));
  command
      .add_option("--seed", flags.seed,
                  "Use this seed; reproducible with one thread unless time ends the search")
      ->type_name("N")
      ->check(WholeNumber(0, std::numeric_limits<uint64_t>::max()))
      ->capture_default_str();
}

void AddStartOptions(CLI::App& command, SolveFlags& flags) {
  command
      .add_option("--start", flags.start,
                  "Improve a plan: JSON answer, VROOM's output, .sol, .tour; similar: a past day's")
      ->type_name("PLAN");
  command
      .add_option("--history", flags.history,
                  "With --start similar: begin from the most similar day of this dataset")
      ->type_name("NAME");
  command
      .add_option("--freeze", flags.freeze, "With --start: keep the first N stops of each route")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int32_t>::max()));
}

void AddOutputs(CLI::App& command, SolveFlags& flags) {
  command.add_flag("--stream", flags.stream, "Print every better plan as it is found");
  command.add_flag("--geometry", flags.geometry,
                   "Include the streets of the routes (leg_polylines of --output json)");
  AddPlanFileOptions(command, flags.plan_files);
  AddInstanceOptions(command, flags.input, "auto, vrplib, tsplib, solomon, json, vroom or jsonl");
}

}  // namespace

bool StartsSimilar(const SolveFlags& flags) { return flags.start == "similar"; }

bool IsForOneInstance(const SolveFlags& flags) {
  return (!flags.start.empty() && !StartsSimilar(flags)) || flags.plan_files.any() || flags.job;
}

bool WantsGeometry(const SolveFlags& flags, const v1::InstanceFile& file) {
  return flags.geometry || (!flags.plan_files.plot.empty() && MayNameRoads(file));
}

namespace {

absl::Status CheckAnswerFlags(const SolveFlags& flags, v1::SolutionFormat rendered) {
  if (flags.answers.empty()) {
    return flags.in_flight == 0 ? absl::OkStatus()
                                : absl::InvalidArgumentError("--in-flight: requires --answers");
  }
  if (IsForOneInstance(flags) || flags.stream) {
    return absl::InvalidArgumentError(absl::StrCat("--answers: for many instances; --stream, ",
                                                   kForOneInstance, "; wanted --answers alone"));
  }
  if (rendered != v1::SOLUTION_FORMAT_UNSPECIFIED) {
    return absl::InvalidArgumentError(absl::StrCat("--output: got ", LowerCaseWord(rendered),
                                                   ", wanted table or json with --answers"));
  }
  for (const std::string& file : flags.files) {
    if (file == "-") {
      return absl::InvalidArgumentError(
          "--answers: got standard input, wanted .jsonl files, which can be read again after an "
          "interruption");
    }
  }
  return absl::OkStatus();
}

}  // namespace

void AddSolveFlags(CLI::App& command, SolveFlags& flags) {
  AddModelOptions(command, flags);
  AddSearchOptions(command, flags);
  AddStartOptions(command, flags);
  AddDecodeOptions(command, flags);
  AddJobOptions(command, flags);
  AddAnswerOptions(command, flags);
  AddOutputs(command, flags);
}

absl::Status CheckSolveFlags(const SolveFlags& flags, v1::SolutionFormat rendered) {
  const absl::Status answers = CheckAnswerFlags(flags, rendered);
  if (!answers.ok()) return answers;
  if (flags.files.size() > 1 && IsForOneInstance(flags)) {
    return absl::InvalidArgumentError(
        absl::StrCat(kForOneInstance, ", got ", flags.files.size(), " files; run once per file"));
  }
  if ((flags.start.empty() || StartsSimilar(flags)) && flags.freeze > 0) {
    return absl::InvalidArgumentError("--freeze: requires --start PLAN");
  }
  if (StartsSimilar(flags) && flags.history.empty()) {
    return absl::InvalidArgumentError(
        "--start similar: requires --history NAME, an uploaded route history; write ./similar for "
        "a file of that name");
  }
  if (!StartsSimilar(flags) && !flags.history.empty()) {
    return absl::InvalidArgumentError("--history: requires --start similar");
  }
  if (flags.job && rendered != v1::SOLUTION_FORMAT_UNSPECIFIED) {
    return absl::InvalidArgumentError(absl::StrCat("--output: got ", LowerCaseWord(rendered),
                                                   ", wanted table or json with --job"));
  }
  if (flags.job && flags.stream) {
    return absl::InvalidArgumentError(
        "--stream: given together with --job, which follows the search anyway; wanted one of them");
  }
  if (!flags.job && (flags.detach || !flags.request_id.empty())) {
    return absl::InvalidArgumentError("--detach and --request-id: require --job");
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::SolveRequest> MakeSolveRequest(const SolveFlags& flags,
                                                  v1::SolutionFormat rendered) {
  absl::StatusOr<v1::SolveRequest> made =
      SolveRequestOf(flags.strategy, flags.model, flags.threads.value_or(0));
  if (!made.ok()) return made;
  v1::SolveRequest& request = *made;
  const absl::Status status = SetBudget(flags, request);
  if (!status.ok()) return status;
  request.set_idle_threads(UsesIdleThreads(flags));
  if (flags.habit_weight.has_value()) request.set_habit_weight(*flags.habit_weight);
  if (StartsSimilar(flags)) {
    request.mutable_similar_day()->set_history(WithCollection("datasets", flags.history));
  }
  request.set_network_only(flags.network_only);
  request.set_seed(flags.seed);
  request.set_width(flags.width);
  request.set_rounds(flags.rounds);
  request.set_render_solution_file(!flags.plan_files.solution.empty());
  if (rendered != v1::SOLUTION_FORMAT_UNSPECIFIED) request.add_render(rendered);
  if (PlotsGeoJson(flags.plan_files)) request.add_render(v1::SOLUTION_FORMAT_GEOJSON);
  return made;
}

}  // namespace vrp::client
