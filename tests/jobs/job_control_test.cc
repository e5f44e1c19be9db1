// Tests pausing, resuming, deleting and live publication.
#include <filesystem>
#include <thread>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_manager_fixture.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class JobControlTest : public test::JobManagerFixture {
 protected:
  // Returns a job that was paused before step `held`.
  std::string SubmitPaused(int64_t held) {
    const std::string id = SubmitHeld(held);
    EXPECT_EQ(jobs_->Pause(id)->state, JobState::kPausing);
    test::AwaitState(*jobs_, id, JobState::kPaused);
    trainer_->Release();
    return id;
  }
  bool Exists(const std::string& path) const { return fs::exists(folder_.File("state/" + path)); }
};

TEST_F(JobControlTest, ResumesAPausedJobFromTheStepWhereItStopped) {
  Open();
  const std::string id = SubmitPaused(5);
  EXPECT_EQ(jobs_->Pause(id)->state, JobState::kPaused) << "pausing again has no effect";
  jobs_->Resume(id).IgnoreError();
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  test::ExpectConsistentLog(events);
  const std::vector<std::string> descriptions = test::DescribeWithoutLogs(events);
  EXPECT_THAT(descriptions,
              ElementsAre("QUEUED", "PREPARING", "RUNNING", "progress 1", "checkpoint 3", "PAUSING",
                          "checkpoint 4", "progress 4", "PAUSED", "QUEUED", "PREPARING",
                          "resumed 4", "RUNNING", "progress 5", "checkpoint 6", "checkpoint 9",
                          "progress 10", "model models/tiny/versions/1", "SUCCEEDED"));
  EXPECT_EQ(jobs_->Get(id)->attempt, 2);
}

TEST_F(JobControlTest, KeepsAJobPausedAcrossRestartsWhileOthersRun) {
  Open();
  const std::string id = SubmitPaused(5);
  const std::string other = Submit();
  EXPECT_EQ(test::AwaitEnd(*jobs_, other).state, JobState::kSucceeded);
  Open();
  EXPECT_EQ(jobs_->Get(id)->state, JobState::kPaused);
  EXPECT_TRUE(Exists("jobs/" + id + "/checkpoint"));
  ASSERT_EQ(jobs_->Resume(id)->state, JobState::kQueued);
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kSucceeded);
}

TEST_F(JobControlTest, PausesAQueuedJobAtOnceAndKeepsItsQueuePosition) {
  Open();
  const std::string running = SubmitHeld();
  const std::string first = Submit(), second = Submit();
  EXPECT_EQ(jobs_->Pause(first)->state, JobState::kPaused);
  EXPECT_EQ(jobs_->Get(second)->queue_position, 1);
  EXPECT_EQ(jobs_->Resume(first)->queue_position, 1) << "the resumed job is older";
  EXPECT_EQ(jobs_->Get(second)->queue_position, 2);
  trainer_->Release();
  test::AwaitEnd(*jobs_, second);
  EXPECT_LT(jobs_->Get(first)->last_sequence, 100);
  EXPECT_EQ(jobs_->Get(first)->attempt, 1);
}

TEST_F(JobControlTest, KeepsAPauseRequestedDuringShutdown) {
  Open();
  const std::string id = SubmitHeld(5);
  ASSERT_TRUE(jobs_->Pause(id).ok());
  Open();
  EXPECT_EQ(jobs_->Get(id)->state, JobState::kPaused);
  trainer_->Release();
}

TEST_F(JobControlTest, RefusesInvalidPausesAndResumesWithTheReason) {
  Open();
  const std::string ended = Submit();
  test::AwaitEnd(*jobs_, ended);
  for (const absl::Status& status : {jobs_->Pause(ended).status(), jobs_->Resume(ended).status()}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("is SUCCEEDED, which cannot become"));
  }
  EXPECT_TRUE(absl::IsNotFound(jobs_->Pause("nothing").status()));
  EXPECT_TRUE(absl::IsNotFound(jobs_->Resume("nothing").status()));
  const std::string running = SubmitHeld();
  EXPECT_EQ(jobs_->Resume(running)->state, JobState::kRunning)
      << "resuming a running job has no effect";
  trainer_->Release();
}

TEST_F(JobControlTest, CancelsAPausedJobAndRemovesItsCheckpoint) {
  Open();
  const std::string id = SubmitPaused(5);
  EXPECT_EQ(jobs_->Cancel(id)->state, JobState::kCancelled);
  EXPECT_FALSE(Exists("jobs/" + id));
}

