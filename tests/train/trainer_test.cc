#include "core/train/run/trainer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/file.h"
#include "core/model/weights/model_card.h"
#include "core/model/weights/safetensors.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

using test::kMethods;
using test::Method;
using test::Recorder;
using test::Yaml;

class TrainerTest : public test::TrainerFixture {};

class MethodTest : public test::TrainerFixture, public testing::WithParamInterface<Method> {};

TEST_P(MethodTest, PublishesWeightsWithTheirModelCard) {
  Recorder recorder;
  const auto result = Train("a", Yaml(GetParam()), recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(recorder.steps.size(), 20u);
  ASSERT_EQ(recorder.epochs.size(), 4u);
  EXPECT_EQ(recorder.checkpoints, (std::vector<int64_t>{7, 14}));
  EXPECT_TRUE(std::isnan(recorder.steps[0].validation_cost));
  const auto best = std::min_element(
      recorder.epochs.begin(), recorder.epochs.end(),
      [](const auto& a, const auto& b) { return a.validation_cost < b.validation_cost; });
  EXPECT_EQ(result->steps, best->step);
  EXPECT_EQ(result->validation_cost, best->validation_cost);
  EXPECT_GT(result->validation_reference, 0);
  EXPECT_EQ(result->validation_gap, best->validation_gap);
  EXPECT_EQ(result->reference, "nearest neighbour");
  const auto card = ParseModelCard(*ReadFile(ModelOf("a") + "/card.json"), "card");
  EXPECT_EQ(card->training_job, "trainingJobs/test");
  EXPECT_EQ(card->steps, result->steps);
  EXPECT_EQ(card->training_config, Yaml(GetParam()));
  EXPECT_EQ(card->validation_gap, result->validation_gap);
  EXPECT_EQ(card->reference, "nearest neighbour");

  const auto engine = test::MakeFakeEngine({.seed = 99});
  const SafetensorsFile weights = *SafetensorsFile::Parse(WeightsOf("a"), "weights");
  ASSERT_TRUE(engine->parameters().Load(weights, "weights").ok());
  const auto instances = *GenerateInstances({.customers = 6, .seed = 4321}, 20);
  const auto found = engine->Run(MakeNetworkBatch(instances, NodeOrder::kAsGiven), {});
  double cost = 0;
  for (const double tour_cost : found->costs) cost += tour_cost / 20;
  EXPECT_NEAR(cost, result->validation_cost, 1e-9);
}

TEST_P(MethodTest, ShortensTours) {
  std::string yaml = Yaml(GetParam());
  // The samples determine the length of a supervised epoch.
  const bool supervised = GetParam().config_name == std::string_view("supervised");
  if (!supervised) yaml.replace(yaml.find("batches_per_epoch: 5"), 20, "batches_per_epoch: 20");
  yaml.replace(yaml.find("samples: 40"), 11, "samples: 160");
  Recorder recorder;
  const auto result = Train("a", yaml, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto untrained = test::MakeFakeEngine({.seed = 1});
  const auto instances = *GenerateInstances({.customers = 6, .seed = 4321}, 20);
  const auto before = untrained->Run(MakeNetworkBatch(instances, NodeOrder::kAsGiven), {});
  double cost = 0;
  for (const double tour_cost : before->costs) cost += tour_cost / 20;
  EXPECT_LT(result->validation_cost, 0.99 * cost);
}

TEST_P(MethodTest, AccumulatesToTheGradientOfTheWholeBatch) {
  Recorder reference;
  ASSERT_TRUE(Train("reference", Yaml(GetParam()), reference).ok());
  std::string yaml = Yaml(GetParam());
  yaml.replace(yaml.find("batch_size: 8"), 13, "batch_size: 8, accumulate_steps: 3");
  Recorder parts;
  ASSERT_TRUE(Train("parts", yaml, parts).ok());
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(parts.steps[i].loss, reference.steps[i].loss, 1e-5);
    EXPECT_NEAR(parts.steps[i].gradient_norm, reference.steps[i].gradient_norm, 1e-5);
    EXPECT_NEAR(parts.steps[i].train_cost, reference.steps[i].train_cost, 1e-5);
  }
}

TEST_P(MethodTest, GivesTheSameBitsOnAnyNumberOfThreadsAndLoaders) {
  Recorder one;
  ASSERT_TRUE(Train("one", Yaml(GetParam()), one).ok());
  threads_ = 2;
  Recorder none;
  ASSERT_TRUE(Train("none", Yaml(GetParam(), "loader: {workers: 0}\n"), none).ok());
  Recorder three;
  const std::string loader = "loader: {workers: 3, prefetch: 5}\n";
  ASSERT_TRUE(Train("three", Yaml(GetParam(), loader), three).ok());
  EXPECT_EQ(WeightsOf("one"), WeightsOf("none"));
  EXPECT_EQ(WeightsOf("one"), WeightsOf("three"));
}

TEST_P(MethodTest, GivesTheSameBitsAfterAnInterruption) {
  Recorder reference;
  ASSERT_TRUE(Train("reference", Yaml(GetParam()), reference).ok());
  Recorder first;
  first.cancel_at = 10;  // the end of an epoch
  EXPECT_EQ(Train("parts", Yaml(GetParam()), first).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(first.checkpoints.back(), 10);
  EXPECT_EQ(*TrainerOf()->ResumeStep(root_ + "/parts/checkpoint"), 10);
  Recorder second;
  second.cancel_at = 12;
  EXPECT_EQ(Train("parts", Yaml(GetParam()), second).status().code(), absl::StatusCode::kCancelled);
  Recorder third;
  ASSERT_TRUE(Train("parts", Yaml(GetParam()), third).ok());
  EXPECT_EQ(third.steps.front().step, 13);
  EXPECT_NE(third.log.find("resumed from step 12"), std::string::npos);
  EXPECT_EQ(WeightsOf("reference"), WeightsOf("parts"));
  EXPECT_EQ(reference.epochs.back().validation_cost, third.epochs.back().validation_cost);
}

TEST_P(MethodTest, ChangesWithItsSeed) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", Yaml(GetParam()), recorder).ok());
  const std::string yaml = Yaml(GetParam());
  ASSERT_TRUE(
      Train("b", std::string(yaml).insert(yaml.find("epochs:"), "seed: 2, "), recorder).ok());
  EXPECT_NE(WeightsOf("a"), WeightsOf("b"));
}

INSTANTIATE_TEST_SUITE_P(Methods, MethodTest, testing::ValuesIn(kMethods),
                         [](const auto& param_info) { return param_info.param.name; });

TEST_F(TrainerTest, LogsItsDeviceDataAndInputs) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", Yaml("reinforce"), recorder).ok());
  for (const char* text :
       {"device: cpu (", "threads: 1 compute", "precision: fp32",
        "epochs: 4, each of 5 batches of 8", "input features: 8 per node: x, y, demand,",
        "is_visited", "validation: 20 instances, gap vs nearest neighbour"}) {
    EXPECT_NE(recorder.log.find(text), std::string::npos) << text << "\n" << recorder.log;
  }
}

