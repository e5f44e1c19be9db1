// Tests jobs whose solver stores its result part by part: simulations.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/solve_job_manager.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_test_support.h"
#include "tests/testing/full_disk.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr size_t kParts = 3;  // of each result

// A solver that stores kParts parts, each once Allow() permits it.
class PartSolver final : public JobSolver {
 public:
  absl::StatusOr<TaskAnswer> Solve(const SolveTask& task, TaskReporter& reporter) override {
    std::vector<std::string> parts = task.parts;
    while (parts.size() < kParts && !task.cancel->cancelled()) {
      if (!TakePermission()) continue;
      parts.push_back(Concat(task.request, " ", parts.size() + 1));
      VRP_RETURN_IF_ERROR(reporter.ReportPart(parts.back()));
    }
    if (parts.empty()) return absl::CancelledError("cancelled");
    return TaskAnswer{.answer = absl::StrJoin(parts, ", "), .cancelled = parts.size() < kParts};
  }
  void Allow(int parts) {
    absl::MutexLock lock(&mutex_);
    allowed_ += parts;
  }

 private:
  bool TakePermission() {
    absl::MutexLock lock(&mutex_);
    const auto is_allowed = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return allowed_ > 0; };
    if (!mutex_.AwaitWithTimeout(absl::Condition(&is_allowed), absl::Milliseconds(1))) return false;
    --allowed_;
    return true;
  }

  absl::Mutex mutex_;
  int allowed_ ABSL_GUARDED_BY(mutex_) = 0;
};

class PartJobsTest : public ::testing::Test {
 protected:
  // Opens the manager. A second call restarts the daemon.
  void Open() {
    jobs_.reset();
    book_.reset();
    book_ = *JobBook::Open(folder_.File("state"), &clock_);
    absl::StatusOr<std::unique_ptr<SolveJobManager>> jobs =
        SolveJobManager::Create({.kind = JobKind::kSimulation,
                                 .book = book_,
                                 .solver = &solver_,
                                 .clock = &clock_,
                                 .store_interval = absl::Hours(1)});
    ASSERT_TRUE(jobs.ok()) << jobs.status();
    jobs_ = *std::move(jobs);
  }
  std::string Submit(const std::string& request = "city") {
    const absl::StatusOr<Job> job =
        jobs_->Submit({.kind = JobKind::kSimulation, .request = request, .summary = "summary"}, "");
    EXPECT_TRUE(job.ok()) << job.status();
    return job->id;
  }
  void AwaitPart(const std::string& id, int64_t number) {
    test::ReadUntil(**jobs_->Watch(id, 1), [number](const JobEvent& event) {
      return event.type == EventType::kPart && event.step == number;
    });
  }
  std::vector<std::string> EventsOf(const std::string& id) {
    const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
    test::ExpectConsistentLog(events);
    return test::DescribeWithoutLogs(events);
  }

  test::TempFolder folder_;
  test::ManualClock clock_;
  PartSolver solver_;
  std::shared_ptr<JobBook> book_;
  std::unique_ptr<SolveJobManager> jobs_;  // last member, destroyed first
};

TEST_F(PartJobsTest, StoresEachPartWithItsEvent) {
  Open();
  const std::string id = Submit();
  solver_.Allow(2);
  AwaitPart(id, 2);
  EXPECT_THAT(*jobs_->Parts(id, 1, 9), ElementsAre("city 1", "city 2"));
  EXPECT_THAT(*jobs_->Parts(id, 2, 2), ElementsAre("city 2"));
  solver_.Allow(1);
  EXPECT_THAT(EventsOf(id), ElementsAre("QUEUED", "PREPARING", "RUNNING", "part 1", "part 2",
                                        "part 3", "answer 0", "SUCCEEDED"));
  EXPECT_EQ(*jobs_->Answer(id), "city 1, city 2, city 3");
  const Job job = *jobs_->Get(id);
  EXPECT_EQ(ResourceName(job), "simulations/" + id);
  EXPECT_EQ(job.solve.progress.parts, 3);
  EXPECT_EQ(job.solve.summary, "summary");
}

TEST_F(PartJobsTest, ResumesAfterTheLastStoredPart) {
  Open();
  const std::string id = Submit();
  solver_.Allow(2);
  AwaitPart(id, 2);
  Open();
  solver_.Allow(1);
  EXPECT_THAT(EventsOf(id),
              ElementsAre("QUEUED", "PREPARING", "RUNNING", "part 1", "part 2", "QUEUED",
                          "PREPARING", "resumed 0", "RUNNING", "part 3", "answer 0", "SUCCEEDED"));
  EXPECT_EQ(*jobs_->Answer(id), "city 1, city 2, city 3");
}

TEST_F(PartJobsTest, EndsAStoppedJobWithItsParts) {
  Open();
  const std::string id = Submit();
  solver_.Allow(1);
  AwaitPart(id, 1);
  EXPECT_EQ(jobs_->Stop(id)->state, JobState::kStopping);
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kSucceeded);
  EXPECT_EQ(*jobs_->Answer(id), "city 1");
}

TEST_F(PartJobsTest, CancelsAStoppedJobWithoutAPart) {
  Open();
  const std::string id = Submit();
  test::AwaitState(*jobs_, id, JobState::kRunning);
  ASSERT_TRUE(jobs_->Stop(id).ok());
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kCancelled);
}

TEST_F(PartJobsTest, DeletesThePartsWithTheJob) {
  Open();
  const std::string id = Submit();
  solver_.Allow(3);
  test::AwaitEnd(*jobs_, id);
  ASSERT_TRUE(jobs_->Delete(id).ok());
  EXPECT_THAT(*jobs_->Parts(id, 1, 9), IsEmpty());
}

TEST_F(PartJobsTest, StoresAPartOnceTheDiskHasSpaceAgain) {
  Open();
  const std::string id = Submit();
  solver_.Allow(1);
  AwaitPart(id, 1);
  {
    const test::FullDisk full(std::filesystem::file_size(folder_.File("state/jobs.db-wal")));
    solver_.Allow(1);
    absl::SleepFor(absl::Milliseconds(50));
  }
  AwaitPart(id, 2);
}

TEST_F(PartJobsTest, RefusesASpecificationOfAnotherKind) {
  Open();
  EXPECT_FALSE(jobs_->Submit({.kind = JobKind::kSolve, .request = "city"}, "").ok());
}

}  // namespace
}  // namespace vrp
