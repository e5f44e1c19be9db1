// Provides a fixture with a job manager on a fake trainer, a fake clock and its own folders.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/jobs/job_manager.h"
#include "gtest/gtest.h"
#include "tests/jobs/fake_trainer.h"
#include "tests/jobs/job_test_support.h"
#include "tests/registry/fake_model.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp::test {

class JobManagerFixture : public ::testing::Test {
 protected:
  JobManagerFixture() {
    registry_ = *Registry::Create(
        {.directory = folder_.File("models"),
         .loader = [](const std::string&, DeviceId) -> absl::StatusOr<std::unique_ptr<Policy>> {
           return std::make_unique<FakePolicy>();
         }});
    UseTrainer({});
  }
  void UseTrainer(FakeTrainer::Options options) {
    trainer_ = std::make_unique<FakeTrainer>(std::move(options));
  }
  JobManager::Options ManagerOptions() {
    absl::StatusOr<std::shared_ptr<JobBook>> book =
        JobBook::Open(folder_.File("state"), &clock_, quota_bytes_);
    EXPECT_TRUE(book.ok()) << book.status();
    return {.book = book.ok() ? *book : nullptr,
            .trainer = trainer_.get(),
            .registry = registry_.get(),
            .clock = &clock_};
  }
  void Open() {
    OpenWith([this] { return ManagerOptions(); });
  }
  // Opens the manager with the options that `options` returns, once the earlier manager is gone.
  void OpenWith(const std::function<JobManager::Options()>& options) {
    jobs_.reset();
    absl::StatusOr<std::unique_ptr<JobManager>> jobs = JobManager::Create(options());
    ASSERT_TRUE(jobs.ok()) << jobs.status();
    jobs_ = *std::move(jobs);
  }
  std::string Submit(int64_t epochs = 1, int64_t batches = 3) {
    const absl::StatusOr<Job> job = jobs_->Submit(ASpec(epochs, batches), "");
    EXPECT_TRUE(job.ok()) << job.status();
    return job->id;
  }
  // Submits a job of 2 epochs of 5 steps. Blocks until the job waits before step `hold_at`.
  std::string SubmitHeld(int64_t hold_at = 1) {
    trainer_->HoldAt(hold_at);
    const std::string id = Submit(2, 5);
    EXPECT_TRUE(trainer_->AwaitHeld());
    return id;
  }

  int64_t quota_bytes_ = 0;
  TempFolder folder_;
  ManualClock clock_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<FakeTrainer> trainer_;
  std::unique_ptr<JobManager> jobs_;  // last member, destroyed first
};

}  // namespace vrp::test
