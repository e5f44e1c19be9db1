// Tests the state that a killed daemon leaves. A child process runs the manager and is killed at
// chosen points. Then the parent opens and checks the state folder.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>

#include "absl/time/clock.h"
#include "core/base/text.h"
#include "core/jobs/job_manager.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/fake_trainer.h"
#include "tests/jobs/job_test_support.h"
#include "tests/registry/fake_model.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kEpochs = 3;   // epochs of a job
constexpr int64_t kBatches = 8;  // steps per epoch

absl::StatusOr<std::unique_ptr<Policy>> LoadFake(const std::string&, DeviceId) {
  return std::make_unique<test::FakePolicy>();
}

class CrashTest : public ::testing::Test {
 protected:
  // The parts of a daemon, in the test's folders.
  struct Daemon {
    Daemon(const test::TempFolder& folder, test::FakeTrainer::Options options,
           int32_t jobs_at_once = 1)
        : trainer(std::move(options)) {
      registry = *Registry::Create({.directory = folder.File("models"), .loader = LoadFake});
      absl::StatusOr<std::unique_ptr<JobManager>> opened =
          JobManager::Create({.book = *JobBook::Open(folder.File("state"), &clock),
                              .trainer = &trainer,
                              .registry = registry.get(),
                              .clock = &clock,
                              .jobs_at_once = jobs_at_once,
                              .progress_interval = absl::ZeroDuration()});
      if (!opened.ok()) abort();  // aborts, because a failed expectation in the child would be lost
      jobs = *std::move(opened);
    }
    SystemClock clock;
    test::FakeTrainer trainer;
    std::unique_ptr<Registry> registry;
    std::unique_ptr<JobManager> jobs;
  };
  // A callback that the child calls where it is to be killed. It never returns.
  using Reached = std::function<void()>;

  // Runs `act` in a child process until it calls `reached`, then kills the child (SIGKILL).
  void KillWhenReached(const std::function<void(const Reached& reached)>& act) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(ends[0]);
      act([&ends] {
        (void)!write(ends[1], "!", 1);
        while (true) pause();
      });
      _exit(1);  // the child did not reach its point
    }
    close(ends[1]);
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1) << "the child ended before it reached its point";
    close(ends[0]);
    kill(child, SIGKILL);
    int wait_status = 0;
    ASSERT_EQ(waitpid(child, &wait_status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(wait_status));
  }

  // Runs a daemon in a child, and submits jobs unless there are some already. Kills the child once
  // the trainer calls `reached` and all jobs are submitted.
  void RunUntilKilled(const std::function<test::FakeTrainer::Options(const Reached&)>& options,
                      int submissions = 1, int32_t jobs_at_once = 1) {
    KillWhenReached([&](const Reached& reached) {
      std::atomic<bool> submitted = false;
      Daemon daemon(folder_, options([&] {
                      while (!submitted) absl::SleepFor(absl::Milliseconds(1));
                      reached();
                    }),
                    jobs_at_once);
      if (daemon.jobs->List({.page_size = 1})->jobs.empty()) {
        for (int i = 0; i < submissions; ++i)
          daemon.jobs->Submit(test::ASpec(kEpochs, kBatches), "").IgnoreError();
      }
      submitted = true;
      while (true) pause();
    });
  }
  // Returns options for RunUntilKilled, with which the trainer calls `reached` before step
  // `wanted`.
  static std::function<test::FakeTrainer::Options(const Reached&)> BeforeStep(int64_t wanted) {
    return [wanted](const Reached& reached) {
      return test::FakeTrainer::Options{
          .before_step = [reached, wanted](const TrainingRequest&, int64_t step) {
            if (step == wanted) reached();
            return absl::OkStatus();
          }};
    };
  }
  static std::vector<JobEvent> ReadEvents(JobManager& jobs, const std::string& id) {
    return *(*jobs.Watch(id, 1))->Next(1000);
  }

  test::TempFolder folder_;
};

