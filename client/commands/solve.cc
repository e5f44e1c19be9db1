#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/commands/answer.h"
#include "client/commands/command.h"
#include "client/commands/solve_job.h"
#include "client/commands/solve_tally.h"
#include "client/commands/stop_flags.h"
#include "client/files.h"
#include "client/flags.h"
#include "client/instance_source.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/start_plan.h"
#include "client/text.h"
#include "client/validators.h"

namespace vrp::client {
namespace {

constexpr char kExamples[] =
    "vrpctl solve city.vrp\n"
    "vrpctl solve city.vrp --budget 2s\n"
    "vrpctl solve city.vrp --budget 10s --stop-after 1s --target 375\n"
    "vrpctl solve city.vrp --budget 1m --stream\n"
    "vrpctl solve city.vrp --budget 2h --job  # goes on without this terminal and after a restart\n"
    "vrpctl solve city.vrp --model gt-mixed --strategy multi_start --plot city.svg --solution "
    "city.sol\n"
    "vrpctl solve city.vrp --start city.sol --freeze 2\n"
    "vrpctl solve vans.json --output vroom --plot vans.geojson\n"
    "vrpctl solve today.json --output json > today.plan.json\n"
    "vrpctl solve today.json --start today.plan.json\n"
    "vrpctl solve pr107.tsp --start pr107.tour\n"
    "vrpctl solve C101.txt --objective vehicles_then_distance --metric exact\n"
    "vrpctl generate --problem cvrp --count 10 --out set.jsonl\n"
    "vrpctl solve set.jsonl --model gt-mixed --strategy greedy --output json | tail -1\n"
    "vrpctl generate --problem cvrp --count 10 | vrpctl solve -";

// More than a daemon grants by SolveStop.automatic.
constexpr absl::Duration kLongestAutomatic = absl::Minutes(1);

struct SolveFlags {
  std::vector<std::string> files;
  std::string model;
  std::string strategy = "auto";
  std::string budget;  // empty: not given
  StopFlags stop;
  std::optional<int32_t> threads;
  uint64_t seed = 1;
  bool seed_given = false;
  int32_t width = 0;
  int32_t rounds = 0;
  bool network_only = false;
  bool stream = false;
  std::string start;
  int32_t freeze = 0;
  bool job = false;
  bool detach = false;
  std::string request_id;
  AnswerFiles answer;
  InstanceFlags input;
};

// Without a budget the daemon chooses one, unless the search ends by another flag.
absl::Status SetBudget(const SolveFlags& flags, v1::SolveRequest& request) {
  const absl::Status stop = SetStop(flags.stop, request);
  if (!stop.ok()) return stop;
  if (!flags.budget.empty()) {
    const absl::StatusOr<absl::Duration> budget = ParseBudget(flags.budget);
    if (!budget.ok()) return budget.status();
    *request.mutable_budget() = ToProtoDuration(*budget);
  } else if (!flags.job && !flags.stop.needs_no_budget()) {
    request.mutable_stop()->set_automatic(true);
  }
  return absl::OkStatus();
}

// A seed, or a number of iterations, asks for an answer that can be repeated: by one thread.
bool TakesIdleThreads(const SolveFlags& flags) {
  if (flags.threads.has_value()) return *flags.threads == 0;
  return !flags.seed_given && flags.stop.max_iterations == 0;
}

absl::StatusOr<v1::SolveRequest> MakeRequest(const SolveFlags& flags, v1::SolutionFormat rendered) {
  absl::StatusOr<v1::SolveRequest> made =
      SolveRequestOf(flags.strategy, flags.model, flags.threads.value_or(0));
  if (!made.ok()) return made;
  v1::SolveRequest& request = *made;
  const absl::Status status = SetBudget(flags, request);
  if (!status.ok()) return status;
  request.set_idle_threads(TakesIdleThreads(flags));
  request.set_network_only(flags.network_only);
  request.set_seed(flags.seed);
  request.set_width(flags.width);
  request.set_rounds(flags.rounds);
  request.set_render_solution_file(!flags.answer.solution.empty());
  if (rendered != v1::SOLUTION_FORMAT_UNSPECIFIED) request.add_render(rendered);
  if (PlotsGeoJson(flags.answer)) request.add_render(v1::SOLUTION_FORMAT_GEOJSON);
  return made;
}

absl::Status ReadStart(const SolveFlags& flags, std::istream& in, v1::SolveRequest& request) {
  absl::StatusOr<std::string> content = ReadInput(flags.start, in);
  if (!content.ok()) return content.status();
  request.set_frozen_stops(flags.freeze);
  return SetStartPlan(flags.start, *std::move(content), request);
}

constexpr char kForOne[] = "--start, --solution, --plot and --job are for one instance";

bool IsForOne(const SolveFlags& flags) {
  return !flags.start.empty() || flags.answer.any() || flags.job;
}

// Errors that every further instance would meet too. A refusal is not among them: it may be that
// the network cannot complete this one instance.
bool EndsTheRun(ExitCode code) {
  return code == kExitUnreachable || code == kExitNotFound || code == kExitInterrupted;
}

class SolveRun {
 public:
  SolveRun(CommandContext& context, const SolveFlags& flags, v1::SolveRequest request)
      : context_(context), flags_(flags), request_(std::move(request)) {}

