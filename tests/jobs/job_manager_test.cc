#include "core/jobs/job_manager.h"

#include <atomic>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "absl/synchronization/notification.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/fake_trainer.h"
#include "tests/jobs/full_disk.h"
#include "tests/jobs/job_test_support.h"
#include "tests/registry/fake_model.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

absl::StatusOr<std::unique_ptr<Policy>> LoadFake(const std::string&, DeviceId) {
  return std::make_unique<test::FakePolicy>();
}

class JobManagerTest : public ::testing::Test {
 protected:
  JobManagerTest() {
    registry_ = *Registry::Create({.directory = folder_.File("models"), .loader = LoadFake});
    UseTrainer({});
  }
  void UseTrainer(test::FakeTrainer::Options options) {
    trainer_ = std::make_unique<test::FakeTrainer>(std::move(options));
  }
  JobManager::Options ManagerOptions() {
    return {.state_directory = folder_.File("state"),
            .trainer = trainer_.get(),
            .registry = registry_.get(),
            .clock = &clock_};
  }
  void Open() {
    jobs_.reset();
    absl::StatusOr<std::unique_ptr<JobManager>> jobs = JobManager::Create(ManagerOptions());
    ASSERT_TRUE(jobs.ok()) << jobs.status();
    jobs_ = *std::move(jobs);
  }
  std::string Submit(int64_t epochs = 1, int64_t batches = 3) {
    const absl::StatusOr<Job> job = jobs_->Submit(test::ASpec(epochs, batches), "");
    EXPECT_TRUE(job.ok()) << job.status();
    return job->id;
  }
  // A job that is held before its first step.
  std::string SubmitHeld(int64_t hold_at = 1) {
    trainer_->HoldAt(hold_at);
    const std::string id = Submit(2, 5);
    EXPECT_TRUE(trainer_->AwaitHeld());
    return id;
  }

  test::TempFolder folder_;
  test::ManualClock clock_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<test::FakeTrainer> trainer_;
  std::unique_ptr<JobManager> jobs_;  // last: goes first
};

TEST_F(JobManagerTest, AJobRunsFromTheQueueToAPublishedModel) {
  Open();
  const std::string id = Submit(2, 2);
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  test::ExpectSoundLog(events);
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
      << "checkpoints are needed no more";
}

