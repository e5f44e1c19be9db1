// Tests training runs whose device fails at a piece of its work, for every piece.
#include <cstdint>
#include <filesystem>
#include <future>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "core/device/executor.h"
#include "core/model/policy/owned_engine.h"
#include "core/train/run/live_models.h"
#include "gtest/gtest.h"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

using test::kMethods;
using test::Method;
using test::Recorder;

// A device that skips one piece of its work and reports a failure.
class FailingExecutor final : public DeviceExecutor {
 public:
  std::future<absl::Status> Run(Priority priority,
                                absl::AnyInvocable<absl::Status()> work) override {
    if (++runs != fails) return executor_->Run(priority, std::move(work));
    return executor_->Run(priority, [] { return absl::DataLossError("the device failed"); });
  }
  void ReleaseCachedMemory() override {}
  void Shutdown() override {}

  int64_t runs = 0;                                     // number of pieces so far
  int64_t fails = std::numeric_limits<int64_t>::max();  // number of the piece that fails

 private:
  const std::unique_ptr<DeviceExecutor> executor_ = MakeInlineExecutor();
};

// An observer that counts the device's pieces of work before a model is written. With `live`, it
// requests a live model after step 3, and makes the device fail `fails_after` pieces later.
class WorkCounter final : public TrainingObserver {
 public:
  explicit WorkCounter(FailingExecutor& executor) : executor_(executor) {}
  ~WorkCounter() override {
    if (thread_.joinable()) thread_.join();
  }
  void OnLog(std::string_view) override {}
  void OnProgress(const TrainingProgress& progress) override {
    if (live == nullptr || progress.step != 3 || thread_.joinable()) return;
    thread_ = std::thread([this] {
      answer = live->WriteAndPublish(folder, absl::Minutes(1),
                                     [](const TrainingResult&) { return absl::OkStatus(); })
                   .status();
    });
    // Waits for the request, so that the end of this step or of the next one serves it.
    absl::SleepFor(absl::Milliseconds(20));
    executor_.fails = executor_.runs + fails_after;
  }
  void OnCheckpoint(int64_t) override {}
  void OnPhase(std::string_view phase) override {
    if (phase == "publication") runs = executor_.runs;
  }

  int64_t runs = 0;
  LiveModels* live = nullptr;
  int64_t fails_after = 0;
  std::string folder;
  absl::Status answer;

 private:
  FailingExecutor& executor_;
  std::thread thread_;
};

class TrainerFailuresTest : public test::TrainerFixture,
                            public testing::WithParamInterface<Method> {
 protected:
  TrainerFailuresTest() {
    engines_ = [this](const TrainingConfig& config, DeviceId,
                      const EngineOptions&) -> absl::StatusOr<std::unique_ptr<PolicyEngine>> {
      return MakeOwnedEngine(test::MakeFakeEngine({.seed = config.seed}), executor_,
                             Priority::kTraining);
    };
  }

  // Returns a configuration of two epochs that validates averaged weights and writes a checkpoint
  // every third step.
  static std::string AveragedYaml() {
    return absl::StrReplaceAll(
        test::Yaml(GetParam()),
        {{"epochs: 4", "epochs: 2"},
         {"checkpoint_every_steps: 7", "checkpoint_every_steps: 3, weight_average: 0.8"}});
  }

  FailingExecutor executor_;
};

TEST_P(TrainerFailuresTest, EndTheRunWhichResumesToTheSameBits) {
  WorkCounter reference(executor_);
  ASSERT_TRUE(Train("reference", AveragedYaml(), reference).ok());
  ASSERT_GT(reference.runs, 20);
  for (int64_t piece = 1; piece <= reference.runs; ++piece) {
    SCOPED_TRACE(testing::Message() << "piece " << piece << " of " << reference.runs);
    const std::string name = "failed-" + std::to_string(piece);
    executor_.runs = 0;
    executor_.fails = piece;
    Recorder failed;
    EXPECT_EQ(Train(name, AveragedYaml(), failed).status(),
              absl::DataLossError("the device failed"));
    EXPECT_FALSE(std::filesystem::exists(ModelOf(name) + "/weights.safetensors"));
    executor_.fails = 0;
    Recorder resumed;
    ASSERT_TRUE(Train(name, AveragedYaml(), resumed).ok());
    EXPECT_TRUE(WeightsOf(name) == WeightsOf("reference"));
  }
}

TEST_P(TrainerFailuresTest, KeepTheCheckpointDuringAResumption) {
  Recorder reference;
  ASSERT_TRUE(Train("reference", AveragedYaml(), reference).ok());
  Recorder first;
  first.cancel_at = 4;
  ASSERT_TRUE(absl::IsCancelled(Train("resumed", AveragedYaml(), first).status()));
  for (int64_t piece = 1; piece <= 5; ++piece) {
    SCOPED_TRACE(piece);
    executor_.runs = 0;
    executor_.fails = piece;
    Recorder failed;
    EXPECT_EQ(Train("resumed", AveragedYaml(), failed).status(),
              absl::DataLossError("the device failed"));
    EXPECT_TRUE(failed.checkpoints.empty());
  }
  executor_.fails = 0;
  Recorder resumed;
  ASSERT_TRUE(Train("resumed", AveragedYaml(), resumed).ok());
  EXPECT_EQ(resumed.steps.front().step, 5);
  EXPECT_TRUE(WeightsOf("resumed") == WeightsOf("reference"));
}

TEST_P(TrainerFailuresTest, EndTheRunDuringALiveModel) {
  for (int64_t piece = 1; piece <= 3; ++piece) {
    SCOPED_TRACE(piece);
    const std::string name = "live-" + std::to_string(piece);
    LiveModels live;
    limits_.live = &live;
    WorkCounter requester(executor_);
    requester.live = &live;
    requester.folder = ModelOf(name + "-requested");
    requester.fails_after = piece;
    EXPECT_EQ(Train(name, AveragedYaml(), requester).status(),
              absl::DataLossError("the device failed"));
    live.Close(absl::AbortedError("the run is over"));
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, TrainerFailuresTest, testing::ValuesIn(kMethods),
                         [](const auto& method) { return std::string(method.param.name); });

}  // namespace
}  // namespace vrp
