#include "core/jobs/solve_job_manager.h"

#include <filesystem>
#include <optional>
#include <stdexcept>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/fake_solver.h"
#include "tests/jobs/job_test_support.h"
#include "tests/testing/full_disk.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SolveJobManagerTest : public ::testing::Test {
 protected:
  // Opens the manager. A second call restarts the daemon.
  void Open(int32_t max_running = 1) {
    jobs_.reset();
    book_.reset();
    book_ = *JobBook::Open(folder_.File("state"), &clock_);
    absl::StatusOr<std::unique_ptr<SolveJobManager>> jobs =
        SolveJobManager::Create({.book = book_,
                                 .solver = &solver_,
                                 .clock = &clock_,
                                 .max_running = max_running,
                                 .store_interval = store_interval_,
                                 .max_queued = 3});
    ASSERT_TRUE(jobs.ok()) << jobs.status();
    jobs_ = *std::move(jobs);
  }
  static SolveSpec ASpec(const std::string& request = "city") {
    return {.request = request, .summary = "of " + request, .budget = absl::Hours(2)};
  }
  std::string Submit(const std::string& request = "city") {
    const absl::StatusOr<Job> job = jobs_->Submit(ASpec(request), "");
    EXPECT_TRUE(job.ok()) << job.status();
    return job->id;
  }
  // Submits a job that has stored plans of cost 99 down to 100 - `plans`.
  std::string SubmitWithPlans(int plans) {
    const std::string id = Submit();
    EXPECT_TRUE(solver_.AwaitRunning(1));
    for (int i = 1; i <= plans; ++i) {
      solver_.Improve();
      AwaitCost(id, 100 - i);
    }
    return id;
  }
  void AwaitRunningAgain(const std::string& id) {
    test::ReadUntil(**jobs_->Watch(id, 1), [](const JobEvent& event) {
      return event.state == JobState::kRunning && event.attempt == 2;
    });
  }
  void AwaitCost(const std::string& id, double cost) {
    test::ReadUntil(**jobs_->Watch(id, 1), [cost](const JobEvent& event) {
      return event.type == EventType::kImprovement && event.solve->cost == cost;
    });
  }
  std::vector<std::string> EventsOf(const std::string& id) {
    const std::vector<JobEvent> events = test::ReadToEnd(*jobs_, id);
    test::ExpectConsistentLog(events);
    return test::DescribeWithoutLogs(events);
  }

  test::TempFolder folder_;
  test::ManualClock clock_;
  test::FakeSolver solver_;
  absl::Duration store_interval_ = absl::Milliseconds(1);
  std::shared_ptr<JobBook> book_;
  std::unique_ptr<SolveJobManager> jobs_;  // last member, destroyed first
};

TEST_F(SolveJobManagerTest, RunsAJobFromTheQueueToItsAnswer) {
  Open();
  const std::string id = SubmitWithPlans(2);
  EXPECT_EQ(*jobs_->Answer(id), std::nullopt);
  solver_.Finish();
  EXPECT_THAT(EventsOf(id), ElementsAre("QUEUED", "PREPARING", "RUNNING", "improvement 99",
                                        "improvement 98", "answer 98", "SUCCEEDED"));
  const Job job = *jobs_->Get(id);
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.kind, JobKind::kSolve);
  EXPECT_EQ(job.solve.summary, "of city");
  EXPECT_EQ(job.solve.budget, absl::Hours(2));
  EXPECT_EQ(job.solve.progress.cost, 98);
  EXPECT_EQ(job.solve.progress.improvements, 2);
  EXPECT_EQ(job.solve.progress.routes, 3);
  EXPECT_EQ(*jobs_->Answer(id), "answer of city: 98");
  EXPECT_EQ(solver_.tasks().at(0).budget, absl::Hours(2));
}

TEST_F(SolveJobManagerTest, EndsAStoppedRunningJobWithItsBestPlan) {
  Open();
  const std::string id = SubmitWithPlans(3);
  EXPECT_EQ(jobs_->Stop(id)->state, JobState::kStopping);
  EXPECT_THAT(EventsOf(id),
              ElementsAre("QUEUED", "PREPARING", "RUNNING", "improvement 99", "improvement 98",
                          "improvement 97", "STOPPING", "answer 97", "SUCCEEDED"));
  EXPECT_EQ(*jobs_->Answer(id), "answer of city: 97");
  EXPECT_EQ(jobs_->Stop(id)->state, JobState::kSucceeded) << "a second stop changes nothing";
}