class CrashAtStepTest : public CrashTest, public ::testing::WithParamInterface<int64_t> {};

TEST_P(CrashAtStepTest, ResumesFromTheLastCheckpointWithoutAGap) {
  const int64_t killed_before = GetParam();
  const int64_t saved = (killed_before - 1) / 3 * 3;
  RunUntilKilled(BeforeStep(killed_before));

  Daemon daemon(folder_, {});
  const std::string id = daemon.jobs->List({.page_size = 1})->jobs.at(0).id;
  const std::vector<JobEvent> events = test::ReadToEnd(*daemon.jobs, id);
  test::ExpectConsistentLog(events);
  const Job job = *daemon.jobs->Get(id);
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.attempt, 2);
  std::vector<int64_t> first, second, resumed;
  for (const JobEvent& event : events) {
    if (event.type == EventType::kResumed) resumed.push_back(event.step);
    if (event.type == EventType::kProgress)
      (event.attempt == 1 ? first : second).push_back(event.step);
  }
  EXPECT_THAT(resumed, ElementsAre(saved));
  // An epoch's last step is stored with its validation, so every step before the kill is stored.
  EXPECT_EQ(first.size(), static_cast<size_t>(killed_before - 1));
  EXPECT_EQ(second.front(), saved + 1);
  EXPECT_EQ(second.back(), kEpochs * kBatches);
  EXPECT_EQ(daemon.registry->List().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Steps, CrashAtStepTest, ::testing::Values(1, 2, 4, 9, 23, 24));

// Returns options for RunUntilKilled, with which the trainer calls `reached` once `jobs` jobs have
// come to the step.
std::function<test::FakeTrainer::Options(const std::function<void()>&)> OnceAllReach(int64_t wanted,
                                                                                     int32_t jobs) {
  return [wanted, jobs](const std::function<void()>& reached) {
    const auto waiting = std::make_shared<std::atomic<int32_t>>(0);
    return test::FakeTrainer::Options{
        .before_step = [reached, waiting, wanted, jobs](const TrainingRequest&, int64_t step) {
          if (step != wanted) return absl::OkStatus();
          if (++*waiting == jobs) reached();
          while (true) pause();
        }};
  };
}

TEST_F(CrashTest, ResumesEveryJobThatRan) {
  RunUntilKilled(OnceAllReach(5, 3), /*submissions=*/4, /*jobs_at_once=*/3);
  Daemon daemon(folder_, {}, /*jobs_at_once=*/3);
  const std::vector<Job> jobs = daemon.jobs->List({.page_size = 10})->jobs;
  ASSERT_EQ(jobs.size(), 4u);
  for (size_t i = 0; i < jobs.size(); ++i) {
    const std::vector<JobEvent> events = test::ReadToEnd(*daemon.jobs, jobs[i].id);
    test::ExpectConsistentLog(events);
    EXPECT_EQ(events.back().state, JobState::kSucceeded);
    const bool ran = i > 0;  // the newest one waited
    EXPECT_EQ(daemon.jobs->Get(jobs[i].id)->attempt, ran ? 2 : 1);
    std::vector<int64_t> second;
    for (const JobEvent& event : events) {
      if (event.type == EventType::kProgress && event.attempt == 2) second.push_back(event.step);
    }
    if (!ran) continue;
    EXPECT_EQ(second.front(), 4) << "the checkpoint is of step 3";
    EXPECT_EQ(second.size(), static_cast<size_t>(kEpochs * kBatches - 3));
  }
  EXPECT_EQ(daemon.registry->List().size(), 4u);
}

