// Implements the command `dispatch decide`.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/dispatch_requests.h"
#include "client/commands/named_resource.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "client/support/instance_flags.h"
#include "client/support/sampling_flags.h"
#include "client/support/text.h"
#include "client/support/validators.h"
#include "vrp/v1/dispatch_service.grpc.pb.h"

namespace vrp::client {
namespace {

constexpr char kExamples[] =
    "vrpctl dispatch decide tests/data/RC208.vrp --departure 0 --later 200,400 "
    "--requests-per-departure 30\n"
    "vrpctl dispatch decide tests/data/RC208.vrp --departure 0 --policy greedy --decision 2s\n"
    "echo '{\"id\": \"order-1\", \"customer\": \"7\", \"demand\": 20, \"must_go\": true}' > "
    "requests.jsonl\n"
    "echo '{\"id\": \"order-2\", \"customer\": \"9\", \"window\": [300, 500]}' >> requests.jsonl\n"
    "vrpctl dispatch decide tests/data/RC208.vrp --departure 0 --later 200 --policy lazy "
    "--requests "
    "requests.jsonl\n"
    "vrpctl dispatch decide tests/data/RC208.vrp --departure 0 --later 200,400 --policy lazy "
    "--output json | jq .waiting\n"
    "echo '{\"day\": \"2026-11-02\", \"id\": \"a1\", \"at\": 50, \"customer\": \"7\"}' > "
    "log.jsonl\n"
    "vrpctl datasets upload log.jsonl --name past\n"
    "vrpctl dispatch decide tests/data/RC208.vrp --departure 0 --later 200,400 --log "
    "past";

// Upper bound on the budget of a decision with an iteration limit alone.
constexpr absl::Duration kLongestDecision = absl::Hours(1);

// Bounds the values of one flag.
constexpr int kMaxListed = 10'000;

struct DecideFlags {
  std::string file;
  InstanceFlags input;
  std::string requests;
  double departure = 0;
  std::vector<double> later;
  std::vector<int32_t> available;
  std::string policy;
  std::string model;
  std::optional<int32_t> requests_per_departure;
  std::string log;
  std::optional<double> margin;
  SamplingFlags sampling;
  std::string decision;
  int64_t max_iterations = 0;
  uint64_t seed = 1;
};

// Returns the request without the instance and the requests.
absl::StatusOr<v1::DecideRequest> OptionsOf(const DecideFlags& flags) {
  v1::DecideRequest request;
  request.set_departure(flags.departure);
  request.mutable_later_departures()->Assign(flags.later.begin(), flags.later.end());
  request.mutable_available_vehicles()->Assign(flags.available.begin(), flags.available.end());
  if (!flags.policy.empty()) {
    const absl::StatusOr<v1::DispatchPolicy> policy = ParseDispatchPolicy(flags.policy);
    if (!policy.ok()) return policy.status();
    request.set_policy(*policy);
  }
  if (!flags.model.empty()) {
    const absl::StatusOr<std::string> model = ModelResourceName(flags.model);
    if (!model.ok()) return model.status();
    request.set_model(*model);
  }
  if (flags.sampling.any()) *request.mutable_sampling() = flags.sampling.ToProto();
  if (flags.requests_per_departure.has_value()) {
    request.set_requests_per_departure(*flags.requests_per_departure);
  }
  if (!flags.log.empty()) request.set_request_log(WithCollection("datasets", flags.log));
  if (flags.margin.has_value()) request.set_margin(*flags.margin);
  if (!flags.decision.empty()) {
    const absl::StatusOr<absl::Duration> budget = ParseBudget(flags.decision, "--decision");
    if (!budget.ok()) return budget.status();
    *request.mutable_budget() = ToProtoDuration(*budget);
  }
  request.set_max_iterations(flags.max_iterations);
  request.set_seed(flags.seed);
  return request;
}

// Returns the deadline of the call, which its budget ends before.
absl::Duration TimeoutOf(const v1::DecideRequest& request) {
  const absl::Duration budget = request.has_budget()           ? ToDuration(request.budget())
                                : request.max_iterations() > 0 ? kLongestDecision
                                                               : absl::Seconds(1);
  return budget + kSolveGrace + (MayNameRoads(request.file()) ? kRoadsTimeout : absl::Seconds(0));
}

ExitCode RunDecide(CommandContext& context, const DecideFlags& flags) {
  if (flags.file == "-" && flags.requests == "-") {
    return context.Fail(absl::InvalidArgumentError(
        "FILE and --requests are both standard input; wanted a path for one of them"));
  }
  absl::StatusOr<v1::DecideRequest> request = OptionsOf(flags);
  if (!request.ok()) return context.Fail(request.status());
  absl::StatusOr<v1::InstanceFile> file =
      ReadInstanceFile(flags.file, flags.input, context.environment().in);
  if (!file.ok()) return context.Fail(file.status(), flags.file);
  *request->mutable_file() = *std::move(file);
  if (!flags.requests.empty()) {
    const absl::Status status =
        ReadDispatchRequests(flags.requests, context.environment().in, *request);
    if (!status.ok()) return context.Fail(status, flags.requests);
  }
  const absl::StatusOr<v1::DecideResponse> response =
      context.client().Call(&v1::DispatchService::Stub::Decide, *request, TimeoutOf(*request));
  if (!response.ok()) return context.Fail(response.status(), flags.file);
  context.Print(DecideJson(*response), DecideText(*response));
  return response->feasible() ? kExitDone : kExitNoPlan;
}

void AddStateOptions(CLI::App& command, DecideFlags& flags) {
  AddArgument(command, "FILE", flags.file,
              "Read the depot, vehicles and customers; - for standard input");
  command
      .add_option("--requests", flags.requests,
                  "Read the waiting requests, a JSON object per line; default: all customers")
      ->type_name("REQUESTS.jsonl");
  command
      .add_option("--departure", flags.departure, "Let vehicles leave now at this time or later")
      ->type_name("T")
      ->required();
  command
      .add_option("--later", flags.later,
                  "Decide again for these departures; default: none, so that all requests leave")
      ->type_name("T,T,...")
      ->delimiter(',')
      ->expected(1, kMaxListed)
      ->allow_extra_args(false);
  command
      .add_option("--available", flags.available,
                  "Use this many vehicles of each type, -1: any number; default: the file's")
      ->type_name("N,N,...")
      ->delimiter(',')
      ->expected(1, kMaxListed)
      ->allow_extra_args(false);
}

void AddFutureOptions(CLI::App& command, DecideFlags& flags) {
  CLI::Option* const number =
      command
          .add_option("--requests-per-departure", flags.requests_per_departure,
                      "Draw N requests per later departure from the customers")
          ->type_name("N")
          ->check(WholeNumber(0, std::numeric_limits<int32_t>::max()));
  CLI::Option* const log =
      command.add_option("--log", flags.log, "Draw requests from the days of this uploaded log")
          ->type_name("NAME")
          ->excludes(number);
  command
      .add_option("--margin", flags.margin,
                  "Let vehicles leave this time after a decision (--log); default: 0")
      ->type_name("T")
      ->needs(log);
}

void AddPolicyOptions(CLI::App& command, DecideFlags& flags) {
  command
      .add_option("--policy", flags.policy,
                  "Use greedy, lazy, horizon, sampling or model; default: the daemon's")
      ->type_name("WORD");
  command
      .add_option("--model", flags.model,
                  "Decide by this dispatch model: NAME, NAME@3 or NAME@ALIAS (policy model)")
      ->type_name("NAME");
  AddSamplingOptions(command, flags.sampling);
}

void AddLimitOptions(CLI::App& command, DecideFlags& flags) {
  command.add_option("--decision", flags.decision, "Spend this time on the decision; default: 1s")
      ->type_name("TIME");
  command
      .add_option("--max-iterations", flags.max_iterations,
                  "End each search after N iterations; reproducible if time does not end it")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int64_t>::max()));
  command.add_option("--seed", flags.seed, "Use this seed")
      ->type_name("N")
      ->check(WholeNumber(0, std::numeric_limits<uint64_t>::max()))
      ->capture_default_str();
  AddInstanceOptions(command, flags.input, "auto, vrplib, solomon, json or vroom");
}

}  // namespace

void AddDispatchDecide(CLI::App& dispatch, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(dispatch, "decide",
                 "Plan the routes that leave now; exit code 7 if a request is missed", kExamples);
  const auto flags = std::make_shared<DecideFlags>();
  AddStateOptions(*command, *flags);
  AddPolicyOptions(*command, *flags);
  AddFutureOptions(*command, *flags);
  AddLimitOptions(*command, *flags);
  SetCallback(*command, chosen, flags, RunDecide);
}

}  // namespace vrp::client