TEST_F(TrainerTest, RequestsTheEngineOfTheConfiguration) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", Yaml("reinforce"), recorder).ok());
  EXPECT_TRUE(engine_options_.pinned);
  EXPECT_FALSE(engine_options_.gradient_checkpointing);
  std::string yaml = Yaml("reinforce", "loader: {pin: false}\nmodel: gt\n");
  yaml.insert(yaml.find("epochs: 4"), "gradient_checkpointing: true, ");
  ASSERT_TRUE(Train("b", yaml, recorder).ok());
  EXPECT_FALSE(engine_options_.pinned);
  EXPECT_TRUE(engine_options_.gradient_checkpointing);
}

TEST_F(TrainerTest, ReportsPhasesAndTotalsOfSteps) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", Yaml(kMethods[4]), recorder).ok());
  const TrainingProgress& last = recorder.steps.back();
  EXPECT_EQ(last.instances_seen, 160);
  EXPECT_EQ(last.totals.steps, 20);
  EXPECT_EQ(last.totals.instances, 160);
  EXPECT_EQ(last.totals.skipped_steps, 0);
  EXPECT_GT(last.totals.seconds, 0);
  EXPECT_EQ(last.matrix_bytes_per_step, 0);
  EXPECT_NEAR(last.totals.phase_seconds[static_cast<size_t>(Phase::kEncode)], 20e-6, 1e-9);
  EXPECT_GT(last.totals.phase_seconds[static_cast<size_t>(Phase::kData)], 0);
  EXPECT_GT(last.totals.phase_seconds[static_cast<size_t>(Phase::kOptimiser)], 0);
  EXPECT_GT(last.accuracy, 0);
  EXPECT_LE(last.accuracy, 1);
  EXPECT_EQ(last.learning_rate, 0.03);
  EXPECT_GT(last.instances_per_second, 0);
  EXPECT_NEAR(recorder.epochs.back().validation_gap,
              recorder.epochs.back().validation_cost / last.validation_reference - 1, 0.1);
}

