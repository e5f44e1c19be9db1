#include "core/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/model/model_card.h"
#include "core/model/safetensors.h"
#include "core/problem/checker.h"
#include "core/problem/formats.h"
#include "core/problem/generators.h"
#include "core/search/construct.h"
#include "core/train/checkpoint.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"
#include "tests/train/fake_engine.h"

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
    request.threads = threads_;
    request.job_name = "trainingJobs/test";
    request.checkpoint_directory = root_ + "/" + name + "/checkpoint";
    request.model_directory = ModelOf(name);
    fs::create_directories(request.checkpoint_directory);
    fs::create_directories(request.model_directory);
    return TrainerOf()->Train(request, {absl::InfiniteFuture(), recorder.cancel}, recorder);
  }
  std::unique_ptr<Trainer> TrainerOf() const {
    return MakeTrainerOn(
        [this](const TrainingConfig& config, DeviceId,
               const EngineOptions&) -> absl::StatusOr<std::unique_ptr<PolicyEngine>> {
          return test::MakeFakeEngine({.seed = config.seed, .most_instances = most_instances_});
        });
  }
  std::string ModelOf(const std::string& name) const { return root_ + "/" + name + "/model"; }
  std::string WeightsOf(const std::string& name) const {
    const auto weights = ReadFile(ModelOf(name) + "/weights.safetensors");
    EXPECT_TRUE(weights.ok()) << weights.status();
    return weights.value_or("");
  }

  const test::TempFolder temporary_;
  const std::string root_ = temporary_.path();
  int32_t threads_ = 1;
  int32_t most_instances_ = 0;
};

std::string Yaml(const std::string& method, const std::string& more = "") {
  return "name: test\nproblem: {kind: cvrp, customers: 6}\n"
         "training: {method: " +
         method +
         ", epochs: 4, batches_per_epoch: 5, batch_size: 8, learning_rate: 0.03, "
         "checkpoint_every_steps: 7}\n"
         "supervised: {samples: 40, heuristic_iterations: 0, teacher_forcing_end: 0.5}\n"
         "self_labelling: {samples: 4}\nvalidation: {instances: 20}\n" +
         more;
}

// A method with the sections that make it.
struct Method {
  const char* name;
  const char* word;
  const char* more;
};
constexpr Method kMethods[] = {
    {"GreedyRollout", "reinforce", "reinforce: {baseline_instances: 20, warmup_epochs: 1}\n"},
    {"Exponential", "reinforce", "reinforce: {baseline: exponential}\n"},
    {"Pomo", "reinforce", "reinforce: {baseline: pomo, starts: 0}\n"},
    {"SelfLabelling", "self_labelling", ""},
    {"Supervised", "supervised", ""},
};
void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }
std::string Yaml(const Method& method, const std::string& more = "") {
  return Yaml(method.word, method.more + more);
}

class MethodTest : public TrainerTest, public testing::WithParamInterface<Method> {};

TEST_P(MethodTest, EndsWithWeightsAndACardThatTellsWhereTheyCameFrom) {
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
  const auto card = ParseModelCard(*ReadFile(ModelOf("a") + "/card.json"), "card");
  EXPECT_EQ(card->training_job, "trainingJobs/test");
  EXPECT_EQ(card->steps, 20);
  EXPECT_EQ(card->training_config, Yaml(GetParam()));

  const auto engine = test::MakeFakeEngine({.seed = 99});
  const SafetensorsFile weights = *SafetensorsFile::Parse(WeightsOf("a"), "weights");
  ASSERT_TRUE(engine->parameters().Load(weights, "weights").ok());
  const auto instances = *GenerateInstances({.customers = 6, .seed = 4321}, 20);
  const auto found = engine->Run(MakeNetworkBatch(instances, NodeOrder::kAsGiven), {});
  double cost = 0;
  for (const double each : found->costs) cost += each / 20;
  EXPECT_NEAR(cost, result->validation_cost, 1e-9);
}

