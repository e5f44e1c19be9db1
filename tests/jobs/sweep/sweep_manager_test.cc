#include "core/jobs/sweep/sweep_manager.h"

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/sweep/sweep_fixture.h"

namespace vrp {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kThreeSeeds[] = "method: grid\nkeys: {training.seed: [5, 3, 4]}";
constexpr char kHalving[] =
    "method: successive_halving\nfactor: 2\nkeys: {training.seed: [5, 3, 4, 6]}";

// The validation cost is the seed plus what is left of the epochs.
double CostOfSeed(const TrainingRequest& request, int64_t epoch) {
  return static_cast<double>(request.config.seed) + 0.1 * static_cast<double>(4 - epoch);
}

class SweepManagerTest : public test::SweepFixture {
 protected:
  SweepManagerTest() { UseTrainer({.cost = CostOfSeed}); }

  // Ends the managers as a crash of the daemon does: the jobs stay as they are in the store.
  void CrashAndOpen() {
    std::filesystem::remove_all(folder_.File("copy"));
    std::filesystem::copy(folder_.File("state"), folder_.File("copy"),
                          std::filesystem::copy_options::recursive);
    sweeps_.reset();
    jobs_.reset();
    book_.reset();
    std::filesystem::remove_all(folder_.File("state"));
    std::filesystem::rename(folder_.File("copy"), folder_.File("state"));
    trainer_->Release();
    OpenAll();
  }
};

TEST_F(SweepManagerTest, PublishesOnlyTheBestTrial) {
  OpenAll();
  const std::string id = Start(kThreeSeeds);
  const Job sweep = test::AwaitEnd(*sweeps_, id);
  ASSERT_EQ(sweep.state, JobState::kSucceeded) << sweep.error;
  EXPECT_EQ(sweep.model, "models/tiny/versions/1");
  EXPECT_EQ(Versions(), 1);
  const SweepState state = StateOf(id);
  EXPECT_EQ(state.best, 2);
  const ModelCard card = registry_->Get("tiny")->card;
  EXPECT_EQ(card.sweep, "sweeps/" + id);
  EXPECT_EQ(card.trial, 2);
  EXPECT_EQ(card.training_job, state.trials[1].job);
  EXPECT_THAT(TrialTexts(id), Each("SUCCEEDED 4"));
  EXPECT_EQ(ComparedCost(state.trials[2]), 4);
  test::ExpectConsistentLog(test::ReadToEnd(*sweeps_, id));
}

TEST_F(SweepManagerTest, TrialsRunSideBySideIfJobsDo) {
  jobs_at_once_ = 2;
  OpenAll();
  trainer_->HoldAt(3);
  const std::string id = Start(kThreeSeeds);
  ASSERT_TRUE(trainer_->AwaitHeld(2));
  EXPECT_THAT(TrialTexts(id), ElementsAre("RUNNING 1", "RUNNING 1", "-"));
  trainer_->Release();
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_EQ(StateOf(id).best, 2);
  EXPECT_THAT(TrialTexts(id), Each("SUCCEEDED 4"));
  test::ExpectConsistentLog(test::ReadToEnd(*sweeps_, id));
}

TEST_F(SweepManagerTest, HalvingSideBySideGivesTheSameTrials) {
  jobs_at_once_ = 3;
  OpenAll();
  const std::string id = Start(kHalving);
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_THAT(TrialTexts(id), ElementsAre("dropped 1", "SUCCEEDED 4", "dropped 2", "dropped 1"));
}

TEST_F(SweepManagerTest, PauseAndStopReachAllRunningTrials) {
  jobs_at_once_ = 2;
  OpenAll();
  trainer_->HoldAt(3);
  const std::string id = Start(kThreeSeeds);
  ASSERT_TRUE(trainer_->AwaitHeld(2));
  ASSERT_TRUE(sweeps_->Pause(id).ok());
  test::AwaitState(*sweeps_, id, JobState::kPaused);
  EXPECT_THAT(TrialTexts(id), ElementsAre("PAUSED 1", "PAUSED 1", "-"));
  ASSERT_TRUE(sweeps_->Resume(id).ok());
  ASSERT_TRUE(trainer_->AwaitHeld(2));
  ASSERT_TRUE(sweeps_->Stop(id).ok());
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_THAT(TrialTexts(id), ElementsAre("SUCCEEDED 1", "SUCCEEDED 1", "-"));
}

TEST_F(SweepManagerTest, CrashWithTrialsSideBySideLosesNone) {
  jobs_at_once_ = 2;
  OpenAll();
  trainer_->HoldAt(5);
  const std::string id = Start(kThreeSeeds);
  ASSERT_TRUE(trainer_->AwaitHeld(2));
  CrashAndOpen();
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_THAT(TrialTexts(id), Each("SUCCEEDED 4"));
  EXPECT_EQ(StateOf(id).best, 2);
  EXPECT_EQ(Versions(), 1);
}

TEST_F(SweepManagerTest, TrialsAreJobsOfTheQueue) {
  OpenAll();
  const std::string id = Start(kThreeSeeds);
  test::AwaitEnd(*sweeps_, id);
  sweeps_.reset();  // waits until the models of the trials are removed
  const JobPage page = *jobs_->List({.labels = {{"sweep", "tiny"}}});
  ASSERT_EQ(page.jobs.size(), 3);
  for (const Job& job : page.jobs) {
    EXPECT_EQ(job.state, JobState::kSucceeded);
    EXPECT_EQ(job.model, "");
    EXPECT_FALSE(std::filesystem::exists(book_->folder().JobPath(job.id)));
  }
}

TEST_F(SweepManagerTest, HalvingContinuesTheBestFromTheirCheckpoints) {
  OpenAll();
  const std::string id = Start(kHalving);
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_THAT(TrialTexts(id), ElementsAre("dropped 1", "SUCCEEDED 4", "dropped 2", "dropped 1"));
  EXPECT_EQ(StateOf(id).best, 2);
  EXPECT_EQ(Versions(), 1);
  const std::vector<JobEvent> events = test::ReadToEnd(
      *jobs_, StateOf(id).trials[1].job.substr(std::string("trainingJobs/").size()));
  // The first epoch has two steps, the first two have four; none is repeated.
  EXPECT_THAT(test::DescribeWithoutLogs(events),
              ElementsAre("QUEUED", "PREPARING", "RUNNING", "progress 1", "progress 2",
                          "checkpoint 2", "PAUSING", "PAUSED", "QUEUED", "PREPARING", "resumed 2",
                          "RUNNING", "progress 3", "checkpoint 3", "progress 4", "checkpoint 4",
                          "PAUSING", "PAUSED", "QUEUED", "PREPARING", "resumed 4", "RUNNING",
                          "progress 5", "progress 6", "checkpoint 6", "progress 8", "SUCCEEDED"));
}

TEST_F(SweepManagerTest, GoesOnAfterAFailedTrial) {
  UseTrainer({.before_step = [](const TrainingRequest& request, int64_t) -> absl::Status {
                if (request.config.seed == 3) return absl::InternalError("broken");
                return absl::OkStatus();
              },
              .cost = CostOfSeed});
  OpenAll();
  const std::string id = Start(kThreeSeeds);
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_EQ(StateOf(id).best, 3);
  EXPECT_EQ(StateOf(id).trials[1].error, "broken");
}

TEST_F(SweepManagerTest, FailsIfAllTrialsFail) {
  UseTrainer({.before_step = [](const TrainingRequest&, int64_t) -> absl::Status {
    return absl::InternalError("broken");
  }});
  OpenAll();
  const Job sweep = test::AwaitEnd(*sweeps_, Start(kThreeSeeds));
  EXPECT_EQ(sweep.state, JobState::kFailed);
  EXPECT_THAT(std::string(sweep.error.message()),
              HasSubstr("no trial has succeeded; trial 1 (trainingJobs/"));
  EXPECT_EQ(Versions(), 0);
}

TEST_F(SweepManagerTest, StopPublishesTheBestTrialSoFar) {
  OpenAll();
  trainer_->HoldAt(3);
  const std::string id = Start(kThreeSeeds);
  ASSERT_TRUE(trainer_->AwaitHeld());
  ASSERT_TRUE(sweeps_->Stop(id).ok());
  const Job sweep = test::AwaitEnd(*sweeps_, id);
  EXPECT_EQ(sweep.state, JobState::kSucceeded) << sweep.error;
  EXPECT_THAT(TrialTexts(id), ElementsAre("SUCCEEDED 1", "-", "-"));
  EXPECT_EQ(StateOf(id).best, 1);
  EXPECT_EQ(Versions(), 1);
}

TEST_F(SweepManagerTest, StopBeforeAModelCancels) {
  OpenAll();
  trainer_->HoldAt(1);
  const std::string id = Start(kThreeSeeds);
  ASSERT_TRUE(trainer_->AwaitHeld());
  ASSERT_TRUE(sweeps_->Stop(id).ok());
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kCancelled);
  EXPECT_EQ(Versions(), 0);
  const std::string queued = Start(kThreeSeeds);
  ASSERT_TRUE(sweeps_->Stop(queued).ok());
  EXPECT_EQ(test::AwaitEnd(*sweeps_, queued).state, JobState::kCancelled);
}

