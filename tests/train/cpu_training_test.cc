// Tests training by the engines of the CPU: resumption, NaN gradients and lack of memory.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/pointer_network/cpu_pointer_network.h"
#include "core/train/run/trainer.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<PolicyEngine> EngineOf(const TrainingConfig& config) {
  const std::string& sizes = config.sizes.json;
  if (config.architecture == &GraphTransformerArchitecture()) {
    return MakeCpuGraphTransformer(*ParseGraphTransformerOptions(sizes, "sizes"), config.seed);
  }
  return MakeCpuPointerNetwork(*ParsePointerNetworkOptions(sizes, "sizes"), config.seed);
}

// An engine that fails on purpose. Its gradients `first` to `last` have a NaN, and it has memory
// for only `max_instances` per thread.
class FaultyEngine final : public PolicyEngine {
 public:
  struct Faults {
    int64_t first = std::numeric_limits<int64_t>::max();
    int64_t last = std::numeric_limits<int64_t>::max();
    size_t max_instances = std::numeric_limits<size_t>::max();
  };
  FaultyEngine(std::unique_ptr<PolicyEngine> engine, Faults faults)
      : engine_(std::move(engine)), faults_(faults) {}

  std::string_view architecture() const override { return engine_->architecture(); }
  const NetworkInputs& inputs() const override { return engine_->inputs(); }
  FlatParameters& parameters() override { return engine_->parameters(); }
  const FlatParameters& parameters() const override { return std::as_const(*engine_).parameters(); }
  absl::Status ParametersChanged() override { return engine_->ParametersChanged(); }
  absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                   const RolloutRequest& request) const override {
    return engine_->Run(batch, request);
  }
  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                              const GradientRequest& request,
                                              WeighTrajectories weigh) override {
    ++calls_;
    if (calls_ < faults_.first || calls_ > faults_.last) {
      return engine_->AddGradient(
          batch, request,
          [&](int64_t first, std::span<const double> costs, std::span<double> weights) {
            if (costs.size() > faults_.max_instances) throw std::bad_alloc();
            weigh(first, costs, weights);
          });
    }
    float& weight = parameters().values()[7];
    const float kept = weight;
    weight = std::numeric_limits<float>::quiet_NaN();
    VRP_RETURN_IF_ERROR(engine_->ParametersChanged());
    auto outcome = engine_->AddGradient(batch, request, weigh);
    weight = kept;
    VRP_RETURN_IF_ERROR(engine_->ParametersChanged());
    return outcome;
  }

 private:
  const std::unique_ptr<PolicyEngine> engine_;
  const Faults faults_;
  int64_t calls_ = 0;
};

class Recorder final : public TrainingObserver {
 public:
  void OnLog(std::string_view line) override { log += std::string(line) + "\n"; }
  void OnProgress(const TrainingProgress& progress) override {
    last = progress;
    if (!progress.end_of_epoch && progress.step == cancel_at) cancel->Cancel();
  }
  void OnCheckpoint(int64_t /*step*/) override {}

  std::string log;
  TrainingProgress last;
  int64_t cancel_at = -1;
  std::shared_ptr<CancelFlag> cancel = std::make_shared<CancelFlag>();
};

class CpuTrainingTest : public testing::TestWithParam<std::string> {
 protected:
  static std::string Yaml(const std::string& training) {
    const std::string sizes =
        GetParam() == "gt"
            ? "graph_transformer: {hidden: 32, heads: 4, feed_forward: 48, layers: 2}\n"
            : "network: {hidden: 32, layers: 2}\n";
    return "name: test\nmodel: " + GetParam() + "\n" + sizes +
           "problem: {kind: cvrp, customers: 6}\n"
           "training: {method: reinforce, epochs: 4, batches_per_epoch: 5, batch_size: 16, "
           "checkpoint_every_steps: 7" +
           training +
           "}\n"
           "reinforce: {baseline_instances: 20, warmup_epochs: 1}\n"
           "validation: {instances: 20}\n";
  }

