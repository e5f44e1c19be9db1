#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/solve_batch.h"
#include "client/commands/solve_flags.h"
#include "client/commands/solve_job.h"
#include "client/commands/solve_output.h"
#include "client/commands/start_plan.h"
#include "client/output/json.h"
#include "client/output/solve_tally.h"
#include "client/output/tables.h"
#include "client/support/files.h"
#include "client/support/flags.h"
#include "client/support/instance_source.h"
#include "client/support/text.h"
#include "client/support/validators.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp::client {
namespace {

constexpr char kSolveExamples[] =
    "vrpctl solve city.vrp\n"
    "vrpctl solve city.vrp --budget 2s\n"
    "vrpctl solve city.vrp --budget 10s --stop-after 1s --target 375\n"
    "vrpctl solve city.vrp --budget 1m --stream\n"
    "vrpctl solve city.vrp --budget 2h --job  # survives this terminal and restarts\n"
    "vrpctl solve city.vrp --model gt-mixed --strategy multi_start --plot city.svg --solution "
    "city.sol\n"
    "vrpctl solve today.json --model drivers --habit-weight 0.3  # as your drivers drive\n"
    "vrpctl solve today.json --start similar --history routes  # from the most similar past day\n"
    "vrpctl solve city.vrp --start city.sol --freeze 2\n"
    "vrpctl solve vans.json --output vroom --plot vans.geojson\n"
    "vrpctl solve vans.json --roads car --plot vans.svg  # streets of a road network\n"
    "vrpctl solve today.json --output json > today.plan.json\n"
    "vrpctl solve today.json --start today.plan.json\n"
    "vrpctl solve pr107.tsp --start pr107.tour\n"
    "vrpctl solve C101.txt --objective vehicles_then_distance --metric exact\n"
    "vrpctl generate --problem cvrp --count 10 --out set.jsonl\n"
    "vrpctl solve set.jsonl --model gt-mixed --strategy greedy --output json | tail -1\n"
    "vrpctl generate --problem cvrp --count 10 | vrpctl solve -\n"
    "vrpctl solve set.jsonl --answers solved --budget 20ms  # continues after any interruption";

// Upper bound on the budget that a daemon grants by StoppingCriteria.automatic.
constexpr absl::Duration kMaxAutomaticBudget = absl::Minutes(1);

absl::Status ReadStart(const SolveFlags& flags, std::istream& in, v1::SolveRequest& request) {
  absl::StatusOr<std::string> content = ReadInput(flags.start, in);
  if (!content.ok()) return content.status();
  request.set_frozen_stops(flags.freeze);
  return SetStartPlan(flags.start, *std::move(content), request);
}

// Whether every further instance would fail in the same way. A refusal may concern only one
// instance, which the network cannot complete.
bool StopsRun(ExitCode code) {
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
        RecordExitCode(context_.Fail(source.status(), path));
        continue;
      }
      if (source->is_json_lines() && IsForOneInstance(flags_)) {
        return context_.Fail(
            absl::InvalidArgumentError(absl::StrCat(
                kForOneInstance, ", got a file of several; write that instance to its own file")),
            path);
      }
      if (!SolveAll(*source, path)) break;
    }
    return error_code_ != kExitDone ? error_code_ : any_infeasible_ ? kExitNoPlan : kExitDone;
  }

 private:
  // Records an exit code. Keeps the first error's code, but an interrupt's code always wins. Errors
  // take precedence over infeasible plans.
  void RecordExitCode(ExitCode code) {
    if (error_code_ == kExitDone || code == kExitInterrupted) error_code_ = code;
  }

  // Solves all instances of a file. Returns whether to continue with the next file.
  bool SolveAll(InstanceSource& source, const std::string& path) {
    const absl::Time start = context_.environment().now();
    SolveTally tally;
    bool proceed = true;
    while (proceed) {
      absl::StatusOr<std::optional<v1::InstanceFile>> file = source.Next();
      if (file.ok() && !file->has_value()) break;
      const ExitCode code = file.ok() ? SolveOne(**std::move(file), source.where(), tally)
                                      : context_.Fail(file.status(), source.where());
      if (code == kExitDone) continue;
      tally.AddFailure();
      RecordExitCode(code);
      proceed = !StopsRun(code);
    }
    if (source.is_json_lines() && error_code_ != kExitInterrupted) {
      PrintSummary(tally, path, context_.environment().now() - start);
    }
    return proceed;
  }

  // Solves one instance. Returns kExitDone if the response was printed.
  ExitCode SolveOne(v1::InstanceFile file, const std::string& where, SolveTally& tally) {
    *request_.mutable_file() = std::move(file);
    request_.set_include_geometry(WantsGeometry(flags_, request_.file()));
    const absl::Duration timeout = Timeout();
    const absl::StatusOr<v1::SolveResponse> response =
        flags_.stream ? Stream(timeout)
                      : context_.client().Call(&v1::SolverService::Stub::Solve, request_, timeout);
    if (!response.ok()) return context_.Fail(response.status(), where);
    if (context_.environment().interrupt.triggered()) return kExitInterrupted;
    tally.Add(*response);
    if (!response->feasible()) any_infeasible_ = true;
    const absl::Status printed =
        PrintSolveResponse(context_, *response, flags_.input.any_override());
    if (!printed.ok()) return context_.Fail(printed, where);
    const absl::Status written = WritePlanFiles(flags_.plan_files, *response);
    if (!written.ok()) RecordExitCode(context_.Fail(written, where));
    return kExitDone;
  }

  absl::Duration Timeout() const {
    const absl::Duration grace =
        MayNameRoads(request_.file()) ? kSolveGrace + kRoadsTimeout : kSolveGrace;
    if (request_.has_budget()) return ToDuration(request_.budget()) + grace;
    return request_.stop().automatic() ? kMaxAutomaticBudget + grace : absl::InfiniteDuration();
  }

  // Prints the improvements of a streamed solve as a table or JSON, and returns its response. After
  // Ctrl-C, a table shows the best plan so far; JSON has printed this plan already.
  absl::StatusOr<v1::SolveResponse> Stream(absl::Duration timeout) {
    absl::StatusOr<v1::SolveResponse> response =
        absl::InternalError("the daemon ended the stream without an answer; solve again");
    v1::Solution best;
    const absl::Status status = context_.client().Stream(
        &v1::SolverService::Stub::StreamSolve, request_,
        [&](const v1::StreamSolveResponse& message) {
          if (message.has_response()) {
            response = message.response();
          } else if (message.has_improvement() && context_.json()) {
            WriteJsonLine(context_.out(), ImprovementJson(message.improvement()));
          } else if (message.has_improvement() && context_.table()) {
            context_.out() << ImprovementText(message.improvement()) << std::flush;
            best = message.improvement().solution();
          }
          return true;
        },
        timeout);
    if (context_.environment().interrupt.triggered() && best.routes_size() > 0) {
      context_.out() << PlanText(best) << std::flush;
    }
    if (!status.ok()) return status;
    return response;
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
  v1::SolveRequest request_;  // with the current instance as `file`
  ExitCode error_code_ = kExitDone;
  bool any_infeasible_ = false;
};