  ExitCode Run() {
    for (const std::string& path : flags_.files) {
      absl::StatusOr<InstanceSource> source =
          InstanceSource::Open(path, flags_.input, context_.environment().in);
      if (!source.ok()) {
        Note(context_.Fail(source.status(), path));
        continue;
      }
      if (source->is_lines() && IsForOne(flags_)) {
        return context_.Fail(
            absl::InvalidArgumentError(absl::StrCat(kForOne, ", and this is a file of many")),
            path);
      }
      if (!SolveAll(*source, path)) break;
    }
    return worst_ != kExitDone ? worst_ : no_plan_ ? kExitNoPlan : kExitDone;
  }

 private:
  // The first error decides the exit code; whatever failed counts more than a plan that is not
  // feasible.
  void Note(ExitCode code) {
    if (worst_ == kExitDone || code == kExitInterrupted) worst_ = code;
  }

  // False: nothing further is to be tried.
  bool SolveAll(InstanceSource& source, const std::string& path) {
    const absl::Time start = context_.environment().now();
    SolveTally tally;
    bool go_on = true;
    while (go_on) {
      absl::StatusOr<std::optional<v1::InstanceFile>> file = source.Next();
      if (file.ok() && !file->has_value()) break;
      const ExitCode code = file.ok() ? SolveOne(**std::move(file), source.where(), tally)
                                      : context_.Fail(file.status(), source.where());
      if (code == kExitDone) continue;
      tally.AddFailure();
      Note(code);
      go_on = !EndsTheRun(code);
    }
    if (source.is_lines() && worst_ != kExitInterrupted) {
      PrintSummary(tally, path, context_.environment().now() - start);
    }
    return go_on;
  }

  // Not kExitDone: there is no answer.
  ExitCode SolveOne(v1::InstanceFile file, const std::string& where, SolveTally& tally) {
    *request_.mutable_file() = std::move(file);
    const absl::Duration timeout = Timeout();
    const absl::StatusOr<v1::SolveResponse> response =
        flags_.stream ? Stream(timeout) : context_.client().Solve(request_, timeout);
    if (!response.ok()) return context_.Fail(response.status(), where);
    if (context_.environment().interrupt.triggered()) return kExitInterrupted;
    tally.Add(*response);
    if (!IsComplete(*response)) no_plan_ = true;
    const absl::Status printed = PrintAnswer(context_, *response, flags_.input.any_override());
    if (!printed.ok()) return context_.Fail(printed, where);
    const absl::Status written = WriteAnswerFiles(flags_.answer, *response);
    if (!written.ok()) Note(context_.Fail(written, where));
    return kExitDone;
  }

  absl::Duration Timeout() const {
    if (request_.has_budget()) return ToDuration(request_.budget()) + kAnswerGrace;
    return request_.stop().automatic() ? kLongestAutomatic + kAnswerGrace : absl::InfiniteDuration();
  }

