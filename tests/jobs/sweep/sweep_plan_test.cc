// Tests how sweeps are checked before they start, and their stored forms.
#include "core/jobs/sweep/sweep_plan.h"

#include <string>

#include "core/jobs/sweep/trial_result.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/sweep/sweep_fixture.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SweepPlanTest : public test::SweepFixture {
 protected:
  void SetUp() override { OpenAll(); }
};

TEST_F(SweepPlanTest, EachTrialIsAJobWithItsSettings) {
  const auto plan = Plan(ARequest("method: grid\nname: best\nkeys: {training.seed: [3, 4]}"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->name, "best");
  const JobSpec spec = plan->TrialSpec("sweeps/a", 1);
  EXPECT_THAT(spec.overrides, ElementsAre("training.seed=4", "name=best"));
  EXPECT_EQ(spec.labels.at("sweep"), "best");
  EXPECT_EQ(spec.labels.at("trial"), "2");
  EXPECT_EQ(spec.sweep, "sweeps/a");
  EXPECT_EQ(spec.trial, 2);
}

TEST_F(SweepPlanTest, ModelHasTheNameOfTheConfiguration) {
  EXPECT_EQ(Plan(ARequest("method: grid\nkeys: {training.seed: [3]}"))->name, "tiny");
}

TEST_F(SweepPlanTest, DrawsASeedIfTheFileStatesNone) {
  const std::string yaml = "method: random\ntrials: 2\nkeys: {training.seed: {min: 1, max: 99}}";
  EXPECT_NE(Plan(ARequest(yaml))->seed, 0);
  EXPECT_EQ(Plan(ARequest(yaml + "\nseed: 5"))->seed, 5);
}

TEST_F(SweepPlanTest, NamesTheFieldOfAWrongValue) {
  EXPECT_THAT(PlanError(ARequest("method: grid\nkeys:\n  training.seed: [1]\n"
                                 "  training.batch_size: [64, many]")),
              HasSubstr("s.yaml:4: keys.training.batch_size.values[1]: got \"many\", wanted an "
                        "integer"));
  EXPECT_THAT(PlanError(ARequest("method: random\ntrials: 2\nkeys:\n"
                                 "  training.learning_rate: {min: 0.1, max: 5000.0}")),
              HasSubstr("s.yaml:4: keys.training.learning_rate.max: got \"5000\""));
  EXPECT_THAT(PlanError(ARequest("method: grid\nkeys: {training.lr: [1, 2]}")),
              HasSubstr("s.yaml:2: keys.training.lr: unknown key"));
}

TEST_F(SweepPlanTest, NamesATrialWhoseSettingsDoNotFitTogether) {
  const std::string error =
      PlanError(ARequest("method: grid\nkeys:\n  training.schedule: [cosine, step]\n"
                         "  training.milestones: [[1, 2]]"));
  EXPECT_THAT(error, HasSubstr("training.milestones"));
}

TEST_F(SweepPlanTest, NamesATrialThatCouldNotStart) {
  UseTrainer({.check_inputs = [](const TrainingRequest& request) -> absl::Status {
    if (request.config.seed != 4) return absl::OkStatus();
    return absl::InvalidArgumentError("training.seed: not today");
  }});
  OpenAll();
  EXPECT_EQ(PlanError(ARequest("method: grid\nkeys: {training.seed: [3, 4]}")),
            "trial 2 (training.seed=4): training.seed: not today");
}

TEST_F(SweepPlanTest, RefusesTwoTrialsWithEqualSettings) {
  EXPECT_EQ(PlanError(ARequest("method: grid\nkeys: {training.learning_rate: [0.01, 1e-2]}")),
            "trial 2 (training.learning_rate=1e-2): has the same settings as trial 1; state each "
            "combination once");
}

TEST_F(SweepPlanTest, RefusesKeysThatMakeTrialsIncomparable) {
  for (const char* key :
       {"validation.seed: [1, 2]", "problem.customers: [10, 20]", "dispatch.epoch: [100, 200]",
        "habits.history: [a, b]", "estimate.windows: [0, 1]"}) {
    EXPECT_THAT(PlanError(ARequest("method: grid\nkeys: {" + std::string(key) + "}")),
                HasSubstr("it changes what the validation measures"))
        << key;
  }
  EXPECT_THAT(PlanError(ARequest("method: grid\nkeys: {name: [a, b]}")),
              HasSubstr("s.yaml:2: keys.name: cannot vary"));
  EXPECT_THAT(PlanError(ARequest("method: successive_halving\nkeys: {training.epochs: [8, 9]}")),
              HasSubstr("keys.training.epochs: cannot vary with successive_halving"));
  EXPECT_TRUE(Plan(ARequest("method: grid\nkeys: {problem.seed: [10, 20]}")).ok());
}

TEST_F(SweepPlanTest, HalvingNeedsFewerEpochsThanATrialHas) {
  const std::string yaml = "method: successive_halving\nkeys: {training.seed: [1, 2, 3]}\n";
  EXPECT_THAT(Plan(ARequest(yaml))->selections, ElementsAre(1, 3));
  EXPECT_THAT(Plan(ARequest(yaml + "first_epochs: 2\nfactor: 2"))->selections, ElementsAre(2));
  EXPECT_THAT(PlanError(ARequest(yaml + "first_epochs: 4")),
              HasSubstr("first_epochs: got 4, wanted less than the 4 epochs of a trial"));
}

TEST_F(SweepPlanTest, NeedsOneBaseConfiguration) {
  SweepRequest request = ARequest("method: grid\nkeys: {training.seed: [1, 2]}");
  request.base.config_yaml.clear();
  EXPECT_THAT(PlanError(request), HasSubstr("s.yaml: config: absent"));
  request.sweep_yaml += "\nconfig: base.yaml";
  EXPECT_THAT(PlanError(request), HasSubstr("s.yaml: config: names a configuration, but its text"));
  request.sweep_yaml = "method: grid\nkeys: {training.seed: [1, 2]}\nconfig: {name: own}";
  EXPECT_EQ(Plan(request)->name, "own");
  request.base.config_yaml = "name: other";
  EXPECT_THAT(PlanError(request), HasSubstr("s.yaml: config: contains a configuration"));
}

TEST_F(SweepPlanTest, StoredPlanReadsBackEqually) {
  SweepRequest request = ARequest("method: successive_halving\nkeys: {training.seed: [1, 2]}");
  request.base.time_limit = absl::Seconds(90);
  request.base.epoch_limit = 3;
  request.base.priority = -2;
  request.base.labels = {{"team", "north"}};
  request.base.overrides = {"training.batch_size=32"};
  const auto plan = Plan(request);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto read = ParseSweepPlan(WriteSweepPlan(*plan), "sweeps/a");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name, plan->name);
  EXPECT_EQ(read->method, SweepMethod::kSuccessiveHalving);
  EXPECT_EQ(read->trials, plan->trials);
  EXPECT_EQ(read->keys, plan->keys);
  EXPECT_EQ(read->selections, plan->selections);
  EXPECT_EQ(read->factor, plan->factor);
  EXPECT_EQ(read->base, plan->base);
  EXPECT_TRUE(absl::IsDataLoss(ParseSweepPlan("{\"name\": 1}", "sweeps/a").status()));
  EXPECT_TRUE(absl::IsDataLoss(ParseSweepPlan("", "sweeps/a").status()));
}

TEST_F(SweepPlanTest, StoredResultReadsBackEqually) {
  const TrialResult result{.trial = 3,
                           .job = "trainingJobs/a",
                           .state = JobState::kFailed,
                           .run_time = absl::Milliseconds(1500),
                           .error = "why",
                           .progress = TrainingProgress{.epoch = 2},
                           .published = PublishedWeights{.epoch = 1, .validation_cost = 2.5}};
  const auto read = ParseTrialResult(WriteTrialResult(result), "sweeps/a");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->trial, 3);
  EXPECT_EQ(read->job, "trainingJobs/a");
  EXPECT_EQ(read->state, JobState::kFailed);
  EXPECT_EQ(read->run_time, absl::Milliseconds(1500));
  EXPECT_EQ(read->error, "why");
  EXPECT_EQ(read->progress->epoch, 2);
  EXPECT_FALSE(read->best.has_value());
  EXPECT_EQ(read->published, result.published);
  EXPECT_EQ(ComparedCost(*read), 2.5);
  EXPECT_TRUE(absl::IsDataLoss(ParseTrialResult("{\"trial\": 1}", "sweeps/a").status()));
}

}  // namespace
}  // namespace vrp
