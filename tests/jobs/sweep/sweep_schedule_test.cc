#include "core/jobs/sweep/sweep_schedule.h"

#include <string>
#include <vector>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using Kind = SweepStep::Kind;

// A sweep whose trials do what the steps say, at once. Trial i has the cost costs[i].
class SimulatedSweep {
 public:
  SimulatedSweep(SweepShape shape, std::vector<double> costs)
      : shape_(std::move(shape)), costs_(std::move(costs)), trials_(costs_.size()) {
    shape_.trials = static_cast<int32_t>(costs_.size());
  }

  SweepStep Next(SweepGoal goal = SweepGoal::kRun) const { return NextStep(shape_, trials_, goal); }
  TrialStatus& trial(size_t index) { return trials_[index]; }
  // Submits or continues a trial, which then runs.
  void Begin(const SweepStep& step) {
    trials_[step.trial] = {.submitted = true,
                           .state = JobState::kRunning,
                           .started = true,
                           .pause_epoch = step.pause_epoch,
                           .cost = trials_[step.trial].cost};
  }

  // Lets a submitted trial train up to its pause, or to its end.
  void Train(size_t index) {
    TrialStatus& trial = trials_[index];
    trial.started = true;
    trial.cost = costs_[index];
    trial.held = trial.pause_epoch > 0;
    trial.state = trial.held ? JobState::kPaused : JobState::kSucceeded;
  }
  // Takes the next step. Returns it as text: "submit 0 to 2", "finish 3".
  std::string Take(SweepGoal goal = SweepGoal::kRun) {
    const SweepStep step = Next(goal);
    TrialStatus& trial = trials_[step.trial];
    switch (step.kind) {
      case Kind::kSubmit:
      case Kind::kContinue:
        trial.submitted = true;
        trial.held = false;
        trial.state = JobState::kRunning;
        trial.pause_epoch = step.pause_epoch;
        Train(step.trial);
        return Concat(step.kind == Kind::kSubmit ? "submit " : "continue ", step.trial, " to ",
                      step.pause_epoch);
      case Kind::kDrop:
        trial.held = false;
        trial.state = JobState::kCancelled;
        return Concat("drop ", step.trial);
      case Kind::kStop:
        trial.held = false;
        trial.state = JobState::kSucceeded;
        return Concat("stop ", step.trial);
      case Kind::kFinish:
        return Concat("finish ", step.trial);
      default:
        return "other";
    }
  }
  std::vector<std::string> TakeAll() {
    std::vector<std::string> steps;
    do {
      steps.push_back(Take());
    } while (steps.back()[0] != 'f' && steps.back() != "other");
    return steps;
  }

 private:
  SweepShape shape_;
  std::vector<double> costs_;
  std::vector<TrialStatus> trials_;
};

TEST(SweepScheduleTest, TrainsAllTrialsOneAfterTheOther) {
  SimulatedSweep sweep({}, {3, 1, 2});
  EXPECT_THAT(sweep.TakeAll(),
              ElementsAre("submit 0 to 0", "submit 1 to 0", "submit 2 to 0", "finish 1"));
}

TEST(SweepScheduleTest, FirstOfEqualTrialsIsTheBest) {
  SimulatedSweep sweep({}, {2, 1, 1});
  EXPECT_EQ(sweep.TakeAll().back(), "finish 1");
}

TEST(SweepScheduleTest, HalvingContinuesTheBestTrials) {
  SimulatedSweep sweep({.selections = {1, 2}, .factor = 2}, {4, 1, 3, 2});
  EXPECT_THAT(sweep.TakeAll(),
              ElementsAre("submit 0 to 1", "submit 1 to 1", "submit 2 to 1", "submit 3 to 1",
                          "drop 0", "drop 2", "continue 1 to 2", "continue 3 to 2", "drop 3",
                          "continue 1 to 0", "finish 1"));
}

TEST(SweepScheduleTest, HalvingContinuesAtLeastOneTrial) {
  SimulatedSweep sweep({.selections = {1, 4}, .factor = 4}, {2, 1});
  EXPECT_THAT(sweep.TakeAll(), ElementsAre("submit 0 to 1", "submit 1 to 1", "drop 0",
                                           "continue 1 to 0", "finish 1"));
}

