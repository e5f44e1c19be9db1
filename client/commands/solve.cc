#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/solve_tally.h"
#include "client/files.h"
#include "client/flags.h"
#include "client/instance_source.h"
#include "client/output/json.h"
#include "client/output/svg_plot.h"
#include "client/output/tables.h"
#include "client/start_plan.h"
#include "client/text.h"
#include "client/validators.h"

namespace vrp::client {
namespace {

constexpr char kExamples[] =
    "vrpctl solve city.vrp --budget 2s\n"
    "vrpctl solve city.vrp --budget 1m --stream\n"
    "vrpctl solve city.vrp --model ptrnet --strategy greedy --plot city.svg --solution city.sol\n"
    "vrpctl solve vans.json --output vroom --plot vans.geojson\n"
    "vrpctl solve today.json --start yesterday.json\n"
    "vrpctl solve city.vrp --start city.sol --freeze 2\n"
    "vrpctl solve set.jsonl --model ptrnet@3 --output json | tail -1\n"
    "vrpctl generate --problem cvrp --count 10 | vrpctl solve -";

// What a daemon that works answers within, after the budget: the request's way in, its queue, the
// answer's way back.
constexpr absl::Duration kGrace = absl::Seconds(60);

struct SolveFlags {
  std::vector<std::string> files;
  std::string model;
  std::string strategy = "auto";
  std::string budget = "500ms";
  int32_t threads = 1;
  uint64_t seed = 1;
  int32_t width = 0;
  bool stream = false;
  std::string start;
  int32_t freeze = 0;
  std::string solution;
  std::string plot;
  std::string format = "auto";
};

bool PlotsGeoJson(const SolveFlags& flags) { return absl::EndsWith(flags.plot, ".geojson"); }

absl::StatusOr<v1::SolveRequest> MakeRequest(const SolveFlags& flags, bool vroom) {
  v1::SolveRequest request;
  const absl::StatusOr<absl::Duration> budget = ParseBudget(flags.budget);
  if (!budget.ok()) return budget.status();
  *request.mutable_budget() = ToProtoDuration(*budget);
  const absl::StatusOr<v1::Strategy> strategy = ParseStrategy(flags.strategy);
  if (!strategy.ok()) return strategy.status();
  request.set_strategy(*strategy);
  if (!flags.model.empty()) {
    const absl::StatusOr<std::string> model = ModelResourceName(flags.model);
    if (!model.ok()) return model.status();
    request.set_model(*model);
  }
  request.set_threads(flags.threads);
  request.set_seed(flags.seed);
  request.set_width(flags.width);
  request.set_render_solution_file(!flags.solution.empty());
  if (vroom) request.add_render(v1::SOLUTION_FORMAT_VROOM);
  if (PlotsGeoJson(flags)) request.add_render(v1::SOLUTION_FORMAT_GEOJSON);
  return request;
}

// What the daemon made of the plan in that form.
absl::StatusOr<std::string> RenderedAs(const v1::SolveResponse& response,
                                       v1::SolutionFormat format) {
  for (const v1::SolutionFile& file : response.rendered()) {
    if (file.format() == format) return file.content();
  }
  return absl::InternalError(
      absl::StrCat("the daemon gave no ", v1::SolutionFormat_Name(format), " back"));
}

absl::Status ReadStart(const SolveFlags& flags, std::istream& in, v1::SolveRequest& request) {
  absl::StatusOr<std::string> content = ReadInput(flags.start, in);
  if (!content.ok()) return content.status();
  request.set_frozen_stops(flags.freeze);
  return SetStartPlan(flags.start, *std::move(content), request);
}

constexpr char kForOne[] = "--start, --solution and --plot are for one instance";

bool IsForOne(const SolveFlags& flags) {
  return !flags.start.empty() || !flags.solution.empty() || !flags.plot.empty();
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
          InstanceSource::Open(path, flags_.format, context_.environment().in);
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
    const absl::Duration timeout = ToDuration(request_.budget()) + kGrace;
    const absl::StatusOr<v1::SolveResponse> response =
        flags_.stream ? Stream(timeout) : context_.client().Solve(request_, timeout);
    if (!response.ok()) return context_.Fail(response.status(), where);
    if (context_.environment().interrupt.triggered()) return kExitInterrupted;
    tally.Add(*response);
    if (!response->feasible() || !response->solution().unserved().empty()) no_plan_ = true;
    const absl::Status printed = Print(*response);
    if (!printed.ok()) return context_.Fail(printed, where);
    const absl::Status written = WriteFiles(*response);
    if (!written.ok()) Note(context_.Fail(written, where));
    return kExitDone;
  }

  absl::Status Print(const v1::SolveResponse& response) {
    if (context_.json()) {
      WriteJsonLine(context_.out(), SolveJson(response));
    } else if (context_.vroom()) {
      const absl::StatusOr<std::string> text = RenderedAs(response, v1::SOLUTION_FORMAT_VROOM);
      if (!text.ok()) return text.status();
      context_.out() << *text << std::endl;
    } else {
      context_.out() << SolveText(response) << std::endl;
    }
    return absl::OkStatus();
  }

