#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/weights/safetensors.h"
#include "core/train/run/checkpoint.h"
#include "gtest/gtest.h"
#include "tests/testing/full_disk.h"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;
using test::kMethods;
using test::Method;
using test::Recorder;
using test::Yaml;

class TrainerResumeTest : public test::TrainerFixture {};

TEST_F(TrainerResumeTest, ResumesFromTheCheckpointBeforeACorruptOne) {
  Recorder first;
  first.cancel_at = 15;
  EXPECT_FALSE(Train("a", Yaml("reinforce"), first).ok());
  fs::resize_file(root_ + "/a/checkpoint/step-15/state.safetensors", 100);
  Recorder second;
  ASSERT_TRUE(Train("a", Yaml("reinforce"), second).ok());
  EXPECT_EQ(second.steps.front().step, 15);  // resumes after step 14
  Recorder reference;
  ASSERT_TRUE(Train("b", Yaml("reinforce"), reference).ok());
  EXPECT_EQ(WeightsOf("a"), WeightsOf("b"));
}

// An observer that makes checkpoints fail for lack of disk space until a step.
class FullDiskUntil final : public TrainingObserver {
 public:
  FullDiskUntil(int64_t step, rlim_t bytes) : step_(step) { full_disk_.emplace(bytes); }
  void OnLog(std::string_view line) override { recorder.OnLog(line); }
  void OnProgress(const TrainingProgress& progress) override {
    if (progress.step == step_) full_disk_.reset();
    recorder.OnProgress(progress);
  }
  void OnCheckpoint(int64_t step) override { recorder.OnCheckpoint(step); }
  Recorder recorder;

 private:
  const int64_t step_;
  std::optional<test::FullDisk> full_disk_;
};

TEST_F(TrainerResumeTest, ContinuesIfTheDiskIsFullAtACheckpoint) {
  FullDiskUntil observer(10, 100);
  const auto result = Train("a", Yaml("reinforce"), observer);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(observer.recorder.checkpoints, std::vector<int64_t>{14});
  EXPECT_FALSE(fs::exists(root_ + "/a/checkpoint/tmp-7"));
  EXPECT_NE(observer.recorder.log.find("could not write a checkpoint of step 7, there is none: "),
            std::string::npos)
      << observer.recorder.log;
  Recorder reference;
  ASSERT_TRUE(Train("b", Yaml("reinforce"), reference).ok());
  EXPECT_EQ(WeightsOf("a"), WeightsOf("b"));
}

TEST_F(TrainerResumeTest, NamesTheLastCheckpointIfTheDiskIsFull) {
  Recorder first;
  first.cancel_at = 3;
  ASSERT_FALSE(Train("a", Yaml("reinforce"), first).ok());
  FullDiskUntil observer(10, 100);
  ASSERT_TRUE(Train("a", Yaml("reinforce"), observer).ok());
  EXPECT_NE(observer.recorder.log.find(
                "could not write a checkpoint of step 7, the newest is of step 3: "),
            std::string::npos)
      << observer.recorder.log;
}

// An observer that makes the publication fail for lack of disk space. Once the trainer logs that it
// waits, the observer frees the disk or, with `cancels`, cancels the run.
class FullDiskAtPublication final : public TrainingObserver {
 public:
  explicit FullDiskAtPublication(bool cancels) : cancels_(cancels) {}
  void OnLog(std::string_view line) override {
    recorder.OnLog(line);
    if (!line.starts_with("waits for disk space to write the model: ")) return;
    cancels_ ? recorder.cancel->Cancel() : full_disk_.reset();
  }
  void OnProgress(const TrainingProgress& progress) override { recorder.OnProgress(progress); }
  void OnCheckpoint(int64_t step) override { recorder.OnCheckpoint(step); }
  void OnPhase(std::string_view phase) override {
    if (phase == "publication") full_disk_.emplace(100);
  }
  Recorder recorder;

 private:
  const bool cancels_;
  std::optional<test::FullDisk> full_disk_;
};

TEST_F(TrainerResumeTest, PublishesOnceTheDiskHasSpace) {
  FullDiskAtPublication observer(false);
  const auto result = Train("a", Yaml("reinforce"), observer);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_NE(observer.recorder.log.find("waits for disk space"), std::string::npos);
  Recorder reference;
  ASSERT_TRUE(Train("b", Yaml("reinforce"), reference).ok());
  EXPECT_EQ(WeightsOf("a"), WeightsOf("b"));
}