  // Prints the improvements in the two forms that know such; gives the answer. After Ctrl-C, which
  // ends the search, people get the best plan that there was; scripts have had it.
  absl::StatusOr<v1::SolveResponse> Stream(absl::Duration timeout) {
    absl::StatusOr<v1::SolveResponse> answer =
        absl::InternalError("the daemon ended the stream without an answer");
    v1::Solution best;
    const absl::Status status = context_.client().StreamSolve(
        request_, timeout, [&](const v1::StreamSolveResponse& message) {
          if (message.has_answer()) {
            answer = message.answer();
          } else if (message.has_improvement() && context_.json()) {
            WriteJsonLine(context_.out(), ImprovementJson(message.improvement()));
          } else if (message.has_improvement() && context_.table()) {
            context_.out() << ImprovementText(message.improvement()) << std::flush;
            best = message.improvement().solution();
          }
        });
    if (context_.environment().interrupt.triggered() && best.routes_size() > 0) {
      context_.out() << PlanText(best) << std::flush;
    }
    if (!status.ok()) return status;
    return answer;
  }

  void PrintSummary(const SolveTally& tally, const std::string& path, absl::Duration elapsed) {
    if (context_.json()) {
      WriteJsonLine(context_.out(), tally.Summary(path, elapsed));
    } else if (context_.table()) {
      context_.out() << tally.Text(path, elapsed) << std::flush;
    }
  }

  CommandContext& context_;
  const SolveFlags& flags_;
  v1::SolveRequest request_;  // all but the instance
  ExitCode worst_ = kExitDone;
  bool no_plan_ = false;
};

absl::Status CheckFlags(const CommandContext& context, const SolveFlags& flags) {
  if (flags.files.size() > 1 && IsForOne(flags)) {
    return absl::InvalidArgumentError(
        absl::StrCat(kForOne, ", got ", flags.files.size(), " files; call once for each"));
  }
  if (flags.start.empty() && flags.freeze > 0) {
    return absl::InvalidArgumentError("--freeze: needs a plan, --start FILE");
  }
  if (flags.job && context.rendered() != v1::SOLUTION_FORMAT_UNSPECIFIED) {
    return absl::InvalidArgumentError("--output: of a --job wanted table or json");
  }
  if (flags.job && flags.stream) {
    return absl::InvalidArgumentError("--stream: a job is followed without it; wanted one of both");
  }
  if (flags.budget.empty() && flags.stop.is_share()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--stop-after: ", flags.stop.after, " is a share of the budget; give --budget"
                     " too, or a time as 2s"));
  }
  if (!flags.job && (flags.detach || !flags.request_id.empty())) {
    return absl::InvalidArgumentError("--detach and --request-id: wanted with --job");
  }
  return absl::OkStatus();
}

// The only instance of the file.
absl::StatusOr<v1::InstanceFile> OnlyInstance(CommandContext& context, const SolveFlags& flags) {
  absl::StatusOr<InstanceSource> source =
      InstanceSource::Open(flags.files[0], flags.input, context.environment().in);
  if (!source.ok()) return source.status();
  if (source->is_lines()) {
    return absl::InvalidArgumentError(absl::StrCat(kForOne, ", and this is a file of many"));
  }
  absl::StatusOr<std::optional<v1::InstanceFile>> file = source->Next();
  if (!file.ok()) return file.status();
  return **std::move(file);
}

ExitCode RunJob(CommandContext& context, const SolveFlags& flags, v1::SolveRequest request) {
  absl::StatusOr<v1::InstanceFile> file = OnlyInstance(context, flags);
  if (!file.ok()) return context.Fail(file.status(), flags.files[0]);
  *request.mutable_file() = *std::move(file);
  return RunSolveJob(context, request,
                     {.where = flags.files[0],
                      .request_id = flags.request_id,
                      .detach = flags.detach,
                      .files = flags.answer});
}

