#include "server/worker/workers_trainer.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/worker/worker_process.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using testing::HasSubstr;

class RecordingTrainer final : public Trainer {
 public:
  absl::StatusOr<TrainingResult> Train(const TrainingRequest&, const StopCondition&,
                                       TrainingObserver&) override {
    ++trained;
    return TrainingResult{.steps = 7};
  }
  absl::Status CheckInputs(const TrainingRequest&) const override { return absl::OkStatus(); }
  absl::StatusOr<int64_t> ResumeStep(const std::string&) override { return checkpoint; }

  int trained = 0;
  int64_t checkpoint = 0;
};

class LogObserver final : public TrainingObserver {
 public:
  void OnLog(std::string_view line) override { log += std::string(line) + "\n"; }
  void OnProgress(const TrainingProgress&) override {}
  void OnCheckpoint(int64_t) override {}

  std::string log;
};

class WorkersTrainerTest : public testing::Test {
 protected:
  WorkersTrainerTest() {
    request_.config = *ParseTrainingConfig("name: a\ntraining: {workers: 2}\n", "f.yaml");
    request_.device = {DeviceKind::kCpu, 0};
    std::ofstream(program_) << "#!/bin/sh\necho \"no luck with $1\"\nexit 3\n";
    std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
    options_ = {.launcher = "env", .program = program_, .patience = absl::Seconds(2)};
  }
  absl::Status Check() { return WorkersTrainer(inner_, options_).CheckInputs(request_); }

  const test::TempFolder folder_;
  const std::string program_ = std::string(folder_.path()) + "/worker";
  RecordingTrainer inner_;
  TrainingRequest request_;
  WorkersOptions options_;
  LogObserver observer_;
};

TEST_F(WorkersTrainerTest, LeavesASingleWorkerToTheOtherTrainer) {
  request_.config.workers = 1;
  options_.program = "/nowhere";
  ASSERT_TRUE(WorkersTrainer(inner_, options_).Train(request_, {}, observer_).ok());
  EXPECT_EQ(inner_.trained, 1);
  EXPECT_TRUE(Check().ok());
}

TEST_F(WorkersTrainerTest, RefusesWorkersOnAGpu) {
  request_.device = {DeviceKind::kCuda, 1};
  EXPECT_EQ(Check(), absl::InvalidArgumentError(
                         "training.workers: got 2, but several workers train on CPUs only, and the "
                         "device is cuda:1; submit the job with device cpu"));
}

TEST_F(WorkersTrainerTest, NamesTheMissingProgramAndItsRemedy) {
  options_.launcher = "mpirun-of-nobody -n {workers}";
  EXPECT_THAT(
      std::string(Check().message()),
      HasSubstr("training.workers: got 2, but mpirun-of-nobody is not installed; install it "
                "(apt-get install openmpi-bin)"));
  options_.program = "/nowhere/vrp_worker";
  EXPECT_THAT(std::string(Check().message()), HasSubstr("/nowhere/vrp_worker is missing"));
}

TEST_F(WorkersTrainerTest, GivesUpAfterStartsWithoutACheckpoint) {
  const auto result = WorkersTrainer(inner_, options_).Train(request_, {}, observer_);
  EXPECT_TRUE(absl::IsUnavailable(result.status())) << result.status();
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("the workers ended with exit code 3; their last output:\nno luck with "
                        "--daemon"));
  size_t starts = 0;
  for (size_t at = 0;
       (at = observer_.log.find("starts the workers again", at)) != std::string::npos; ++at) {
    ++starts;
  }
  EXPECT_EQ(starts, kMaxWorkerStarts - 1);
}

TEST_F(WorkersTrainerTest, KillsWorkersThatDoNotEndWhenAsked) {
  std::ofstream(program_) << "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n";
  const auto cancel = std::make_shared<CancelFlag>();
  cancel->Cancel();
  const auto result =
      WorkersTrainer(inner_, options_).Train(request_, {absl::InfiniteFuture(), cancel}, observer_);
  EXPECT_TRUE(absl::IsCancelled(result.status())) << result.status();
}

TEST(FindProgramTest, SearchesThePath) {
  EXPECT_TRUE(FindProgram("sh").has_value());
  EXPECT_FALSE(FindProgram("no-such-program").has_value());
  EXPECT_FALSE(FindProgram("/no/such/program").has_value());
}

}  // namespace
}  // namespace vrp