TEST_F(CrashTest, QuarantinesOnlyTheJobThatCrashesTheDaemon) {
  constexpr int64_t kCulprit = 2;  // the seed of the job in which each daemon dies
  for (int run = 0; run < 3; ++run) {
    KillWhenReached([&](const Reached& reached) {
      std::atomic<bool> culprit_runs = false;
      const auto before_step = [&](const TrainingRequest& request, int64_t step) {
        if (step != 2) return absl::OkStatus();
        if (request.config.seed == kCulprit) {
          culprit_runs = true;
          absl::SleepFor(absl::Milliseconds(50));  // until the other one is here too
          reached();
        }
        // The other one makes no checkpoint while the culprit runs.
        for (int i = 0; i < 300 && !culprit_runs; ++i) absl::SleepFor(absl::Milliseconds(1));
        while (culprit_runs) pause();
        return absl::OkStatus();
      };
      Daemon daemon(folder_, {.before_step = before_step}, /*jobs_at_once=*/2);
      for (int64_t seed = 1; run == 0 && seed <= kCulprit; ++seed) {
        JobSpec spec = test::ASpec(kEpochs, kBatches);
        spec.overrides.push_back(Concat("training.seed=", seed));
        daemon.jobs->Submit(spec, "").IgnoreError();
      }
      while (true) pause();
    });
  }
  Daemon daemon(folder_, {}, /*jobs_at_once=*/2);
  const std::vector<Job> jobs = daemon.jobs->List({.page_size = 2})->jobs;
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].state, JobState::kFailed);
  EXPECT_THAT(jobs[0].error.ToString(), HasSubstr("the daemon crashed 3 times in a row"));
  EXPECT_EQ(test::AwaitEnd(*daemon.jobs, jobs[1].id).state, JobState::kSucceeded);
}

TEST_F(CrashTest, RepeatsNoStepAfterAKillRightAfterACheckpoint) {
  RunUntilKilled([](const Reached& reached) {
    return test::FakeTrainer::Options{.after_checkpoint = [reached](int64_t step) {
      if (step == 6) reached();
    }};
  });
  Daemon daemon(folder_, {});
  const std::string id = daemon.jobs->List({.page_size = 1})->jobs.at(0).id;
  std::vector<int64_t> steps;
  for (const JobEvent& event : test::ReadToEnd(*daemon.jobs, id)) {
    if (event.type == EventType::kProgress) steps.push_back(event.step);
  }
  for (size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i], static_cast<int64_t>(i) + 1);
  EXPECT_EQ(steps.size(), static_cast<size_t>(kEpochs * kBatches));
}

TEST_F(CrashTest, KeepsAcknowledgedJobs) {
  KillWhenReached([&](const Reached& reached) {
    Daemon daemon(folder_, {});
    daemon.trainer.HoldAt(1);
    for (int i = 0; i < 5; ++i) {
      if (!daemon.jobs->Submit(test::ASpec(), Concat("r", i)).ok()) _exit(2);
    }
    const std::string cancelled = daemon.jobs->Submit(test::ASpec(), "cancelled")->id;
    if (!daemon.jobs->Cancel(cancelled).ok()) _exit(3);
    reached();
  });
  Daemon daemon(folder_, {});
  const std::vector<Job> jobs = daemon.jobs->List({.page_size = 10})->jobs;
  ASSERT_EQ(jobs.size(), 6u);
  EXPECT_EQ(jobs[0].state, JobState::kCancelled);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(daemon.jobs->Submit(test::ASpec(), Concat("r", i))->id, jobs[5 - i].id);
    EXPECT_EQ(test::AwaitEnd(*daemon.jobs, jobs[5 - i].id).state, JobState::kSucceeded);
  }
}