  // Trains in the folder `name` with a new trainer and engine. A second run of the same name
  // resumes from its checkpoint.
  absl::StatusOr<TrainingResult> Train(const std::string& name, Recorder& recorder,
                                       FaultyEngine::Faults faults = {}) {
    TrainingRequest request;
    auto config = ParseTrainingConfig(Yaml(training_), "test.yaml");
    EXPECT_TRUE(config.ok()) << config.status();
    request.config = *config;
    request.threads = threads_;
    request.job_name = "trainingJobs/test";
    request.checkpoint_directory = CheckpointOf(name);
    request.model_directory = root_ + "/" + name + "/model";
    fs::create_directories(request.checkpoint_directory);
    fs::create_directories(request.model_directory);
    return TrainerOf(faults)->Train(request, {absl::InfiniteFuture(), recorder.cancel}, recorder);
  }
  std::unique_ptr<Trainer> TrainerOf(FaultyEngine::Faults faults = {}) const {
    return MakeTrainerOn(
        [=](const TrainingConfig& config, DeviceId,
            const EngineOptions&) -> absl::StatusOr<std::unique_ptr<PolicyEngine>> {
          auto engine = EngineOf(config);
          return std::make_unique<FaultyEngine>(std::move(engine), faults);
        });
  }
  std::string CheckpointOf(const std::string& name) const { return root_ + "/" + name + "/kept"; }
  std::string WeightsOf(const std::string& name) const {
    const auto weights = ReadFile(root_ + "/" + name + "/model/weights.safetensors");
    EXPECT_TRUE(weights.ok()) << weights.status();
    return weights.value_or("");
  }

  const test::TempFolder temporary_;
  const std::string root_ = temporary_.path();
  std::string training_;  // more settings of the section `training`
  int32_t threads_ = 2;
};

TEST_P(CpuTrainingTest, ResumesToTheSameBits) {
  Recorder reference;
  ASSERT_TRUE(Train("reference", reference).ok());
  Recorder first;
  first.cancel_at = 10;
  EXPECT_EQ(Train("parts", first).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(*TrainerOf()->ResumeStep(CheckpointOf("parts")), 10);
  Recorder second;
  ASSERT_TRUE(Train("parts", second).ok());
  EXPECT_NE(second.log.find("resumed from step 10"), std::string::npos) << second.log;
  EXPECT_EQ(WeightsOf("parts"), WeightsOf("reference"));
  EXPECT_EQ(second.last.validation_cost, reference.last.validation_cost);
}

// With another number of threads a step has other groups, whose sums round differently.
TEST_P(CpuTrainingTest, GivesTheSameBitsWithTheSameNumberOfThreads) {
  Recorder alone;
  threads_ = 1;
  const auto single = Train("alone", alone);
  ASSERT_TRUE(single.ok()) << single.status();
  for (const int32_t threads : {1, 2, 3, 5}) {
    threads_ = threads;
    const std::string name = std::to_string(threads);
    Recorder first, second;
    const auto result = Train(name, first);
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_TRUE(Train(name + "again", second).ok());
    EXPECT_TRUE(WeightsOf(name) == WeightsOf(name + "again")) << threads;
    EXPECT_NEAR(result->validation_cost, single->validation_cost, 0.02 * single->validation_cost);
  }
}

TEST_P(CpuTrainingTest, AccumulatesPartsToTheStepOfTheWholeBatch) {
  Recorder reference;
  reference.cancel_at = 2;
  EXPECT_EQ(Train("reference", reference).status().code(), absl::StatusCode::kCancelled);
  training_ = ", accumulate_steps: 4";
  Recorder parts;
  parts.cancel_at = 2;
  EXPECT_EQ(Train("parts", parts).status().code(), absl::StatusCode::kCancelled);
  // The same terms are summed in another order.
  EXPECT_NEAR(parts.last.loss, reference.last.loss, 1e-5);
  EXPECT_NEAR(parts.last.gradient_norm, reference.last.gradient_norm,
              1e-4 * reference.last.gradient_norm);
  EXPECT_NEAR(parts.last.train_cost, reference.last.train_cost, 1e-5);
  EXPECT_GT(reference.last.gradient_norm, 0);
}

TEST_P(CpuTrainingTest, ReportsTheTimeOfEachPhase) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", recorder).ok());
  const TrainingTotals& totals = recorder.last.totals;
  for (size_t i = 0; i < kPhaseNames.size(); ++i) {
    if (static_cast<Phase>(i) == Phase::kCopy) continue;
    EXPECT_GT(totals.phase_seconds[i], 0) << kPhaseNames[i];
  }
  // A CPU has no copies.
  EXPECT_EQ(totals.phase_seconds[static_cast<size_t>(Phase::kCopy)], 0);
  EXPECT_EQ(totals.copies, 0);
}