TEST_F(JobManagerTest, TheTrainerGetsWhatTheJobAsksFor) {
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

TEST_F(JobManagerTest, JobsRunOneAfterTheOtherInTheOrderOfSubmission) {
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

TEST_F(JobManagerTest, TheSameRequestGivesTheSameJobAlsoAfterARestart) {
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

TEST_F(JobManagerTest, ConcurrentSubmitsOfOneRequestMakeOneJob) {
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
  EXPECT_EQ(jobs_->List(0, "")->jobs.size(), 1u);
}

TEST_F(JobManagerTest, ABadSpecificationIsRefusedAndLeavesNothing) {
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
  EXPECT_THAT(jobs_->List(0, "")->jobs, IsEmpty());
  EXPECT_TRUE(jobs_->Submit(test::ASpec(), "r1").ok()) << "the request id is still free";
}

TEST_F(JobManagerTest, AFullQueueIsRefusedAndTakesAgainOnceThereIsRoom) {
  JobManager::Options options = ManagerOptions();
  options.max_queued = 2;
  jobs_ = *JobManager::Create(options);
  SubmitHeld();
  const std::string waiting = jobs_->Submit(test::ASpec(), "r1")->id;
  Submit();
  EXPECT_TRUE(absl::IsResourceExhausted(jobs_->Submit(test::ASpec(), "").status()));
  EXPECT_EQ(jobs_->Submit(test::ASpec(), "r1")->id, waiting) << "a repeated request is no new job";
  ASSERT_TRUE(jobs_->Cancel(waiting).ok());
  EXPECT_TRUE(jobs_->Submit(test::ASpec(), "").ok());
}

TEST_F(JobManagerTest, PagesListEachJobOnceNewestFirst) {
  Open();
  SubmitHeld();
  std::vector<std::string> ids;
  for (int i = 0; i < 6; ++i) ids.insert(ids.begin(), Submit());
  std::vector<std::string> listed;
  std::string token;
  do {
    const JobPage page = *jobs_->List(3, token);
    EXPECT_LE(page.jobs.size(), 3u);
    for (const Job& job : page.jobs) listed.push_back(job.id);
    token = page.next_page_token;
    if (listed.size() == 3) Submit();  // does not shift the pages that follow
  } while (!token.empty());
  ASSERT_EQ(listed.size(), 7u);
  listed.pop_back();
  EXPECT_EQ(listed, ids);
  EXPECT_THAT(jobs_->List(8, "")->next_page_token, IsEmpty()) << "exactly all";
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->List(3, "7").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->List(-1, "").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->List(1001, "").status()));
}

TEST_F(JobManagerTest, UnknownJobsAreNotFound) {
  Open();
  EXPECT_TRUE(absl::IsNotFound(jobs_->Get("nope").status()));
  EXPECT_TRUE(absl::IsNotFound(jobs_->Cancel("nope").status()));
  EXPECT_TRUE(absl::IsNotFound(jobs_->Watch("nope", 1).status()));
  EXPECT_TRUE(absl::IsNotFound(jobs_->Get("../../etc").status()));
}

TEST_F(JobManagerTest, AQueuedJobIsCancelledAtOnceAndNeverRuns) {
  Open();
  SubmitHeld();
  const std::string id = Submit();
  EXPECT_EQ(jobs_->Cancel(id)->state, JobState::kCancelled);
  EXPECT_THAT(test::Describe(test::ReadToEnd(*jobs_, id)), ElementsAre("QUEUED", "CANCELLED"));
  EXPECT_EQ(jobs_->Cancel(id)->last_sequence, 2) << "a second time changes nothing";
  trainer_->Release();
  test::AwaitEnd(*jobs_, Submit());
  for (const TrainingRequest& request : trainer_->requests())
    EXPECT_THAT(request.job_name, Not(HasSubstr(id)));
}

TEST_F(JobManagerTest, ARunningJobIsCancelledAtItsNextPoll) {
  Open();
  const std::string id = SubmitHeld(4);
  EXPECT_EQ(jobs_->Cancel(id)->state, JobState::kCancelling);
  EXPECT_TRUE(jobs_->Cancel(id).ok()) << "twice is fine";
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kCancelled);
  EXPECT_THAT(registry_->List(), IsEmpty());
  trainer_->Release();
  EXPECT_EQ(test::AwaitEnd(*jobs_, Submit()).state, JobState::kSucceeded) << "the queue goes on";
  EXPECT_FALSE(std::filesystem::exists(folder_.File("state/jobs/" + id)));
}

TEST_F(JobManagerTest, AJobThatHasSucceededCannotBeCancelled) {
  Open();
  const std::string id = Submit();
  test::AwaitEnd(*jobs_, id);
  EXPECT_TRUE(absl::IsFailedPrecondition(jobs_->Cancel(id).status()));
}

TEST_F(JobManagerTest, ACancelThatComesAfterTheLastPollPublishesNothing) {
  UseTrainer({.after_checkpoint = [&](int64_t step) {
    EXPECT_EQ(step, 3) << "the last: the trainer does not look at its flag any more";
    EXPECT_TRUE(jobs_->Cancel(jobs_->List(1, "")->jobs.at(0).id).ok());
  }});
  Open();
  EXPECT_EQ(test::AwaitEnd(*jobs_, Submit()).state, JobState::kCancelled);
  EXPECT_THAT(registry_->List(), IsEmpty());
}

TEST_F(JobManagerTest, ATrainersErrorIsTheJobsAndTheQueueGoesOn) {
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
      << "no half model stays";
}

TEST_F(JobManagerTest, ADeviceThatIsNotThereFailsTheJobNotTheDaemon) {
  Open();
  JobSpec spec = test::ASpec();
  spec.device = "cuda:63";
  const Job job = test::AwaitEnd(*jobs_, jobs_->Submit(spec, "")->id);
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_THAT(job.error.ToString(), HasSubstr("cuda:63"));
}

