// Trains from a configuration without the daemon, and measures: JSON lines of progress, throughput
// and the quality on held-out sets. Usage: train_bench CONFIG FOLDER THREADS [KEY.PATH=VALUE ...]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/model/policy.h"
#include "core/problem/checker.h"
#include "core/problem/generators.h"
#include "core/search/construct.h"
#include "core/train/trainer.h"

namespace vrp {
namespace {

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

template <typename T>
T Value(absl::StatusOr<T> value) {
  if (!value.ok()) Die(value.status());
  return *std::move(value);
}

class Printer final : public TrainingObserver {
 public:
  void OnLog(std::string_view line) override {
    std::fprintf(stderr, "%6.1f s  %s\n", absl::ToDoubleSeconds(absl::Now() - start_),
                 std::string(line).c_str());
  }
  void OnProgress(const TrainingProgress& progress) override {
    if (!progress.end_of_epoch) {
      instances_per_second_ += progress.instances_per_second;
      ++reports_;
      return;
    }
    std::printf(
        "{\"what\": \"train_epoch\", \"epoch\": %ld, \"loss\": %.5f, \"train_cost\": %.4f, "
        "\"val_cost\": %.4f, \"reference\": %.4f, \"instances_per_s\": %.1f}\n",
        static_cast<long>(progress.epoch), progress.loss, progress.train_cost,
        progress.validation_cost, progress.validation_reference,
        instances_per_second_ / static_cast<double>(reports_));
    std::fflush(stdout);
    instances_per_second_ = 0;
    reports_ = 0;
  }
  void OnCheckpoint(int64_t) override {}

 private:
  const absl::Time start_ = absl::Now();
  double instances_per_second_ = 0;
  int64_t reports_ = 0;
};

// Greedy plans of fresh instances, all checked, against the nearest-neighbour builder's.
void Evaluate(Policy& policy, const TrainingConfig& config, uint64_t seed) {
  const std::vector<Instance> instances =
      Value(GenerateInstances({.kind = config.problem.kind,
                               .customers = config.problem.customers,
                               .seed = seed,
                               .capacity = config.problem.capacity},
                              1000));
  const absl::Time start = absl::Now();
  const std::vector<DecodedPlan> plans = Value(policy.Decode(instances, {}));
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  double cost = 0;
  double reference = 0;
  for (size_t i = 0; i < instances.size(); ++i) {
    const CheckReport report = CheckPlan(instances[i], plans[i].plan);
    if (!report.feasible) Die(absl::InternalError(report.violations.front().message));
    cost += report.cost / 1000;
    reference += PlanCost(instances[i], NearestNeighbourPlan(instances[i])) / 1000;
  }
  std::printf(
      "{\"what\": \"greedy\", \"seed\": %lu, \"cost\": %.4f, \"nearest_neighbour\": %.4f, "
      "\"gain_percent\": %.2f, \"instances_per_s\": %.1f}\n",
      static_cast<unsigned long>(seed), cost, reference, 100 * (1 - cost / reference),
      1000 / seconds);
}

int Main(int argc, char** argv) {
  int threads = 0;
  if (argc < 4 || !absl::SimpleAtoi(argv[3], &threads) || threads < 1) {
    std::fprintf(stderr, "usage: train_bench CONFIG FOLDER THREADS [KEY.PATH=VALUE ...]\n");
    return 2;
  }
  const std::string folder = argv[2];
  TrainingRequest request;
  request.config = Value(ParseTrainingConfig(Value(ReadFile(argv[1])), argv[1],
                                             ConfigOverrides(argv + 4, argv + argc)));
  request.threads = threads;
  request.job_name = "bench";
  request.checkpoint_directory = Concat(folder, "/checkpoint");
  request.model_directory = Concat(folder, "/model");
  for (const std::string& path : {request.checkpoint_directory, request.model_directory}) {
    if (absl::Status status = EnsureDirectory(path); !status.ok()) Die(status);
  }
  Printer printer;
  const absl::Time start = absl::Now();
  const TrainingResult result = Value(MakeTrainer()->Train(request, {}, printer));
  std::printf(
      "{\"what\": \"train\", \"seconds\": %.1f, \"steps\": %ld, \"val_cost\": %.4f, "
      "\"reference\": %.4f}\n",
      absl::ToDoubleSeconds(absl::Now() - start), static_cast<long>(result.steps),
      result.validation_cost, result.validation_reference);
  const std::unique_ptr<Policy> policy = Value(LoadPolicy(request.model_directory, {}));
  for (const uint64_t seed : {uint64_t{4321}, uint64_t{999}})
    Evaluate(*policy, request.config, seed);
  return 0;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) { return vrp::Main(argc, argv); }
