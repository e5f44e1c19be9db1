// Measures the cost of serving. `throughput` compares the daemon under concurrent greedy requests
// with the same network decoding many instances at once in this process. `overhead` compares single
// requests with direct calls of the solver. The daemon and the direct calls run in turns, on the
// same cores as the clients.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/fast_locks.h"
#include "core/base/steady_time.h"
#include "core/model/policy/policy.h"
#include "core/problem/generate/generators.h"
#include "core/registry/model_folder.h"
#include "core/solve/solver.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/client_context.h"
#include "server/config/build_info.h"
#include "server/convert/time_convert.h"
#include "tests/bench/bench_daemon.h"
#include "tests/bench/json_line.h"
#include "tests/bench/load_client.h"
#include "tests/bench/or_exit.h"
#include "vrp/v1/solver_service.grpc.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp {
namespace {

constexpr int kThreads = 2;  // threads of the daemon, and of MeasureDirect in Throughput
constexpr int kClients = 32;
constexpr int kBatch = 256;  // instances that a direct call decodes together
constexpr char kModelName[] = "gt-mixed";
constexpr char kModel[] = "models/gt-mixed";  // the newest version is used

// Returns the network that the daemon serves as kModel.
std::shared_ptr<Policy> ShippedPolicy() {
  ModelVersion newest;
  for (const ModelVersion& version : ScanModels(ShippedModelsDirectory()).versions) {
    if (version.name == kModelName && version.version > newest.version) newest = version;
  }
  return Value(LoadPolicy(newest.directory, {}));
}

double Ms(absl::Duration duration) { return absl::ToDoubleMilliseconds(duration); }

std::vector<Instance> Instances(int32_t customers, int count) {
  return Value(GenerateInstances({.customers = customers, .seed = 7}, count));
}

// Measurements of several rounds.
struct Rounds {
  std::vector<double> per_second, p50, p99, cpu_ms;  // cpu_ms: per request, sum over all threads
};

struct Throughput {
  std::shared_ptr<Policy> policy = ShippedPolicy();
  std::vector<Instance> instances = Instances(100, kBatch);
  std::vector<v1::SolveRequest> requests = GreedyRequests(instances, kModel);
  BenchDaemon daemon{kThreads};
  std::shared_ptr<grpc::Channel> channel = daemon.Connect();
  CpuPool pool{kThreads};

