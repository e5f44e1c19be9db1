// Measures the pointer network's training throughput and decoding latency through the interfaces
// that the daemon uses. With MODEL (a folder with weights and card), measures only that model's
// decoding. `what` and `instances_per_s` mean the same as in rl4co's measuring script
// (shared/peers/measure_rl4co.py). A step draws a batch, rolls out unless it has labels, and ends
// with the optimiser.
// With incl_rollout_baseline, the step includes the greedy rollout of the frozen baseline.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/steady_time.h"
#include "core/model/policy/policy.h"
#include "core/problem/checker/checker.h"
#include "core/problem/generate/generators.h"
#include "core/train/make_trainer.h"
#include "tests/bench/json_line.h"
#include "tests/bench/or_exit.h"

namespace vrp {
namespace {

constexpr int kWarmSteps = 3;
constexpr int kTimedSteps = 7;

// An observer that measures wall and CPU time between two progress reports, which is one step.
class StepTimes : public TrainingObserver {
 public:
  void OnLog(std::string_view /*line*/) override {}
  void OnCheckpoint(int64_t /*step*/) override {}
  void OnProgress(const TrainingProgress& progress) override {
    const absl::Time now = SteadyNow();
    const double cpu = ProcessCpuSeconds();
    // Skips an epoch's report, because the validation ran before it.
    if (progress.step > kWarmSteps && !progress.end_of_epoch) {
      wall_s.push_back(absl::ToDoubleSeconds(now - last_));
      cpu_s.push_back(cpu - last_cpu_);
    }
    last_ = now;
    last_cpu_ = cpu;
  }

  std::vector<double> wall_s;
  std::vector<double> cpu_s;

