// Tests that estimate models are trained, resumed, validated and published.
#include "core/train/estimate/estimate_trainer.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/estimate/added_customer.h"
#include "core/model/estimate/estimate_model.h"
#include "core/problem/checker/checker.h"
#include "core/train/estimate/estimate_data.h"
#include "core/train/estimate/estimate_validator.h"
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

TEST(EstimateInstancesTest, AreFeasibleAndVaried) {
  const EstimateDraws draws = {.min_customers = 10, .max_customers = 30, .seed = 7};
  int timed = 0;
  for (int64_t i = 0; i < 100; ++i) {
    const auto instance = DrawEstimateInstance(draws, i);
    ASSERT_TRUE(instance.ok()) << instance.status();
    Subproblem problem;
    EXPECT_TRUE(problem.ChooseAll(*instance).ok());
    timed += instance->has_windows();
    EXPECT_EQ(instance->data(), DrawEstimateInstance(draws, i)->data());
    const auto smaller = WithoutLastCustomer(*instance);
    ASSERT_TRUE(smaller.ok()) << smaller.status();
    EXPECT_EQ(smaller->num_customers(), instance->num_customers() - 1);
  }
  EXPECT_GT(timed, 30);
  EXPECT_LT(timed, 70);
}

TEST(EstimateInstancesTest, SomeHaveLongRoutes) {
  const EstimateDraws plain = {.min_customers = 20, .max_customers = 60, .seed = 7};
  EstimateDraws draws = plain;
  draws.long_routes = 0.5;
  int64_t with_long = 0;
  double longest = 0;
  for (int64_t i = 0; i < 8 * kDrawnAlike; ++i) {
    const auto instance = DrawEstimateInstance(draws, i);
    ASSERT_TRUE(instance.ok()) << instance.status();
    Subproblem problem;
    EXPECT_TRUE(problem.ChooseAll(*instance).ok());
    if (!HasLongRoutes(draws, i)) {
      EXPECT_EQ(instance->data(), DrawEstimateInstance(plain, i)->data());
      continue;
    }
    ++with_long;
    double demand = 0;
    for (NodeIndex k = 1; k < instance->num_nodes(); ++k) demand += instance->demand(k);
    EXPECT_LT(demand / instance->capacity(), instance->num_customers() / 19.0);
    if (instance->has_windows()) longest = std::max(longest, instance->window(0).close);
  }
  EXPECT_GT(with_long, kDrawnAlike);
  EXPECT_LT(with_long, 7 * kDrawnAlike);
  EXPECT_GT(longest, 4 * 480);
}

TEST(EstimateLabelsTest, KeepsThoseWithoutLongRoutesWhenTheShareChanges) {
  const test::TempFolder folder;
  CpuPool pool(1);
  LabelTask task = {.draws = {.min_customers = 4, .max_customers = 6, .seed = 7},
                    .instances = 8 * kDrawnAlike,
                    .iterations = 1};
  const LabelSurroundings surroundings = {.folder = folder.path(), .pool = &pool};
  ASSERT_TRUE(MakeEstimateLabels(task, surroundings).ok());
  task.draws.long_routes = 0.5;
  int64_t kept = 0;
  for (int64_t i = 0; i < task.instances; ++i) kept += HasLongRoutes(task.draws, i) ? 0 : 1;
  EXPECT_EQ(MakeEstimateLabels(task, surroundings)->found, kept);
  EXPECT_EQ(MakeEstimateLabels(task, surroundings)->found, task.instances);
}

TEST(EstimateDataTest, KnowsTheTimesOfTheTraining) {
  const test::TempFolder folder;
  CpuPool pool(1);
  const LabelTask task = {
      .draws = {.min_customers = 20, .max_customers = 40, .windows = 1, .seed = 7},
      .instances = 192,
      .iterations = 0,
      .seconds = 1e-6};
  const auto labels = MakeEstimateLabels(task, {.folder = folder.path(), .pool = &pool});
  ASSERT_TRUE(labels.ok()) << labels.status();
  const auto statistics = MeasureInstances(task, labels->labels, pool, {});
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  const auto distance = [&](InstanceData data) {
    Subproblem problem;
    EXPECT_TRUE(problem.ChooseAll(*Instance::Create(std::move(data))).ok());
    EstimateFeatures features;
    features.Compute(problem, false);
    return statistics->times.Distance(statistics->Normalised(features.globals()));
  };
  EstimateDraws fresh = task.draws;
  fresh.seed = 8;
  int known = 0;
  for (int64_t i = 0; i < 50; ++i) {
    InstanceData data = DrawEstimateInstance(fresh, i)->data();
    known += distance(data) <= static_cast<double>(statistics->times.limit);
    // A shift ten times as long, with windows ten times as wide.
    for (TimeWindow& window : data.windows) window.close *= 10;
    EXPECT_GT(distance(data), static_cast<double>(statistics->times.limit)) << i;
  }
  EXPECT_GE(known, 45);
}

TEST(EstimateLabelsTest, PairsDifferByOneCustomer) {
  const test::TempFolder folder;
  CpuPool pool(1);
  const LabelTask task = {.draws = {.min_customers = 5, .max_customers = 15, .seed = 3},
                          .instances = 40,
                          .pairs = 0.5,
                          .iterations = 20};
  const auto labels = MakeEstimateLabels(task, {.folder = folder.path(), .pool = &pool});
  ASSERT_TRUE(labels.ok()) << labels.status();
  int64_t paired = 0;
  for (int64_t i = 0; i < 40; ++i) {
    const EstimateLabel& label = labels->labels[static_cast<size_t>(i)];
    EXPECT_EQ(label.paired, IsPaired(task, i));
    if (!label.paired) continue;
    ++paired;
    EXPECT_LE(label.cost_without, label.cost * (1 + 1e-9)) << i;
  }
  EXPECT_GT(paired, 10);
}

TEST(ConformalQuantileTest, CoversTheShareOfNewValues) {
  EXPECT_EQ(ConformalQuantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(ConformalQuantile({3, 1, 2}, 0.9), 3);
  EXPECT_EQ(ConformalQuantile({}, 0.9), 1);
}

}  // namespace
}  // namespace vrp