ExitCode RunSolve(CommandContext& context, const SolveFlags& flags) {
  const absl::Status sound = CheckFlags(context, flags);
  if (!sound.ok()) return context.Fail(sound);
  absl::StatusOr<v1::SolveRequest> request = MakeRequest(flags, context.rendered());
  if (!request.ok()) return context.Fail(request.status());
  if (!flags.start.empty()) {
    const absl::Status status = ReadStart(flags, context.environment().in, *request);
    if (!status.ok()) return context.Fail(status, flags.start);
  }
  return flags.job ? RunJob(context, flags, *std::move(request))
                   : SolveRun(context, flags, *std::move(request)).Run();
}

void AddJobOptions(CLI::App& command, SolveFlags& flags) {
  command.add_flag("--job", flags.job,
                   "Solve as a job that outlives this call and the daemon, and follow it; Ctrl-C "
                   "leaves it running (vrpctl solve-jobs)");
  command.add_flag("--detach", flags.detach, "With --job: print its name and return at once");
  command
      .add_option("--request-id", flags.request_id,
                  "With --job: the same id never makes a second one; default: a fresh one")
      ->type_name("ID");
}

void AddDecodeOptions(CLI::App& command, SolveFlags& flags) {
  command.add_flag("--network-only", flags.network_only,
                   "Fail where the network has no plan in time, instead of taking search's");
  command.add_option("--width", flags.width, "Samples or beams; default: the daemon's")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int32_t>::max()));
  command
      .add_option("--rounds", flags.rounds, "Of strategy improved, on a GPU; default: the daemon's")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int32_t>::max()));
}

void AddOptions(CLI::App& command, SolveFlags& flags) {
  command
      .add_option("FILE", flags.files,
                  "Instances: CVRPLIB, TSPLIB, Solomon, JSON, VROOM, .jsonl; - for standard input")
      ->type_name("")
      ->required();
  command
      .add_option("--model", flags.model,
                  "NAME, NAME@3, NAME@ALIAS or models/NAME/versions/3; default: none, search alone")
      ->type_name("MODEL");
  command
      .add_option("--strategy", flags.strategy,
                  "auto, seeded, greedy, sample, beam, multi_start, improved or search")
      ->type_name("WORD")
      ->capture_default_str();
  command
      .add_option("--budget", flags.budget,
                  "Time for each instance, as 2s; default: by size, 30s at most; --job: 10m")
      ->type_name("TIME");
  AddStopOptions(command, flags.stop);
  command
      .add_option("--threads", flags.threads,
                  "Parallel searches; 0 (default): all idle threads of the daemon; 1 with --seed")
      ->type_name("N")
      ->check(WholeNumber(0, std::numeric_limits<int32_t>::max()));
  command
      .add_option("--seed", flags.seed,
                  "The same seed gives the same answer with one thread where time cut nothing off")
      ->type_name("N")
      ->check(WholeNumber(0, std::numeric_limits<uint64_t>::max()))
      ->capture_default_str();
  command
      .add_option(
          "--start", flags.start,
          "Start from a plan: an answer in JSON, VROOM's output, a .sol or TSPLIB's tour (.tour); "
          "never answers worse")
      ->type_name("PLAN");
  command
      .add_option("--freeze", flags.freeze,
                  "With --start: the first N stops of each route stay as they are")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int32_t>::max()));
}

void AddOutputs(CLI::App& command, SolveFlags& flags) {
  command.add_flag("--stream", flags.stream, "Print each better plan when it is found");
  AddAnswerFileOptions(command, flags.answer);
  AddInstanceOptions(command, flags.input, "auto, vrplib, tsplib, solomon, json, vroom or jsonl");
}

}  // namespace

void AddSolve(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      app, "solve", "Solve instances; exit code 7 where no feasible plan serves all", kExamples);
  const auto flags = std::make_shared<SolveFlags>();
  AddOptions(*command, *flags);
  AddDecodeOptions(*command, *flags);
  AddJobOptions(*command, *flags);
  AddOutputs(*command, *flags);
  command->callback([flags, command, &chosen] {
    flags->seed_given = command->get_option("--seed")->count() > 0;
    chosen = {"solve", [flags](CommandContext& context) { return RunSolve(context, *flags); }};
  });
}

}  // namespace vrp::client
