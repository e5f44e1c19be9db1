// Tests the choice of published weights, and runs that must end early.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/model/weights/model_card.h"
#include "core/model/weights/safetensors.h"
#include "core/problem/generate/generators.h"
#include "core/train/run/checkpoint.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;
using test::Recorder;
using test::Yaml;
using testing::HasSubstr;
using testing::Not;

class TrainerPublishTest : public test::TrainerFixture {
 protected:
  // Returns a configuration with enough epochs and a rate so large that the best validation is not
  // the last.
  static std::string YamlWith(const std::string& more, int epochs = 12) {
    std::string yaml = Yaml("reinforce", "reinforce: {baseline: exponential}\n");
    return yaml.replace(yaml.find("epochs: 4"), 9,
                        Concat("keep_last_checkpoints: 1, epochs: ", epochs, more));
  }
  static const TrainingProgress& BestOf(const Recorder& recorder) {
    return *std::min_element(
        recorder.epochs.begin(), recorder.epochs.end(),
        [](const auto& a, const auto& b) { return a.validation_cost < b.validation_cost; });
  }
  // Returns the mean cost of the published weights on the validation set.
  double CostOf(const std::string& name) {
    const auto engine = test::MakeFakeEngine({.seed = 99});
    const SafetensorsFile weights = *SafetensorsFile::Parse(WeightsOf(name), "weights");
    EXPECT_TRUE(engine->parameters().Load(weights, "weights").ok());
    const auto instances = *GenerateInstances({.customers = 6, .seed = 4321}, 20);
    double cost = 0;
    const auto found = engine->Run(MakeNetworkBatch(instances, NodeOrder::kAsGiven), {});
    for (const double tour_cost : found->costs) cost += tour_cost / 20;
    return cost;
  }
  ModelCard CardOf(const std::string& name) {
    return *ParseModelCard(*ReadFile(ModelOf(name) + "/card.json"), "card");
  }
};

TEST_F(TrainerPublishTest, PublishesTheWeightsOfTheBestValidation) {
  Recorder recorder;
  const auto result = Train("a", YamlWith(""), recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  const TrainingProgress& best = BestOf(recorder);
  ASSERT_LT(best.epoch, 12) << "the test needs a run that gets worse";
  EXPECT_EQ(result->steps, best.step);
  EXPECT_EQ(result->epoch, best.epoch);
  EXPECT_EQ(result->reason, PublishReason::kBestValidation);
  EXPECT_EQ(result->validation_cost, best.validation_cost);
  EXPECT_NEAR(CostOf("a"), best.validation_cost, 1e-9);
  EXPECT_EQ(CardOf("a").steps, best.step);
  EXPECT_EQ(CardOf("a").validation_cost, best.validation_cost);
  EXPECT_THAT(recorder.log,
              HasSubstr(Concat("publishes the weights of epoch ", best.epoch, " of 12 (step ",
                               best.step, "): the best validation")));
  EXPECT_THAT(recorder.log, HasSubstr("; the last, epoch 12, had "));
}

TEST_F(TrainerPublishTest, PublishesTheLastWeightsIfConfigured) {
  Recorder recorder;
  const auto result = Train("a", YamlWith(", publish: last, patience: 1000"), recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->steps, 60);
  EXPECT_EQ(result->epoch, 12);
  EXPECT_EQ(result->reason, PublishReason::kLastWeights);
  EXPECT_NEAR(CostOf("a"), recorder.epochs.back().validation_cost, 1e-9);
  EXPECT_EQ(CardOf("a").validation_cost, recorder.epochs.back().validation_cost);
  EXPECT_THAT(recorder.log, HasSubstr("the last weights, as training.publish says"));
}

TEST_F(TrainerPublishTest, KeepsTheBestWeightsThroughInterruptions) {
  Recorder reference;
  ASSERT_TRUE(Train("reference", YamlWith(", keep_best_checkpoints: 0"), reference).ok());
  const int64_t best = BestOf(reference).step;
  for (const int64_t at : {best + 1, best + 2}) {
    Recorder interrupted;
    interrupted.cancel_at = at;
    EXPECT_FALSE(Train("parts", YamlWith(", keep_best_checkpoints: 0"), interrupted).ok());
  }
  Recorder last;
  const auto result = Train("parts", YamlWith(", keep_best_checkpoints: 0"), last);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->steps, best);
  EXPECT_EQ(WeightsOf("parts"), WeightsOf("reference"));
}

TEST_F(TrainerPublishTest, PublishesTheBestAverageOfTheWeights) {
  Recorder recorder;
  const auto result = Train("a", YamlWith(", weight_average: 0.5"), recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->validation_cost, BestOf(recorder).validation_cost);
  EXPECT_NEAR(CostOf("a"), result->validation_cost, 1e-9);
}

