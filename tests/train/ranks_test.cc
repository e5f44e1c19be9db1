// Several ranks train as one process does with the whole batch.
#include <cmath>
#include <thread>

#include "core/train/run/checkpoint.h"
#include "core/train/run/trainer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/exchange/thread_exchange.h"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

using test::Recorder;
using test::Yaml;

class RanksTest : public test::TrainerFixture, public testing::WithParamInterface<test::Method> {
 protected:
  // The reports and the outcome of one rank.
  struct Rank {
    Recorder recorder;
    absl::StatusOr<TrainingResult> result = absl::UnknownError("not run");
  };

  // Trains in the folder `name` with `ranks` ranks. The other ranks have folders of their own.
  std::vector<Rank> TrainRanks(int32_t ranks, const std::string& name, const std::string& yaml,
                               int64_t cancel_at = -1) {
    std::vector<Rank> runs(static_cast<size_t>(ranks));
    runs[0].recorder.cancel_at = cancel_at;
    test::RunRanks(ranks, [&](GradientExchange& exchange) {
      Rank& run = runs[static_cast<size_t>(exchange.rank())];
      TrainingRequest request = limits_;
      request.config = *ParseTrainingConfig(yaml, "test.yaml");
      request.job_name = "trainingJobs/test";
      request.exchange = &exchange;
      const std::string folder = exchange.rank() == 0
                                     ? root_ + "/" + name
                                     : root_ + "/rank" + std::to_string(exchange.rank());
      request.checkpoint_directory = folder + "/checkpoint";
      request.model_directory = folder + "/model";
      std::filesystem::create_directories(request.checkpoint_directory);
      std::filesystem::create_directories(request.model_directory);
      run.result =
          MakeTrainerOn([this, &exchange](
                            const TrainingConfig& config, DeviceId,
                            const EngineOptions&) -> absl::StatusOr<std::unique_ptr<PolicyEngine>> {
            const bool small = exchange.rank() == small_rank_;
            return test::MakeFakeEngine({.seed = config.seed, .max_instances = small ? 1 : 0});
          })->Train(request, {absl::InfiniteFuture(), run.recorder.cancel}, run.recorder);
    });
    return runs;
  }

  int32_t small_rank_ = -1;  // a rank with memory for one instance
};

// Expects the same figures at each step and epoch, up to the rounding of the weights.
void ExpectSameCurve(const Recorder& got, const Recorder& wanted) {
  ASSERT_EQ(got.steps.size(), wanted.steps.size());
  for (size_t i = 0; i < wanted.steps.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_NEAR(got.steps[i].loss, wanted.steps[i].loss, 2e-6);
    EXPECT_NEAR(got.steps[i].train_cost, wanted.steps[i].train_cost, 1e-9);
    EXPECT_NEAR(got.steps[i].gradient_norm, wanted.steps[i].gradient_norm, 2e-6);
    EXPECT_EQ(got.steps[i].totals.instances, wanted.steps[i].totals.instances);
    if (!std::isnan(wanted.steps[i].accuracy)) {
      EXPECT_EQ(got.steps[i].accuracy, wanted.steps[i].accuracy);
    }
  }
  ASSERT_EQ(got.epochs.size(), wanted.epochs.size());
  for (size_t i = 0; i < wanted.epochs.size(); ++i) {
    EXPECT_EQ(got.epochs[i].validation_cost, wanted.epochs[i].validation_cost);
    EXPECT_EQ(got.epochs[i].validation_gap, wanted.epochs[i].validation_gap);
  }
}

TEST_P(RanksTest, HaveTheLearningCurveOfOneProcess) {
  const std::string yaml = Yaml(GetParam());
  Recorder alone;
  ASSERT_TRUE(Train("alone", yaml, alone).ok());
  // 8 instances in 1, 2, 3 and 4 shares; those of 3 ranks have 2, 3 and 3.
  for (const int32_t ranks : {1, 2, 3, 4}) {
    SCOPED_TRACE(ranks);
    const auto runs = TrainRanks(ranks, "ranks" + std::to_string(ranks), yaml);
    for (const Rank& run : runs) {
      ASSERT_TRUE(run.result.ok()) << run.result.status();
      ExpectSameCurve(run.recorder, alone);
    }
    if (ranks == 1) {
      EXPECT_EQ(WeightsOf("ranks1"), WeightsOf("alone"));
    }
  }
}

