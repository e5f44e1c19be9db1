#include "core/train/trainer.h"

#include <cmath>
#include <cstring>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/model/model_card.h"
#include "core/model/policy.h"
#include "core/model/safetensors.h"
#include "core/problem/checker.h"
#include "core/problem/formats.h"
#include "core/problem/generators.h"
#include "core/search/construct.h"
#include "core/train/checkpoint.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

// Keeps what it hears; can cancel in the middle.
class Recorder final : public TrainingObserver {
 public:
  void OnLog(std::string_view line) override { log += std::string(line) + "\n"; }
  void OnProgress(const TrainingProgress& progress) override {
    if (progress.end_of_epoch) {
      epochs.push_back(progress);
      return;
    }
    steps.push_back(progress);
    if (progress.step == cancel_at) cancel->Cancel();
  }
  void OnCheckpoint(int64_t step) override { checkpoints.push_back(step); }

  std::string log;
  std::vector<TrainingProgress> steps;
  std::vector<TrainingProgress> epochs;
  std::vector<int64_t> checkpoints;
  int64_t cancel_at = -1;
  std::shared_ptr<CancelFlag> cancel = std::make_shared<CancelFlag>();
};

class TrainerTest : public testing::Test {
 protected:
  // A run in the folder `name`; the same name again goes on from its checkpoint.
  absl::StatusOr<TrainingResult> Train(const std::string& name, const std::string& yaml,
                                       Recorder& recorder) {
    TrainingRequest request;
    auto config = ParseTrainingConfig(yaml, "test.yaml");
    EXPECT_TRUE(config.ok()) << config.status();
    request.config = *config;
    request.threads = 1;
    request.job_name = "trainingJobs/test";
    request.checkpoint_directory = root_ + "/" + name + "/checkpoint";
    request.model_directory = ModelOf(name);
    fs::create_directories(request.checkpoint_directory);
    fs::create_directories(request.model_directory);
    return MakeTrainer()->Train(request, {absl::InfiniteFuture(), recorder.cancel}, recorder);
  }
  std::string ModelOf(const std::string& name) const { return root_ + "/" + name + "/model"; }
  std::string WeightsOf(const std::string& name) const {
    const auto weights = ReadFile(ModelOf(name) + "/weights.safetensors");
    EXPECT_TRUE(weights.ok()) << weights.status();
    return weights.value_or("");
  }

  const test::TempFolder temporary_;
  const std::string root_ = temporary_.path();
};

std::string Yaml(const std::string& method, const std::string& more = "") {
  return "name: test\nproblem: {kind: cvrp, customers: 6}\n"
         "network: {hidden: 16, layers: 2, dropout: 0.2}\n"
         "training: {method: " +
         method +
         ", epochs: 4, batches_per_epoch: 5, batch_size: 8, learning_rate: 0.003, "
         "checkpoint_every_steps: 7}\n"
         "supervised: {samples: 40, heuristic_iterations: 0, teacher_forcing_end: 0.5}\n"
         "reinforce: {baseline_instances: 20, warmup_epochs: 1}\nvalidation: {instances: 20}\n" +
         more;
}

class MethodTest : public TrainerTest, public testing::WithParamInterface<const char*> {};

TEST_P(MethodTest, EndsWithAModelThatLoadsAndTellsWhereItCameFrom) {
  Recorder recorder;
  const auto result = Train("a", Yaml(GetParam()), recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->steps, 20);
  ASSERT_EQ(recorder.steps.size(), 20u);
  ASSERT_EQ(recorder.epochs.size(), 4u);
  EXPECT_EQ(recorder.checkpoints, (std::vector<int64_t>{7, 14}));
  EXPECT_TRUE(std::isnan(recorder.steps[0].validation_cost));
  EXPECT_EQ(recorder.epochs[3].validation_cost, result->validation_cost);
  EXPECT_GT(result->validation_reference, 0);

  const auto policy = LoadPolicy(ModelOf("a"), {});
  ASSERT_TRUE(policy.ok()) << policy.status();
  const auto instances = *GenerateInstances({.customers = 6, .seed = 4321}, 20);
  const auto plans = *(*policy)->Decode(instances, {});
  double cost = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    EXPECT_TRUE(CheckPlan(instances[i], plans[i].plan).feasible);
    cost += PlanCost(instances[i], plans[i].plan) / 20;
  }
  EXPECT_NEAR(cost, result->validation_cost, 1e-9);
  const auto card = ParseModelCard(*ReadFile(ModelOf("a") + "/card.json"), "card");
  EXPECT_EQ(card->training_job, "trainingJobs/test");
  EXPECT_EQ(card->steps, 20);
  EXPECT_EQ(card->training_config, Yaml(GetParam()));
}

