// Implements the command `bench`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/commands/command.h"
#include "client/commands/stop_flags.h"
#include "client/load/load_run.h"
#include "client/output/json.h"
#include "client/output/quantities.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "client/support/instance_source.h"
#include "client/support/text.h"
#include "client/support/validators.h"
#include "vrp/v1/dataset_service.grpc.pb.h"

namespace vrp::client {
namespace {

constexpr char kBenchExamples[] =
    "vrpctl bench city.vrp --clients 1 --clients 8 --clients 32\n"
    "vrpctl bench --generate cvrp100:64 --budget 50ms --clients 4 --duration 30s --output json\n"
    "vrpctl bench --generate cvrp100:64 --budget 50ms --clients 64 --rate 20 --rate 40  # open "
    "loop";

constexpr int kMaxClients = 1000;
constexpr size_t kMaxInstances = 10'000;
constexpr double kQuantiles[] = {0.5, 0.9, 0.95, 0.99};

struct BenchFlags {
  std::string file;
  std::string generate;
  InstanceFlags input;
  std::string model;
  std::string strategy = "auto";
  std::string budget = "50ms";
  StopFlags stop;
  int32_t threads = 1;
  std::vector<int32_t> clients = {1};
  std::vector<double> rates;
  std::string duration = "10s";
  std::string warm_up = "1s";
  std::string timeout;
  uint64_t seed = 1;
};

absl::StatusOr<v1::SolveRequest> MakeBenchRequest(const BenchFlags& flags) {
  absl::StatusOr<v1::SolveRequest> request =
      SolveRequestOf(flags.strategy, flags.model, flags.threads);
  if (!request.ok()) return request;
  const absl::StatusOr<absl::Duration> budget = ParseBudget(flags.budget);
  if (!budget.ok()) return budget.status();
  *request->mutable_budget() = ToProtoDuration(*budget);
  const absl::Status stop = SetStop(flags.stop, *request);
  if (!stop.ok()) return stop;
  return request;
}

absl::Status ReadFiles(CommandContext& context, const BenchFlags& flags,
                       std::vector<v1::InstanceFile>& files) {
  absl::StatusOr<InstanceSource> source =
      InstanceSource::Open(flags.file, flags.input, context.environment().in);
  if (!source.ok()) return source.status();
  while (files.size() <= kMaxInstances) {
    absl::StatusOr<std::optional<v1::InstanceFile>> file = source->Next();
    if (!file.ok()) return file.status();
    if (!file->has_value()) break;
    files.push_back(**std::move(file));
  }
  return files.empty() ? absl::InvalidArgumentError("holds no instance, wanted at least one")
                       : absl::OkStatus();
}

absl::Status GenerateFiles(CommandContext& context, const BenchFlags& flags,
                           std::vector<v1::InstanceFile>& files) {
  const absl::StatusOr<v1::GenerateInstancesRequest> set = ParseGeneratedSet(flags.generate);
  if (!set.ok()) return set.status();
  const absl::StatusOr<v1::InstanceFile> settings = EmptyInstanceFile(flags.input);
  if (!settings.ok()) return settings.status();
  return context.client().Stream(&v1::DatasetService::Stub::GenerateInstances, *set,
                                 [&](const v1::GenerateInstancesResponse& response) {
                                   v1::InstanceFile& file = files.emplace_back(response.file());
                                   file.set_objective(settings->objective());
                                   file.set_metric(settings->metric());
                                   return files.size() <= kMaxInstances;
                                 });
}

// Removes the instances beyond the limit, and says so.
void LimitFiles(CommandContext& context, std::vector<v1::InstanceFile>& files) {
  if (files.size() <= kMaxInstances) return;
  files.resize(kMaxInstances);
  context.err() << "vrpctl: bench: sends only the first " << kMaxInstances
                << " instances and leaves out the others" << std::endl;
}

// Returns a request for each instance, each with its own seed.
absl::StatusOr<std::vector<v1::SolveRequest>> MakeBenchRequests(CommandContext& context,
                                                                const BenchFlags& flags) {
  absl::StatusOr<v1::SolveRequest> request = MakeBenchRequest(flags);
  if (!request.ok()) return request.status();
  std::vector<v1::InstanceFile> files;
  const absl::Status status = flags.generate.empty() ? ReadFiles(context, flags, files)
                                                     : GenerateFiles(context, flags, files);
  if (!status.ok()) return status;
  LimitFiles(context, files);
  std::vector<v1::SolveRequest> requests;
  for (v1::InstanceFile& file : files) {
    request->set_seed(flags.seed + requests.size());
    *request->mutable_file() = std::move(file);
    requests.push_back(*request);
  }
  return requests;
}

std::string PercentileName(double quantile) { return absl::StrFormat("p%.0f", 100 * quantile); }

Json LatencyJson(const Latencies& latencies) {
  if (latencies.empty()) return Json();
  Json json = {{"mean", JsonNumber(absl::ToDoubleMilliseconds(latencies.Mean()))}};
  for (const double quantile : kQuantiles) {
    json[PercentileName(quantile)] =
        JsonNumber(absl::ToDoubleMilliseconds(latencies.Quantile(quantile)));
  }
  json["max"] = JsonNumber(absl::ToDoubleMilliseconds(latencies.Quantile(1)));
  return json;
}

double ResponsesPerSecond(const LoadResult& result) {
  return static_cast<double>(result.responses) /
         std::max(absl::ToDoubleSeconds(result.elapsed), 1e-9);
}

Json ResultJson(const LoadOptions& options, const LoadResult& result) {
  int64_t refused = 0;
  Json refusals = Json::object();
  for (const auto& [code, count] : result.refusals) {
    refusals[absl::StatusCodeToString(code)] = count;
    refused += count;
  }
  return {{"loop", options.rate > 0 ? "open" : "closed"},
          {"clients", options.clients},
          {"rate", options.rate > 0 ? JsonNumber(options.rate) : Json()},
          {"elapsed_ms", JsonNumber(absl::ToDoubleMilliseconds(result.elapsed))},
          {"answered", result.responses},
          {"refused", refused},
          {"refusals", std::move(refusals)},
          {"answers_per_second", JsonNumber(ResponsesPerSecond(result))},
          {"latency_ms", LatencyJson(result.response_latencies)},
          {"refusal_latency_ms", LatencyJson(result.refusal_latencies)},
          {"outside_daemon_ms", LatencyJson(result.overhead_latencies)},
          {"feasible", result.feasible},
          {"mean_cost", MeanOrNull(result.cost, result.responses)},
          {"mean_gap", MeanOrNull(result.gap, result.with_gap)},
          {"gap_reference", result.with_gap > 0 ? Json(kFileReferences) : Json()}};
}

std::string Cell(const Latencies& latencies, double quantile) {
  return latencies.empty()
             ? "-"
             : absl::StrFormat("%.1f", absl::ToDoubleMilliseconds(latencies.Quantile(quantile)));
}

// Heading of the table. Its columns are as wide as those of ResultText.
constexpr char kBenchHeading[] =
    "CLIENTS    RATE  ANSWERED  REFUSED     PER S    P50 MS    P90 MS    P99 MS    MAX MS  "
    "OUTSIDE P50     MEAN COST\n";

std::string ResultText(const LoadOptions& options, const LoadResult& result) {
  const int64_t refused =
      std::accumulate(result.refusals.begin(), result.refusals.end(), int64_t{0},
                      [](int64_t sum, const auto& entry) { return sum + entry.second; });
  return absl::StrFormat(
      "%7d %7s %9d %8d %9.1f %9s %9s %9s %9s %12s %13s\n", options.clients,
      options.rate > 0 ? absl::StrFormat("%g", options.rate) : "-", result.responses, refused,
      ResponsesPerSecond(result), Cell(result.response_latencies, 0.5),
      Cell(result.response_latencies, 0.9), Cell(result.response_latencies, 0.99),
      Cell(result.response_latencies, 1), Cell(result.overhead_latencies, 0.5),
      result.responses > 0 ? FormatQuantity(result.cost / static_cast<double>(result.responses))
                           : "-");
}

struct BenchTimes {
  absl::Duration duration;
  absl::Duration warm_up;
  absl::Duration timeout;
};

absl::StatusOr<BenchTimes> ParseBenchTimes(const BenchFlags& flags) {
  const absl::StatusOr<absl::Duration> duration = ParseBudget(flags.duration, "--duration");
  if (!duration.ok()) return duration.status();
  const absl::StatusOr<absl::Duration> warm_up = ParseBudget(flags.warm_up, "--warm-up");
  if (!warm_up.ok()) return warm_up.status();
  const absl::StatusOr<absl::Duration> budget = ParseBudget(flags.budget);
  if (!budget.ok()) return budget.status();
  BenchTimes times = {*duration, *warm_up, *budget + kSolveGrace};
  if (flags.timeout.empty()) return times;
  const absl::StatusOr<absl::Duration> timeout = ParseBudget(flags.timeout, "--timeout");
  if (!timeout.ok()) return timeout.status();
  times.timeout = *timeout;
  return times;
}

ExitCode RunMeasurement(CommandContext& context, const std::vector<v1::SolveRequest>& requests,
                        const LoadOptions& options, absl::Duration timeout) {
  const absl::StatusOr<LoadResult> result =
      RunLoad(context.client(), requests, options, timeout, context.environment().interrupt);
  if (context.environment().interrupt.triggered()) return kExitInterrupted;
  if (!result.ok()) return context.Fail(result.status());
  if (context.json()) {
    WriteJsonLine(context.out(), ResultJson(options, *result));
  } else {
    context.out() << ResultText(options, *result) << std::flush;
  }
  return kExitDone;
}

ExitCode RunBench(CommandContext& context, const BenchFlags& flags) {
  const absl::StatusOr<BenchTimes> times = ParseBenchTimes(flags);
  if (!times.ok()) return context.Fail(times.status());
  const absl::StatusOr<std::vector<v1::SolveRequest>> requests = MakeBenchRequests(context, flags);
  if (!requests.ok()) return context.Fail(requests.status(), flags.file);
  if (!context.json()) context.out() << kBenchHeading << std::flush;
  const std::vector<double> rates = flags.rates.empty() ? std::vector<double>{0} : flags.rates;
  for (const int32_t clients : flags.clients) {
    for (const double rate : rates) {
      const ExitCode code = RunMeasurement(context, *requests,
                                           {.clients = clients,
                                            .rate = rate,
                                            .warm_up = times->warm_up,
                                            .duration = times->duration,
                                            .seed = flags.seed},
                                           times->timeout);
      if (code != kExitDone) return code;
    }
  }
  return kExitDone;
}

void AddInput(CLI::App& command, BenchFlags& flags) {
  CLI::Option_group* input = command.add_option_group("input");
  input
      ->add_option("FILE", flags.file,
                   "Send these instances in turn: one, or up to 10,000 of a .jsonl file")
      ->type_name("");
  input
      ->add_option("--generate", flags.generate,
                   "Generate instances: problem and size, count, optional seed")
      ->type_name("CVRP100:64");
  input->require_option(1);
  AddInstanceOptions(command, flags.input, "auto, vrplib, tsplib, solomon, json, vroom or jsonl");
}

void AddRequest(CLI::App& command, BenchFlags& flags) {
  command.add_option("--model", flags.model, "Use this model, as for solve")->type_name("MODEL");
  command
      .add_option("--strategy", flags.strategy,
                  "Use auto, seeded, greedy, sample, beam, multi_start, improved or search")
      ->type_name("WORD")
      ->capture_default_str();
  command.add_option("--budget", flags.budget, "Give each request this budget")
      ->type_name("TIME")
      ->capture_default_str();
  AddStopOptions(command, flags.stop);
  command.add_option("--threads", flags.threads, "Run N parallel searches for each request")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int32_t>::max()))
      ->capture_default_str();
  command
      .add_option("--seed", flags.seed, "Seed the requests and an open loop's arrival times with N")
      ->type_name("N")
      ->check(WholeNumber(0, std::numeric_limits<uint64_t>::max()))
      ->capture_default_str();
}

