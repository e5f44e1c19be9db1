#include "core/jobs/job_manager.h"

#include <filesystem>
#include <set>
#include <stdexcept>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_manager_fixture.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class JobManagerTest : public test::JobManagerFixture {};

TEST_F(JobManagerTest, RunsAJobFromTheQueueToAPublishedModel) {
  Open();
  const std::string id = Submit(2, 2);
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  test::ExpectConsistentLog(events);
  EXPECT_THAT(
      test::Describe(events),
      ElementsAre("QUEUED", "PREPARING", "RUNNING", "log", "progress 1", "progress 2",
                  "checkpoint 3", "progress 4", "model models/tiny/versions/1", "SUCCEEDED"));
  const Job job = *jobs_->Get(id);
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.model, "models/tiny/versions/1");
  EXPECT_EQ(job.attempt, 1);
  EXPECT_EQ(job.progress->step, 4);
  EXPECT_EQ(job.last_sequence, 10);
  EXPECT_EQ(registry_->Get("tiny")->card.training_job, "trainingJobs/" + id);
  jobs_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder_.File("state/jobs/" + id)))
      << "an ended job keeps no checkpoint";
}

TEST_F(JobManagerTest, PassesTheSpecificationToTheTrainer) {
  JobManager::Options options = ManagerOptions();
  options.threads = 7;
  options.default_device = "cpu";
  jobs_ = *JobManager::Create(options);
  JobSpec spec = test::ASpec(1, 1);
  spec.device = "";
  const std::string id = jobs_->Submit(spec, "")->id;
  test::AwaitEnd(*jobs_, id);
  const TrainingRequest request = trainer_->requests().at(0);
  EXPECT_EQ(request.threads, 7);
  EXPECT_EQ(request.config.epochs, 1);
  EXPECT_EQ(request.device, DeviceId{});
  EXPECT_EQ(request.job_name, "trainingJobs/" + id);
  EXPECT_EQ(request.checkpoint_directory, folder_.File("state/jobs/" + id + "/checkpoint"));
}

TEST_F(JobManagerTest, RunsJobsOneByOneInOrderOfSubmission) {
  Open();
  std::vector<std::string> ids = {SubmitHeld()};
  for (int i = 0; i < 3; ++i) ids.push_back(Submit());
  EXPECT_EQ(trainer_->requests().size(), 1u);
  trainer_->Release();
  for (const std::string& id : ids)
    EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kSucceeded);
  for (size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(trainer_->requests()[i].job_name, "trainingJobs/" + ids[i]);
}

TEST_F(JobManagerTest, ReturnsTheSameJobForTheSameRequestAfterARestart) {
  Open();
  const std::string id = jobs_->Submit(test::ASpec(), "r1")->id;
  EXPECT_EQ(jobs_->Submit(test::ASpec(), "r1")->id, id);
  test::AwaitEnd(*jobs_, id);
  Open();
  EXPECT_EQ(jobs_->Submit(test::ASpec(), "r1")->id, id);
  const absl::Status other = jobs_->Submit(test::ASpec(9), "r1").status();
  EXPECT_TRUE(absl::IsAlreadyExists(other)) << other;
  EXPECT_THAT(std::string(other.message()), HasSubstr(id));
  EXPECT_NE(jobs_->Submit(test::ASpec(), "")->id, jobs_->Submit(test::ASpec(), "")->id);
}

TEST_F(JobManagerTest, CreatesOneJobForConcurrentSubmitsOfOneRequest) {
  Open();
  absl::Mutex mutex;
  std::set<std::string> ids;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const absl::StatusOr<Job> job = jobs_->Submit(test::ASpec(), "r1");
      ASSERT_TRUE(job.ok()) << job.status();
      absl::MutexLock lock(&mutex);
      ids.insert(job->id);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ids.size(), 1u);
  EXPECT_EQ(jobs_->List({.page_size = 0})->jobs.size(), 1u);
}

TEST_F(JobManagerTest, RefusesAnInvalidSpecificationAndStoresNothing) {
  Open();
  JobSpec spec = test::ASpec();
  spec.overrides = {"training.epochs=none"};
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->Submit(spec, "r1").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->Validate(spec).status()));
  spec = test::ASpec();
  spec.device = "toaster";
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->Submit(spec, "r1").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->Submit(test::ASpec(), std::string(65, 'r')).status()));
  EXPECT_TRUE(jobs_->Validate(test::ASpec()).ok());
  EXPECT_THAT(jobs_->List({.page_size = 0})->jobs, IsEmpty());
  EXPECT_TRUE(jobs_->Submit(test::ASpec(), "r1").ok()) << "the request id is still free";
}

