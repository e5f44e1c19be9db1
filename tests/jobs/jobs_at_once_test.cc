// Tests several training jobs that run at the same time.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_manager_fixture.h"

namespace vrp {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr DeviceId kFirstGpu{DeviceKind::kCuda, 0};
constexpr DeviceId kSecondGpu{DeviceKind::kCuda, 1};

class JobsAtOnceTest : public test::JobManagerFixture {
 protected:
  void OpenFor(int32_t jobs_at_once, int32_t threads = 8) {
    OpenWith([this, jobs_at_once, threads] {
      JobManager::Options options = ManagerOptions();
      options.jobs_at_once = jobs_at_once;
      options.threads = threads;
      options.max_attempts = max_attempts_;
      return options;
    });
  }
  void OpenWithGpus() {
    OpenWith([this] {
      JobManager::Options options = ManagerOptions();
      options.devices = {{.id = {}, .name = "CPU"},
                         {.id = kFirstGpu, .name = "GPU"},
                         {.id = kSecondGpu, .name = "GPU"}};
      options.used_devices = {kFirstGpu, kSecondGpu};
      options.threads = 8;
      return options;
    });
  }
  std::string SubmitOn(const std::string& device) {
    JobSpec spec = test::ASpec(2, 5);
    spec.device = device;
    const absl::StatusOr<Job> job = jobs_->Submit(spec, "");
    EXPECT_TRUE(job.ok()) << job.status();
    return job.ok() ? job->id : "";
  }
  // Submits `count` jobs of 2 epochs of 5 steps. Blocks until all wait before step `hold_at`.
  std::vector<std::string> SubmitAllHeld(int32_t count, int64_t hold_at = 1) {
    trainer_->HoldAt(hold_at);
    std::vector<std::string> ids;
    for (int32_t i = 0; i < count; ++i) ids.push_back(Submit(2, 5));
    EXPECT_TRUE(trainer_->AwaitHeld(count));
    return ids;
  }
  JobState StateOf(const std::string& id) const { return jobs_->Get(id)->state; }
  std::vector<std::string> LogOf(const std::string& id) {
    std::vector<std::string> lines;
    for (const JobEvent& event : test::ReadToEnd(*jobs_, id)) {
      if (event.type == EventType::kLog) lines.push_back(event.text);
    }
    return lines;
  }

  int32_t max_attempts_ = 3;
};

TEST_F(JobsAtOnceTest, RunsAsManyJobsAsAllowedAndKeepsTheOrderOfTheOthers) {
  OpenFor(2);
  const std::vector<std::string> running = SubmitAllHeld(2);
  const std::string third = Submit(2, 5), fourth = Submit(2, 5);
  for (const std::string& id : running) EXPECT_EQ(StateOf(id), JobState::kRunning);
  EXPECT_EQ(jobs_->Get(third)->queue_position, 1);
  EXPECT_EQ(jobs_->Get(fourth)->queue_position, 2);
  ASSERT_TRUE(jobs_->Cancel(running[0]).ok());
  EXPECT_TRUE(trainer_->AwaitHeld(2));
  test::AwaitState(*jobs_, third, JobState::kRunning);
  EXPECT_EQ(StateOf(fourth), JobState::kQueued);
  trainer_->Release();
  for (const std::string& id : {running[1], third, fourth}) {
    EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kSucceeded);
    test::ExpectConsistentLog(test::ReadToEnd(*jobs_, id));
  }
  EXPECT_EQ(StateOf(running[0]), JobState::kCancelled);
  EXPECT_EQ(registry_->List().size(), 3u) << "each of the others published its model";
}

TEST_F(JobsAtOnceTest, RequestsReachOnlyTheirJob) {
  OpenFor(4);
  const std::vector<std::string> ids = SubmitAllHeld(4, 3);
  ASSERT_TRUE(jobs_->Stop(ids[0]).ok());
  ASSERT_TRUE(jobs_->Pause(ids[1]).ok());
  ASSERT_TRUE(jobs_->Cancel(ids[2]).ok());
  test::AwaitEnd(*jobs_, ids[0]);
  test::AwaitState(*jobs_, ids[1], JobState::kPaused);
  test::AwaitEnd(*jobs_, ids[2]);
  EXPECT_EQ(StateOf(ids[3]), JobState::kRunning);
  EXPECT_EQ(jobs_->Get(ids[0])->end, TrainingEnd::kStopped);
  EXPECT_EQ(StateOf(ids[2]), JobState::kCancelled);
  trainer_->Release();
  EXPECT_EQ(test::AwaitEnd(*jobs_, ids[3]).end, TrainingEnd::kAllEpochs);
  ASSERT_TRUE(jobs_->Resume(ids[1]).ok());
  EXPECT_EQ(test::AwaitEnd(*jobs_, ids[1]).progress->step, 10);
}

TEST_F(JobsAtOnceTest, PublishesTheWeightsOfTheNamedJob) {
  OpenFor(2);
  const std::vector<std::string> ids = SubmitAllHeld(2, 3);
  std::thread release([this] { trainer_->Release(); });
  const absl::StatusOr<LivePublication> published = jobs_->Publish(ids[1]);
  release.join();
  // The job may have ended before its next step.
  if (published.ok()) {
    // The other job may have published its version before.
    const int64_t version = published->model.ends_with("/1") ? 1 : 2;
    EXPECT_THAT(registry_->Get("tiny", version)->card.training_job, HasSubstr(ids[1]));
  }
  for (const std::string& id : ids)
    EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kSucceeded);
}

