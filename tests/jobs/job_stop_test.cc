// Tests stops, which end a job with a model, and jobs whose model's name is in use by another
// architecture.
#include <string>

#include "core/base/file.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_manager_fixture.h"

namespace vrp {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JobStopTest : public test::JobManagerFixture {
 protected:
  // Returns a job that was paused before step 5.
  std::string SubmitPaused() {
    const std::string id = SubmitHeld(5);
    EXPECT_EQ(jobs_->Pause(id)->state, JobState::kPausing);
    test::AwaitState(*jobs_, id, JobState::kPaused);
    trainer_->Release();
    return id;
  }
  // Returns a running job that waits before its first step, so that no other job runs.
  std::string SubmitBlocking() { return SubmitHeld(1); }
  void AddTransformer(const std::string& name) {
    const std::string staging = *registry_->StagingDirectory();
    ModelCard card = test::ACard("weights", "");
    card.architecture = "gt";
    ASSERT_TRUE(AtomicWriteFile(staging + "/weights.safetensors", "weights").ok());
    ASSERT_TRUE(AtomicWriteFile(staging + "/card.json", WriteModelCard(card)).ok());
    ASSERT_TRUE(registry_->Publish(name, staging).ok());
  }
};

TEST_F(JobStopTest, EndsARunningJobWithAModelAfterItsStep) {
  Open();
  const std::string id = SubmitHeld(5);
  const Job stopping = *jobs_->Stop(id);
  EXPECT_EQ(stopping.state, JobState::kStopping);
  EXPECT_TRUE(stopping.stop_requested);
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  test::ExpectConsistentLog(events);
  EXPECT_THAT(test::DescribeWithoutLogs(events),
              ElementsAre("QUEUED", "PREPARING", "RUNNING", "progress 1", "checkpoint 3",
                          "STOPPING", "progress 4", "model models/tiny/versions/1", "SUCCEEDED"));
  const Job job = *jobs_->Get(id);
  EXPECT_EQ(job.end, TrainingEnd::kStopped);
  EXPECT_EQ(job.published, (PublishedWeights{.epoch = 1,
                                             .step = 4,
                                             .reason = PublishReason::kBestValidation,
                                             .validation_cost = 6.5}));
  EXPECT_EQ(events[events.size() - 2].published, job.published);
  EXPECT_TRUE(registry_->Get("tiny", 1).ok());
}

TEST_F(JobStopTest, RefusesToResumeAJobThatIsBeingStopped) {
  UseTrainer({.before_step = [&](const TrainingRequest&, int64_t step) {
    if (step != 5) return absl::OkStatus();
    const std::string id = jobs_->List({})->jobs[0].id;
    EXPECT_TRUE(jobs_->Stop(id).ok());
    const absl::Status refused = jobs_->Resume(id).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr("is STOPPING: it ends with a model after its current step"));
    return absl::OkStatus();
  }});
  Open();
  const Job ended = test::AwaitEnd(*jobs_, Submit(2, 5));
  EXPECT_EQ(ended.state, JobState::kSucceeded);
  EXPECT_EQ(ended.end, TrainingEnd::kStopped);
}

TEST_F(JobStopTest, IgnoresASecondStop) {
  Open();
  const std::string id = SubmitHeld(5);
  ASSERT_TRUE(jobs_->Stop(id).ok());
  ASSERT_TRUE(jobs_->Stop(id).ok());
  const Job ended = test::AwaitEnd(*jobs_, id);
  EXPECT_EQ(jobs_->Stop(id)->last_sequence, ended.last_sequence);
  EXPECT_EQ(jobs_->Stop(id)->state, JobState::kSucceeded);
  EXPECT_TRUE(absl::IsNotFound(jobs_->Stop("nothing").status()));
}

TEST_F(JobStopTest, CancelsAJobThatNeverRan) {
  Open();
  const std::string running = SubmitBlocking();
  const std::string queued = Submit(), paused = Submit();
  ASSERT_TRUE(jobs_->Pause(paused).ok());
  for (const std::string& id : {queued, paused}) {
    EXPECT_EQ(jobs_->Stop(id)->state, JobState::kCancelled);
    EXPECT_EQ(jobs_->Stop(id)->state, JobState::kCancelled) << "stopping again has no effect";
    const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
    EXPECT_EQ(events[events.size() - 2].text, "stopped before it ran: there is no model");
  }
  trainer_->Release();
}

TEST_F(JobStopTest, CancelsAJobBeforeItsFirstStep) {
  Open();
  const std::string id = SubmitBlocking();
  EXPECT_EQ(jobs_->Stop(id)->state, JobState::kStopping);
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  EXPECT_EQ(jobs_->Get(id)->state, JobState::kCancelled);
  EXPECT_EQ(events[events.size() - 2].text, "stopped before its first step: there is no model");
}