TEST_F(JobManagerTest, RefusesJobsWhileTheQueueIsFull) {
  JobManager::Options options = ManagerOptions();
  options.max_queued = 2;
  jobs_ = *JobManager::Create(options);
  SubmitHeld();
  const std::string waiting = jobs_->Submit(test::ASpec(), "r1")->id;
  Submit();
  EXPECT_TRUE(absl::IsResourceExhausted(jobs_->Submit(test::ASpec(), "").status()));
  EXPECT_EQ(jobs_->Submit(test::ASpec(), "r1")->id, waiting) << "a repeated request creates no job";
  ASSERT_TRUE(jobs_->Cancel(waiting).ok());
  EXPECT_TRUE(jobs_->Submit(test::ASpec(), "").ok());
}

TEST_F(JobManagerTest, ListsEachJobOnceNewestFirst) {
  Open();
  SubmitHeld();
  std::vector<std::string> ids;
  for (int i = 0; i < 6; ++i) ids.insert(ids.begin(), Submit());
  std::vector<std::string> listed;
  std::string token;
  do {
    const JobPage page = *jobs_->List({.page_size = 3, .page_token = token});
    EXPECT_LE(page.jobs.size(), 3u);
    for (const Job& job : page.jobs) listed.push_back(job.id);
    token = page.next_page_token;
    if (listed.size() == 3) Submit();  // does not shift the pages that follow
  } while (!token.empty());
  ASSERT_EQ(listed.size(), 7u);
  listed.pop_back();
  EXPECT_EQ(listed, ids);
  EXPECT_THAT(jobs_->List({.page_size = 8})->next_page_token, IsEmpty())
      << "a page with all jobs needs no token";
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->List({.page_size = 3, .page_token = "7"}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->List({.page_size = -1}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->List({.page_size = 1001}).status()));
}

TEST_F(JobManagerTest, ReturnsNotFoundForUnknownJobs) {
  Open();
  EXPECT_TRUE(absl::IsNotFound(jobs_->Get("nope").status()));
  EXPECT_TRUE(absl::IsNotFound(jobs_->Cancel("nope").status()));
  EXPECT_TRUE(absl::IsNotFound(jobs_->Watch("nope", 1).status()));
  EXPECT_TRUE(absl::IsNotFound(jobs_->Get("../../etc").status()));
}

TEST_F(JobManagerTest, CancelsAQueuedJobAtOnce) {
  Open();
  SubmitHeld();
  const std::string id = Submit();
  EXPECT_EQ(jobs_->Cancel(id)->state, JobState::kCancelled);
  EXPECT_THAT(test::Describe(test::ReadToEnd(*jobs_, id)), ElementsAre("QUEUED", "CANCELLED"));
  EXPECT_EQ(jobs_->Cancel(id)->last_sequence, 2) << "a second cancellation changes nothing";
  trainer_->Release();
  test::AwaitEnd(*jobs_, Submit());
  for (const TrainingRequest& request : trainer_->requests())
    EXPECT_THAT(request.job_name, Not(HasSubstr(id)));
}

TEST_F(JobManagerTest, CancelsARunningJobAtItsNextPoll) {
  Open();
  const std::string id = SubmitHeld(4);
  EXPECT_EQ(jobs_->Cancel(id)->state, JobState::kCancelling);
  EXPECT_TRUE(jobs_->Cancel(id).ok()) << "cancelling is idempotent";
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kCancelled);
  EXPECT_THAT(registry_->List(), IsEmpty());
  trainer_->Release();
  EXPECT_EQ(test::AwaitEnd(*jobs_, Submit()).state, JobState::kSucceeded)
      << "the queue must continue";
  EXPECT_FALSE(std::filesystem::exists(folder_.File("state/jobs/" + id)));
}

TEST_F(JobManagerTest, RefusesToCancelASucceededJob) {
  Open();
  const std::string id = Submit();
  test::AwaitEnd(*jobs_, id);
  EXPECT_TRUE(absl::IsFailedPrecondition(jobs_->Cancel(id).status()));
}

TEST_F(JobManagerTest, PublishesNothingWhenCancelledAfterTheLastPoll) {
  UseTrainer({.after_checkpoint = [&](int64_t step) {
    EXPECT_EQ(step, 3) << "after the last step the trainer polls no flag";
    EXPECT_TRUE(jobs_->Cancel(jobs_->List({.page_size = 1})->jobs.at(0).id).ok());
  }});
  Open();
  EXPECT_EQ(test::AwaitEnd(*jobs_, Submit()).state, JobState::kCancelled);
  EXPECT_THAT(registry_->List(), IsEmpty());
}

