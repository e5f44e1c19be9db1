#include "core/jobs/recovery.h"

#include <filesystem>

#include "core/base/file.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_test_support.h"
#include "tests/registry/fake_model.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RecoveryTest : public ::testing::Test {
 protected:
  RecoveryTest() {
    store_ = *JobStore::Open(folder_.File("jobs.db"), &clock_);
    registry_ = *Registry::Create(
        {.directory = folder_.File("models"),
         .loader = [](const std::string&, DeviceId) -> absl::StatusOr<std::unique_ptr<Policy>> {
           return std::make_unique<test::FakePolicy>();
         }});
  }
  // Returns a job that a killed daemon left in the last state of `path`, or in kPreparing if `path`
  // is empty.
  std::string JobLeftIn(const std::vector<JobState>& path) {
    const std::string id = store_->Submit(test::ASpec(), "", 100)->id;
    EXPECT_TRUE(store_->StartNext(JobKind::kTraining).ok());
    Update(id, [&](JobChange& change) {
      for (const JobState state : path) EXPECT_TRUE(change.MoveTo(state).ok());
    });
    return id;
  }
  void Update(const std::string& id, const std::function<void(JobChange&)>& act) {
    EXPECT_TRUE(store_
                    ->Update(id, Durability::kFull,
                             [&](JobChange& change) {
                               act(change);
                               return absl::OkStatus();
                             })
                    .ok());
  }
  Job Recover(const std::string& id) {
    const absl::Status status = RecoverJobs(*store_, *registry_, {});
    EXPECT_TRUE(status.ok()) << status;
    return store_->Find(JobKind::kTraining, id)->job;
  }
  // Simulates another crash of the daemon during the job.
  void CrashAgain(const std::string& id) {
    EXPECT_EQ((*store_->StartNext(JobKind::kTraining))->id, id);
  }

  test::TempFolder folder_;
  test::ManualClock clock_;
  std::unique_ptr<JobStore> store_;
  std::unique_ptr<Registry> registry_;
};

TEST_F(RecoveryTest, MovesInterruptedJobsToTheirStatesAfterARestart) {
  using enum JobState;
  const std::string preparing = JobLeftIn({});
  const std::string running = JobLeftIn({kRunning});
  const std::string cancelling = JobLeftIn({kRunning, kCancelling});
  const std::string pausing = JobLeftIn({kRunning, kPausing});
  const std::string paused = JobLeftIn({kRunning, kPausing, kPaused});
  const std::string stopping = JobLeftIn({kRunning, kStopping});
  const std::string failed = JobLeftIn({kRunning, kFailed});
  EXPECT_EQ(Recover(preparing).state, kQueued);
  EXPECT_EQ(store_->Find(JobKind::kTraining, running)->job.state, kQueued);
  EXPECT_EQ(store_->Find(JobKind::kTraining, cancelling)->job.state, kCancelled);
  EXPECT_EQ(store_->Find(JobKind::kTraining, pausing)->job.state, kPaused);
  EXPECT_EQ(store_->Find(JobKind::kTraining, paused)->job.state, kPaused);
  EXPECT_EQ(store_->Find(JobKind::kTraining, failed)->job.state, kFailed);
  EXPECT_EQ(store_->Find(JobKind::kTraining, stopping)->job.state, kQueued);
  EXPECT_EQ((*store_->StartNext(JobKind::kTraining))->id, preparing)
      << "jobs must run in the order of submission";
}

TEST_F(RecoveryTest, QueuesAStoppingJobFirstToEndIt) {
  JobLeftIn({JobState::kRunning});
  const std::string id = JobLeftIn({JobState::kRunning});
  Update(id, [](JobChange& change) {
    change.RequestStop("asked to end");
    EXPECT_TRUE(change.MoveTo(JobState::kStopping).ok());
  });
  const Job job = Recover(id);
  EXPECT_EQ(job.state, JobState::kQueued);
  EXPECT_TRUE(job.stop_requested);
  EXPECT_EQ(job.queue_position, 1);
  EXPECT_EQ((*store_->StartNext(JobKind::kTraining))->id, id);
}

