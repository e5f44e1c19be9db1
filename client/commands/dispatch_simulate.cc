// Implements the command `dispatch simulate`.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/commands/command.h"
#include "client/commands/follow_simulation.h"
#include "client/commands/named_resource.h"
#include "client/commands/submit.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/files.h"
#include "client/support/flags.h"
#include "client/support/instance_flags.h"
#include "client/support/sampling_flags.h"
#include "client/support/text.h"
#include "client/support/validators.h"
#include "vrp/v1/simulation_service.grpc.pb.h"

namespace vrp::client {
namespace {

constexpr char kSimulateExamples[] =
    "vrpctl dispatch simulate tests/data/RC208.vrp --policy greedy,lazy --days 2 --epoch 200 "
    "--margin 100 --requests-per-epoch 20 --decision 100ms --hindsight 1s\n"
    "vrpctl dispatch simulate tests/data/RC208.vrp --policy greedy --days 1 --epoch 200 --margin "
    "100 --hindsight 1s --decision 100ms --output json | jq .gap_percent\n"
    "vrpctl dispatch simulate tests/data/RC208.vrp --policy lazy --days 2 --epoch 200 --margin 100 "
    "--decision 100ms --hindsight 1s --plot gaps.svg\n"
    "echo '{\"day\": \"2026-11-02\", \"id\": \"a1\", \"at\": 0, \"customer\": \"7\"}' > log.jsonl\n"
    "vrpctl dispatch simulate log.jsonl --site tests/data/RC208.vrp --policy greedy --epoch 200 "
    "--margin 0 --decision 100ms --hindsight 1s\n"
    "vrpctl datasets upload log.jsonl --name history\n"
    "vrpctl dispatch simulate datasets/history --site tests/data/RC208.vrp --policy greedy --epoch "
    "200 --margin 0 --decision 100ms --hindsight 1s";

struct SimulateFlags {
  std::vector<std::string> files;
  std::string site;
  InstanceFlags input;
  std::vector<std::string> policies;
  std::vector<std::string> models;
  std::optional<int32_t> days;
  std::string decision;
  std::string hindsight;
  int64_t max_iterations = 0;
  std::optional<double> epoch;
  std::optional<double> margin;
  std::optional<int32_t> requests_per_epoch;
  std::vector<int32_t> vehicles;
  SamplingFlags sampling;
  uint64_t seed = 1;
  std::string request_id;
  bool detach = false;
  std::string plot;
};

// Adds a policy for each model; the name of several is that of the model.
absl::Status AddModelPolicies(const std::vector<std::string>& models, v1::SimulationSpec& spec) {
  for (const std::string& text : models) {
    const absl::StatusOr<std::string> model = ModelResourceName(text);
    if (!model.ok()) return model.status();
    v1::SimulationPolicy& policy = *spec.add_policies();
    policy.set_policy(v1::DISPATCH_POLICY_MODEL);
    policy.set_model(*model);
    if (models.size() > 1) policy.set_name(text);
  }
  if (models.empty()) spec.add_policies()->set_policy(v1::DISPATCH_POLICY_MODEL);
  return absl::OkStatus();
}

// Returns an error unless the policy of the given flags is among `words`.
absl::Status CheckUsed(absl::string_view flags, absl::string_view policy,
                       const std::vector<std::string>& words) {
  if (absl::c_linear_search(words, policy)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(flags, ": given, but --policy does not name ",
                                                 policy, "; add it, or omit the flag"));
}

// Returns the policies of --policy, or else those that the other flags are for.
std::vector<std::string> PolicyWords(const SimulateFlags& flags) {
  std::vector<std::string> words = flags.policies;
  if (words.empty() && !flags.models.empty()) words.emplace_back("model");
  if (words.empty() && flags.sampling.any()) words.emplace_back("sampling");
  return words;
}

absl::Status AddPolicies(const SimulateFlags& flags, v1::SimulationSpec& spec) {
  const std::vector<std::string> words = PolicyWords(flags);
  absl::Status status;
  if (!flags.models.empty()) status.Update(CheckUsed("--model", "model", words));
  if (flags.sampling.any()) {
    status.Update(CheckUsed("--rounds, --scenarios, --lookahead", "sampling", words));
  }
  for (const std::string& word : words) {
    const absl::StatusOr<v1::DispatchPolicy> parsed = ParseDispatchPolicy(word);
    status.Update(parsed.status());
    if (!status.ok()) return status;
    if (*parsed == v1::DISPATCH_POLICY_MODEL) {
      status.Update(AddModelPolicies(flags.models, spec));
      continue;
    }
    v1::SimulationPolicy& policy = *spec.add_policies();
    policy.set_policy(*parsed);
    if (*parsed == v1::DISPATCH_POLICY_SAMPLING && flags.sampling.any()) {
      *policy.mutable_sampling() = flags.sampling.ToProto();
    }
  }
  return status;
}

absl::Status AddSimulationTimes(const SimulateFlags& flags, v1::SimulationSpec& spec) {
  if (!flags.decision.empty()) {
    const absl::StatusOr<absl::Duration> time = ParseBudget(flags.decision, "--decision");
    if (!time.ok()) return time.status();
    *spec.mutable_decision_time() = ToProtoDuration(*time);
  }
  if (flags.hindsight == "0") {
    spec.mutable_hindsight_time();
  } else if (!flags.hindsight.empty()) {
    const absl::StatusOr<absl::Duration> time = ParseBudget(flags.hindsight, "--hindsight");
    if (!time.ok()) return time.status();
    *spec.mutable_hindsight_time() = ToProtoDuration(*time);
  }
  if (flags.epoch.has_value()) spec.set_epoch(*flags.epoch);
  if (flags.margin.has_value()) spec.set_margin(*flags.margin);
  return absl::OkStatus();
}

// Returns the specification without sites and request log.
absl::StatusOr<v1::SimulationSpec> SimulationSpecOf(const SimulateFlags& flags) {
  v1::SimulationSpec spec;
  absl::Status status = AddPolicies(flags, spec);
  status.Update(AddSimulationTimes(flags, spec));
  if (!status.ok()) return status;
  if (flags.days.has_value()) spec.set_days(*flags.days);
  if (flags.requests_per_epoch.has_value()) spec.set_requests_per_epoch(*flags.requests_per_epoch);
  spec.set_max_iterations(flags.max_iterations);
  spec.mutable_vehicles()->Assign(flags.vehicles.begin(), flags.vehicles.end());
  spec.set_seed(flags.seed);
  if (flags.site.empty()) spec.set_first_seed(flags.seed);
  return spec;
}

// Adds a site. `where` becomes the path of the file that is read last.
absl::Status AddSimulationSite(CommandContext& context, const SimulateFlags& flags,
                               const std::string& path, v1::SimulationSpec& spec,
                               std::string& where) {
  where = path;
  absl::StatusOr<v1::InstanceFile> file =
      ReadInstanceFile(path, flags.input, context.environment().in);
  if (!file.ok()) return file.status();
  *spec.add_sites()->mutable_file() = *std::move(file);
  return absl::OkStatus();
}

absl::Status AddSimulationFiles(CommandContext& context, const SimulateFlags& flags,
                                v1::SimulationSpec& spec, std::string& where) {
  if (flags.site.empty()) {
    for (const std::string& path : flags.files) {
      const absl::Status status = AddSimulationSite(context, flags, path, spec, where);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  if (flags.files.size() != 1) {
    return absl::InvalidArgumentError("--site: wanted one FILE, the request log of the site");
  }
  const absl::Status status = AddSimulationSite(context, flags, flags.site, spec, where);
  if (!status.ok()) return status;
  where = flags.files.front();
  if (IsDatasetName(where)) {
    spec.mutable_request_log()->set_dataset(where);
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> log = ReadInput(where, context.environment().in);
  if (!log.ok()) return log.status();
  spec.mutable_request_log()->set_name(BaseName(where));
  spec.mutable_request_log()->set_content(*std::move(log));
  return absl::OkStatus();
}

ExitCode RunSimulate(CommandContext& context, const SimulateFlags& flags) {
  absl::StatusOr<v1::SimulationSpec> spec = SimulationSpecOf(flags);
  if (!spec.ok()) return context.Fail(spec.status());
  std::string where;
  const absl::Status read = AddSimulationFiles(context, flags, *spec, where);
  if (!read.ok()) return context.Fail(read, where);
  v1::CreateSimulationRequest create;
  *create.mutable_spec() = *std::move(spec);
  create.set_request_id(flags.request_id.empty() ? NewRequestId() : flags.request_id);
  const absl::StatusOr<v1::Simulation> simulation = Submit(context, [&] {
    return context.client().Call(&v1::SimulationService::Stub::CreateSimulation, create,
                                 kInstanceTimeout);
  });
  if (!simulation.ok()) {
    WarnIfSubmissionUnknown(context, create.request_id());
    return context.Fail(simulation.status());
  }
  if (flags.detach && context.json()) WriteJsonLine(context.out(), SimulationJson(*simulation));
  if (!context.json()) {
    context.out() << simulation->name() << " "
                  << StateText(simulation->state(), simulation->queue_position()) << std::endl;
  }
  if (flags.detach) return kExitDone;
  return FollowSimulation(context, {.name = simulation->name(), .was_reachable = true},
                          {.plot = flags.plot, .only_days = true});
}

void AddDayOptions(CLI::App& command, SimulateFlags& flags) {
  const auto count = WholeNumber(0, std::numeric_limits<int32_t>::max());
  command
      .add_option("FILE", flags.files,
                  "Draw days from these instances; with --site, replay a log or datasets/NAME")
      ->required();
  command.add_option("--site", flags.site, "Read the depot, vehicles and customers of the log")
      ->type_name("FILE");
  command
      .add_option("--days", flags.days,
                  "Replay N days of each file; default: 5, or all days of the log")
      ->type_name("N")
      ->check(count);
  command.add_option("--epoch", flags.epoch, "Decide at multiples of this time; default: 3600")
      ->type_name("T");
  command
      .add_option("--margin", flags.margin,
                  "Let vehicles leave this time after a decision; default: 3600")
      ->type_name("T");
  command
      .add_option("--requests-per-epoch", flags.requests_per_epoch,
                  "Draw N requests for each decision; default: 100")
      ->type_name("N")
      ->check(count);
  command
      .add_option("--vehicles", flags.vehicles,
                  "Use this many vehicles of each type, -1: any number (default)")
      ->type_name("N,N,...")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void AddSimulatedPolicyOptions(CLI::App& command, SimulateFlags& flags) {
  command
      .add_option("--policy", flags.policies,
                  "Simulate greedy, lazy, horizon, sampling, model; default: the daemon's")
      ->type_name("WORD,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--model", flags.models,
                  "Simulate these dispatch models: NAME, NAME@3 or NAME@ALIAS (policy model)")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  AddSamplingOptions(command, flags.sampling);
}

void AddSimulationLimitOptions(CLI::App& command, SimulateFlags& flags) {
  command.add_option("--decision", flags.decision, "Spend this time on a decision; default: 1s")
      ->type_name("TIME");
  command
      .add_option("--hindsight", flags.hindsight,
                  "Spend this time on a day's plan in hindsight, 0: none; default: 10s")
      ->type_name("TIME");
  command
      .add_option("--max-iterations", flags.max_iterations,
                  "End each search after N iterations; reproducible if time does not end it")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int64_t>::max()));
  command
      .add_option("--seed", flags.seed, "Use this seed for the policies and the first day drawn")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<uint64_t>::max()))
      ->capture_default_str();
}

}  // namespace

void AddDispatchSimulate(CLI::App& dispatch, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      dispatch, "simulate", "Replay days and compare policies with hindsight", kSimulateExamples);
  const auto flags = std::make_shared<SimulateFlags>();
  AddDayOptions(*command, *flags);
  AddSimulatedPolicyOptions(*command, *flags);
  AddSimulationLimitOptions(*command, *flags);
  AddInstanceOptions(*command, flags->input, "auto, vrplib, solomon, json or vroom");
  command->add_option("--plot", flags->plot, "Draw the gaps of the days")->type_name("FILE.svg");
  command->add_flag("--detach", flags->detach, "Return as soon as the simulation is created");
  command
      ->add_option("--request-id", flags->request_id,
                   "Return the simulation of this id if it exists already")
      ->type_name("ID");
  SetCallback(*command, chosen, flags, RunSimulate);
}

}  // namespace vrp::client