TEST_P(MethodTest, MakesToursShorter) {
  std::string yaml = Yaml(GetParam());
  yaml.replace(yaml.find("batches_per_epoch: 5"), 20, "batches_per_epoch: 20");
  yaml.replace(yaml.find("samples: 40"), 11, "samples: 160");
  Recorder recorder;
  const auto result = Train("a", yaml, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto untrained = test::MakeFakeEngine({.seed = 1});
  const auto instances = *GenerateInstances({.customers = 6, .seed = 4321}, 20);
  const auto before = untrained->Run(MakeNetworkBatch(instances, NodeOrder::kAsGiven), {});
  double cost = 0;
  for (const double each : before->costs) cost += each / 20;
  EXPECT_LT(result->validation_cost, 0.99 * cost);
}

TEST_P(MethodTest, AccumulatesToTheGradientOfTheWholeBatch) {
  Recorder whole;
  ASSERT_TRUE(Train("whole", Yaml(GetParam()), whole).ok());
  std::string yaml = Yaml(GetParam());
  yaml.replace(yaml.find("batch_size: 8"), 13, "batch_size: 8, accumulate_steps: 3");
  Recorder parts;
  ASSERT_TRUE(Train("parts", yaml, parts).ok());
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(parts.steps[i].loss, whole.steps[i].loss, 1e-5);
    EXPECT_NEAR(parts.steps[i].gradient_norm, whole.steps[i].gradient_norm, 1e-5);
    EXPECT_NEAR(parts.steps[i].train_cost, whole.steps[i].train_cost, 1e-5);
  }
}