TEST_F(JobManagerTest, FailsTheJobOnATrainerErrorAndRunsTheNext) {
  UseTrainer({.before_step = [](const TrainingRequest& request, int64_t step) -> absl::Status {
    if (request.config.epochs == 7 && step == 2)
      return absl::InternalError("loss is NaN at step 2");
    if (request.config.epochs == 8) throw std::runtime_error("bad tensor");
    if (request.config.epochs == 9) throw 42;
    return absl::OkStatus();
  }});
  Open();
  const Job failed = test::AwaitEnd(*jobs_, Submit(7));
  EXPECT_EQ(failed.state, JobState::kFailed);
  EXPECT_EQ(failed.error, absl::InternalError("loss is NaN at step 2"));
  EXPECT_EQ(test::ReadToEnd(*jobs_, failed.id).back().text, "loss is NaN at step 2");
  EXPECT_TRUE(absl::IsFailedPrecondition(jobs_->Cancel(failed.id).status()));
  EXPECT_THAT(test::AwaitEnd(*jobs_, Submit(8)).error.ToString(), HasSubstr("bad tensor"));
  EXPECT_EQ(test::AwaitEnd(*jobs_, Submit(9)).state, JobState::kFailed);
  EXPECT_EQ(test::AwaitEnd(*jobs_, Submit(1)).state, JobState::kSucceeded);
  EXPECT_THAT(std::filesystem::directory_iterator(folder_.File("models/.staging")),
              std::filesystem::directory_iterator())
      << "no partial model may remain";
}

TEST_F(JobManagerTest, FailsAJobWhoseDeviceDoesNotExist) {
  JobSpec spec = test::ASpec();
  spec.device = "cuda:63";
  const std::string id = ManagerOptions().book->store().Submit(spec, "", 1)->id;
  Open();
  const Job job = test::AwaitEnd(*jobs_, id);
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_THAT(job.error.ToString(), HasSubstr("cuda:63"));
}

TEST_F(JobManagerTest, RefusesAJobThatCannotStartAndNamesAllMissingInputs) {
  UseTrainer({.check_inputs = [](const TrainingRequest& request) {
    EXPECT_EQ(request.config.name, "tiny");
    return absl::InvalidArgumentError("validation.file: open /nowhere: No such file");
  }});
  Open();
  JobSpec spec = test::ASpec();
  spec.device = "cuda:63";
  spec.overrides = {"training.initial_model=models/tiny/aliases/best"};
  const absl::Status refused = jobs_->Submit(spec, "r1").status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused));
  const std::string message(refused.message());
  EXPECT_THAT(message, HasSubstr("device: cuda:63 does not exist"));
  EXPECT_THAT(message, HasSubstr("\ntraining.initial_model: "));
  EXPECT_THAT(message, HasSubstr("\nvalidation.file: open /nowhere"));
  EXPECT_EQ(jobs_->CheckStart(spec, *jobs_->Validate(spec)).status(), refused);
  EXPECT_THAT(jobs_->List({.page_size = 0})->jobs, IsEmpty());
}

TEST_F(JobManagerTest, ReportsOutOfMemoryAtSubmissionAsResourceExhausted) {
  UseTrainer({.check_inputs = [](const TrainingRequest&) {
    return absl::ResourceExhaustedError("no memory");
  }});
  Open();
  JobSpec spec = test::ASpec();
  spec.device = "cuda:63";
  const absl::Status refused = jobs_->Submit(spec, "").status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
}

// Simulates a client that lost the first response and repeats its request after its input file was
// deleted.
TEST_F(JobManagerTest, ReturnsTheJobOfARepeatedRequestAfterItsInputsAreDeleted) {
  bool inputs_deleted = false;
  UseTrainer({.check_inputs = [&inputs_deleted](const TrainingRequest&) {
    return inputs_deleted ? absl::InvalidArgumentError("validation.file: gone") : absl::OkStatus();
  }});
  Open();
  const std::string id = jobs_->Submit(test::ASpec(), "r1")->id;
  inputs_deleted = true;
  const absl::StatusOr<Job> repeated = jobs_->Submit(test::ASpec(), "r1");
  ASSERT_TRUE(repeated.ok()) << repeated.status();
  EXPECT_EQ(repeated->id, id);
  EXPECT_FALSE(jobs_->Submit(test::ASpec(), "r2").ok());
}

TEST_F(JobManagerTest, ReturnsTheDeviceThatAJobWouldUse) {
  Open();
  JobSpec spec = test::ASpec();
  spec.device = "cpu";
  const absl::StatusOr<DeviceId> device = jobs_->CheckStart(spec, *jobs_->Validate(spec));
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->ToString(), "cpu");
}

}  // namespace
}  // namespace vrp