TEST(SweepScheduleTest, TrialThatEndedEarlyStaysComparable) {
  SimulatedSweep sweep({.selections = {1}, .factor = 2}, {1, 2, 3, 4});
  for (int i = 0; i < 4; ++i) sweep.Take();
  // The trial ended by its patience before the selection.
  sweep.trial(0).held = false;
  sweep.trial(0).state = JobState::kSucceeded;
  EXPECT_THAT(sweep.TakeAll(), ElementsAre("drop 2", "drop 3", "continue 1 to 0", "finish 0"));
}

TEST(SweepScheduleTest, FailedTrialsDoNotWin) {
  SimulatedSweep sweep({.selections = {1}, .factor = 2}, {1, 2, 3, 4});
  for (int i = 0; i < 4; ++i) sweep.Take();
  sweep.trial(0).held = false;
  sweep.trial(0).state = JobState::kFailed;
  EXPECT_THAT(sweep.TakeAll(),
              ElementsAre("drop 3", "continue 1 to 0", "continue 2 to 0", "finish 1"));
  SimulatedSweep failed({}, {1, 2});
  failed.Take();
  failed.Take();
  failed.trial(0).state = failed.trial(1).state = JobState::kFailed;
  EXPECT_EQ(failed.Next().kind, Kind::kNoModel);
}

TEST(SweepScheduleTest, WaitsForTheRunningTrial) {
  SimulatedSweep sweep({}, {1, 2});
  sweep.trial(0) = {.submitted = true, .state = JobState::kRunning, .started = true};
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kWait, .trial = 0}));
  // A user has paused it.
  sweep.trial(0).state = JobState::kPaused;
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kWait, .trial = 0}));
}

TEST(SweepScheduleTest, StopEndsTheRunningTrialAndStartsNoOther) {
  SimulatedSweep sweep({}, {2, 1, 3});
  sweep.Take();
  sweep.trial(1) = {.submitted = true, .state = JobState::kRunning, .started = true};
  EXPECT_EQ(sweep.Next(SweepGoal::kEnd), (SweepStep{.kind = Kind::kStop, .trial = 1}));
  sweep.trial(1).ending = true;
  EXPECT_EQ(sweep.Next(SweepGoal::kEnd), (SweepStep{.kind = Kind::kWait, .trial = 1}));
  sweep.Train(1);
  EXPECT_EQ(sweep.Take(SweepGoal::kEnd), "finish 1");
}

TEST(SweepScheduleTest, StopCancelsATrialThatNeverRan) {
  SimulatedSweep sweep({}, {1, 2});
  sweep.trial(0) = {.submitted = true};
  EXPECT_EQ(sweep.Next(SweepGoal::kEnd), (SweepStep{.kind = Kind::kDrop, .trial = 0}));
  sweep.trial(0).state = JobState::kCancelled;
  EXPECT_EQ(sweep.Next(SweepGoal::kEnd).kind, Kind::kNoModel);
}

TEST(SweepScheduleTest, StopLetsTheBestWaitingTrialEndWithAModel) {
  SimulatedSweep sweep({.selections = {1}, .factor = 2}, {3, 1, 2});
  for (int i = 0; i < 3; ++i) sweep.Take();
  EXPECT_EQ(sweep.Take(SweepGoal::kEnd), "drop 0");
  EXPECT_EQ(sweep.Take(SweepGoal::kEnd), "stop 1");
  EXPECT_EQ(sweep.Take(SweepGoal::kEnd), "drop 2");
  EXPECT_EQ(sweep.Take(SweepGoal::kEnd), "finish 1");
}

TEST(SweepScheduleTest, PausesTheRunningTrial) {
  SimulatedSweep sweep({.selections = {1}, .factor = 2}, {3, 1});
  sweep.Take();
  EXPECT_EQ(sweep.Next(SweepGoal::kPause).kind, Kind::kPaused);
  sweep.trial(1) = {.submitted = true, .state = JobState::kRunning, .started = true};
  EXPECT_EQ(sweep.Next(SweepGoal::kPause), (SweepStep{.kind = Kind::kPause, .trial = 1}));
  sweep.trial(1).state = JobState::kPausing;
  EXPECT_EQ(sweep.Next(SweepGoal::kPause), (SweepStep{.kind = Kind::kWait, .trial = 1}));
  sweep.trial(1).state = JobState::kPaused;
  EXPECT_EQ(sweep.Next(SweepGoal::kPause).kind, Kind::kPaused);
}