TEST_F(JobManagerTest, WatchStartsAtAnyNumberAndFollowsToTheEnd) {
  Open();
  const std::string id = SubmitHeld();
  const auto from_third = *jobs_->Watch(id, 3);
  trainer_->Release();
  const std::vector<JobEvent> all = test::ReadToEnd(*jobs_, id);
  const std::vector<JobEvent> rest =
      test::ReadUntil(*from_third, [](const JobEvent&) { return false; });
  ASSERT_EQ(rest.size(), all.size() - 2);
  EXPECT_EQ(rest.front().sequence, 3);
  EXPECT_TRUE(from_third->AtEnd());
  for (int64_t from = 0; from <= static_cast<int64_t>(all.size()) + 1; ++from) {
    const auto events = *jobs_->Watch(id, from);
    const auto next = *events->Next(1000);
    EXPECT_EQ(next.size(), all.size() + 1 - std::max<int64_t>(from, 1));
    EXPECT_TRUE(events->AtEnd());
    EXPECT_THAT(*events->Next(1000), IsEmpty());
  }
}

TEST_F(JobManagerTest, WatchBeyondTheNextEventIsOutOfRange) {
  Open();
  const std::string id = Submit();
  const int64_t last = test::AwaitEnd(*jobs_, id).last_sequence;
  EXPECT_TRUE(jobs_->Watch(id, last + 1).ok());
  const absl::Status beyond = jobs_->Watch(id, last + 2).status();
  EXPECT_TRUE(absl::IsOutOfRange(beyond)) << beyond;
  EXPECT_THAT(std::string(beyond.message()), HasSubstr(Concat("wanted at most ", last + 1)));
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->Watch(id, -1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument((*jobs_->Watch(id, 1))->Next(0).status()));
}

TEST_F(JobManagerTest, AllWatchersSeeTheSameWhileTheJobRuns) {
  Open();
  const std::string id = SubmitHeld();
  constexpr int kWatchers = 4;
  std::vector<std::vector<JobEvent>> seen(kWatchers);
  std::vector<std::thread> threads;
  for (auto& events : seen) threads.emplace_back([&] { events = test::ReadToEnd(*jobs_, id); });
  clock_.Advance(absl::Seconds(1));
  trainer_->Release();
  for (std::thread& thread : threads) thread.join();
  for (const auto& events : seen) {
    test::ExpectSoundLog(events);
    EXPECT_EQ(test::Describe(events), test::Describe(seen.front()));
    EXPECT_EQ(events.back().state, JobState::kSucceeded);
  }
}

TEST_F(JobManagerTest, AThousandIdleWatchersAreEachWokenOnce) {
  Open();
  SubmitHeld();
  const std::string id = Submit();
  std::vector<std::shared_ptr<EventSubscription>> watchers;
  std::atomic<int> calls = 0;
  for (int i = 0; i < 1000; ++i) {
    watchers.push_back(*jobs_->Watch(id, 2));
    watchers.back()->NotifyWhenReady([&calls] { ++calls; });
  }
  watchers.resize(900);  // a hundred go away
  EXPECT_EQ(calls, 0);
  ASSERT_TRUE(jobs_->Cancel(id).ok());
  EXPECT_EQ(calls, 900);
}

TEST_F(JobManagerTest, AWatcherMayUseTheManagerFromWithinItsCall) {
  Open();
  SubmitHeld();
  const std::string id = Submit();
  const auto watcher = *jobs_->Watch(id, 2);
  absl::Notification done;
  watcher->NotifyWhenReady([&] {
    EXPECT_EQ(jobs_->Get(id)->state, JobState::kCancelled);
    EXPECT_TRUE(jobs_->Cancel(id).ok());
    EXPECT_EQ(watcher->Next(10)->size(), 1u);
    done.Notify();
  });
  ASSERT_TRUE(jobs_->Cancel(id).ok());
  EXPECT_TRUE(done.HasBeenNotified());
}

TEST_F(JobManagerTest, AGracefulStopCheckpointsAndTheNextStartGoesOnFromThere) {
  Open();
  const std::string id = SubmitHeld(5);
  const std::string waiting = Submit();
  jobs_.reset();
  trainer_->Release();
  Open();
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  test::ExpectSoundLog(events);
  EXPECT_THAT(test::DescribeWithoutLogs(events),
              ElementsAre("QUEUED", "PREPARING", "RUNNING", "progress 1", "checkpoint 3",
                          "checkpoint 4", "progress 4", "QUEUED", "PREPARING", "resumed 4",
                          "RUNNING", "progress 5", "checkpoint 6", "checkpoint 9", "progress 10",
                          "model models/tiny/versions/1", "SUCCEEDED"));
  EXPECT_EQ(jobs_->Get(id)->attempt, 2);
  EXPECT_EQ(test::AwaitEnd(*jobs_, waiting).attempt, 1);
}