TEST_F(SweepManagerTest, StopDuringHalvingKeepsTheBestWaitingTrial) {
  OpenAll();
  // Step 3 is the first one after the first selection.
  trainer_->HoldAt(3);
  const std::string id = Start(kHalving);
  ASSERT_TRUE(trainer_->AwaitHeld());
  ASSERT_TRUE(sweeps_->Stop(id).ok());
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_EQ(StateOf(id).best, 2);
  EXPECT_EQ(Versions(), 1);
}

TEST_F(SweepManagerTest, PausesAndResumesItsTrial) {
  OpenAll();
  trainer_->HoldAt(3);
  const std::string id = Start(kThreeSeeds);
  ASSERT_TRUE(trainer_->AwaitHeld());
  ASSERT_TRUE(sweeps_->Pause(id).ok());
  test::AwaitState(*sweeps_, id, JobState::kPaused);
  EXPECT_THAT(TrialTexts(id), ElementsAre("PAUSED 1", "-", "-"));
  EXPECT_TRUE(sweeps_->Pause(id).ok());
  trainer_->Release();
  OpenAll();
  EXPECT_EQ(sweeps_->Get(id)->state, JobState::kPaused);
  ASSERT_TRUE(sweeps_->Resume(id).ok());
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_EQ(StateOf(id).best, 2);
}

