#include "core/jobs/sure_update.h"

#include <filesystem>
#include <optional>

#include "gtest/gtest.h"
#include "tests/jobs/job_test_support.h"
#include "tests/testing/full_disk.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

class UpdateForSureTest : public ::testing::Test {
 protected:
  UpdateForSureTest() {
    store_ = *JobStore::Open(folder_.File("jobs.db"), &clock_);
    id_ = store_->Submit(test::ASpec(), "", 10)->id;
    full_.emplace(std::filesystem::file_size(folder_.File("jobs.db-wal")));
  }

  test::TempFolder folder_;
  test::ManualClock clock_;
  std::unique_ptr<JobStore> store_;
  std::string id_;
  StopSignal stopping_;
  std::optional<test::FullDisk> full_;
};

TEST_F(UpdateForSureTest, RetriesUntilTheStoreCanBeWritten) {
  int tries = 0;
  const absl::StatusOr<Job> job = UpdateForSure(*store_, stopping_, id_, [&](JobChange& change) {
    if (++tries == 3) full_.reset();
    return change.MoveTo(JobState::kCancelled);
  });
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(job->last_sequence, 2);
}

TEST_F(UpdateForSureTest, GivesUpWhenTheDaemonStops) {
  const absl::StatusOr<Job> job = UpdateForSure(*store_, stopping_, id_, [&](JobChange& change) {
    stopping_.Set();
    return change.MoveTo(JobState::kCancelled);
  });
  EXPECT_TRUE(absl::IsUnavailable(job.status())) << job.status();
  EXPECT_EQ(store_->Find(JobKind::kTraining, id_)->job.state, JobState::kQueued);
}

TEST_F(UpdateForSureTest, DoesNotRetryPermanentErrors) {
  int tries = 0;
  const absl::StatusOr<Job> job = UpdateForSure(*store_, stopping_, id_, [&](JobChange& change) {
    ++tries;
    return change.MoveTo(JobState::kSucceeded);
  });
  EXPECT_TRUE(absl::IsFailedPrecondition(job.status())) << job.status();
  EXPECT_EQ(tries, 1);
}

}  // namespace
}  // namespace vrp