TEST_F(CrashTest, KeepsAnAcknowledgedCancellation) {
  KillWhenReached([&](const Reached& reached) {
    Daemon* daemon = nullptr;
    Daemon child_daemon(folder_, {.before_step = [&](const TrainingRequest& request, int64_t step) {
                          if (step == 5) {
                            daemon->jobs
                                ->Cancel(request.job_name.substr(request.job_name.find('/') + 1))
                                .IgnoreError();
                            reached();
                          }
                          return absl::OkStatus();
                        }});
    daemon = &child_daemon;
    child_daemon.jobs->Submit(test::ASpec(kEpochs, kBatches), "").IgnoreError();
    while (true) pause();
  });
  Daemon daemon(folder_, {});
  const Job job = daemon.jobs->List({.page_size = 1})->jobs.at(0);
  EXPECT_EQ(job.state, JobState::kCancelled);
  EXPECT_EQ(job.attempt, 1);
  EXPECT_TRUE(daemon.registry->List().empty());
  EXPECT_FALSE(std::filesystem::exists(folder_.File("state/jobs/" + job.id)));
}

TEST_F(CrashTest, PublishesOnceWhenKilledBetweenPublicationAndEnd) {
  KillWhenReached([&](const Reached& reached) {
    Daemon* daemon = nullptr;
    Daemon child_daemon(folder_, {.before_step = [&](const TrainingRequest& request, int64_t step) {
                          if (step == kEpochs * kBatches) {
                            // Repeats the manager's actions after the last step, without storing
                            // the job's end.
                            const std::string staging = *daemon->registry->StagingDirectory();
                            test::WriteFakeModel(staging, request.job_name).IgnoreError();
                            if (!daemon->registry->Publish("tiny", staging).ok()) _exit(2);
                            reached();
                          }
                          return absl::OkStatus();
                        }});
    daemon = &child_daemon;
    child_daemon.jobs->Submit(test::ASpec(kEpochs, kBatches), "").IgnoreError();
    while (true) pause();
  });
  Daemon daemon(folder_, {});
  const Job job = daemon.jobs->List({.page_size = 1})->jobs.at(0);
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.model, "models/tiny/versions/1");
  EXPECT_EQ(daemon.registry->List().size(), 1u);
  test::ExpectConsistentLog(test::ReadToEnd(*daemon.jobs, job.id));
}

TEST_F(CrashTest, FailsTheJobAtItsThirdCrashAndRunsTheNext) {
  for (int i = 0; i < 3; ++i) RunUntilKilled(BeforeStep(2), /*submissions=*/2);
  Daemon daemon(folder_, {});
  const std::vector<Job> jobs = daemon.jobs->List({.page_size = 2})->jobs;
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[1].state, JobState::kFailed);
  EXPECT_EQ(jobs[1].attempt, 3);
  EXPECT_THAT(jobs[1].error.ToString(), HasSubstr("the daemon crashed 3 times in a row"));
  EXPECT_EQ(test::AwaitEnd(*daemon.jobs, jobs[0].id).state, JobState::kSucceeded);
}

TEST_F(CrashTest, LosesNoObservedEventOverManyKills) {
  constexpr int kKills = 12;
  std::vector<std::string> previous;
  std::string id;
  for (int i = 0; i < kKills; ++i) {
    // Kills the child two steps later each time, sometimes right after a checkpoint.
    RunUntilKilled(BeforeStep(2 * i + 1));
    // This daemon only checks the state. It trains no step, and stops gracefully.
    Daemon daemon(folder_, {});
    daemon.trainer.HoldAt((2 * i) / 3 * 3 + 1);
    id = daemon.jobs->List({.page_size = 1})->jobs.at(0).id;
    const std::vector<std::string> current = test::Describe(ReadEvents(*daemon.jobs, id));
    ASSERT_GE(current.size(), previous.size());
    EXPECT_TRUE(std::equal(previous.begin(), previous.end(), current.begin()))
        << "observed events must not change";
    previous = current;
  }
  Daemon daemon(folder_, {});
  const std::vector<JobEvent> events = test::ReadToEnd(*daemon.jobs, id);
  test::ExpectConsistentLog(events);
  EXPECT_EQ(events.back().state, JobState::kSucceeded);
}

}  // namespace
}  // namespace vrp