void AddLoad(CLI::App& command, BenchFlags& flags) {
  command
      .add_option("--clients", flags.clients,
                  "Send at most N requests at a time; repeatable, one measurement each")
      ->type_name("N")
      ->check(WholeNumber(1, kMaxClients))
      ->capture_default_str();
  command
      .add_option("--rate", flags.rates,
                  "Send R requests per second (open loop); default: closed loop; repeatable")
      ->type_name("R")
      ->check(CLI::PositiveNumber);
  command.add_option("--duration", flags.duration, "Measure for this time after each warm-up")
      ->type_name("TIME")
      ->capture_default_str();
  command
      .add_option("--warm-up", flags.warm_up, "Leave out the requests of this time at the start")
      ->type_name("TIME")
      ->capture_default_str();
  command
      .add_option("--timeout", flags.timeout,
                  "End each call after this time; default: the budget plus 60s")
      ->type_name("TIME");
}

}  // namespace

void AddBench(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(app, "bench", "Measure latency and throughput of solve requests", kBenchExamples);
  const auto flags = std::make_shared<BenchFlags>();
  AddInput(*command, *flags);
  AddRequest(*command, *flags);
  AddLoad(*command, *flags);
  SetCallback(*command, chosen, flags, RunBench);
}

}  // namespace vrp::client