TEST_P(MethodTest, EndsInTheSameBitsOnAnyNumberOfThreadsAndLoaders) {
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

TEST_P(MethodTest, EndsInTheSameBitsWhetherInterruptedOrNot) {
  Recorder whole;
  ASSERT_TRUE(Train("whole", Yaml(GetParam()), whole).ok());
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

INSTANTIATE_TEST_SUITE_P(Methods, MethodTest, testing::ValuesIn(kMethods),
                         [](const auto& param_info) { return param_info.param.name; });

TEST_F(TrainerTest, OpensItsLogWithWhatItRunsOn) {
  Recorder recorder;
  ASSERT_TRUE(Train("a", Yaml("reinforce"), recorder).ok());
  for (const char* said :
       {"epochs: 4 of 5 batches of 8; AMP: off", "device: cpu (", "GiB), 1 threads", "parameters",
        "input features: 12 a node: x, y, demand,", "is_depot", "validation: 20 instances"}) {
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

TEST_F(TrainerTest, ReportsWhatAStepIsMadeOf) {
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

TEST_F(TrainerTest, StopsEarlyWithTheBestWeights) {
  std::string yaml = Yaml(kMethods[1]);
  // So large a rate that it gets worse after the first steps.
  yaml.replace(yaml.find("epochs: 4"), 9, "epochs: 200, patience: 3");
  Recorder whole;
  const auto result = Train("whole", yaml, whole);
  ASSERT_TRUE(result.ok()) << result.status();
  double best = 1e9;
  size_t best_epoch = 0;
  for (size_t e = 0; e < whole.epochs.size(); ++e) {
    if (whole.epochs[e].validation_cost < best) best_epoch = e + 1;
    best = std::min(best, whole.epochs[e].validation_cost);
  }
  ASSERT_LT(whole.epochs.size(), 200u);
  EXPECT_EQ(whole.epochs.size(), best_epoch + 3);
  EXPECT_EQ(result->validation_cost, best);
  EXPECT_EQ(result->steps, static_cast<int64_t>(best_epoch) * 5);
  EXPECT_NE(whole.log.find("stopped early"), std::string::npos);

  // Interrupted after the best epoch: the best weights are in the checkpoint.
  Recorder first;
  first.cancel_at = static_cast<int64_t>(best_epoch) * 5 + 3;
  EXPECT_FALSE(Train("parts", yaml, first).ok());
  Recorder second;
  ASSERT_TRUE(Train("parts", yaml, second).ok());
  EXPECT_EQ(WeightsOf("parts"), WeightsOf("whole"));
}

TEST_F(TrainerTest, HalvesTheMicroBatchWhereMemoryDoesNotSuffice) {
  Recorder whole;
  ASSERT_TRUE(Train("whole", Yaml(kMethods[0]), whole).ok());
  most_instances_ = 3;
  Recorder halved;
  const auto result = Train("halved", Yaml(kMethods[0]), halved);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_NE(halved.log.find("step 1: out of memory; from here on 2 instances at once"),
            std::string::npos)
      << halved.log;
  EXPECT_EQ(WeightsOf("whole"), WeightsOf("halved"));
}

TEST_F(TrainerTest, StartsFromAGivenModel) {
  Recorder recorder;
  ASSERT_TRUE(Train("first", Yaml(kMethods[1]), recorder).ok());
  std::string yaml = Yaml(kMethods[1]);
  yaml.replace(yaml.find("epochs: 4"), 9,
               "epochs: 1, learning_rate: 1e-9, initial_model: " + ModelOf("first"));
  yaml.replace(yaml.find("learning_rate: 0.03, "), 21, "");
  Recorder second;
  const auto result = Train("second", yaml, second);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_NEAR(result->validation_cost, recorder.epochs.back().validation_cost, 1e-4);
  yaml.replace(yaml.find(ModelOf("first")), ModelOf("first").size(), "models/none/versions/3");
  EXPECT_EQ(Train("third", yaml, second).status().code(), absl::StatusCode::kNotFound);
  yaml += "model: gt\n";
  yaml.replace(yaml.find("models/none/versions/3"), 22, ModelOf("first"));
  EXPECT_EQ(Train("fourth", yaml, second).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(TrainerTest, TrainsOnAUsersOwnInstances) {
  std::string text;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    text += WriteJson(
        test::AnInstance().WithCustomers(static_cast<int32_t>(seed) + 3).Seed(seed).Build());
    text += "\n";
  }
  ASSERT_TRUE(AtomicWriteFile(root_ + "/own.jsonl", text).ok());
  for (const Method& method : {kMethods[0], kMethods[2], kMethods[3]}) {
    std::string yaml = Yaml(method);
    yaml.replace(yaml.find("customers: 6"), 12,
                 "demand_jitter: 0.2, instances: " + root_ + "/own.jsonl");
    Recorder recorder;
    const auto result = Train(method.name, yaml, recorder);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_NE(recorder.log.find("validation: 4 instances"), std::string::npos) << recorder.log;
  }
}

class DivergenceTest : public TrainerTest, public testing::WithParamInterface<Method> {};

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

INSTANTIATE_TEST_SUITE_P(Methods, DivergenceTest,
                         testing::Values(kMethods[0], kMethods[1], kMethods[4]),
                         [](const auto& param_info) { return param_info.param.name; });

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

TEST_P(KindTest, IsTrainedByAllMethods) {
  for (const Method& method : kMethods) {
    std::string yaml = Yaml(method);
    yaml.replace(yaml.find("cvrp"), 4, GetParam());
    Recorder recorder;
    const auto result = Train(method.name, yaml, recorder);
    EXPECT_TRUE(result.ok()) << result.status();
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, KindTest, testing::Values("vrptw", "tsp"));

TEST_F(TrainerTest, TrainsAMixtureOfEverything) {
  std::string yaml = Yaml(kMethods[2]);
  yaml.replace(yaml.find("kind: cvrp, customers: 6"), 24,
               "kinds: [cvrp, tsp, vrptw], customers: [3, 9], capacity: [20, 60], "
               "layouts: [uniform, clustered, x], open_routes: 0.3, distance_limit: 0.3, "
               "backhauls: 0.3");
  Recorder recorder;
  const auto result = Train("a", yaml, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(std::isfinite(recorder.epochs.back().validation_gap));
}

}  // namespace
}  // namespace vrp