TEST_F(JobManagerTest, GracefulStopsAreNoCrashes) {
  JobManager::Options options = ManagerOptions();
  options.max_attempts = 1;
  trainer_->HoldAt(1);
  jobs_ = *JobManager::Create(options);
  const std::string id = Submit();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(trainer_->AwaitHeld());
    jobs_.reset();
    jobs_ = *JobManager::Create(options);
  }
  trainer_->Release();
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kSucceeded);
}

TEST_F(JobManagerTest, WatchersOfAnUnfinishedJobAreWokenByTheStopAndToldToComeBack) {
  Open();
  const std::string id = SubmitHeld();
  const auto watcher = *jobs_->Watch(id, 1);
  while (!watcher->Next(100)->empty()) continue;
  absl::Notification woken;
  jobs_.reset();
  watcher->NotifyWhenReady([&] { woken.Notify(); });
  EXPECT_TRUE(woken.HasBeenNotified());
  EXPECT_THAT(test::DescribeWithoutLogs(*watcher->Next(100)),
              ElementsAre("checkpoint 0", "QUEUED"));
  const absl::Status stopped = watcher->Next(100).status();
  EXPECT_TRUE(absl::IsUnavailable(stopped)) << stopped;
  EXPECT_THAT(std::string(stopped.message()), HasSubstr("watch again from sequence number"));
  EXPECT_FALSE(watcher->AtEnd());
}

TEST_F(JobManagerTest, ATrainingOutlivesADiskThatIsFullForAWhile) {
  std::optional<test::FullDisk> full;
  UseTrainer({.after_checkpoint = [&full](int64_t step) {
    if (step == 9) full.reset();
  }});
  Open();
  const std::string id = SubmitHeld(2);
  full.emplace(std::filesystem::file_size(folder_.File("state/jobs.db-wal")));
  EXPECT_TRUE(absl::IsUnavailable(jobs_->Submit(test::ASpec(), "").status()));
  EXPECT_TRUE(absl::IsUnavailable(jobs_->Cancel(id).status()));
  trainer_->Release();
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  test::ExpectSoundLog(events);
  EXPECT_THAT(test::DescribeWithoutLogs(events),
              ElementsAre("QUEUED", "PREPARING", "RUNNING", "progress 1", "progress 10",
                          "model models/tiny/versions/1", "SUCCEEDED"));
  std::vector<std::string> lines;
  for (const JobEvent& event : events) lines.push_back(event.text);
  EXPECT_THAT(lines, Contains(HasSubstr("events before this one could not be stored")));
}

TEST_F(JobManagerTest, ASecondManagerOnTheFolderIsRefused) {
  Open();
  const absl::Status second = JobManager::Create(ManagerOptions()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(second)) << second;
  EXPECT_THAT(std::string(second.message()), HasSubstr("another vrpd"));
}

TEST_F(JobManagerTest, OptionsThatCannotWorkAreRefused) {
  JobManager::Options options = ManagerOptions();
  options.trainer = nullptr;
  EXPECT_TRUE(absl::IsInvalidArgument(JobManager::Create(options).status()));
  options = ManagerOptions();
  options.max_queued = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(JobManager::Create(options).status()));
}

TEST_F(JobManagerTest, SubmittingCancellingAndWatchingAtOnceKeepsEveryLogSound) {
  Open();
  constexpr int kThreads = 4, kJobs = 6;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kJobs; ++i) {
        const std::string id = Submit(2, 4);
        if ((thread + i) % 2 == 0) jobs_->Cancel(id).IgnoreError();
        const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
        test::ExpectSoundLog(events);
        EXPECT_TRUE(IsFinal(events.back().state));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const JobPage page = *jobs_->List(1000, "");
  EXPECT_EQ(page.jobs.size(), size_t{kThreads * kJobs});
  size_t succeeded = 0;
  for (const Job& job : page.jobs) succeeded += job.state == JobState::kSucceeded ? 1 : 0;
  EXPECT_EQ(registry_->List().size(), succeeded);
}

}  // namespace
}  // namespace vrp