TEST_F(TrainerPublishTest, PublishesTheFirstOfEqualValidations) {
  std::string yaml = YamlWith("");
  yaml.replace(yaml.find("learning_rate: 0.03"), 19, "learning_rate: 1e-9");
  Recorder recorder;
  const auto result = Train("a", yaml, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(recorder.epochs.front().validation_cost, recorder.epochs.back().validation_cost);
  EXPECT_EQ(result->epoch, 1);
  EXPECT_EQ(result->steps, 5);
}

TEST_F(TrainerPublishTest, ResumesFromACheckpointWithoutBestWeights) {
  Recorder interrupted;
  interrupted.cancel_at = 42;
  ASSERT_FALSE(Train("a", YamlWith(""), interrupted).ok());
  const std::string folder = root_ + "/a/checkpoint";
  Checkpoint checkpoint = *ReadNewestCheckpoint(folder);
  const SafetensorsFile file = *SafetensorsFile::Parse(checkpoint.state, "state");
  ASSERT_NE(file.Find("best.parameters"), nullptr);
  std::vector<TensorView> remaining;
  for (const TensorView& view : file.tensors()) {
    if (view.name != "best.parameters") remaining.push_back(view);
  }
  checkpoint.state = WriteSafetensors(remaining);
  ASSERT_TRUE(WriteCheckpoint(folder, checkpoint).ok());
  Recorder resumed;
  const auto result = Train("a", YamlWith(""), resumed);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(resumed.log, HasSubstr("lacks the weights of the best validation"));
  EXPECT_EQ(result->validation_cost, BestOf(resumed).validation_cost);
  EXPECT_NEAR(CostOf("a"), result->validation_cost, 1e-9);
}

// An observer that requests the run's end once a step is reported.
class EndRequester final : public TrainingObserver {
 public:
  EndRequester(int64_t step, std::shared_ptr<CancelFlag> end) : step_(step), end_(std::move(end)) {}
  void OnLog(std::string_view line) override { recorder.OnLog(line); }
  void OnProgress(const TrainingProgress& progress) override {
    recorder.OnProgress(progress);
    if (progress.step >= step_) end_->Cancel();
  }
  void OnCheckpoint(int64_t step) override { recorder.OnCheckpoint(step); }
  Recorder recorder;

 private:
  const int64_t step_;
  const std::shared_ptr<CancelFlag> end_;
};

TEST_F(TrainerPublishTest, ValidatesTheLastWeightsWhenItEndsEarly) {
  // The run ends in its first epoch, so the weights after step 3 are the only candidate.
  const auto end = std::make_shared<CancelFlag>();
  limits_.end_early = end;
  EndRequester observer(3, end);
  const auto result = Train("a", YamlWith(""), observer);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->end, TrainingEnd::kStopped);
  EXPECT_EQ(result->steps, 3);
  EXPECT_EQ(result->epoch, 1);
  EXPECT_EQ(result->reason, PublishReason::kBestValidation);
  EXPECT_EQ(observer.recorder.steps.size(), 3u);
  EXPECT_NEAR(CostOf("a"), result->validation_cost, 1e-9);
  EXPECT_THAT(observer.recorder.log,
              HasSubstr("stopped on request: 0 whole epochs of 12, 3 steps"));
}

TEST_F(TrainerPublishTest, PublishesTheBestWeightsWhenItEndsEarly) {
  Recorder reference;
  ASSERT_TRUE(Train("reference", YamlWith(""), reference).ok());
  const auto end = std::make_shared<CancelFlag>();
  limits_.end_early = end;
  EndRequester observer(58, end);
  const auto result = Train("a", YamlWith(""), observer);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LE(result->validation_cost, BestOf(reference).validation_cost);
  EXPECT_EQ(result->steps, BestOf(reference).step);
  EXPECT_EQ(WeightsOf("a"), WeightsOf("reference"));
}

TEST_F(TrainerPublishTest, TakesNoFurtherStepIfAResumedRunMustEnd) {
  Recorder interrupted;
  interrupted.cancel_at = 8;
  ASSERT_FALSE(Train("a", YamlWith(""), interrupted).ok());
  limits_.end_early = std::make_shared<CancelFlag>();
  std::const_pointer_cast<CancelFlag>(limits_.end_early)->Cancel();
  Recorder resumed;
  const auto result = Train("a", YamlWith(""), resumed);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(resumed.steps.empty());
  EXPECT_EQ(result->end, TrainingEnd::kStopped);
  EXPECT_THAT(resumed.log, HasSubstr("step 8: validation"));
}

TEST_F(TrainerPublishTest, PublishesNoModelIfItEndsBeforeTheFirstStep) {
  limits_.end_early = std::make_shared<CancelFlag>();
  std::const_pointer_cast<CancelFlag>(limits_.end_early)->Cancel();
  Recorder recorder;
  const absl::Status status = Train("a", YamlWith(""), recorder).status();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_TRUE(recorder.steps.empty());
  EXPECT_FALSE(fs::exists(ModelOf("a") + "/card.json"));
}

TEST_F(TrainerPublishTest, DistinguishesCancellationFromAnEarlyEnd) {
  Recorder recorder;
  limits_.end_early = std::make_shared<CancelFlag>(recorder.cancel);
  recorder.cancel_at = 3;
  EXPECT_TRUE(absl::IsCancelled(Train("a", YamlWith(""), recorder).status()));
  EXPECT_FALSE(fs::exists(ModelOf("a") + "/card.json"));
}

}  // namespace
}  // namespace vrp