TEST_P(MethodTest, EndsInTheSameBitsWhetherInterruptedOrNot) {
  Recorder whole;
  ASSERT_TRUE(Train("whole", Yaml(GetParam()), whole).ok());
  Recorder first;
  first.cancel_at = 10;  // the end of an epoch
  EXPECT_EQ(Train("parts", Yaml(GetParam()), first).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(first.checkpoints.back(), 10);
  EXPECT_EQ(*MakeTrainer()->ResumeStep(root_ + "/parts/checkpoint"), 10);
  Recorder second;
  second.cancel_at = 12;
  EXPECT_EQ(Train("parts", Yaml(GetParam()), second).status().code(), absl::StatusCode::kCancelled);
  Recorder third;
  ASSERT_TRUE(Train("parts", Yaml(GetParam()), third).ok());
  EXPECT_EQ(third.steps.front().step, 13);
  EXPECT_NE(third.log.find("resumed from step 12"), std::string::npos);
  EXPECT_EQ(WeightsOf("whole"), WeightsOf("parts"));
  EXPECT_EQ(whole.epochs.back().validation_cost, third.epochs.back().validation_cost);
}

TEST_P(MethodTest, ChangesWithItsSeed) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", Yaml(GetParam()), recorder).ok());
  const std::string yaml = Yaml(GetParam());
  ASSERT_TRUE(
      Train("b", std::string(yaml).insert(yaml.find("epochs:"), "seed: 2, "), recorder).ok());
  EXPECT_NE(WeightsOf("a"), WeightsOf("b"));
}

INSTANTIATE_TEST_SUITE_P(Methods, MethodTest, testing::Values("reinforce", "supervised"));

TEST_F(TrainerTest, OpensItsLogWithWhatItRunsOn) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", Yaml("reinforce"), recorder).ok());
  for (const char* said :
       {"epochs: 4 of 5 batches of 8; AMP: off", "device: cpu (", "GiB), 1 threads", "parameters",
        "input features: 8 a node: x, y, demand,", "is_visited", "nearest neighbour"}) {
    EXPECT_NE(recorder.log.find(said), std::string::npos) << said << "\n" << recorder.log;
  }
}

TEST_F(TrainerTest, FallsBackToTheCheckpointBeforeACorruptOne) {
  Recorder first;
  first.cancel_at = 15;
  EXPECT_FALSE(Train("a", Yaml("reinforce"), first).ok());
  fs::resize_file(root_ + "/a/checkpoint/step-15/state.safetensors", 100);
  Recorder second;
  ASSERT_TRUE(Train("a", Yaml("reinforce"), second).ok());
  EXPECT_EQ(second.steps.front().step, 15);  // from step 14 on
  Recorder whole;
  ASSERT_TRUE(Train("b", Yaml("reinforce"), whole).ok());
  EXPECT_EQ(WeightsOf("a"), WeightsOf("b"));
}