TEST_F(SolveJobManagerTest, ResumesFromThePlanWithTheRemainingTime) {
  Open();
  const std::string id = SubmitWithPlans(2);
  clock_.Advance(absl::Minutes(30));
  Open();
  EXPECT_TRUE(solver_.AwaitRunning(1));
  const SolveTask task = solver_.tasks().at(1);
  EXPECT_EQ(task.plan, "98");
  EXPECT_EQ(task.search_time, absl::Minutes(30));
  EXPECT_EQ(task.since_improvement, absl::Minutes(30));
  EXPECT_EQ(task.budget, absl::Minutes(90));
  EXPECT_EQ(task.request, "city");
  solver_.Improve();
  solver_.Finish();
  EXPECT_THAT(EventsOf(id), ElementsAre("QUEUED", "PREPARING", "RUNNING", "improvement 99",
                                        "improvement 98", "QUEUED", "PREPARING", "resumed 98",
                                        "RUNNING", "improvement 97", "answer 97", "SUCCEEDED"));
  EXPECT_EQ(jobs_->Get(id)->attempt, 2);
  EXPECT_EQ(jobs_->Get(id)->solve.progress.improvements, 3);
  EXPECT_EQ(jobs_->Get(id)->solve.progress.improved_at, absl::Minutes(30));
}

TEST_F(SolveJobManagerTest, StoresTheFirstPlanAtOnce) {
  store_interval_ = absl::Hours(1);
  Open();
  const std::string id = SubmitWithPlans(1);
  EXPECT_EQ(jobs_->Get(id)->state, JobState::kRunning);
  EXPECT_EQ(jobs_->Get(id)->solve.progress.improvements, 1);
}

TEST_F(SolveJobManagerTest, StoresTheSearchTimeWithoutAnImprovement) {
  Open();
  const std::string id = SubmitWithPlans(1);
  clock_.Advance(absl::Minutes(7));
  while (jobs_->Get(id)->solve.progress.search_time < absl::Minutes(7))
    absl::SleepFor(absl::Milliseconds(1));
  EXPECT_EQ(jobs_->Get(id)->last_sequence, 4) << "the search time must create no event";
}

TEST_F(SolveJobManagerTest, SolvesForAMillisecondAfterARestartWithoutRemainingTime) {
  Open();
  SubmitWithPlans(1);
  clock_.Advance(absl::Hours(3));
  Open();
  EXPECT_TRUE(solver_.AwaitRunning(1));
  EXPECT_EQ(solver_.tasks().at(1).budget, absl::Milliseconds(1));
}

TEST_F(SolveJobManagerTest, CancelsAStoppedQueuedJobWithoutAPlan) {
  Open();
  SubmitWithPlans(1);
  const std::string waiting = Submit();
  EXPECT_EQ(jobs_->Stop(waiting)->state, JobState::kCancelled);
  EXPECT_EQ(jobs_->Stop(waiting)->state, JobState::kCancelled) << "a second stop changes nothing";
  EXPECT_THAT(EventsOf(waiting), ElementsAre("QUEUED", "CANCELLED"));
}

TEST_F(SolveJobManagerTest, EndsAStoppedQueuedJobWithItsPlan) {
  Open(2);
  const std::string first = Submit("first");
  const std::string second = Submit("second");
  EXPECT_TRUE(solver_.AwaitRunning(2));
  while (jobs_->Get(second)->solve.progress.improvements == 0) solver_.Improve();
  Open(1);
  AwaitRunningAgain(first);
  EXPECT_EQ(jobs_->Get(second)->state, JobState::kQueued);
  const Job ended = *jobs_->Stop(second);
  EXPECT_EQ(ended.state, JobState::kSucceeded);
  EXPECT_EQ(*jobs_->Answer(second), Concat("answer of second: ", ended.solve.progress.cost));
  EXPECT_EQ(jobs_->Get(first)->state, JobState::kRunning);
}

TEST_F(SolveJobManagerTest, FailsTheJobOnASolveErrorAndRunsTheNext) {
  solver_.before_solve = [](const SolveTask& task) -> absl::Status {
    if (task.request == "bad") return absl::InternalError("the checker refuses the plan");
    if (task.request == "worse") throw std::runtime_error("out of range");
    return absl::OkStatus();
  };
  Open();
  const Job failed = test::AwaitEnd(*jobs_, Submit("bad"));
  EXPECT_EQ(failed.error, absl::InternalError("the checker refuses the plan"));
  EXPECT_TRUE(absl::IsFailedPrecondition(jobs_->Stop(failed.id).status()));
  EXPECT_THAT(test::AwaitEnd(*jobs_, Submit("worse")).error.ToString(), HasSubstr("out of range"));
  solver_.Finish();
  EXPECT_EQ(test::AwaitEnd(*jobs_, Submit()).state, JobState::kSucceeded);
}

