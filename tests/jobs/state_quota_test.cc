#include "core/jobs/state_quota.h"

#include <filesystem>
#include <thread>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/train/run/checkpoint.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_manager_fixture.h"
#include "tests/registry/fake_model.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr int64_t kStateBytes = 100'000;  // size of the state in a checkpoint

class StateQuotaTest : public ::testing::Test {
 protected:
  StateQuotaTest() : folder_(*StateFolder::Open(temporary_.File("state"))) {}
  void AddCheckpoint(const std::string& job, int64_t step) {
    const std::string directory = folder_->CheckpointPath(job);
    ASSERT_TRUE(EnsureDirectory(directory).ok());
    ASSERT_TRUE(WriteCheckpoint(directory,
                                {.step = step,
                                 .config_sha256 = "ab",
                                 .scalars = {},
                                 .state = std::string(kStateBytes, 'x')},
                                {.last = 9})
                    .ok());
    // Sets modification times that differ at the resolution of the file system.
    fs::last_write_time(StepPath(job, step),
                        fs::file_time_type() + std::chrono::seconds(1000 + ++written_));
  }
  std::string StepPath(const std::string& job, int64_t step) const {
    return Concat(folder_->CheckpointPath(job), "/step-", step);
  }

  test::TempFolder temporary_;
  std::unique_ptr<StateFolder> folder_;
  int written_ = 0;
};

TEST_F(StateQuotaTest, RemovesAndRefusesNothingWithoutAQuota) {
  for (const int64_t step : {1, 2, 3}) AddCheckpoint("a", step);
  EXPECT_TRUE(StateQuota(*folder_, 0).Check().ok());
  EXPECT_TRUE(fs::exists(StepPath("a", 1)));
}

TEST_F(StateQuotaTest, RemovesTheOldestSupersededCheckpointsAsNeeded) {
  AddCheckpoint("a", 1);
  AddCheckpoint("b", 1);
  AddCheckpoint("a", 2);
  AddCheckpoint("b", 2);
  EXPECT_TRUE(StateQuota(*folder_, 4 * kStateBytes + kStateBytes / 2).Check().ok());
  EXPECT_TRUE(fs::exists(StepPath("a", 1)));
  EXPECT_TRUE(StateQuota(*folder_, 3 * kStateBytes + kStateBytes / 2).Check().ok());
  EXPECT_FALSE(fs::exists(StepPath("a", 1)));
  EXPECT_TRUE(fs::exists(StepPath("b", 1)));
}

TEST_F(StateQuotaTest, FreesSpaceForTheNextWrite) {
  AddCheckpoint("a", 1);
  AddCheckpoint("a", 2);
  const StateQuota quota(*folder_, 2 * kStateBytes + kStateBytes / 2);
  EXPECT_TRUE(quota.Check(kStateBytes / 4).ok());
  EXPECT_TRUE(fs::exists(StepPath("a", 1)));
  EXPECT_TRUE(quota.Check(kStateBytes).ok());
  EXPECT_FALSE(fs::exists(StepPath("a", 1)));
  const absl::Status status = quota.Check(2 * kStateBytes);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("), and 0.2 MB more are needed; delete"));
}

TEST_F(StateQuotaTest, KeepsTheLastCompleteCheckpointAndReportsTheUsage) {
  for (const int64_t step : {1, 2, 3}) AddCheckpoint("a", step);
  // The newest checkpoint is damaged, so the previous one is the last complete checkpoint.
  ASSERT_TRUE(AtomicWriteFile(StepPath("a", 3) + "/state.safetensors", "cut").ok());
  const absl::Status status = StateQuota(*folder_, kStateBytes / 2).Check();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("used of a quota of 0.1 MB (jobs 0."));
  EXPECT_THAT(std::string(status.message()), HasSubstr("vrpctl jobs delete"));
  EXPECT_FALSE(fs::exists(StepPath("a", 1)));
  EXPECT_TRUE(fs::exists(StepPath("a", 2)));
  EXPECT_EQ(ReadNewestCheckpoint(folder_->CheckpointPath("a"))->step, 2);
}

class QuotaOfJobsTest : public test::JobManagerFixture {};

TEST_F(QuotaOfJobsTest, RefusesNewJobsAboveTheQuotaAndFinishesRunningOnes) {
  quota_bytes_ = 3'000'000;
  Open();
  const std::string running = SubmitHeld();
  ASSERT_TRUE(AtomicWriteFile(folder_.File("state/large"), std::string(4'000'000, 'x')).ok());
  const absl::Status refused = jobs_->Submit(test::ASpec(), "").status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("large 4.0 MB"));
  trainer_->Release();
  EXPECT_EQ(test::AwaitEnd(*jobs_, running).state, JobState::kSucceeded);
  fs::remove(folder_.File("state/large"));
  EXPECT_TRUE(jobs_->Submit(test::ASpec(), "").ok());
}

TEST_F(QuotaOfJobsTest, RefusesALivePublicationButKeepsTheFinalModel) {
  quota_bytes_ = 3'000'000;
  JobManager* jobs = nullptr;
  absl::Status live;
  UseTrainer({.before_step = [&](const TrainingRequest& request, int64_t step) {
    if (step != 3) return absl::OkStatus();
    EXPECT_TRUE(AtomicWriteFile(folder_.File("state/large"), std::string(4'000'000, 'x')).ok());
    std::thread publisher([&] {
      live = jobs->Publish(request.job_name.substr(request.job_name.find('/') + 1)).status();
    });
    bool served = false;
    while (!served) {
      request.live->Serve([&](const std::string& folder) -> absl::StatusOr<TrainingResult> {
        served = true;
        EXPECT_TRUE(test::WriteFakeModel(folder, LiveJobName(request.job_name, step)).ok());
        return TrainingResult{.steps = step};
      });
    }
    publisher.join();
    return absl::OkStatus();
  }});
  Open();
  jobs = jobs_.get();
  const std::string id = Submit(2, 5);
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  EXPECT_TRUE(absl::IsResourceExhausted(live)) << live;
  EXPECT_THAT(test::Describe(events), Contains("model models/tiny/versions/1"));
  EXPECT_THAT(events, Contains(Field(&JobEvent::text, HasSubstr("large 4.0 MB"))));
  EXPECT_EQ(jobs_->Get(id)->state, JobState::kSucceeded);
  EXPECT_EQ(registry_->Get("tiny")->card.training_job, "trainingJobs/" + id);
  EXPECT_EQ(registry_->List().size(), 1u);
}

}  // namespace
}  // namespace vrp
