// Tests training with bf16 products, which are emulated to run on every CPU with AVX-512.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/isa.h"
#include "core/train/make_trainer.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

// Sets the variable before the kernels choose their instructions.
const int kIsaSet = setenv("VRP_ISA", "avx512_bf16_emulated", 1);

class Listener final : public TrainingObserver {
 public:
  void OnLog(std::string_view line) override { log += std::string(line) + "\n"; }
  void OnProgress(const TrainingProgress& progress) override {
    if (progress.end_of_epoch) {
      cost = progress.train_cost;
      losses.push_back(progress.loss);
    }
    if (progress.step == cancel_at) cancel->Cancel();
  }
  void OnCheckpoint(int64_t) override {}

  std::string log;
  double cost = 0;             // cost of the last epoch
  std::vector<double> losses;  // at the end of each epoch
  int64_t cancel_at = -1;
  std::shared_ptr<CancelFlag> cancel = std::make_shared<CancelFlag>();
};

constexpr std::string_view kTransformer =
    "model: GT+RL\n"
    "graph_transformer: {hidden: 32, heads: 2, feed_forward: 48, layers: 2}\n"
    "training: {method: reinforce, epochs: 2, batches_per_epoch: 5, batch_size: 8, "
    "learning_rate: 0.001, checkpoint_every_steps: 3, amp: AMP}\n"
    "reinforce: {baseline: exponential}\n";
constexpr std::string_view kPointerReinforce =
    "model: ptrnet\n"
    "network: {hidden: 48, layers: 2}\n"
    "training: {method: reinforce, epochs: 2, batches_per_epoch: 5, batch_size: 8, "
    "learning_rate: 0.001, checkpoint_every_steps: 3, amp: AMP}\n"
    "reinforce: {baseline: exponential}\n";
// A configuration with dropout, whose last steps take half of the choices from the network instead
// of the labels.
constexpr std::string_view kPointerSupervised =
    "model: ptrnet\n"
    "network: {hidden: 48, layers: 2, dropout: 0.2}\n"
    "training: {method: supervised, epochs: 5, batch_size: 8, "
    "learning_rate: 0.005, checkpoint_every_steps: 3, amp: AMP}\n"
    "supervised: {labels: heuristic, heuristic_iterations: 5, samples: 24, "
    "teacher_forcing_start: 1, teacher_forcing_end: 0.5}\n";

class Bf16TrainingTest : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    ASSERT_EQ(kIsaSet, 0);
    if (UsableBf16() != Bf16::kEmulatedVectors) GTEST_SKIP() << "needs a CPU with AVX-512";
  }
  absl::Status Train(const std::string& name, const std::string& amp, Listener& listener) {
    TrainingRequest request;
    std::string text(GetParam());
    text.replace(text.find("AMP"), 3, amp);
    const auto config = ParseTrainingConfig(
        "name: test\nproblem: {kind: cvrp, customers: 6}\nvalidation: {instances: 10}\n" + text,
        "test.yaml");
    if (!config.ok()) return config.status();
    request.config = *config;
    request.threads = 2;
    request.job_name = "trainingJobs/test";
    request.checkpoint_directory = root_ + "/" + name + "/checkpoint";
    request.model_directory = root_ + "/" + name + "/model";
    std::filesystem::create_directories(request.checkpoint_directory);
    std::filesystem::create_directories(request.model_directory);
    return MakeTrainer()
        ->Train(request, {absl::InfiniteFuture(), listener.cancel}, listener)
        .status();
  }
  std::string WeightsOf(const std::string& name) const {
    return ReadFile(root_ + "/" + name + "/model/weights.safetensors").value_or("");
  }

  const test::TempFolder temporary_;
  const std::string root_ = temporary_.path();
};

TEST_P(Bf16TrainingTest, LearnsAsFp32UpToRounding) {
  Listener fp32;
  Listener bf16;
  ASSERT_TRUE(Train("fp32", "false", fp32).ok());
  const absl::Status status = Train("bf16", "true", bf16);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_NE(bf16.log.find("(training.amp), emulated: slower than fp32"), std::string::npos)
      << bf16.log;
  EXPECT_NE(WeightsOf("fp32"), WeightsOf("bf16"));
  EXPECT_GT(fp32.cost, 0);
  EXPECT_NEAR(fp32.cost, bf16.cost, 0.05 * fp32.cost);
}

TEST_P(Bf16TrainingTest, GivesTheSameBitsAfterAnInterruption) {
  Listener uninterrupted;
  Listener first;
  Listener second;
  first.cancel_at = 4;
  ASSERT_TRUE(Train("uninterrupted", "true", uninterrupted).ok());
  EXPECT_EQ(Train("parts", "true", first).code(), absl::StatusCode::kCancelled);
  ASSERT_TRUE(Train("parts", "true", second).ok());
  EXPECT_NE(second.log.find("resumed from step 4"), std::string::npos) << second.log;
  EXPECT_NE(WeightsOf("uninterrupted"), "");
  EXPECT_EQ(WeightsOf("uninterrupted"), WeightsOf("parts"));
}

class Bf16SupervisedTest : public Bf16TrainingTest {};

TEST_P(Bf16SupervisedTest, LearnsLabelsAsFp32) {
  Listener fp32;
  Listener bf16;
  ASSERT_TRUE(Train("fp32", "false", fp32).ok());
  ASSERT_TRUE(Train("bf16", "true", bf16).ok());
  ASSERT_EQ(bf16.losses.size(), 5u);
  EXPECT_LT(bf16.losses.back(), 0.8 * bf16.losses.front());
  EXPECT_NEAR(bf16.losses.back(), fp32.losses.back(), 0.03 * fp32.losses.back());
}

INSTANTIATE_TEST_SUITE_P(Trainings, Bf16SupervisedTest, testing::Values(kPointerSupervised));
INSTANTIATE_TEST_SUITE_P(Trainings, Bf16TrainingTest,
                         testing::Values(kTransformer, kPointerReinforce, kPointerSupervised));

}  // namespace
}  // namespace vrp