TEST_F(SolveJobManagerTest, RunsTheConfiguredNumberOfJobsAtOnce) {
  Open(2);
  for (int i = 0; i < 3; ++i) Submit();
  EXPECT_TRUE(solver_.AwaitRunning(2));
  EXPECT_EQ(solver_.tasks().size(), 2u);
}

TEST_F(SolveJobManagerTest, ReturnsTheSameJobForTheSameRequest) {
  Open();
  const std::string id = jobs_->Submit(ASpec(), "r1")->id;
  EXPECT_EQ(jobs_->Submit(ASpec(), "r1")->id, id);
  const absl::Status other = jobs_->Submit(ASpec("village"), "r1").status();
  EXPECT_TRUE(absl::IsAlreadyExists(other)) << other;
  EXPECT_THAT(std::string(other.message()), HasSubstr("solveJobs/" + id));
}

TEST_F(SolveJobManagerTest, RefusesJobsBeyondTheQueueLimit) {
  Open();
  Submit();
  EXPECT_TRUE(solver_.AwaitRunning(1));
  for (int i = 0; i < 3; ++i) Submit();
  EXPECT_TRUE(absl::IsResourceExhausted(jobs_->Submit(ASpec(), "").status()));
}

TEST_F(SolveJobManagerTest, DeletesOnlyEndedSolveJobs) {
  Open();
  const std::string id = SubmitWithPlans(1);
  EXPECT_TRUE(absl::IsFailedPrecondition(jobs_->Delete(id)));
  solver_.Finish();
  test::AwaitEnd(*jobs_, id);
  const std::string kept = Submit("kept");
  test::AwaitEnd(*jobs_, kept);
  ASSERT_TRUE(jobs_->Delete(id).ok());
  EXPECT_TRUE(absl::IsNotFound(jobs_->Get(id).status()));
  EXPECT_TRUE(absl::IsNotFound(jobs_->Delete(id)));
  EXPECT_EQ(*jobs_->Answer(id), std::nullopt);
  EXPECT_EQ(*jobs_->Answer(kept), "answer of kept: 100");
}

TEST_F(SolveJobManagerTest, ListsOnlySolveJobs) {
  Open();
  JobSpec training;
  training.config_yaml = "name: tiny\n";
  ASSERT_TRUE(book_->store().Submit(training, "", 10).ok());
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) ids.insert(ids.begin(), Submit());
  const JobPage page = *jobs_->List(2, "");
  ASSERT_EQ(page.jobs.size(), 2u);
  EXPECT_EQ(page.jobs[0].id, ids[0]);
  EXPECT_EQ(jobs_->List(2, page.next_page_token)->jobs.at(0).id, ids[2]);
  EXPECT_EQ(book_->List(JobKind::kTraining, {.page_size = 0})->jobs.size(), 1u);
}

TEST_F(SolveJobManagerTest, ReturnsNotFoundForUnknownJobsOfBothKinds) {
  Open();
  const std::string training = book_->store().Submit(JobSpec{}, "", 10)->id;
  for (const std::string& id : {training, std::string("nope")}) {
    EXPECT_TRUE(absl::IsNotFound(jobs_->Get(id).status()));
    EXPECT_TRUE(absl::IsNotFound(jobs_->Stop(id).status()));
    EXPECT_TRUE(absl::IsNotFound(jobs_->Delete(id)));
    EXPECT_TRUE(absl::IsNotFound(jobs_->Watch(id, 1).status()));
  }
}

TEST_F(SolveJobManagerTest, KeepsAnImprovementFoundWhileTheDiskIsFull) {
  Open();
  const std::string id = SubmitWithPlans(1);
  {
    const test::FullDisk full(std::filesystem::file_size(folder_.File("state/jobs.db-wal")));
    solver_.Improve(2);
  }
  AwaitCost(id, 97);
  EXPECT_THAT(*book_->store().ReadContent(id, SolveContent::kPlan), "97");
}

}  // namespace
}  // namespace vrp