TEST_F(JobStopTest, EndsAPausedJobWithAModelBeforeAllOthers) {
  Open();
  const std::string paused = SubmitPaused();
  const std::string running = SubmitBlocking();
  JobSpec urgent = test::ASpec();
  urgent.priority = 1000;
  const std::string first = jobs_->Submit(urgent, "")->id;
  const Job stopped = *jobs_->Stop(paused);
  EXPECT_EQ(stopped.state, JobState::kQueued);
  EXPECT_EQ(stopped.queue_position, 1);
  EXPECT_EQ(jobs_->Get(first)->queue_position, 2);
  const absl::Status pause_status = jobs_->Pause(paused).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(pause_status)) << pause_status;
  trainer_->Release();
  const Job ended = test::AwaitEnd(*jobs_, paused);
  EXPECT_EQ(ended.state, JobState::kSucceeded);
  EXPECT_EQ(ended.end, TrainingEnd::kStopped);
  EXPECT_EQ(ended.published->step, 4);
  EXPECT_LE(ended.ended, test::AwaitEnd(*jobs_, first).started);
  EXPECT_THAT(test::Describe(test::ReadToEnd(*jobs_, paused)), Contains("STOPPING"));
}

TEST_F(JobStopTest, KeepsAStopAcrossARestart) {
  Open();
  const std::string paused = SubmitPaused();
  const std::string running = SubmitBlocking();
  ASSERT_EQ(jobs_->Stop(paused)->state, JobState::kQueued);
  Open();
  const Job ended = test::AwaitEnd(*jobs_, paused);
  EXPECT_EQ(ended.end, TrainingEnd::kStopped);
  trainer_->Release();
}

TEST_F(JobStopTest, HonoursAStopDuringShutdownAtTheNextStart) {
  std::shared_ptr<JobBook> book;
  std::string id;
  UseTrainer({.before_step = [&](const TrainingRequest&, int64_t step) {
    if (step != 5 || book == nullptr) return absl::OkStatus();
    // Requests the stop in the store only, so that the trainer sees only the daemon's shutdown.
    const absl::Status stopped = book->store()
                                     .Update(id, Durability::kFull,
                                             [](JobChange& change) {
                                               change.RequestStop("asked to end");
                                               return change.MoveTo(JobState::kStopping);
                                             })
                                     .status();
    EXPECT_TRUE(stopped.ok()) << stopped;
    return absl::OkStatus();
  }});
  {
    const JobManager::Options options = ManagerOptions();
    book = options.book;
    jobs_ = *JobManager::Create(options);
  }
  trainer_->HoldAt(5);
  id = Submit(2, 5);
  ASSERT_TRUE(trainer_->AwaitHeld());
  jobs_.reset();
  EXPECT_EQ(book->store().Find(JobKind::kTraining, id)->job.state, JobState::kQueued);
  book.reset();
  Open();
  const Job ended = test::AwaitEnd(*jobs_, id);
  EXPECT_EQ(ended.state, JobState::kSucceeded);
  EXPECT_EQ(ended.end, TrainingEnd::kStopped);
  EXPECT_EQ(ended.attempt, 2);
}

TEST_F(JobStopTest, CancelsAJobThatIsBeingStopped) {
  UseTrainer({.before_step = [&](const TrainingRequest&, int64_t step) {
    if (step != 5) return absl::OkStatus();
    const std::string id = jobs_->List({})->jobs[0].id;
    EXPECT_TRUE(jobs_->Stop(id).ok());
    EXPECT_TRUE(jobs_->Cancel(id).ok());
    return absl::OkStatus();
  }});
  Open();
  const std::string id = Submit(2, 5);
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kCancelled);
}

TEST_F(JobStopTest, RefusesInvalidStopsWithTheReason) {
  UseTrainer({.before_step = [&](const TrainingRequest&, int64_t step) {
    return step == 2 ? absl::InternalError("broken") : absl::OkStatus();
  }});
  Open();
  const std::string failed = Submit();
  test::AwaitEnd(*jobs_, failed);
  const absl::Status refused = jobs_->Stop(failed).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("is FAILED, which cannot become STOPPING"));
}

TEST_F(JobStopTest, RefusesAJobWhoseModelNameHasAnotherArchitecture) {
  Open();
  AddTransformer("tiny");
  const absl::Status refused = jobs_->Submit(test::ASpec(), "").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("models/tiny: got a model of the architecture ptrnet, wanted gt"));
  JobSpec other = test::ASpec();
  other.overrides.push_back("name=mine");
  EXPECT_TRUE(jobs_->Submit(other, "").ok());
}

TEST_F(JobStopTest, ReturnsTheJobOfTheSameRequestAfterItsNameWasTaken) {
  Open();
  const Job job = *jobs_->Submit(test::ASpec(), "one");
  test::AwaitEnd(*jobs_, job.id);
  ASSERT_TRUE(registry_->Delete("tiny", 1).ok());
  AddTransformer("tiny");
  EXPECT_EQ(jobs_->Submit(test::ASpec(), "one")->id, job.id);
}

TEST_F(JobStopTest, PublishesUnderAnotherNameIfTheNameWasTaken) {
  Open();
  const std::string id = SubmitHeld(5);
  AddTransformer("tiny");
  trainer_->Release();
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  const Job job = *jobs_->Get(id);
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.model, "models/tiny-ptrnet/versions/1");
  bool reported = false;
  for (const JobEvent& event : events) {
    reported =
        reported || event.text.starts_with("the model is published as tiny-ptrnet: models/tiny");
  }
  EXPECT_TRUE(reported);
}

}  // namespace
}  // namespace vrp