TEST_F(TrainerTest, NamesTheReferenceOfEachGapInItsLog) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", Yaml("reinforce"), recorder).ok());
  EXPECT_NE(recorder.log.find("epoch 4/4: validation "), std::string::npos) << recorder.log;
  EXPECT_NE(recorder.log.find(" % vs nearest neighbour (mean "), std::string::npos) << recorder.log;
  EXPECT_EQ(recorder.steps.back().reference, "nearest neighbour");
}

TEST_F(TrainerTest, AttributesItsWallTimeToPhases) {
  threads_ = 2;
  Recorder recorder;
  ASSERT_TRUE(Train("a", Yaml(kMethods[0]), recorder).ok());
  ASSERT_TRUE(recorder.totals.has_value());
  const TrainingTotals& totals = *recorder.totals;
  for (const RunPhase phase :
       {RunPhase::kPreparation, RunPhase::kData, RunPhase::kSteps, RunPhase::kValidation,
        RunPhase::kBaseline, RunPhase::kCheckpoints, RunPhase::kPublication, RunPhase::kOther}) {
    const RunPhaseTime& time = totals.run_phases[static_cast<size_t>(phase)];
    EXPECT_GT(time.wall_seconds, 0) << kRunPhaseNames[static_cast<size_t>(phase)];
    EXPECT_GT(time.thread_seconds, 0) << kRunPhaseNames[static_cast<size_t>(phase)];
  }
  EXPECT_GT(totals.WallSeconds(), recorder.epochs.back().totals.WallSeconds());
  EXPECT_EQ(recorder.epochs.back().totals.run_phases[6].wall_seconds, 0)
      << "nothing is published yet";
}

TEST_F(TrainerTest, CountsRolloutsByTheThreadsThatTookPart) {
  threads_ = 16;  // the fake engine's rollouts use only one of them
  Recorder recorder;
  ASSERT_TRUE(Train("a", Yaml("self_labelling"), recorder).ok());
  const TrainingTotals& totals = *recorder.totals;
  const double rollout = totals.phase_seconds[static_cast<size_t>(Phase::kRollout)];
  EXPECT_GT(rollout, 0);
  EXPECT_LE(rollout, totals.run_phases[static_cast<size_t>(RunPhase::kSteps)].thread_seconds);
}

TEST_F(TrainerTest, ReportsTheTotalsOfACancelledRun) {
  Recorder recorder;
  recorder.cancel_at = 3;
  EXPECT_FALSE(Train("a", Yaml("reinforce"), recorder).ok());
  ASSERT_TRUE(recorder.totals.has_value());
  EXPECT_EQ(recorder.totals->steps, 3);
}