 private:
  absl::Time last_;
  double last_cpu_ = 0;
};

struct TrainingCase {
  std::string what;
  std::string problem;  // YAML of the section `problem`
  int batch = 512;
  bool supervised = false;
  bool rollout_baseline = false;
  int hidden = 128;
  int layers = 1;
};

std::string ConfigOf(const TrainingCase& c) {
  const int steps =
      kWarmSteps + kTimedSteps + 1;  // the last step, before the validation, is not counted
  return absl::StrCat(
      "name: bench\nmodel: ptrnet\nproblem: ", c.problem, "\nnetwork: {hidden: ", c.hidden,
      ", layers: ", c.layers,
      ", dropout: 0.0}\ntraining: {method: ", c.supervised ? "supervised" : "reinforce",
      c.supervised ? "" : absl::StrCat(", batches_per_epoch: ", steps),
      ", epochs: 1, batch_size: ", c.batch, ", checkpoint_every_steps: 1000000}\n",
      c.supervised ? absl::StrCat("supervised: {samples: ", steps * c.batch, "}\n")
                   : absl::StrCat("reinforce: {baseline_instances: 16, warmup_epochs: ",
                                  c.rollout_baseline ? 0 : 1, "}\n"),
      "validation: {instances: 16}\n");
}

void RunTraining(const TrainingCase& c, const std::filesystem::path& folder, int threads) {
  const std::filesystem::path checkpoints = folder / "checkpoint";
  const std::filesystem::path model = folder / "model";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(checkpoints);
  std::filesystem::create_directories(model);
  TrainingRequest request;
  request.config = Value(ParseTrainingConfig(ConfigOf(c), "bench.yaml"));
  request.threads = threads;
  request.job_name = "bench";
  request.checkpoint_directory = checkpoints;
  request.model_directory = model;
  StepTimes times;
  Value(MakeTrainer()->Train(request, StopCondition(), times));
  const double step_s = Median(times.wall_s);
  nlohmann::ordered_json line;
  line["what"] = c.what;
  line["batch"] = c.batch;
  line["incl_rollout_baseline"] = c.rollout_baseline;
  line["hidden"] = c.hidden;
  line["layers"] = c.layers;
  line["params"] = Value(LoadPolicy(model, DeviceId{}))->info().parameters;
  line["amp"] = "none";
  line["step_s"] = step_s;
  line["instances_per_s"] = c.batch / step_s;
  line["warm_steps"] = kWarmSteps;
  line["step_times_s"] = times.wall_s;
  line["cpu_s"] = Median(times.cpu_s);
  PrintMeasurement(std::move(line), threads);
}

struct DecodeCase {
  std::string word = "greedy";
  int customers = 50;
  int batch = 1;
  DecodeOptions options = {};
  int threads = 1;
};

// Measures decoding with the network in `model`.
void RunDecode(const DecodeCase& c, const std::filesystem::path& model) {
  const std::unique_ptr<Policy> policy = Value(LoadPolicy(model, DeviceId{}));
  const std::vector<Instance> instances = Value(GenerateInstances(
      {.kind = ProblemKind::kCvrp, .customers = c.customers, .seed = 1234}, c.batch));
  CpuPool pool(c.threads);
  DecodeOptions options = c.options;
  if (c.threads > 1) options.pool = &pool;
  std::vector<double> wall_s;
  std::vector<double> cpu_s;
  const int calls = c.batch == 1 ? 50 : 5;
  double cost = 0;
  for (int call = -kWarmSteps; call < calls; ++call) {
    const absl::Time begin = SteadyNow();
    const double cpu = ProcessCpuSeconds();
    const std::vector<DecodedPlan> plans = Value(policy->Decode(instances, options));
    if (call >= 0) {
      wall_s.push_back(absl::ToDoubleSeconds(SteadyNow() - begin));
      cpu_s.push_back(ProcessCpuSeconds() - cpu);
      continue;
    }
    cost = 0;
    for (int i = 0; i < c.batch; ++i) cost += CheckPlan(instances[i], plans[i].plan).cost / c.batch;
  }
  const double median = Median(wall_s);
  std::sort(wall_s.begin(), wall_s.end());
  nlohmann::ordered_json line;
  line["what"] = absl::StrCat(policy->info().architecture, "_", c.word, "_cvrp", c.customers);
  line["batch"] = c.batch;
  line["params"] = policy->info().parameters;
  line["amp"] = "none";
  line["cost"] = cost;
  line["call_ms"] = median * 1e3;
  line["least_ms"] = wall_s.front() * 1e3;
  line["p95_ms"] = wall_s[static_cast<size_t>(0.95 * (wall_s.size() - 1))] * 1e3;
  line["ms_per_instance"] = median * 1e3 / c.batch;
  line["instances_per_s"] = c.batch / median;
  line["warm_calls"] = kWarmSteps;
  line["calls"] = calls;
  line["cpu_s"] = Median(cpu_s);
  PrintMeasurement(std::move(line), c.threads);
}

void RunDecodes(const std::filesystem::path& model, int threads) {
  for (const int customers : {20, 50, 100}) {
    for (const int batch : {1, 256}) RunDecode({.customers = customers, .batch = batch}, model);
  }
  for (const int batch : {1, 256}) {
    for (const int width : {10, 100}) {
      RunDecode({.word = absl::StrCat("beam", width),
                 .batch = batch,
                 .options = {.method = DecodeMethod::kBeam, .width = width}},
                model);
    }
  }
  for (int used = 1; used <= threads; ++used) {
    RunDecode({.word = "multi_start",
               .customers = 100,
               .options = {.method = DecodeMethod::kMultiStart, .width = 0},
               .threads = used},
              model);
  }
}

int Main(int argc, char** argv) {
  int threads = 2;
  if (argc > 3 || (argc >= 2 && (!absl::SimpleAtoi(argv[1], &threads) || threads < 1))) {
    std::cerr << "usage: policy_bench [THREADS [MODEL]]\n";
    return 2;
  }
  if (argc == 3) {
    RunDecodes(argv[2], threads);
    return 0;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / absl::StrCat("vrp-policy-bench-", getpid());
  const std::string tsp50 = "{kind: tsp, customers: 50}";
  const std::string cvrp10 = "{kind: cvrp, customers: 10}";
  const std::string cvrp20 = "{kind: cvrp, customers: 20}";
  for (const bool baseline : {false, true}) {
    RunTraining(
        {.what = "ptrnet_reinforce_train_tsp50", .problem = tsp50, .rollout_baseline = baseline},
        folder, threads);
  }
  RunTraining({.what = "ptrnet_reinforce_train_cvrp10",
               .problem = cvrp10,
               .batch = 128,
               .rollout_baseline = true,
               .hidden = 256,
               .layers = 2},
              folder, threads);
  RunTraining({.what = "ptrnet_supervised_train_cvrp20",
               .problem = cvrp20,
               .batch = 64,
               .supervised = true,
               .hidden = 256,
               .layers = 2},
              folder, threads);
  RunDecodes(folder / "model", threads);
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) { return vrp::Main(argc, argv); }