TEST_P(CpuTrainingTest, SkipsAndCountsAStepWithANanLoss) {
  Recorder recorder;
  const auto result = Train("a", recorder, {.first = 4, .last = 5});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(recorder.last.step, 20);
  EXPECT_EQ(recorder.last.totals.skipped_steps, 2);
  EXPECT_NE(recorder.log.find("step 4: skipped: loss"), std::string::npos) << recorder.log;
  EXPECT_TRUE(std::isfinite(result->validation_cost));
  // The skipped steps change the final weights.
  Recorder reference;
  ASSERT_TRUE(Train("reference", reference).ok());
  EXPECT_EQ(reference.last.totals.skipped_steps, 0);
  EXPECT_NE(WeightsOf("a"), WeightsOf("reference"));
}

TEST_P(CpuTrainingTest, FailsAfterTenSkippedStepsWithAValidCheckpoint) {
  Recorder first;
  const auto result = Train("a", first, {.first = 9});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
  EXPECT_NE(result.status().message().find("10 steps in a row without a finite loss"),
            absl::string_view::npos)
      << result.status();
  EXPECT_EQ(first.last.totals.skipped_steps, 7);  // the state at the end of epoch 3
  EXPECT_EQ(*TrainerOf()->ResumeStep(CheckpointOf("a")), 14);
  Recorder second;
  const auto resumed = Train("a", second);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(second.last.step, 20);
  EXPECT_TRUE(std::isfinite(resumed->validation_cost));
}

TEST_P(CpuTrainingTest, HalvesTheMicroBatchWhenOutOfMemory) {
  Recorder reference;
  Recorder parts;
  const auto with_memory = Train("reference", reference);
  const auto without = Train("parts", parts, {.max_instances = 3});
  ASSERT_TRUE(with_memory.ok()) << with_memory.status();
  ASSERT_TRUE(without.ok()) << without.status();
  // Each of two threads gets half of the instances.
  for (const char* text : {"step 1: out of memory; continues with 8 instances at once",
                           "step 1: out of memory; continues with 4 instances at once"}) {
    EXPECT_NE(parts.log.find(text), std::string::npos) << parts.log;
  }
  EXPECT_EQ(parts.log.find("step 2: out of memory"), std::string::npos) << parts.log;
  EXPECT_NEAR(without->validation_cost, with_memory->validation_cost,
              0.02 * with_memory->validation_cost);
}

TEST_P(CpuTrainingTest, FailsCleanlyIfOneInstanceDoesNotFitIntoMemory) {
  Recorder recorder;
  EXPECT_EQ(Train("a", recorder, {.max_instances = 0}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_NE(recorder.log.find("continues with 1 instances at once"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Engines, CpuTrainingTest, testing::Values("gt", "ptrnet"));

// tests/data/state/checkpoint_v1 is the checkpoint of vrpd 0.1 after 4 of 6 steps.
TEST(KeptCheckpointTest, ResumesFromSchema1) {
  const test::TempFolder folder;
  fs::create_directories(folder.File("kept"));
  fs::copy(test::DataPath("state/checkpoint_v1/step-4"), folder.File("kept/step-4"),
           fs::copy_options::recursive);
  fs::create_directories(folder.File("model"));
  TrainingRequest request;
  request.config =
      *ParseTrainingConfig(test::ReadData("state/checkpoint_v1/training.yaml"), "training.yaml");
  request.threads = 2;
  request.job_name = "trainingJobs/kept";
  request.checkpoint_directory = folder.File("kept");
  request.model_directory = folder.File("model");
  const std::unique_ptr<Trainer> trainer =
      MakeTrainerOn([](const TrainingConfig& config, DeviceId, const EngineOptions&) {
        return absl::StatusOr<std::unique_ptr<PolicyEngine>>(EngineOf(config));
      });
  Recorder recorder;
  const auto result = trainer->Train(request, {absl::InfiniteFuture(), recorder.cancel}, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->steps, 6);
  EXPECT_NE(recorder.log.find("resumed from step 4"), std::string::npos) << recorder.log;
  // vrpd 0.1 had this result. Other processors round differently.
  EXPECT_NEAR(result->validation_cost, 4.691584954486283, 0.05);
}

}  // namespace
}  // namespace vrp