TEST_F(TrainerResumeTest, StopsWhileItWaitsForDiskSpace) {
  {
    FullDiskAtPublication observer(true);
    const StopCondition stop(absl::InfiniteFuture(), observer.recorder.cancel);
    const auto result = Train("a", Yaml("reinforce"), observer, stop);
    EXPECT_TRUE(absl::IsCancelled(result.status())) << result.status();
  }
  Recorder later;
  ASSERT_TRUE(Train("a", Yaml("reinforce"), later).ok());
  Recorder reference;
  ASSERT_TRUE(Train("b", Yaml("reinforce"), reference).ok());
  EXPECT_EQ(WeightsOf("a"), WeightsOf("b"));
}

TEST_F(TrainerResumeTest, RefusesACheckpointOfAnotherConfiguration) {
  Recorder first;
  first.cancel_at = 3;
  EXPECT_FALSE(Train("a", Yaml("reinforce"), first).ok());
  Recorder second;
  const auto result = Train("a", Yaml("reinforce", "# changed\n"), second);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(TrainerResumeTest, IsCancelledBeforeItsFirstStep) {
  Recorder recorder;
  recorder.cancel->Cancel();
  EXPECT_EQ(Train("a", Yaml("reinforce"), recorder).status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(recorder.steps.empty());
}

TEST_F(TrainerResumeTest, HalvesTheMicroBatchWhenOutOfMemory) {
  Recorder reference;
  ASSERT_TRUE(Train("reference", Yaml(kMethods[0]), reference).ok());
  max_instances_ = 3;
  Recorder halved;
  const auto result = Train("halved", Yaml(kMethods[0]), halved);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_NE(halved.log.find("step 1: out of memory; continues with 2 instances at once"),
            std::string::npos)
      << halved.log;
  EXPECT_EQ(WeightsOf("reference"), WeightsOf("halved"));
}

TEST_F(TrainerResumeTest, ReportsThatItsEngineRanOutOfMemory) {
  engines_ = [](const TrainingConfig&, DeviceId,
                const EngineOptions&) -> absl::StatusOr<std::unique_ptr<PolicyEngine>> {
    throw std::bad_alloc();
  };
  Recorder recorder;
  EXPECT_EQ(Train("a", Yaml("reinforce"), recorder).status().code(),
            absl::StatusCode::kResourceExhausted);
}

class DivergenceTest : public test::TrainerFixture, public testing::WithParamInterface<Method> {};

TEST_P(DivergenceTest, FailsAfterTenSkippedStepsInARow) {
  Recorder first;
  first.cancel_at = 3;
  EXPECT_FALSE(Train("a", Yaml(GetParam()), first).ok());
  // Fills the checkpoint with huge weights, so that every later loss is NaN.
  const std::string folder = root_ + "/a/checkpoint";
  Checkpoint checkpoint = *ReadNewestCheckpoint(folder);
  const SafetensorsFile file = *SafetensorsFile::Parse(checkpoint.state, "state");
  const TensorView* parameters = file.Find("parameters");
  ASSERT_NE(parameters, nullptr);
  const auto offset =
      checkpoint.state.size() -
      static_cast<size_t>(file.tensors().back().data.data() + file.tensors().back().data.size() -
                          parameters->data.data());
  const float huge = 3e38f;
  for (size_t at = 0; at < parameters->data.size(); at += sizeof(huge)) {
    std::memcpy(checkpoint.state.data() + offset + at, &huge, sizeof(huge));
  }
  ASSERT_TRUE(WriteCheckpoint(folder, checkpoint).ok());
  Recorder second;
  const auto result = Train("a", Yaml(GetParam()), second);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
  EXPECT_NE(std::string(result.status().message()).find("10 steps in a row without a finite loss"),
            std::string::npos)
      << result.status();
  EXPECT_NE(second.log.find("step 4: skipped: loss"), std::string::npos) << second.log;
}

INSTANTIATE_TEST_SUITE_P(Methods, DivergenceTest,
                         testing::Values(kMethods[0], kMethods[1], kMethods[4]),
                         [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace vrp