TEST(SweepScheduleTest, RunsTrialsSideBySide) {
  SimulatedSweep sweep({.selections = {}, .at_once = 2}, {3, 1, 2});
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kSubmit, .trial = 0}));
  sweep.Begin(sweep.Next());
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kSubmit, .trial = 1}));
  sweep.Begin(sweep.Next());
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kWait, .trial = 0})) << "two run already";
  sweep.Train(1);
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kSubmit, .trial = 2}));
  sweep.Begin(sweep.Next());
  sweep.Train(2);
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kWait, .trial = 0}));
  sweep.Train(0);
  EXPECT_EQ(sweep.Take(), "finish 1");
}

TEST(SweepScheduleTest, SelectionWaitsForEveryContender) {
  SimulatedSweep sweep({.selections = {1, 2}, .factor = 2, .at_once = 3}, {4, 1, 3, 2});
  for (int i = 0; i < 3; ++i) sweep.Begin(sweep.Next());
  for (const size_t i : {1, 2}) sweep.Train(i);
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kSubmit, .trial = 3, .pause_epoch = 1}));
  sweep.Begin(sweep.Next());
  sweep.Train(3);
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kWait, .trial = 0}));
  sweep.Train(0);
  EXPECT_EQ(sweep.Take(), "drop 0");
  EXPECT_EQ(sweep.Take(), "drop 2");
  // Both selected trials go on at once, and the one that runs on keeps the other's selection.
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kContinue, .trial = 1, .pause_epoch = 2}));
  sweep.Begin(sweep.Next());
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kContinue, .trial = 3, .pause_epoch = 2}));
  sweep.Begin(sweep.Next());
  sweep.Train(3);
  EXPECT_EQ(sweep.Next(), (SweepStep{.kind = Kind::kWait, .trial = 1}));
  sweep.Train(1);
  EXPECT_THAT(sweep.TakeAll(), ElementsAre("drop 3", "continue 1 to 0", "finish 1"));
}

TEST(SweepScheduleTest, StopAndPauseReachAllRunningTrials) {
  SimulatedSweep sweep({.selections = {}, .at_once = 3}, {3, 1, 2});
  for (int i = 0; i < 2; ++i) sweep.Begin(sweep.Next());
  EXPECT_EQ(sweep.Next(SweepGoal::kPause), (SweepStep{.kind = Kind::kPause, .trial = 0}));
  sweep.trial(0).state = JobState::kPausing;
  EXPECT_EQ(sweep.Next(SweepGoal::kPause), (SweepStep{.kind = Kind::kPause, .trial = 1}));
  sweep.trial(1).state = JobState::kPaused;
  EXPECT_EQ(sweep.Next(SweepGoal::kPause), (SweepStep{.kind = Kind::kWait, .trial = 0}));
  sweep.trial(0).state = JobState::kPaused;
  EXPECT_EQ(sweep.Next(SweepGoal::kPause).kind, Kind::kPaused);
  sweep.trial(0).state = sweep.trial(1).state = JobState::kRunning;
  EXPECT_EQ(sweep.Next(SweepGoal::kEnd), (SweepStep{.kind = Kind::kStop, .trial = 0}));
  sweep.trial(0).ending = true;
  EXPECT_EQ(sweep.Next(SweepGoal::kEnd), (SweepStep{.kind = Kind::kStop, .trial = 1}));
  sweep.trial(1).ending = true;
  EXPECT_EQ(sweep.Next(SweepGoal::kEnd), (SweepStep{.kind = Kind::kWait, .trial = 0}));
  sweep.Train(0);
  sweep.Train(1);
  EXPECT_EQ(sweep.Take(SweepGoal::kEnd), "finish 1");
}

TEST(SweepScheduleTest, PublishedWeightsDecideOnceATrialHasEnded) {
  Job job;
  job.state = JobState::kRunning;
  EXPECT_EQ(StatusOfTrial(job).cost, std::numeric_limits<double>::infinity());
  job.best = TrainingProgress{.validation_cost = 5};
  EXPECT_EQ(StatusOfTrial(job).cost, 5);
  job.state = JobState::kSucceeded;
  job.published = PublishedWeights{.validation_cost = 6};
  EXPECT_EQ(StatusOfTrial(job).cost, 6);
}

}  // namespace
}  // namespace vrp