TEST_F(SweepManagerTest, StoppedDaemonGoesOnAtItsNextStart) {
  OpenAll();
  trainer_->HoldAt(3);
  const std::string id = Start(kHalving);
  ASSERT_TRUE(trainer_->AwaitHeld());
  sweeps_.reset();
  trainer_->Release();
  OpenAll();
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_THAT(TrialTexts(id), ElementsAre("dropped 1", "SUCCEEDED 4", "dropped 2", "dropped 1"));
  EXPECT_EQ(sweeps_->Get(id)->attempt, 2);
  test::ExpectConsistentLog(test::ReadToEnd(*sweeps_, id));
}

// Step 2 is in the middle of the epoch after which the trial waits.
TEST_F(SweepManagerTest, InterruptedTrialFinishesItsEpochBeforeTheSelection) {
  OpenAll();
  trainer_->HoldAt(2);
  const std::string id = Start(kHalving);
  ASSERT_TRUE(trainer_->AwaitHeld());
  CrashAndOpen();
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_THAT(TrialTexts(id), ElementsAre("dropped 1", "SUCCEEDED 4", "dropped 2", "dropped 1"));
  trainer_->HoldAt(2);
  const std::string paused = Start(kHalving);
  ASSERT_TRUE(trainer_->AwaitHeld());
  ASSERT_TRUE(sweeps_->Pause(paused).ok());
  test::AwaitState(*sweeps_, paused, JobState::kPaused);
  trainer_->Release();
  ASSERT_TRUE(sweeps_->Resume(paused).ok());
  EXPECT_EQ(test::AwaitEnd(*sweeps_, paused).state, JobState::kSucceeded);
  EXPECT_THAT(TrialTexts(paused),
              ElementsAre("dropped 1", "SUCCEEDED 4", "dropped 2", "dropped 1"));
}

