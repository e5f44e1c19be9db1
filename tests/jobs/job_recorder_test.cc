#include "core/jobs/job_recorder.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_test_support.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JobRecorderTest : public ::testing::Test {
 protected:
  JobRecorderTest() {
    store_ = *JobStore::Open(folder_.File("jobs.db"), &clock_);
    EXPECT_TRUE(store_->Submit(test::ASpec(), "", 10).ok());
    id_ = (*store_->StartNext(JobKind::kTraining))->id;
    recorder_.emplace(JobRecorder::Options{.store = store_.get(),
                                           .clock = &clock_,
                                           .job_id = id_,
                                           .progress_interval = absl::Milliseconds(100)});
  }
  // Returns the progress at `step` of a training job of 2 epochs of 10 steps.
  static TrainingProgress ProgressAt(int64_t step, bool end_of_epoch = false) {
    return {.epoch = (step - 1) / 10 + 1,
            .epochs = 2,
            .step = step,
            .steps = 20,
            .end_of_epoch = end_of_epoch};
  }
  std::vector<std::string> RecordedEvents() const {
    return test::Describe(*store_->ReadEvents(id_, {.first = 3, .last = 1000, .limit = 1000}));
  }

  test::TempFolder folder_;
  test::ManualClock clock_;
  std::unique_ptr<JobStore> store_;
  std::string id_;
  std::optional<JobRecorder> recorder_;
};

TEST_F(JobRecorderTest, StoresProgressOncePerInterval) {
  for (int64_t step = 1; step <= 8; ++step) {
    recorder_->OnProgress(ProgressAt(step));
    clock_.Advance(absl::Milliseconds(40));
  }
  EXPECT_THAT(RecordedEvents(), ElementsAre("progress 1", "progress 4", "progress 7"));
}

TEST_F(JobRecorderTest, StoresEachEpochEndOnceWithItsValidation) {
  recorder_->OnProgress(ProgressAt(9));
  clock_.Advance(absl::Seconds(1));
  recorder_->OnProgress(ProgressAt(10));  // due, but the report of its epoch follows
  recorder_->OnLog("validated");
  recorder_->OnProgress(ProgressAt(10, true));
  recorder_->OnProgress(ProgressAt(11));
  EXPECT_THAT(RecordedEvents(), ElementsAre("progress 9", "log", "progress 10"));
  EXPECT_TRUE(store_->Find(JobKind::kTraining, id_)->job.progress->end_of_epoch);
}

TEST_F(JobRecorderTest, KeepsAnEpochsLastStepWithoutAnEpochReport) {
  recorder_->OnProgress(ProgressAt(10));
  recorder_->OnProgress(ProgressAt(11));
  recorder_->Finish();
  EXPECT_THAT(RecordedEvents(), ElementsAre("progress 10", "progress 11"));
}

TEST_F(JobRecorderTest, StoresTheLastStepWithoutWaitingForTheInterval) {
  recorder_->OnProgress(ProgressAt(1));
  recorder_->OnProgress(ProgressAt(2));
  recorder_->OnProgress(ProgressAt(3));
  recorder_->Finish();
  recorder_->Finish();
  EXPECT_THAT(RecordedEvents(), ElementsAre("progress 1", "progress 3"));
}

TEST_F(JobRecorderTest, KeepsTheRunTotalsWithTheLastProgress) {
  recorder_->OnProgress(ProgressAt(1));
  recorder_->OnProgress(ProgressAt(2));
  TrainingTotals totals{.steps = 2};
  totals.run_phases.back().wall_seconds = 7;
  recorder_->OnEnd(totals);
  recorder_->Finish();
  const Job job = store_->Find(JobKind::kTraining, id_)->job;
  EXPECT_EQ(job.progress->step, 2);
  EXPECT_EQ(job.progress->totals.WallSeconds(), 7);
  EXPECT_THAT(RecordedEvents(), ElementsAre("progress 1", "progress 2"))
      << "totals create no event";
}