TEST_F(RecoveryTest, FailsTheJobAtTheThirdConsecutiveCrash) {
  const std::string id = JobLeftIn({JobState::kRunning});
  EXPECT_EQ(Recover(id).state, JobState::kQueued);
  CrashAgain(id);
  EXPECT_EQ(Recover(id).state, JobState::kQueued);
  CrashAgain(id);
  const Job job = Recover(id);
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_EQ(job.attempt, 3);
  EXPECT_THAT(job.error.ToString(), HasSubstr("the daemon crashed 3 times in a row in this job"));
}

TEST_F(RecoveryTest, KeepsAJobThatMakesProgress) {
  const std::string id = JobLeftIn({JobState::kRunning});
  for (int64_t step = 1; step <= 6; ++step) {
    Update(id, [step](JobChange& change) { change.RecordCheckpoint(step); });
    EXPECT_EQ(Recover(id).state, JobState::kQueued) << step;
    CrashAgain(id);
  }
}

TEST_F(RecoveryTest, MarksAJobWithAPublishedModelAsSucceeded) {
  const std::string id = JobLeftIn({JobState::kRunning});
  const std::string cancelling = JobLeftIn({JobState::kRunning, JobState::kCancelling});
  for (const std::string& job : {id, cancelling}) {
    const std::string staging = *registry_->StagingDirectory();
    ASSERT_TRUE(test::WriteFakeModel(staging, Concat("trainingJobs/", job)).ok());
    ASSERT_TRUE(registry_->Publish("tiny", staging).ok());
  }
  const Job job = Recover(id);
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.model, "models/tiny/versions/1");
  EXPECT_EQ(job.published, (PublishedWeights{.epoch = 2,
                                             .step = 5,
                                             .reason = PublishReason::kBestValidation,
                                             .validation_cost = 6.5}));
  EXPECT_EQ(store_->Find(JobKind::kTraining, cancelling)->job.model, "models/tiny/versions/2");
  EXPECT_THAT(test::Describe(*store_->ReadEvents(id, {.first = 4, .last = 9, .limit = 9})),
              ElementsAre("model models/tiny/versions/1", "SUCCEEDED"));
}

TEST_F(RecoveryTest, LeavesEpochAndPublishReasonUnknownIfTheCardOmitsThem) {
  const std::string id = JobLeftIn({JobState::kRunning});
  const std::string staging = *registry_->StagingDirectory();
  ModelCard card = test::ACard("weights", Concat("trainingJobs/", id));
  card.epoch = 0;
  card.publish_reason = "";
  ASSERT_TRUE(AtomicWriteFile(Concat(staging, "/", kWeightsFile), "weights").ok());
  ASSERT_TRUE(AtomicWriteFile(Concat(staging, "/", kCardFile), WriteModelCard(card)).ok());
  ASSERT_TRUE(registry_->Publish("tiny", staging).ok());
  EXPECT_EQ(Recover(id).published,
            (PublishedWeights{
                .epoch = 0, .step = 5, .reason = PublishReason::kUnknown, .validation_cost = 6.5}));
}

class SolveRecoveryTest : public RecoveryTest {
 protected:
  // Returns a solve job that was running when the daemon was killed.
  std::string StartRunning() {
    const std::string id = store_->Submit(SolveSpec{.request = "city"}, "", 100)->id;
    CrashAgain(id);
    return id;
  }
  void CrashAgain(const std::string& id) {
    EXPECT_EQ((*store_->StartNext(JobKind::kSolve))->id, id);
    Update(id, [](JobChange& change) { EXPECT_TRUE(change.MoveTo(JobState::kRunning).ok()); });
  }
  JobState RecoverState(const std::string& id) {
    EXPECT_TRUE(RecoverSolveJobs(*store_, JobKind::kSolve, 3).ok());
    return store_->Find(JobKind::kSolve, id)->job.state;
  }
  void Improve(const std::string& id) {
    Update(id,
           [](JobChange& change) { change.RecordPlan({.improvements = 1, .cost = 9}, "plan"); });
  }
};

