// Tests that estimate models are trained, resumed, validated and published.
#include "core/train/estimate/estimate_trainer.h"

#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/estimate/added_customer.h"
#include "core/model/estimate/estimate_model.h"
#include "core/train/estimate/estimate_data.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

using test::Recorder;
using testing::HasSubstr;

class EstimateTrainerTest : public test::TrainerFixture {
 protected:
  EstimateTrainerTest() { limits_.cache_directory = root_ + "/labels"; }

  // Returns a training of about a second.
  static std::string Yaml() {
    return "name: costs\nmodel: estimate\n"
           "estimate: {min_customers: 4, max_customers: 12, instances: 64, coarse_instances: 0, "
           "label_iterations: 2, "
           "validation_iterations: 4, width: 16, layers: 1, heads: 2, hidden: 8}\n"
           "validation: {instances: 32}\n"
           "training: {epochs: 3, batch_size: 16, checkpoint_every_steps: 2, warmup_steps: 2}\n";
  }
  absl::StatusOr<TrainingResult> Train(const std::string& name, Recorder& recorder,
                                       const ConfigOverrides& overrides = {}) {
    TrainingRequest request = limits_;
    const auto config = ParseTrainingConfig(Yaml(), "test.yaml", overrides);
    EXPECT_TRUE(config.ok()) << config.status();
    request.config = *config;
    request.threads = threads_;
    request.job_name = "trainingJobs/test";
    request.checkpoint_directory = root_ + "/" + name + "/checkpoint";
    request.model_directory = ModelOf(name);
    std::filesystem::create_directories(request.checkpoint_directory);
    return MakeEstimateTrainer()->Train(request, {absl::InfiniteFuture(), recorder.cancel},
                                        recorder);
  }
};