TEST_F(JobRecorderTest, DiscardsTotalsOfARunWithoutAStep) {
  recorder_->OnEnd({});
  recorder_->Finish();
  EXPECT_FALSE(store_->Find(JobKind::kTraining, id_)->job.progress.has_value());
}

TEST_F(JobRecorderTest, StoresPhaseTimesWithTheJobAndEpochEnds) {
  TrainingProgress step = ProgressAt(1);
  step.totals.run_phases.back().wall_seconds = 3;
  recorder_->OnProgress(step);
  EXPECT_EQ(store_->Find(JobKind::kTraining, id_)->job.progress->totals.WallSeconds(), 3);
  TrainingProgress epoch = ProgressAt(10, true);
  epoch.totals.run_phases.back().wall_seconds = 4;
  recorder_->OnProgress(epoch);
  const std::vector<JobEvent> events =
      *store_->ReadEvents(id_, {.first = 3, .last = 4, .limit = 9});
  EXPECT_EQ(events[0].progress->totals.WallSeconds(), 0);
  EXPECT_EQ(events[1].progress->totals.WallSeconds(), 4);
}

TEST_F(JobRecorderTest, KeepsThePreviousTotalsIfAnAttemptHasNoStep) {
  recorder_->OnProgress(ProgressAt(1));
  recorder_->OnEnd({.steps = 1});
  recorder_->Finish();
  JobRecorder next({.store = store_.get(),
                    .clock = &clock_,
                    .job_id = id_,
                    .progress_interval = absl::Milliseconds(100)});
  TrainingTotals without_steps;
  without_steps.run_phases.front().wall_seconds = 3;
  next.OnEnd(without_steps);
  next.Finish();
  const TrainingTotals kept = store_->Find(JobKind::kTraining, id_)->job.progress->totals;
  EXPECT_EQ(kept.steps, 1);
  EXPECT_EQ(kept.WallSeconds(), 0);
}

TEST_F(JobRecorderTest, StoresARepeatedStepOnce) {
  recorder_->OnProgress(ProgressAt(3));
  clock_.Advance(absl::Seconds(1));
  recorder_->OnProgress(ProgressAt(3));
  recorder_->Finish();
  EXPECT_THAT(RecordedEvents(), ElementsAre("progress 3"));
}

TEST_F(JobRecorderTest, StoresProgressAfterTheClockIsSetBack) {
  recorder_->OnProgress(ProgressAt(1));
  clock_.Advance(-absl::Hours(5));
  clock_.Advance(absl::Seconds(1));
  recorder_->OnProgress(ProgressAt(2));
  EXPECT_THAT(RecordedEvents(), ElementsAre("progress 1", "progress 2"));
}

TEST_F(JobRecorderTest, StoresNan) {
  TrainingProgress progress = ProgressAt(1);
  progress.loss = std::numeric_limits<double>::quiet_NaN();
  recorder_->OnProgress(progress);
  EXPECT_TRUE(std::isnan(store_->Find(JobKind::kTraining, id_)->job.progress->loss));
  EXPECT_TRUE(std::isnan(
      store_->ReadEvents(id_, {.first = 3, .last = 3, .limit = 1})->front().progress->loss));
}

TEST_F(JobRecorderTest, LogsLostEventsOnceTheStoreWorksAgain) {
  {
    // Simulates a full disk by renaming the table for a while.
    const auto blocker = *Database::Open(folder_.File("jobs.db"));
    ASSERT_TRUE(blocker->Execute("ALTER TABLE events RENAME TO away").ok());
    recorder_->OnLog("lost");
    recorder_->OnCheckpoint(5);
    ASSERT_TRUE(blocker->Execute("ALTER TABLE away RENAME TO events").ok());
  }
  recorder_->OnLog("kept");
  EXPECT_THAT(RecordedEvents(), ElementsAre("log", "log"));
  const std::vector<JobEvent> events =
      *store_->ReadEvents(id_, {.first = 3, .last = 4, .limit = 9});
  EXPECT_THAT(events[0].text, HasSubstr("2 events before this one could not be stored"));
  EXPECT_EQ(events[1].text, "kept");
}

}  // namespace
}  // namespace vrp
