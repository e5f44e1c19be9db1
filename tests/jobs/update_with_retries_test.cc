#include "core/jobs/update_with_retries.h"

#include <filesystem>
#include <optional>

#include "gtest/gtest.h"
#include "tests/jobs/job_test_support.h"
#include "tests/testing/full_disk.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

class UpdateWithRetriesTest : public ::testing::Test {
 protected:
  UpdateWithRetriesTest() {
    store_ = *JobStore::Open(folder_.File("jobs.db"), &clock_);
    id_ = store_->Submit(test::ASpec(), "", 10)->id;
    full_disk_.emplace(std::filesystem::file_size(folder_.File("jobs.db-wal")));
  }

  test::TempFolder folder_;
  test::ManualClock clock_;
  std::unique_ptr<JobStore> store_;
  std::string id_;
  StopSignal stopping_;
  std::optional<test::FullDisk> full_disk_;
};

TEST_F(UpdateWithRetriesTest, RetriesUntilTheStoreCanBeWritten) {
  int tries = 0;
  const absl::StatusOr<Job> job =
      UpdateWithRetries(*store_, stopping_, id_, [&](JobChange& change) {
        if (++tries == 3) full_disk_.reset();
        return change.MoveTo(JobState::kCancelled);
      });
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(job->last_sequence, 2);
}

TEST_F(UpdateWithRetriesTest, GivesUpWhenTheDaemonStops) {
  const absl::StatusOr<Job> job =
      UpdateWithRetries(*store_, stopping_, id_, [&](JobChange& change) {
        stopping_.Set();
        return change.MoveTo(JobState::kCancelled);
      });
  EXPECT_TRUE(absl::IsUnavailable(job.status())) << job.status();
  EXPECT_EQ(store_->Find(JobKind::kTraining, id_)->job.state, JobState::kQueued);
}

TEST_F(UpdateWithRetriesTest, DoesNotRetryPermanentErrors) {
  int tries = 0;
  const absl::StatusOr<Job> job =
      UpdateWithRetries(*store_, stopping_, id_, [&](JobChange& change) {
        ++tries;
        return change.MoveTo(JobState::kSucceeded);
      });
  EXPECT_TRUE(absl::IsFailedPrecondition(job.status())) << job.status();
  EXPECT_EQ(tries, 1);
}

}  // namespace
}  // namespace vrp