TEST_P(RanksTest, ResumeBitByBitWithAsManyRanks) {
  const std::string yaml = Yaml(GetParam());
  ASSERT_TRUE(TrainRanks(2, "whole", yaml)[0].result.ok());
  for (const Rank& run : TrainRanks(2, "resumed", yaml, 9)) {
    EXPECT_EQ(run.result.status().code(), absl::StatusCode::kCancelled) << run.result.status();
  }
  const auto runs = TrainRanks(2, "resumed", yaml);
  EXPECT_THAT(runs[0].recorder.log, testing::HasSubstr("resumed from step 9"));
  EXPECT_EQ(WeightsOf("resumed"), WeightsOf("whole"));
}

TEST_P(RanksTest, ResumeWithAnotherNumberOfRanks) {
  const std::string yaml = Yaml(GetParam());
  Recorder alone;
  ASSERT_TRUE(Train("alone", yaml, alone).ok());
  TrainRanks(4, "resumed", yaml, 9);
  const auto runs = TrainRanks(3, "resumed", yaml);
  ASSERT_TRUE(runs[2].result.ok()) << runs[2].result.status();
  Recorder rest = runs[2].recorder;
  alone.steps.erase(alone.steps.begin(), alone.steps.begin() + 9);
  alone.epochs.erase(alone.epochs.begin());
  for (auto& step : rest.steps) step.totals.instances += 9 * 8;  // of this run alone
  if (GetParam().config_name == std::string("supervised")) return;
  ExpectSameCurve(rest, alone);
}

INSTANTIATE_TEST_SUITE_P(Methods, RanksTest, testing::ValuesIn(test::kMethods),
                         testing::PrintToStringParamName());

TEST_F(RanksTest, WriteCheckpointsAndTheModelOnlyAtRank0) {
  const auto runs = TrainRanks(2, "whole", Yaml("self_labelling"));
  EXPECT_FALSE(runs[0].recorder.checkpoints.empty());
  EXPECT_TRUE(runs[1].recorder.checkpoints.empty());
  EXPECT_TRUE(std::filesystem::exists(ModelOf("whole") + "/weights.safetensors"));
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/rank1/checkpoint") ||
              !HasCheckpoint(root_ + "/rank1/checkpoint"));
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/rank1/model"));
}

TEST_F(RanksTest, DivideOnlyTheShareOfTheRankWithTooLittleMemory) {
  const std::string yaml = Yaml("reinforce", "reinforce: {baseline: exponential}\n");
  Recorder alone;
  ASSERT_TRUE(Train("alone", yaml, alone).ok());
  small_rank_ = 1;
  const auto runs = TrainRanks(2, "ranks", yaml);
  ASSERT_TRUE(runs[0].result.ok()) << runs[0].result.status();
  EXPECT_THAT(runs[1].recorder.log, testing::HasSubstr("continues with 1 instances at once"));
  EXPECT_THAT(runs[0].recorder.log, testing::Not(testing::HasSubstr("out of memory")));
  ExpectSameCurve(runs[1].recorder, alone);
}

TEST_F(RanksTest, FailTogetherWithTheErrorOfOne) {
  const std::string yaml = Yaml("reinforce", "reinforce: {baseline: pomo}\n");
  std::vector<absl::Status> ended(2);
  test::RunRanks(2, [&](GradientExchange& exchange) {
    const bool fails = exchange.rank() == 1;
    Recorder recorder;
    TrainingRequest request;
    request.config = *ParseTrainingConfig(yaml, "test.yaml");
    request.exchange = &exchange;
    request.checkpoint_directory = root_;
    request.model_directory = root_;
    ended[fails ? 1 : 0] =
        MakeTrainerOn(
            [fails](const TrainingConfig&, DeviceId,
                    const EngineOptions&) -> absl::StatusOr<std::unique_ptr<PolicyEngine>> {
              if (fails) return absl::DataLossError("no engine");
              return test::MakeFakeEngine();
            })
            ->Train(request, {}, recorder)
            .status();
  });
  EXPECT_EQ(ended[0], absl::DataLossError("rank 1: no engine"));
  EXPECT_EQ(ended[1], absl::DataLossError("no engine"));
}

}  // namespace
}  // namespace vrp