// Returns the file's instance. Returns kInvalidArgument for a file of several.
absl::StatusOr<v1::InstanceFile> OnlyInstance(CommandContext& context, const SolveFlags& flags) {
  absl::StatusOr<InstanceSource> source =
      InstanceSource::Open(flags.files[0], flags.input, context.environment().in);
  if (!source.ok()) return source.status();
  if (source->is_json_lines()) {
    return absl::InvalidArgumentError(absl::StrCat(
        kForOneInstance, ", got a file of several; write that instance to its own file"));
  }
  absl::StatusOr<std::optional<v1::InstanceFile>> file = source->Next();
  if (!file.ok()) return file.status();
  return **std::move(file);
}

ExitCode RunAsJob(CommandContext& context, const SolveFlags& flags, v1::SolveRequest request) {
  absl::StatusOr<v1::InstanceFile> file = OnlyInstance(context, flags);
  if (!file.ok()) return context.Fail(file.status(), flags.files[0]);
  *request.mutable_file() = *std::move(file);
  request.set_include_geometry(WantsGeometry(flags, request.file()));
  return RunSolveJob(context, request,
                     {.where = flags.files[0],
                      .request_id = flags.request_id,
                      .detach = flags.detach,
                      .files = flags.plan_files});
}

ExitCode RunSolve(CommandContext& context, const SolveFlags& flags) {
  const absl::Status checked = CheckSolveFlags(flags, context.rendered());
  if (!checked.ok()) return context.Fail(checked);
  absl::StatusOr<v1::SolveRequest> request = MakeSolveRequest(flags, context.rendered());
  if (!request.ok()) return context.Fail(request.status());
  if (!flags.start.empty() && !StartsSimilar(flags)) {
    const absl::Status status = ReadStart(flags, context.environment().in, *request);
    if (!status.ok()) return context.Fail(status, flags.start);
  }
  if (!flags.answers.empty()) return RunSolveBatch(context, flags, *std::move(request));
  if (context.connections().size() > 1) {
    return context.Fail(
        absl::InvalidArgumentError(absl::StrCat("--remote: got ", context.connections().size(),
                                                " addresses, wanted one without --answers")));
  }
  return flags.job ? RunAsJob(context, flags, *std::move(request))
                   : SolveRun(context, flags, *std::move(request)).Run();
}

}  // namespace

void AddSolve(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      app, "solve", "Solve instances; exit code 7 without a feasible plan that serves all",
      kSolveExamples);
  const auto flags = std::make_shared<SolveFlags>();
  AddSolveFlags(*command, *flags);
  SetCallback(*command, chosen,
              [flags, seed = command->get_option("--seed")](CommandContext& context) {
                flags->seed_given = seed->count() > 0;
                return RunSolve(context, *flags);
              });
}

}  // namespace vrp::client