TEST_F(SolveRecoveryTest, RequeuesAnInterruptedSearchAndEndsAStoppedOne) {
  const std::string running = StartRunning();
  const std::string stopping = StartRunning();
  Update(stopping, [](JobChange& change) { EXPECT_TRUE(change.MoveTo(JobState::kStopping).ok()); });
  const absl::StatusOr<std::vector<Job>> to_end = RecoverSolveJobs(*store_, JobKind::kSolve, 3);
  ASSERT_TRUE(to_end.ok()) << to_end.status();
  ASSERT_EQ(to_end->size(), 1u);
  EXPECT_EQ(to_end->front().id, stopping);
  EXPECT_EQ(store_->Find(JobKind::kSolve, running)->job.state, JobState::kQueued);
}

TEST_F(SolveRecoveryTest, FailsTheJobAtTheThirdCrashWithoutAPlan) {
  const std::string id = StartRunning();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(RecoverState(id), JobState::kQueued);
    CrashAgain(id);
  }
  EXPECT_EQ(RecoverState(id), JobState::kFailed);
  EXPECT_THAT(store_->Find(JobKind::kSolve, id)->job.error.ToString(),
              HasSubstr("without a better plan, the limit is 3; the job has no plan"));
}

TEST_F(SolveRecoveryTest, EndsACrashingJobWithItsPlan) {
  const std::string id = StartRunning();
  Improve(id);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(RecoverState(id), JobState::kQueued);
    CrashAgain(id);
  }
  EXPECT_EQ(RecoverState(id), JobState::kStopping);
  EXPECT_EQ(RecoverState(id), JobState::kFailed) << "one more crash must fail the job";
}

TEST_F(SolveRecoveryTest, EndsACrashingSimulationWithItsFinishedDays) {
  const std::string id =
      store_->Submit(SolveSpec{.kind = JobKind::kSimulation, .request = "city"}, "", 100)->id;
  const auto crash = [&] {
    EXPECT_EQ((*store_->StartNext(JobKind::kSimulation))->id, id);
    Update(id, [](JobChange& change) { EXPECT_TRUE(change.MoveTo(JobState::kRunning).ok()); });
  };
  const auto recover = [&] {
    EXPECT_TRUE(RecoverSolveJobs(*store_, JobKind::kSimulation, 3).ok());
    return store_->Find(JobKind::kSimulation, id)->job.state;
  };
  crash();
  Update(id, [](JobChange& change) { change.RecordPart(absl::Seconds(1), "a day"); });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(recover(), JobState::kQueued);
    crash();
  }
  EXPECT_EQ(recover(), JobState::kStopping);
  EXPECT_EQ(recover(), JobState::kFailed) << "one more crash must fail the job";
  EXPECT_THAT(store_->Find(JobKind::kSimulation, id)->job.error.ToString(),
              HasSubstr("without another finished day"));
}

TEST_F(SolveRecoveryTest, KeepsASearchThatMakesProgress) {
  const std::string id = StartRunning();
  for (int i = 0; i < 6; ++i) {
    if (i % 2 == 0) {
      Improve(id);
    } else {
      Update(id,
             [](JobChange& change) { change.SetSearchTime(absl::Minutes(9), absl::Minutes(2)); });
    }
    EXPECT_EQ(RecoverState(id), JobState::kQueued) << i;
    CrashAgain(id);
  }
}

TEST_F(RecoveryTest, RemovesFoldersOfJobsThatCannotResume) {
  const std::string running = JobLeftIn({JobState::kRunning});
  const std::string failed = JobLeftIn({JobState::kRunning, JobState::kFailed});
  const std::string cancelled =
      JobLeftIn({JobState::kRunning, JobState::kCancelling, JobState::kCancelled});
  const auto state = *StateFolder::Open(folder_.File("state"));
  for (const std::string& id : {running, failed, cancelled, std::string("unknown")}) {
    std::filesystem::create_directories(state->CheckpointPath(id));
  }
  EXPECT_THAT(UnknownJobFolders(*store_, *state), ElementsAre("unknown"));
  RemoveFinishedFolders(*store_, *state);
  EXPECT_TRUE(std::filesystem::exists(state->JobPath(running)));
  EXPECT_TRUE(std::filesystem::exists(state->JobPath(failed)));
  EXPECT_TRUE(std::filesystem::exists(state->JobPath("unknown")));
  EXPECT_FALSE(std::filesystem::exists(state->JobPath(cancelled)));
}

}  // namespace
}  // namespace vrp