TEST_F(SweepManagerTest, CrashedDaemonGoesOnAtItsNextStart) {
  OpenAll();
  trainer_->HoldAt(7);
  const std::string id = Start(kThreeSeeds);
  ASSERT_TRUE(trainer_->AwaitHeld());
  CrashAndOpen();
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_THAT(TrialTexts(id), Each("SUCCEEDED 4"));
  EXPECT_EQ(StateOf(id).best, 2);
  EXPECT_EQ(Versions(), 1);
  // Each trial has ended once.
  int parts = 0;
  for (const std::string& text : test::DescribeWithoutLogs(test::ReadToEnd(*sweeps_, id))) {
    parts += text.rfind("part", 0) == 0 ? 1 : 0;
  }
  EXPECT_EQ(parts, 3);
}

TEST_F(SweepManagerTest, CrashWhileStoppingStillPublishesTheBest) {
  OpenAll();
  trainer_->HoldAt(4);  // after the first checkpoint
  const std::string id = Start(kThreeSeeds);
  ASSERT_TRUE(trainer_->AwaitHeld());
  // The daemon dies between the request and its effect on the trial.
  ASSERT_TRUE(book_->store()
                  .Update(id, Durability::kFull,
                          [](JobChange& change) {
                            change.RequestStop("stop requested");
                            return change.MoveTo(JobState::kStopping);
                          })
                  .ok());
  CrashAndOpen();
  EXPECT_EQ(test::AwaitEnd(*sweeps_, id).state, JobState::kSucceeded);
  EXPECT_EQ(StateOf(id).best, 1);
}

TEST_F(SweepManagerTest, TheSameRequestStartsOneSweep) {
  OpenAll();
  const std::string yaml = "method: random\ntrials: 2\nkeys: {training.seed: {min: 1, max: 9}}";
  const std::string id = Start(yaml, "once");
  // The seed is drawn anew, but the request is the same.
  EXPECT_EQ(Start(yaml, "once"), id);
  const SweepRequest other = ARequest(kThreeSeeds);
  EXPECT_TRUE(absl::IsAlreadyExists(sweeps_->Start(other, *Plan(other), "", "once").status()));
  test::AwaitEnd(*sweeps_, id);
}

TEST_F(SweepManagerTest, TrialsCannotBeDeletedOrResumedByUsersMeanwhile) {
  OpenAll();
  const std::string id = Start(kHalving);
  test::ReadUntil(**sweeps_->Watch(id, 1),
                  [](const JobEvent& event) { return event.type == EventType::kPart; });
  test::AwaitEnd(*sweeps_, id);
  const std::string trial = StateOf(id).trials[0].job.substr(std::string("trainingJobs/").size());
  EXPECT_TRUE(jobs_->Delete(trial).ok());
  // The table keeps its result.
  EXPECT_THAT(TrialTexts(id), Contains("dropped 1"));
  trainer_->HoldAt(3);
  const std::string second = Start(kHalving);
  ASSERT_TRUE(trainer_->AwaitHeld());
  const std::string held =
      StateOf(second).trials[2].job.substr(std::string("trainingJobs/").size());
  EXPECT_THAT(std::string(jobs_->Resume(held).status().message()), HasSubstr("waits for sweeps/"));
  const std::string dropped =
      StateOf(second).trials[0].job.substr(std::string("trainingJobs/").size());
  EXPECT_THAT(std::string(jobs_->Delete(dropped).message()), HasSubstr("is a trial of sweeps/"));
  EXPECT_TRUE(absl::IsFailedPrecondition(sweeps_->Delete(second)));
  trainer_->Release();
  test::AwaitEnd(*sweeps_, second);
}

TEST_F(SweepManagerTest, DeletesTheTrialsWithTheSweep) {
  OpenAll();
  const std::string id = Start(kThreeSeeds);
  test::AwaitEnd(*sweeps_, id);
  ASSERT_TRUE(sweeps_->Delete(id).ok());
  EXPECT_TRUE(absl::IsNotFound(sweeps_->Get(id).status()));
  EXPECT_TRUE(jobs_->List({})->jobs.empty());
  EXPECT_EQ(Versions(), 1);
}

}  // namespace
}  // namespace vrp