TEST_F(TrainerTest, RefusesACheckpointOfAnotherConfiguration) {
  Recorder first;
  first.cancel_at = 3;
  EXPECT_FALSE(Train("a", Yaml("reinforce"), first).ok());
  Recorder second;
  const auto result = Train("a", Yaml("reinforce", "# changed\n"), second);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(TrainerTest, IsCancelledBeforeItsFirstStepToo) {
  Recorder recorder;
  recorder.cancel->Cancel();
  EXPECT_EQ(Train("a", Yaml("reinforce"), recorder).status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(recorder.steps.empty());
}

TEST_F(TrainerTest, LearnsAFewInstancesByHeart) {
  Recorder recorder;
  const auto result = Train("a",
                            "name: test\nproblem: {kind: cvrp, customers: 6}\n"
                            "network: {hidden: 32, layers: 1, dropout: 0}\n"
                            "training: {method: supervised, epochs: 150, batch_size: 8, "
                            "learning_rate: 0.01}\nsupervised: {samples: 8}\n"
                            "validation: {instances: 5}\n",
                            recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GT(recorder.steps.front().loss, 0.5);
  EXPECT_LT(recorder.steps.back().loss, 0.05);
}

TEST_F(TrainerTest, ShortensItsToursByReinforcement) {
  Recorder recorder;
  const auto result = Train("a",
                            "name: test\nproblem: {kind: cvrp, customers: 8}\n"
                            "network: {hidden: 32, layers: 1, dropout: 0}\n"
                            "training: {epochs: 3, batches_per_epoch: 20, batch_size: 64, "
                            "learning_rate: 0.003}\nreinforce: {baseline_instances: 100}\n"
                            "validation: {instances: 200}\n",
                            recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(recorder.steps.back().train_cost, 0.9 * recorder.steps.front().train_cost);
  EXPECT_LT(result->validation_cost, 0.97 * result->validation_reference);
}

class DivergenceTest : public TrainerTest, public testing::WithParamInterface<const char*> {};

TEST_P(DivergenceTest, FailsClearlyAfterTenStepsInARow) {
  Recorder first;
  first.cancel_at = 3;
  EXPECT_FALSE(Train("a", Yaml(GetParam()), first).ok());
  // Weights beyond all measure in the checkpoint: no loss from there on is a number.
  const std::string folder = root_ + "/a/checkpoint";
  Checkpoint checkpoint = *ReadNewestCheckpoint(folder);
  const SafetensorsFile file = *SafetensorsFile::Parse(checkpoint.state, "state");
  const TensorView* parameters = file.Find("parameters");
  ASSERT_NE(parameters, nullptr);
  const auto offset =
      checkpoint.state.size() -
      static_cast<size_t>(file.tensors().back().data.data() + file.tensors().back().data.size() -
                          parameters->data.data());
  const float huge = 3e38f;
  for (size_t at = 0; at < parameters->data.size(); at += sizeof(huge)) {
    std::memcpy(checkpoint.state.data() + offset + at, &huge, sizeof(huge));
  }
  ASSERT_TRUE(WriteCheckpoint(folder, checkpoint).ok());
  Recorder second;
  const auto result = Train("a", Yaml(GetParam()), second);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
  EXPECT_NE(std::string(result.status().message()).find("10 steps in a row without a finite loss"),
            std::string::npos)
      << result.status();
  EXPECT_NE(second.log.find("step 4: left out: loss"), std::string::npos) << second.log;
}

INSTANTIATE_TEST_SUITE_P(Methods, DivergenceTest, testing::Values("reinforce", "supervised"));

TEST_F(TrainerTest, LearnsFromALabelFile) {
  std::string text;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const Instance instance =
        test::AnInstance().WithCustomers(static_cast<int32_t>(seed) + 1).Seed(seed).Build();
    std::string line = WriteJson(instance);
    line.pop_back();
    text += line + R"(,"ref_routes":[)";
    const Plan plan = NearestNeighbourPlan(instance);
    for (size_t r = 0; r < plan.size(); ++r) {
      text += r > 0 ? ",[" : "[";
      for (size_t i = 0; i < plan[r].customers.size(); ++i) {
        text += Concat(i > 0 ? "," : "", plan[r].customers[i]);
      }
      text += "]";
    }
    text += "]}\n";
  }
  ASSERT_TRUE(AtomicWriteFile(root_ + "/labels.jsonl", text).ok());
  Recorder recorder;
  std::string yaml = Yaml("supervised");
  yaml.replace(yaml.find("samples: 40"), 11,
               "samples: 6, labels: file, label_file: " + root_ + "/labels.jsonl");
  const auto result = Train("a", yaml, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->steps, 4);
}

TEST_F(TrainerTest, NamesALabelFileThatIsNotThere) {
  std::string yaml = Yaml("supervised");
  yaml.replace(yaml.find("samples: 40"), 11, "labels: file, label_file: /nowhere/labels.jsonl");
  Recorder recorder;
  const auto result = Train("a", yaml, recorder);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(std::string(result.status().message()).find("/nowhere/labels.jsonl"),
            std::string::npos);
}

class KindTest : public TrainerTest, public testing::WithParamInterface<const char*> {};

TEST_P(KindTest, IsTrainedByBothMethods) {
  for (const char* method : {"reinforce", "supervised"}) {
    std::string yaml = Yaml(method);
    yaml.replace(yaml.find("cvrp"), 4, GetParam());
    Recorder recorder;
    const auto result = Train(method, yaml, recorder);
    EXPECT_TRUE(result.ok()) << result.status();
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, KindTest, testing::Values("vrptw", "tsp"));

}  // namespace
}  // namespace vrp