TEST_F(JobsAtOnceTest, EachJobSaysItsShareOfTheThreadsAndKeepsIt) {
  OpenFor(3);
  trainer_->HoldAt(5);
  const std::string id = Submit(2, 5);
  ASSERT_TRUE(trainer_->AwaitHeld());
  EXPECT_EQ(trainer_->requests().at(0).threads, 2);
  EXPECT_EQ(jobs_->Get(id)->place, (RunPlace{.device = "cpu", .threads = 2}));
  OpenFor(1);
  trainer_->Release();
  EXPECT_THAT(LogOf(id), Contains(HasSubstr("threads: 2, a share of 8, because 3 jobs may")));
  EXPECT_EQ(trainer_->requests().back().threads, 2) << "a resumed run keeps its threads";
  EXPECT_THAT(LogOf(id), Contains(HasSubstr("threads: 2, as in the job's earlier runs")));
  const std::string next = Submit();
  test::AwaitEnd(*jobs_, next);
  EXPECT_EQ(trainer_->requests().back().threads, 8);
}

TEST_F(JobsAtOnceTest, AJobMayAskForItsThreads) {
  OpenFor(2);
  JobSpec spec = test::ASpec(1, 3);
  spec.threads = 7;
  const std::string id = jobs_->Submit(spec, "")->id;
  EXPECT_THAT(LogOf(id), Contains("threads: 7, as the job asks"));
  EXPECT_EQ(trainer_->requests().at(0).threads, 7);
  spec.threads = 9;
  EXPECT_THAT(std::string(jobs_->Submit(spec, "").status().message()),
              HasSubstr("threads: got 9, wanted at most 8, the threads of vrpd"));
  spec.threads = -1;
  EXPECT_THAT(std::string(jobs_->Submit(spec, "").status().message()),
              HasSubstr("threads: got -1, wanted 1 or more"));
}

TEST_F(JobsAtOnceTest, AllRunningJobsResumeAfterARestart) {
  OpenFor(3);
  const std::vector<std::string> ids = SubmitAllHeld(3, 5);
  jobs_.reset();
  trainer_->Release();
  OpenFor(3);
  for (const std::string& id : ids) {
    const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
    test::ExpectConsistentLog(events);
    EXPECT_THAT(test::DescribeWithoutLogs(events), Contains("resumed 4"));
    EXPECT_EQ(jobs_->Get(id)->state, JobState::kSucceeded);
  }
  EXPECT_EQ(registry_->List().size(), 3u);
}

TEST_F(JobsAtOnceTest, NoJobStartsBesideOneThatLostItsDevice) {
  std::atomic<bool> loses = true;
  UseTrainer({.before_step = [&](const TrainingRequest&, int64_t step) {
    if (step != 2 || !loses.exchange(false)) return absl::OkStatus();
    return ReportDeviceLoss(absl::InternalError("an illegal memory access"));
  }});
  OpenFor(2);
  const std::string lost = Submit(2, 5);
  test::ReadUntil(**jobs_->Watch(lost, 1), [](const JobEvent& event) {
    return absl::StrContains(event.text, "an illegal memory access");
  });
  const std::string waiting = Submit(2, 5);
  jobs_.reset();
  OpenFor(2);
  EXPECT_EQ(test::AwaitEnd(*jobs_, lost).attempt, 2);
  EXPECT_EQ(test::AwaitEnd(*jobs_, waiting).attempt, 1) << "it did not start on the lost device";
}

TEST_F(JobsAtOnceTest, EachGpuTrainsOneJobWhileTheCpuTrainsAnother) {
  OpenWithGpus();
  trainer_->HoldAt(1);
  const std::string first = SubmitOn("cuda:0"), second = SubmitOn("cuda:0"),
                    other = SubmitOn("cuda:1"), cpu = SubmitOn("cpu");
  ASSERT_TRUE(trainer_->AwaitHeld(3));
  EXPECT_EQ(StateOf(second), JobState::kQueued) << "its GPU is taken";
  std::vector<std::string> devices;
  for (const TrainingRequest& request : trainer_->requests()) {
    devices.push_back(request.device.ToString());
  }
  EXPECT_THAT(devices, UnorderedElementsAre("cuda:0", "cuda:1", "cpu"));
  trainer_->Release();
  for (const std::string& id : {first, second, other, cpu}) {
    EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kSucceeded);
  }
  EXPECT_EQ(jobs_->Get(second)->place.device, "cuda:0");
}

TEST_F(JobsAtOnceTest, RefusesDevicesThatDoNotExist) {
  OpenWithGpus();
  JobSpec spec = test::ASpec();
  spec.device = "cuda:5";
  EXPECT_THAT(std::string(jobs_->Submit(spec, "").status().message()),
              HasSubstr("device: cuda:5 does not exist; this machine has cpu, cuda:0, cuda:1"));
}

}  // namespace
}  // namespace vrp