TEST_F(JobControlTest, DeletesAnEndedJobButKeepsItsModel) {
  Open();
  const std::string id = Submit();
  test::AwaitEnd(*jobs_, id);
  ASSERT_TRUE(Exists("tensorboard/" + id));
  const auto watch = *jobs_->Watch(id, 1);
  ASSERT_TRUE(jobs_->Delete(id).ok());
  EXPECT_TRUE(absl::IsNotFound(jobs_->Get(id).status()));
  EXPECT_TRUE(absl::IsNotFound(jobs_->Delete(id)));
  EXPECT_TRUE(absl::IsNotFound(jobs_->Watch(id, 1).status()));
  EXPECT_TRUE(absl::IsNotFound(jobs_->ReadHistory(id, {}).status()));
  const absl::Status deleted = watch->Next(10).status();
  EXPECT_TRUE(absl::IsNotFound(deleted)) << deleted;
  EXPECT_THAT(std::string(deleted.message()), HasSubstr("was deleted"));
  EXPECT_FALSE(Exists("tensorboard/" + id));
  EXPECT_FALSE(Exists("jobs/" + id));
  EXPECT_TRUE(registry_->Get("tiny", 1).ok());
}

TEST_F(JobControlTest, DeletesOnlyEndedJobs) {
  Open();
  const std::string running = SubmitHeld(), queued = Submit();
  for (const std::string& id : {running, queued}) {
    const absl::Status refused = jobs_->Delete(id);
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  }
  trainer_->Release();
}

TEST_F(JobControlTest, RemovesFilesLeftByADeletionAtTheNextStart) {
  Open();
  const std::string id = Submit();
  test::AwaitEnd(*jobs_, id);
  jobs_.reset();
  {
    // Simulates a kill between the deletion of the rows and of the files.
    const auto book = *JobBook::Open(folder_.File("state"), &clock_);
    ASSERT_TRUE(book->store().Delete(JobKind::kTraining, id).ok());
  }
  ASSERT_TRUE(Exists("tensorboard/" + id));
  Open();
  EXPECT_FALSE(Exists("tensorboard/" + id));
}

TEST_F(JobControlTest, PublishesWeightsOfARunningJobWithoutStoppingIt) {
  Open();
  const std::string id = SubmitHeld(5);
  absl::StatusOr<LivePublication> published = absl::UnknownError("not requested");
  std::thread publisher([&] { published = jobs_->Publish(id); });
  trainer_->Release();
  publisher.join();
  if (!published.ok()) {
    // The training may have ended before the request.
    EXPECT_TRUE(absl::IsFailedPrecondition(published.status()) ||
                absl::IsAborted(published.status()))
        << published.status();
  } else {
    EXPECT_EQ(registry_->Get("tiny", 1)->card.training_job,
              Concat("trainingJobs/", id, "/steps/", published->step));
    EXPECT_EQ(published->model, "models/tiny/versions/1");
  }
  const Job job = test::AwaitEnd(*jobs_, id);
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(registry_->List().size(), published.ok() ? 2u : 1u);
  EXPECT_EQ(registry_->Get(registry_->List()[0].name)->card.training_job, "trainingJobs/" + id);
}

TEST_F(JobControlTest, LogsAPublicationWithoutEndingTheJob) {
  JobManager* jobs = nullptr;
  std::string id;
  std::thread publisher;
  absl::StatusOr<LivePublication> published = absl::UnknownError("not requested");
  UseTrainer({.before_step = [&](const TrainingRequest& request, int64_t step) {
    if (step != 4) return absl::OkStatus();
    id = request.job_name.substr(request.job_name.find('/') + 1);
    publisher = std::thread([&] { published = jobs->Publish(id); });
    // Publishes at once instead of after the step.
    bool served = false;
    while (!served) {
      request.live->Serve([&](const std::string& folder) -> absl::StatusOr<TrainingResult> {
        served = true;
        const absl::Status written =
            test::WriteFakeModel(folder, LiveJobName(request.job_name, step - 1));
        EXPECT_TRUE(written.ok());
        return TrainingResult{.steps = step - 1};
      });
    }
    publisher.join();
    return absl::AbortedError("fails after the publication");
  }});
  Open();
  jobs = jobs_.get();
  id = Submit(2, 5);
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  ASSERT_TRUE(published.ok()) << published.status();
  EXPECT_EQ(published->step, 3);
  EXPECT_THAT(test::Describe(events), Contains("model models/tiny/versions/1"));
  const Job job = *jobs_->Get(id);
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_EQ(job.model, "models/tiny/versions/1");
  EXPECT_FALSE(registry_->FindByTrainingJob("trainingJobs/" + id).has_value());
}

TEST_F(JobControlTest, RefusesToPublishAJobThatIsNotRunning) {
  Open();
  const std::string running = SubmitHeld(), queued = Submit();
  const absl::Status refused = jobs_->Publish(queued).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("is QUEUED; only a running job"));
  absl::StatusOr<LivePublication> published = absl::UnknownError("not requested");
  std::thread publisher([&] { published = jobs_->Publish(running); });
  jobs_->Cancel(running).IgnoreError();
  publisher.join();
  EXPECT_FALSE(published.ok());
  trainer_->Release();
}

}  // namespace
}  // namespace vrp