  // Prints the improvements, but where VROOM's output is wanted, which knows none; gives the
  // answer.
  absl::StatusOr<v1::SolveResponse> Stream(absl::Duration timeout) {
    absl::StatusOr<v1::SolveResponse> answer =
        absl::InternalError("the daemon ended the stream without an answer");
    const absl::Status status = context_.client().StreamSolve(
        request_, timeout, [&](const v1::StreamSolveResponse& message) {
          if (message.has_answer()) {
            answer = message.answer();
          } else if (message.has_improvement() && context_.json()) {
            WriteJsonLine(context_.out(), ImprovementJson(message.improvement()));
          } else if (message.has_improvement() && !context_.vroom()) {
            context_.out() << ImprovementText(message.improvement()) << std::flush;
          }
        });
    if (!status.ok()) return status;
    return answer;
  }

  absl::Status WriteFiles(const v1::SolveResponse& response) {
    if (!flags_.solution.empty()) {
      if (response.solution_file().empty()) {
        return absl::InternalError("--solution: the daemon gave no solution file back");
      }
      const absl::Status status = WriteFile(flags_.solution, response.solution_file());
      if (!status.ok()) return status;
    }
    if (flags_.plot.empty()) return absl::OkStatus();
    const absl::StatusOr<std::string> picture =
        PlotsGeoJson(flags_) ? RenderedAs(response, v1::SOLUTION_FORMAT_GEOJSON)
                             : PlotSvg(response);
    return picture.ok() ? WriteFile(flags_.plot, *picture) : picture.status();
  }

  void PrintSummary(const SolveTally& tally, const std::string& path, absl::Duration elapsed) {
    if (context_.vroom()) return;
    if (context_.json()) {
      WriteJsonLine(context_.out(), tally.Summary(path, elapsed));
    } else {
      context_.out() << tally.Text(path, elapsed) << std::flush;
    }
  }

  CommandContext& context_;
  const SolveFlags& flags_;
  v1::SolveRequest request_;  // all but the instance
  ExitCode worst_ = kExitDone;
  bool no_plan_ = false;
};

ExitCode RunSolve(CommandContext& context, const SolveFlags& flags) {
  absl::StatusOr<v1::SolveRequest> request = MakeRequest(flags, context.vroom());
  if (!request.ok()) return context.Fail(request.status());
  if (flags.files.size() > 1 && IsForOne(flags)) {
    return context.Fail(absl::InvalidArgumentError(
        absl::StrCat(kForOne, ", got ", flags.files.size(), " files; call once for each")));
  }
  if (flags.start.empty() && flags.freeze > 0) {
    return context.Fail(absl::InvalidArgumentError("--freeze: needs a plan, --start FILE"));
  }
  if (!flags.start.empty()) {
    const absl::Status status = ReadStart(flags, context.environment().in, *request);
    if (!status.ok()) return context.Fail(status, flags.start);
  }
  return SolveRun(context, flags, *std::move(request)).Run();
}

void AddOptions(CLI::App& command, SolveFlags& flags) {
  command
      .add_option("FILE", flags.files,
                  "Instances: CVRPLIB, TSPLIB, Solomon, JSON, VROOM, .jsonl; - for standard input")
      ->type_name("")
      ->required();
  command
      .add_option("--model", flags.model,
                  "NAME, NAME@3 or models/NAME/versions/3; default: none, search alone")
      ->type_name("MODEL");
  command
      .add_option("--strategy", flags.strategy, "auto, greedy, sample, beam, multi_start or search")
      ->type_name("WORD")
      ->capture_default_str();
  command.add_option("--budget", flags.budget, "Time for each instance: 500ms, 2s, 1m")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_option("--threads", flags.threads, "Searches side by side")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int32_t>::max()))
      ->capture_default_str();
  command
      .add_option("--seed", flags.seed,
                  "The same seed gives the same answer with one thread where time cut nothing off")
      ->type_name("N")
      ->check(WholeNumber(0, std::numeric_limits<uint64_t>::max()))
      ->capture_default_str();
  command.add_option("--width", flags.width, "Samples or beams; default: the daemon's")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int32_t>::max()));
  command
      .add_option("--start", flags.start,
                  "Start from a plan: an answer in JSON, or a .sol; never answers worse")
      ->type_name("PLAN");
  command
      .add_option("--freeze", flags.freeze,
                  "With --start: the first N stops of each route stay as they are")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int32_t>::max()));
}

void AddOutputs(CLI::App& command, SolveFlags& flags) {
  command.add_flag("--stream", flags.stream, "Print each better plan when it is found");
  command.add_option("--solution", flags.solution, "Write the plan in CVRPLIB's .sol form")
      ->type_name("OUT.sol");
  command
      .add_option(
          "--plot", flags.plot,
          "Write a picture of the plan; OUT.geojson: of longitudes and latitudes, as GeoJSON")
      ->type_name("OUT.svg");
  command
      .add_option("--format", flags.format, "auto, vrplib, tsplib, solomon, json, vroom or jsonl")
      ->type_name("WORD")
      ->capture_default_str();
}

}  // namespace

void AddSolve(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      app, "solve", "Solve instances; exit code 7 where no feasible plan serves all", kExamples);
  const auto flags = std::make_shared<SolveFlags>();
  AddOptions(*command, *flags);
  AddOutputs(*command, *flags);
  command->callback([flags, &chosen] {
    chosen = {"solve", [flags](CommandContext& context) { return RunSolve(context, *flags); }};
  });
}

}  // namespace vrp::client