  double MeasureDirect() {
    DecodeOptions options;
    options.pool = &pool;
    const absl::Time start = SteadyNow();
    Value(policy->Decode(instances, options));
    return kBatch / absl::ToDoubleSeconds(SteadyNow() - start);
  }
  void MeasureServed(int clients, absl::Duration duration, Rounds& rounds) {
    const double cpu = ProcessCpuSeconds();
    const ClientsLoad load = RunClients(channel, requests, clients, duration);
    if (load.failed > 0 || load.latencies_ms.empty()) {
      std::cerr << "serving_bench: " << load.failed << " requests failed, "
                << load.latencies_ms.size() << " were answered in a round of "
                << absl::FormatDuration(duration) << "; if none was answered, allow more seconds\n";
      std::exit(1);
    }
    const double spent = 1e3 * (ProcessCpuSeconds() - cpu);
    rounds.per_second.push_back(load.per_second);
    rounds.p50.push_back(Percentile(load.latencies_ms, 0.5));
    rounds.p99.push_back(Percentile(load.latencies_ms, 0.99));
    rounds.cpu_ms.push_back(spent / (load.per_second * absl::ToDoubleSeconds(duration)));
  }
};

void MeasureThroughput(double seconds) {
  Throughput bench;
  const int count = 5;
  const absl::Duration each = absl::Seconds(seconds / (2 * count + 1));
  Rounds warm, many, single;
  bench.MeasureServed(kClients, each / 2, warm);
  bench.MeasureDirect();
  std::vector<double> direct;
  for (int i = 0; i < count; ++i) {
    direct.push_back(bench.MeasureDirect());
    bench.MeasureServed(kClients, each, many);
    direct.push_back(bench.MeasureDirect());
    bench.MeasureServed(1, each / 2, single);
  }
  const double direct_rate = Median(direct);
  // Time of 32 requests decoded together in this process. By Little's law, no closed loop of 32
  // clients can be answered faster on average.
  const double together_ms = 1e3 * kClients / direct_rate;
  PrintMeasurement({{"what", "serving_throughput_greedy_cvrp100"},
                    {"clients", kClients},
                    {"direct_instances_per_s", direct_rate},
                    {"served_instances_per_s", Median(many.per_second)},
                    {"share", Median(many.per_second) / direct_rate},
                    {"p50_ms", Median(many.p50)},
                    {"p99_ms", Median(many.p99)},
                    {"direct_32_ms", together_ms},
                    {"single_p50_ms", Median(single.p50)},
                    {"single_p99_ms", Median(single.p99)},
                    {"cpu_ms_per_request", Median(many.cpu_ms)},
                    {"direct_cpu_ms_per_instance", 1e3 * kThreads / direct_rate},
                    {"rounds", count}},
                   kThreads);
}

// A measurement of how much longer a request takes than a direct call. A search uses its whole
// budget in both cases, so the difference is the time that serving adds.
struct Overhead {
  BenchDaemon daemon{kThreads};
  std::shared_ptr<grpc::Channel> channel = daemon.Connect();
  std::unique_ptr<v1::SolverService::Stub> stub = v1::SolverService::NewStub(channel);
  std::shared_ptr<Policy> policy = ShippedPolicy();
  std::vector<Instance> small = Instances(10, 64);
  std::vector<Instance> instances = Instances(100, 64);

  struct Call {
    double took_ms = 0;
    double computed_ms = 0;  // time of decoding and searching
  };

  Call MeasureServed(const v1::SolveRequest& request) {
    grpc::ClientContext context;
    v1::SolveResponse response;
    const absl::Time start = SteadyNow();
    const grpc::Status status = stub->Solve(&context, request, &response);
    const double took = Ms(SteadyNow() - start);
    const v1::TimeBreakdown& times = response.times();
    const absl::Duration computed =
        Value(FromProto(times.decode())) + Value(FromProto(times.search()));
    if (status.ok() && response.feasible()) return {took, Ms(computed)};
    std::cerr << "serving_bench: "
              << (status.ok() ? "the plan of a solve is infeasible"
                              : "a solve failed: " + status.error_message())
              << "\n";
    std::exit(1);
  }
  static Call MeasureDirect(const Instance& instance, const SolveOptions& options) {
    const absl::Time start = SteadyNow();
    const SolveTimes times = Value(Solve(instance, options)).times;
    return {Ms(SteadyNow() - start), Ms(times.decode + times.search)};
  }

