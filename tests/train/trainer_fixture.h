// Trains in a folder of the test, on a fake engine or on the test's engines. Provides
// configurations of every method.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/train/run/trainer.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"
#include "tests/train/fake_engine.h"

namespace vrp::test {

// An observer that records all reports and can cancel the run.
class Recorder final : public TrainingObserver {
 public:
  void OnLog(std::string_view line) override { log += std::string(line) + "\n"; }
  void OnProgress(const TrainingProgress& progress) override {
    if (progress.end_of_epoch) {
      epochs.push_back(progress);
      return;
    }
    steps.push_back(progress);
    if (progress.step == cancel_at) cancel->Cancel();
  }
  void OnCheckpoint(int64_t step) override { checkpoints.push_back(step); }
  void OnPhase(std::string_view phase) override { phases.emplace_back(phase); }
  void OnEnd(const TrainingTotals& run_totals) override { totals = run_totals; }

  std::string log;
  std::vector<TrainingProgress> steps;
  std::vector<TrainingProgress> epochs;
  std::vector<int64_t> checkpoints;
  std::vector<std::string> phases;
  std::optional<TrainingTotals> totals;  // totals of the whole run
  int64_t cancel_at = -1;
  std::shared_ptr<CancelFlag> cancel = std::make_shared<CancelFlag>();
};

class TrainerFixture : public testing::Test {
 protected:
  // Trains in the folder `name`. A second run of the same name resumes from its checkpoint.
  absl::StatusOr<TrainingResult> Train(const std::string& name, const std::string& yaml,
                                       Recorder& recorder) {
    return Train(name, yaml, recorder, {absl::InfiniteFuture(), recorder.cancel});
  }
  absl::StatusOr<TrainingResult> Train(const std::string& name, const std::string& yaml,
                                       TrainingObserver& observer, const StopCondition& stop = {}) {
    TrainingRequest request = limits_;
    auto config = ParseTrainingConfig(yaml, "test.yaml");
    EXPECT_TRUE(config.ok()) << config.status();
    request.config = *config;
    request.threads = threads_;
    request.job_name = "trainingJobs/test";
    request.checkpoint_directory = root_ + "/" + name + "/checkpoint";
    request.model_directory = ModelOf(name);
    std::filesystem::create_directories(request.checkpoint_directory);
    std::filesystem::create_directories(request.model_directory);
    return TrainerOf()->Train(request, stop, observer);
  }
  std::unique_ptr<Trainer> TrainerOf() {
    if (engines_ != nullptr) return MakeTrainerOn(engines_);
    return MakeTrainerOn(
        [this](const TrainingConfig& config, DeviceId,
               const EngineOptions& options) -> absl::StatusOr<std::unique_ptr<PolicyEngine>> {
          engine_options_ = options;
          return MakeFakeEngine({.seed = config.seed, .max_instances = max_instances_});
        });
  }
  std::string ModelOf(const std::string& name) const { return root_ + "/" + name + "/model"; }
  std::string WeightsOf(const std::string& name) const {
    const auto weights = ReadFile(ModelOf(name) + "/weights.safetensors");
    EXPECT_TRUE(weights.ok()) << weights.status();
    return weights.value_or("");
  }

  const TempFolder temporary_;
  const std::string root_ = temporary_.path();
  TrainingRequest limits_;  // the next run's limits and other options
  int32_t threads_ = 1;
  int32_t max_instances_ = 0;
  EngineFactory engines_;         // null: fake engines
  EngineOptions engine_options_;  // options of the last engine
};

inline std::string Yaml(const std::string& method, const std::string& more = "") {
  const bool transformer = more.find("model: gt") != std::string::npos;
  return "name: test\nproblem: {kind: cvrp, customers: 6}\n"
         "training: {method: " +
         method + (method == "supervised" ? "" : ", batches_per_epoch: 5") +
         ", epochs: 4, batch_size: 8, learning_rate: 0.03, "
         "checkpoint_every_steps: 7}\n"
         "supervised: {samples: 40, heuristic_iterations: 0" +
         (transformer ? "" : ", teacher_forcing_end: 0.5") +
         "}\n"
         "self_labelling: {samples: 4}\nvalidation: {instances: 20}\n" +
         more;
}

// A method with its sections.
struct Method {
  const char* name;
  const char* config_name;
  const char* more;
};
inline constexpr Method kMethods[] = {
    {"GreedyRollout", "reinforce", "reinforce: {baseline_instances: 20, warmup_epochs: 1}\n"},
    {"Exponential", "reinforce", "reinforce: {baseline: exponential}\n"},
    {"Pomo", "reinforce", "reinforce: {baseline: pomo, starts: 0}\n"},
    {"SelfLabelling", "self_labelling", ""},
    {"Supervised", "supervised", ""},
};
inline void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }
inline std::string Yaml(const Method& method, const std::string& more = "") {
  return Yaml(method.config_name, method.more + more);
}

}  // namespace vrp::test