TEST_F(TrainerTest, ReportsTheTimeOfStepsAndEpochs) {
  Recorder first;
  first.cancel_at = 7;
  EXPECT_FALSE(Train("a", Yaml("reinforce"), first).ok());
  EXPECT_GT(first.steps.front().seconds_per_step, 0);
  EXPECT_TRUE(std::isnan(first.steps.front().seconds_per_epoch));
  EXPECT_GT(first.epochs.front().seconds_per_step, 0);
  EXPECT_GT(first.epochs.front().seconds_per_epoch, 5 * first.epochs.front().seconds_per_step);
  Recorder second;
  ASSERT_TRUE(Train("a", Yaml("reinforce"), second).ok());
  EXPECT_TRUE(std::isnan(second.epochs[0].seconds_per_epoch))
      << "the first attempt ran a part of this epoch";
  EXPECT_GT(second.epochs[1].seconds_per_epoch, 0);
}

TEST_F(TrainerTest, StopsEarlyWithTheBestWeights) {
  std::string yaml = Yaml(kMethods[1]);
  // This learning rate is so large that the network gets worse after the first steps.
  yaml.replace(yaml.find("epochs: 4"), 9, "epochs: 200, patience: 3");
  Recorder reference;
  const auto result = Train("reference", yaml, reference);
  ASSERT_TRUE(result.ok()) << result.status();
  double best = 1e9;
  size_t best_epoch = 0;
  for (size_t e = 0; e < reference.epochs.size(); ++e) {
    if (reference.epochs[e].validation_cost < best) best_epoch = e + 1;
    best = std::min(best, reference.epochs[e].validation_cost);
  }
  ASSERT_LT(reference.epochs.size(), 200u);
  EXPECT_EQ(reference.epochs.size(), best_epoch + 3);
  EXPECT_EQ(result->validation_cost, best);
  EXPECT_EQ(result->validation_gap, reference.epochs[best_epoch - 1].validation_gap);
  EXPECT_EQ(result->steps, static_cast<int64_t>(best_epoch) * 5);
  EXPECT_NE(reference.log.find("stopped early"), std::string::npos);

  // A checkpoint of a training run interrupted after its best epoch has the best weights.
  Recorder first;
  first.cancel_at = static_cast<int64_t>(best_epoch) * 5 + 3;
  EXPECT_FALSE(Train("parts", yaml, first).ok());
  Recorder second;
  ASSERT_TRUE(Train("parts", yaml, second).ok());
  EXPECT_EQ(WeightsOf("parts"), WeightsOf("reference"));
}

TEST_F(TrainerTest, PublishesTheWeightAverageWithoutChangingTheTraining) {
  const std::string average = ", weight_average: ";
  const auto yaml = [&](const std::string& more) {
    std::string text = Yaml(kMethods[1]);
    text.insert(text.find(", checkpoint_every_steps"), more);
    return text;
  };
  Recorder unaveraged, averaged, tiny_decay;
  ASSERT_TRUE(Train("unaveraged", yaml(""), unaveraged).ok());
  const auto result = Train("averaged", yaml(average + "0.99"), averaged);
  ASSERT_TRUE(result.ok()) << result.status();
  for (size_t i = 0; i < unaveraged.steps.size(); ++i) {
    EXPECT_EQ(averaged.steps[i].train_cost, unaveraged.steps[i].train_cost) << i;
  }
  EXPECT_NE(averaged.epochs.back().validation_cost, unaveraged.epochs.back().validation_cost);
  EXPECT_EQ(result->validation_cost, averaged.epochs.back().validation_cost);
  EXPECT_NE(WeightsOf("averaged"), WeightsOf("unaveraged"));

  // This decay immediately forgets all earlier weights.
  ASSERT_TRUE(Train("tiny_decay", yaml(average + "1e-12"), tiny_decay).ok());
  EXPECT_EQ(tiny_decay.epochs.back().validation_cost, unaveraged.epochs.back().validation_cost);

  Recorder first, second;
  first.cancel_at = 11;
  EXPECT_FALSE(Train("parts", yaml(average + "0.99"), first).ok());
  ASSERT_TRUE(Train("parts", yaml(average + "0.99"), second).ok());
  EXPECT_EQ(WeightsOf("parts"), WeightsOf("averaged"));
}

}  // namespace
}  // namespace vrp
