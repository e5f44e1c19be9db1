// Tests that databases of earlier schema versions can be opened.
#include <filesystem>

#include "core/base/text.h"
#include "core/jobs/job_store.h"
#include "gtest/gtest.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

// tests/data/state/jobs_v1.db has the training jobs of jobs_v2.db in the tables of schema version
// 1.
TEST(JobMigrationTest, OpensSchema1WithAllJobsAndEvents) {
  const test::TempFolder folder;
  const std::string path = folder.File("jobs.db");
  std::filesystem::copy_file(test::DataPath("state/jobs_v1.db"), path);
  test::ManualClock clock;
  const absl::StatusOr<std::unique_ptr<JobStore>> opened = JobStore::Open(path, &clock);
  ASSERT_TRUE(opened.ok()) << opened.status();
  JobStore& store = **opened;
  const std::vector<JobRecord> jobs =
      *store.List({.kind = JobKind::kTraining, .before = 100, .limit = 100});
  ASSERT_EQ(jobs.size(), 5u);
  for (const JobRecord& record : jobs) {
    const int64_t last = record.job.last_sequence;
    EXPECT_EQ(store.ReadEvents(record.job.id, {.first = 1, .last = last, .limit = last})->size(),
              static_cast<size_t>(last));
  }
  EXPECT_EQ(jobs.back().job.model, "models/tiny/versions/1");
  EXPECT_TRUE(store.List({.kind = JobKind::kSolve, .before = 100, .limit = 100})->empty());
  EXPECT_EQ((*store.StartNext(JobKind::kTraining))->request_id, "queued");
}

// tests/data/state/jobs_v2.db is from a killed daemon. It has a succeeded, a failed, a running, a
// cancelled and a queued training job, and a solve job.
TEST(JobMigrationTest, OpensSchema2WithAllJobsAndEvents) {
  const test::TempFolder folder;
  const std::string path = folder.File("jobs.db");
  std::filesystem::copy_file(test::DataPath("state/jobs_v2.db"), path);
  test::ManualClock clock;
  const absl::StatusOr<std::unique_ptr<JobStore>> opened = JobStore::Open(path, &clock);
  ASSERT_TRUE(opened.ok()) << opened.status();
  JobStore& store = **opened;
  const std::vector<JobRecord> jobs =
      *store.List({.kind = JobKind::kTraining, .before = 100, .limit = 100});
  std::vector<std::string> states;
  for (const JobRecord& record : jobs) {
    const Job& job = record.job;
    states.push_back(Concat(job.request_id, " ", JobStateName(job.state)));
    EXPECT_EQ(job.spec.priority, 0);
    EXPECT_TRUE(job.spec.labels.empty());
    EXPECT_EQ(job.spec.time_limit, absl::InfiniteDuration());
    EXPECT_FALSE(job.best.has_value());
    const auto events = *store.ReadEvents(
        job.id, {.first = 1, .last = job.last_sequence, .limit = job.last_sequence});
    ASSERT_EQ(static_cast<int64_t>(events.size()), job.last_sequence);
    for (const JobEvent& event : events) EXPECT_NE(event.type, EventType::kCompacted);
  }
  EXPECT_EQ(states,
            (std::vector<std::string>{"queued QUEUED", "cancelled CANCELLED", "running RUNNING",
                                      "failed FAILED", "succeeded SUCCEEDED"}));
  EXPECT_EQ(jobs.front().job.queue_position, 1);
  EXPECT_EQ(jobs.back().job.model, "models/tiny/versions/1");
  EXPECT_EQ(store.ReadHistory(jobs.back().job.id, {.max_points = 100})->points.back().step, 6);
  EXPECT_EQ(store.List({.kind = JobKind::kSolve, .before = 100, .limit = 100})->size(), 1u);
  EXPECT_EQ((*store.StartNext(JobKind::kTraining))->request_id, "queued");
}

// tests/data/state/jobs_v3.db is from a killed daemon. It has a succeeded job, a running one that
// had published live, a queued and a paused one.
TEST(JobMigrationTest, OpensSchema3WithAllJobsAndEvents) {
  const test::TempFolder folder;
  const std::string path = folder.File("jobs.db");
  std::filesystem::copy_file(test::DataPath("state/jobs_v3.db"), path);
  test::ManualClock clock;
  const absl::StatusOr<std::unique_ptr<JobStore>> opened = JobStore::Open(path, &clock);
  ASSERT_TRUE(opened.ok()) << opened.status();
  JobStore& store = **opened;
  const std::vector<JobRecord> jobs =
      *store.List({.kind = JobKind::kTraining, .before = 100, .limit = 100});
  std::vector<std::string> states;
  for (const JobRecord& record : jobs) {
    const Job& job = record.job;
    states.push_back(Concat(job.request_id, " ", JobStateName(job.state)));
    EXPECT_FALSE(job.published.has_value());
    EXPECT_FALSE(job.stop_requested);
    const auto events = *store.ReadEvents(
        job.id, {.first = 1, .last = job.last_sequence, .limit = job.last_sequence});
    ASSERT_EQ(static_cast<int64_t>(events.size()), job.last_sequence);
    for (const JobEvent& event : events) EXPECT_FALSE(event.published.has_value());
  }
  EXPECT_EQ(states, (std::vector<std::string>{"paused PAUSED", "queued QUEUED", "running RUNNING",
                                              "succeeded SUCCEEDED"}));
  EXPECT_EQ(jobs.back().job.model, "models/tiny/versions/1");
  EXPECT_EQ(jobs.back().job.end, TrainingEnd::kAllEpochs);
  EXPECT_EQ(jobs[2].job.model, "models/long/versions/1") << "published live";
  EXPECT_EQ((*store.StartNext(JobKind::kTraining))->request_id, "queued");
}

}  // namespace
}  // namespace vrp