  // Measures `requests`, and direct calls for the same `problems`, in turns.
  void Measure(const std::string& what, const std::vector<Instance>& problems,
               const std::vector<v1::SolveRequest>& requests, const SolveOptions& options,
               absl::Duration time) {
    std::vector<double> served, direct, differences, served_computed, direct_computed;
    const absl::Time end = SteadyNow() + time;
    for (size_t i = 0; SteadyNow() < end; ++i) {
      const size_t at = i % problems.size();
      const Call served_call = MeasureServed(requests[at]);
      const Call direct_call = MeasureDirect(problems[at], options);
      if (i < 8) continue;
      served.push_back(served_call.took_ms);
      direct.push_back(direct_call.took_ms);
      differences.push_back(served_call.took_ms - direct_call.took_ms);
      served_computed.push_back(served_call.computed_ms);
      direct_computed.push_back(direct_call.computed_ms);
    }
    for (auto* values : {&served, &direct, &differences, &served_computed, &direct_computed}) {
      std::sort(values->begin(), values->end());
    }
    PrintMeasurement({{"what", "serving_overhead_" + what},
                      {"requests", served.size()},
                      {"served_p50_ms", Percentile(served, 0.5)},
                      {"direct_p50_ms", Percentile(direct, 0.5)},
                      {"served_computed_p50_ms", Percentile(served_computed, 0.5)},
                      {"direct_computed_p50_ms", Percentile(direct_computed, 0.5)},
                      {"served_p99_ms", Percentile(served, 0.99)},
                      {"direct_p99_ms", Percentile(direct, 0.99)},
                      {"overhead_p50_ms", Percentile(differences, 0.5)},
                      {"overhead_p99_ms", Percentile(served, 0.99) - Percentile(direct, 0.99)}},
                     kThreads);
  }
};

// Measures empty calls: gRPC's own, one through our pools, and gRPC's own after a direct decoding.
// The decoding leaves the caches as a served request finds them.
void MeasureFloor(Overhead& bench, const SolveOptions& decoding, absl::Duration time) {
  const auto system = v1::SystemService::NewStub(bench.channel);
  const auto health = grpc::health::v1::Health::NewStub(bench.channel);
  std::vector<double> own, pooled, cold;
  const absl::Time end = SteadyNow() + time;
  while (SteadyNow() < end) {
    const auto took = [](auto call) {
      grpc::ClientContext context;
      const absl::Time start = SteadyNow();
      const grpc::Status status = call(context);
      const double ms = Ms(SteadyNow() - start);
      if (!status.ok()) Die(absl::UnknownError("an empty call failed: " + status.error_message()));
      return ms;
    };
    const auto check = [&](grpc::ClientContext& context) {
      grpc::health::v1::HealthCheckResponse response;
      return health->Check(&context, {}, &response);
    };
    own.push_back(took(check));
    pooled.push_back(took([&](grpc::ClientContext& context) {
      v1::ServerInfo info;
      return system->GetServerInfo(&context, {}, &info);
    }));
    Overhead::MeasureDirect(bench.instances.front(), decoding);
    cold.push_back(took(check));
  }
  for (auto* values : {&own, &pooled, &cold}) std::sort(values->begin(), values->end());
  PrintMeasurement({{"what", "serving_floor"},
                    {"health_p50_ms", Percentile(own, 0.5)},
                    {"health_p99_ms", Percentile(own, 0.99)},
                    {"pooled_p50_ms", Percentile(pooled, 0.5)},
                    {"pooled_p99_ms", Percentile(pooled, 0.99)},
                    {"after_decoding_p50_ms", Percentile(cold, 0.5)},
                    {"after_decoding_p99_ms", Percentile(cold, 0.99)}},
                   kThreads);
}

void MeasureOverhead(double seconds) {
  Overhead bench;
  const absl::Duration each = absl::Seconds(seconds / 5.5);
  SolveOptions greedy;
  greedy.strategy = Strategy::kGreedy;
  greedy.policy = bench.policy;
  MeasureFloor(bench, greedy, each / 2);
  bench.Measure("greedy_cvrp10", bench.small, GreedyRequests(bench.small, kModel), greedy, each);
  bench.Measure("greedy", bench.instances, GreedyRequests(bench.instances, kModel), greedy, each);
  for (const int budget : {5, 20, 50}) {
    SolveOptions search;
    search.strategy = Strategy::kSearch;
    search.budget = absl::Milliseconds(budget);
    bench.Measure(absl::StrCat("search_", budget, "ms"), bench.instances,
                  SearchRequests(bench.instances, search.budget), search, each);
  }
}

}  // namespace
}  // namespace vrp

// Takes the arguments `throughput`, `overhead` or `all`, and the seconds for each (default 20).
int main(int argc, char** argv) {
  vrp::DisableDeadlockDetection();
  const std::string wanted = argc > 1 ? argv[1] : "all";
  const double seconds = argc > 2 ? std::atof(argv[2]) : 20;
  if (wanted != "overhead") vrp::MeasureThroughput(seconds);
  if (wanted != "throughput") vrp::MeasureOverhead(seconds);
  return 0;
}
