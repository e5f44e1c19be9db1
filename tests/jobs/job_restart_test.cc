#include <filesystem>
#include <optional>
#include <thread>

#include "absl/strings/match.h"
#include "absl/synchronization/notification.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_manager_fixture.h"
#include "tests/testing/full_disk.h"

namespace vrp {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JobRestartTest : public test::JobManagerFixture {
 protected:
  bool HasLog(const std::string& id, std::string_view part) {
    const auto watcher = *jobs_->Watch(id, 1);
    for (auto events = *watcher->Next(100); !events.empty(); events = *watcher->Next(100)) {
      for (const JobEvent& event : events) {
        if (absl::StrContains(event.text, ToAbsl(part))) return true;
      }
    }
    return false;
  }
};

TEST_F(JobRestartTest, CheckpointsAtAGracefulStopAndResumesFromThere) {
  Open();
  const std::string id = SubmitHeld(5);
  const std::string waiting = Submit();
  jobs_.reset();
  trainer_->Release();
  Open();
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  test::ExpectConsistentLog(events);
  EXPECT_THAT(test::DescribeWithoutLogs(events),
              ElementsAre("QUEUED", "PREPARING", "RUNNING", "progress 1", "checkpoint 3",
                          "checkpoint 4", "progress 4", "QUEUED", "PREPARING", "resumed 4",
                          "RUNNING", "progress 5", "checkpoint 6", "checkpoint 9", "progress 10",
                          "model models/tiny/versions/1", "SUCCEEDED"));
  EXPECT_EQ(jobs_->Get(id)->attempt, 2);
  EXPECT_EQ(test::AwaitEnd(*jobs_, waiting).attempt, 1);
}

TEST_F(JobRestartTest, DoesNotCountGracefulStopsAsCrashes) {
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

TEST_F(JobRestartTest, ResumesAJobThatLostItsDeviceAfterARestart) {
  absl::Notification lost;
  UseTrainer({.before_step = [&](const TrainingRequest&, int64_t step) {
    if (step != 5 || lost.HasBeenNotified()) return absl::OkStatus();
    lost.Notify();
    return ReportDeviceLoss(absl::InternalError("an illegal memory access"));
  }});
  Open();
  const std::string id = Submit(2, 5);
  const std::string waiting = Submit();
  lost.WaitForNotification();
  while (!HasLog(id, "an illegal memory access")) continue;
  EXPECT_EQ(jobs_->Get(id)->state, JobState::kRunning);
  EXPECT_EQ(jobs_->Get(waiting)->state, JobState::kQueued) << "no job may start on a lost device";
  Open();
  const Job job = test::AwaitEnd(*jobs_, id);
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.attempt, 2);
  EXPECT_TRUE(HasLog(id, "crash 1 of"));
  EXPECT_EQ(test::AwaitEnd(*jobs_, waiting).attempt, 1);
}

TEST_F(JobRestartTest, ResumesAnOlderJobWithANowInvalidConfiguration) {
  JobSpec spec = test::ASpec(1, 3);
  spec.overrides.emplace_back("network.dropout=0.5");
  std::string id;
  {
    const auto book = *JobBook::Open(folder_.File("state"), &clock_, quota_bytes_);
    id = book->store().Submit(spec, "", 10)->id;
  }
  Open();
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kSucceeded);
  EXPECT_THAT(std::string(jobs_->Submit(spec, "").status().message()),
              HasSubstr("--set: network.dropout: got \"0.5\", wanted 0 without"));
}

TEST_F(JobRestartTest, EndsWatchesWithUnavailableAtShutdown) {
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

TEST_F(JobRestartTest, SurvivesATemporarilyFullDisk) {
  std::optional<test::FullDisk> full_disk;
  UseTrainer({.after_checkpoint = [&full_disk](int64_t step) {
    if (step == 9) full_disk.reset();
  }});
  Open();
  const std::string id = SubmitHeld(2);
  full_disk.emplace(std::filesystem::file_size(folder_.File("state/jobs.db-wal")));
  EXPECT_TRUE(absl::IsUnavailable(jobs_->Submit(test::ASpec(), "").status()));
  EXPECT_TRUE(absl::IsUnavailable(jobs_->Cancel(id).status()));
  trainer_->Release();
  const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
  test::ExpectConsistentLog(events);
  EXPECT_THAT(test::DescribeWithoutLogs(events),
              ElementsAre("QUEUED", "PREPARING", "RUNNING", "progress 1", "progress 10",
                          "model models/tiny/versions/1", "SUCCEEDED"));
  std::vector<std::string> lines;
  for (const JobEvent& event : events) lines.push_back(event.text);
  EXPECT_THAT(lines, Contains(HasSubstr("events before this one could not be stored")));
}

TEST_F(JobRestartTest, RefusesASecondManagerOnTheFolder) {
  Open();
  const absl::Status second = JobBook::Open(folder_.File("state"), &clock_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(second)) << second;
  EXPECT_THAT(std::string(second.message()), HasSubstr("another vrpd"));
}

TEST_F(JobRestartTest, RefusesInvalidOptions) {
  JobManager::Options options = ManagerOptions();
  options.trainer = nullptr;
  EXPECT_TRUE(absl::IsInvalidArgument(JobManager::Create(options).status()));
  options.trainer = trainer_.get();
  options.max_queued = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(JobManager::Create(options).status()));
}

TEST_F(JobRestartTest, KeepsLogsConsistentUnderConcurrentCalls) {
  Open();
  constexpr int kThreads = 4, kJobs = 6;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kJobs; ++i) {
        const std::string id = Submit(2, 4);
        if ((thread + i) % 2 == 0) jobs_->Cancel(id).IgnoreError();
        const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
        test::ExpectConsistentLog(events);
        EXPECT_TRUE(IsFinal(events.back().state));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const JobPage page = *jobs_->List({.page_size = 1000});
  EXPECT_EQ(page.jobs.size(), size_t{kThreads * kJobs});
  size_t succeeded = 0;
  for (const Job& job : page.jobs) succeeded += job.state == JobState::kSucceeded ? 1 : 0;
  EXPECT_EQ(registry_->List().size(), succeeded);
}

}  // namespace
}  // namespace vrp