TEST_F(EstimateTrainerTest, LearnsMoreThanTheQuickPlanKnows) {
  Recorder recorder;
  const auto result = Train("a", recorder, {"training.epochs=20", "training.learning_rate=0.01"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(recorder.steps.back().loss, recorder.steps.front().loss - 0.2);
  EXPECT_LT(result->validation_cost, result->validation_reference);
  EXPECT_EQ(result->reference, "savings");
}

TEST_F(EstimateTrainerTest, PublishesAModelThatEstimates) {
  Recorder recorder;
  const auto result = Train("a", recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->reason, PublishReason::kBestValidation);
  const auto model = EstimateModel::Load(ModelOf("a"), "models/costs");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->settings().max_customers, 12);
  EXPECT_EQ(model->settings().error, result->validation_cost);
  EXPECT_GT(model->settings().error_with_windows, 0);
  EXPECT_EQ(model->card().training_job, "trainingJobs/test");
  EstimateScratch scratch;
  const LabelTask task = TrainingTask(*ParseTrainingConfig(Yaml(), "test.yaml"));
  const auto estimate = model->Estimate(*DrawEstimateInstance(task.draws, 5), scratch);
  ASSERT_TRUE(estimate.ok()) << estimate.status();
  EXPECT_GT(estimate->cost, 0);
  EXPECT_LT(estimate->cost_low, estimate->cost);
  EXPECT_GT(estimate->cost_high, estimate->cost);
  EXPECT_THAT(estimate->outside, testing::IsEmpty());
}

TEST_F(EstimateTrainerTest, TheBestValidationCountsWithItsCorrections) {
  Recorder recorder;
  const auto result = Train("a", recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto model = EstimateModel::Load(ModelOf("a"), "models/costs");
  ASSERT_TRUE(model.ok()) << model.status();
  CpuPool pool(1);
  const LabelTask task = ValidationTask(*ParseTrainingConfig(Yaml(), "test.yaml"));
  const auto labels = MakeEstimateLabels(task, {.folder = limits_.cache_directory, .pool = &pool});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(labels->found, 32);
  double error = 0;
  int covered = 0;
  EstimateScratch scratch;
  for (int64_t i = 0; i < 32; ++i) {
    const auto estimate = model->Estimate(*DrawEstimateInstance(task.draws, i), scratch);
    const double cost = labels->labels[static_cast<size_t>(i)].cost;
    error += std::abs(estimate->cost - cost) / cost / 32;
    covered += cost >= estimate->cost_low * (1 - 1e-6) && cost <= estimate->cost_high * (1 + 1e-6);
  }
  EXPECT_NEAR(error, result->validation_cost, 1e-5);
  EXPECT_GE(covered, 29) << "of 32, with a coverage of 90 %";
}

TEST_F(EstimateTrainerTest, ResumesWithTheSameSteps) {
  Recorder whole;
  ASSERT_TRUE(Train("whole", whole).ok());
  Recorder interrupted;
  interrupted.cancel_at = 7;
  EXPECT_TRUE(absl::IsCancelled(Train("parts", interrupted).status()));
  Recorder resumed;
  ASSERT_TRUE(Train("parts", resumed).ok());
  EXPECT_THAT(resumed.log, HasSubstr("resumed from step 7"));
  EXPECT_EQ(resumed.steps.front().step, 8);
  EXPECT_EQ(WeightsOf("parts"), WeightsOf("whole"));
}

TEST_F(EstimateTrainerTest, DoesNotDependOnTheNumberOfThreads) {
  Recorder one;
  ASSERT_TRUE(Train("one", one).ok());
  threads_ = 3;
  limits_.cache_directory = root_ + "/other-labels";
  Recorder three;
  ASSERT_TRUE(Train("three", three).ok());
  EXPECT_EQ(WeightsOf("one"), WeightsOf("three"));
}

TEST_F(EstimateTrainerTest, KeepsLabelsOnDisk) {
  Recorder first;
  ASSERT_TRUE(Train("a", first).ok());
  EXPECT_THAT(first.log, HasSubstr("64 instances of 4 to 12 customers, 0 of whose labels"));
  Recorder second;
  ASSERT_TRUE(Train("b", second, {"training.seed=2"}).ok());
  EXPECT_THAT(second.log, HasSubstr("64 instances of 4 to 12 customers, 64 of whose labels"));
  // A damaged file is made again.
  for (const auto& entry : std::filesystem::directory_iterator(limits_.cache_directory)) {
    ASSERT_TRUE(AtomicWriteFile(entry.path(), "{\"labels\": [[1]]}").ok());
  }
  Recorder third;
  ASSERT_TRUE(Train("c", third).ok());
  EXPECT_THAT(third.log, HasSubstr("0 of whose labels"));
  EXPECT_EQ(WeightsOf("a"), WeightsOf("c"));
}

TEST_F(EstimateTrainerTest, LearnsFromCoarseLabelsToo) {
  Recorder plain;
  ASSERT_TRUE(Train("plain", plain).ok());
  Recorder recorder;
  ASSERT_TRUE(Train("a", recorder, {"estimate.coarse_instances=96"}).ok());
  EXPECT_THAT(recorder.log, HasSubstr("and from 96 instances with coarse labels, 0 of which"));
  EXPECT_EQ(plain.steps.size(), 3 * 4);
  EXPECT_EQ(recorder.steps.size(), 3 * 10);
  EXPECT_NE(WeightsOf("a"), WeightsOf("plain"));
  Recorder interrupted;
  interrupted.cancel_at = 17;
  EXPECT_TRUE(
      absl::IsCancelled(Train("b", interrupted, {"estimate.coarse_instances=96"}).status()));
  Recorder resumed;
  ASSERT_TRUE(Train("b", resumed, {"estimate.coarse_instances=96"}).ok());
  EXPECT_EQ(WeightsOf("a"), WeightsOf("b"));
}

TEST_F(EstimateTrainerTest, LearnsTheGapOfCoarseLabels) {
  // Coarse labels that are 6 % too high.
  const ConfigOverrides overrides = {"estimate.layers=0",
                                     "estimate.windows=0",
                                     "estimate.coarse_instances=192",
                                     "estimate.coarse_iterations=2",
                                     "training.epochs=40",
                                     "training.learning_rate=0.02",
                                     "training.checkpoint_every_steps=1000"};
  const TrainingConfig config = *ParseTrainingConfig(Yaml(), "test.yaml", overrides);
  CpuPool pool(1);
  const LabelSurroundings surroundings = {.folder = limits_.cache_directory, .pool = &pool};
  ASSERT_TRUE(MakeEstimateLabels(CoarseTask(config), surroundings).ok());
  for (const auto& entry : std::filesystem::directory_iterator(limits_.cache_directory)) {
    nlohmann::json file = nlohmann::json::parse(*ReadFile(entry.path()));
    for (auto& label : file["labels"]) label[0] = 1.06 * label[0].get<double>();
    ASSERT_TRUE(AtomicWriteFile(entry.path(), file.dump()).ok());
  }
  Recorder recorder;
  const auto result = Train("a", recorder, overrides);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(recorder.log, HasSubstr("192 of which were found"));
  // The correction of the validation is small, because the network tells both kinds apart.
  const auto model = EstimateModel::Load(ModelOf("a"), "models/costs");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_LT(std::abs(model->statistics().Correction(8, false)), 0.03);
}

TEST_F(EstimateTrainerTest, LearnsWithoutAnEncoder) {
  Recorder recorder;
  const auto result = Train(
      "a", recorder, {"estimate.layers=0", "training.epochs=30", "training.learning_rate=0.01"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(result->validation_cost, result->validation_reference);
  const auto model = EstimateModel::Load(ModelOf("a"), "models/costs");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->settings().network.layers, 0);
}

TEST_F(EstimateTrainerTest, LearnsTheDifferencesOfPairs) {
  const ConfigOverrides overrides = {"estimate.layers=0", "estimate.pairs=1", "training.epochs=20",
                                     "training.learning_rate=0.01"};
  const LabelTask task = TrainingTask(*ParseTrainingConfig(Yaml(), "test.yaml", overrides));
  // Returns the mean error of the differences after a training with this weight of theirs.
  const auto error_with = [&](const std::string& weight) {
    ConfigOverrides weighted = overrides;
    weighted.push_back("estimate.pair_weight=" + weight);
    Recorder recorder;
    EXPECT_TRUE(Train("w" + weight, recorder, weighted).ok());
    const auto model = EstimateModel::Load(ModelOf("w" + weight), "models/costs");
    CpuPool pool(1);
    const auto labels =
        MakeEstimateLabels(task, {.folder = limits_.cache_directory, .pool = &pool});
    double error = 0;
    EstimateScratch scratch;
    for (int64_t i = 0; i < task.instances; ++i) {
      const Instance instance = *DrawEstimateInstance(task.draws, i);
      const EstimateLabel& label = labels->labels[static_cast<size_t>(i)];
      const double with = model->Estimate(instance, scratch)->cost;
      const double without = model->Estimate(*WithoutLastCustomer(instance), scratch)->cost;
      error += std::abs(with - without - label.cost + label.cost_without) / label.cost;
    }
    return error;
  };
  EXPECT_LT(error_with("30"), 0.97 * error_with("0"));
}

TEST_F(EstimateTrainerTest, LearnsWhatACustomerAdds) {
  Recorder recorder;
  ASSERT_TRUE(
      Train("a", recorder, {"estimate.instances=256", "estimate.pairs=1", "training.epochs=1"})
          .ok());
  const auto model = EstimateModel::Load(ModelOf("a"), "models/costs");
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_TRUE(model->knows_added_customers());
  // On other instances, the learned cost is nearer to the label than the cheapest insertion.
  LabelTask task = TrainingTask(*ParseTrainingConfig(Yaml(), "test.yaml", {"estimate.pairs=1"}));
  task.draws.seed = 77;
  CpuPool pool(1);
  const auto labels = MakeEstimateLabels(task, {.folder = limits_.cache_directory, .pool = &pool});
  ASSERT_TRUE(labels.ok()) << labels.status();
  double learned = 0, inserted = 0;
  for (int64_t i = 0; i < task.instances; ++i) {
    const Instance instance = *DrawEstimateInstance(task.draws, i);
    std::vector<NodeIndex> base(static_cast<size_t>(instance.num_customers()) - 1);
    std::iota(base.begin(), base.end(), 1);
    AddedCustomer added;
    ASSERT_TRUE(added.SetBase(instance, base).ok());
    const auto cost = model->AddedCost(instance.num_nodes() - 1, added);
    ASSERT_TRUE(cost.ok()) << cost.status();
    const double insertion =
        added.unit() * static_cast<double>((*added.Compute(instance.num_nodes() - 1))[1]);
    const EstimateLabel& label = labels->labels[static_cast<size_t>(i)];
    const double truth = label.cost - label.cost_without;
    learned += std::abs(*cost - truth) / added.unit();
    inserted += std::abs(insertion - truth) / added.unit();
  }
  EXPECT_LT(learned, 0.97 * inserted);
}

TEST_F(EstimateTrainerTest, KnowsNoAddedCustomersWithoutPairs) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", recorder, {"estimate.pairs=0", "training.epochs=1"}).ok());
  EXPECT_FALSE(EstimateModel::Load(ModelOf("a"), "models/costs")->knows_added_customers());
}

TEST_F(EstimateTrainerTest, StopsWhileLabelsAreMade) {
  Recorder recorder;
  recorder.cancel->Cancel();
  EXPECT_TRUE(absl::IsCancelled(Train("a", recorder).status()));
  EXPECT_FALSE(std::filesystem::exists(ModelOf("a") + "/card.json"));
}

}  // namespace
}  // namespace vrp
