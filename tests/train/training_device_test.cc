// Compares captured steps on a fake stream on the CPU with the same steps on the host. Both have
// the same instances, tours and baselines.
#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/device/executor.h"
#include "gtest/gtest.h"
#include "tests/train/training_device_fixture.h"

namespace vrp {
namespace {

using test::Change;
using test::Changed;
using test::kDroppingPointer;
using test::kInParts;
using test::kLowerRate;
using test::kPointer;
using test::kTransformer;
using test::Method;
using test::Recorder;
using test::TrainingDeviceFixture;
using test::TransformerYaml;

struct DeviceCase {
  Method method;
  std::vector<Change> changes = {};
  const char* model = kTransformer;

  // Returns the configuration with the files of the folder `root`.
  std::string Yaml(const std::string& root = "") const {
    std::string yaml = test::Yaml(method, model);
    for (const Change& change : changes) yaml = Changed(yaml, change);
    const size_t at = yaml.find("ROOT");
    return at == std::string::npos ? yaml : yaml.replace(at, 4, root);
  }
};
void PrintTo(const DeviceCase& one, std::ostream* out) { *out << one.method.name; }

constexpr char kPlainProblem[] = "kind: cvrp, customers: 6";
const Change kOwn = {kPlainProblem, "kind: cvrp, instances: ROOT/own.jsonl"};
const Change kMatrices = {kPlainProblem, "kind: cvrp, instances: ROOT/matrices.jsonl"};
const Change kSizes = {kPlainProblem, "customers: [4, 8], kinds: [cvrp, tsp]"};
const Change kWidths = {kPlainProblem, "customers: [4, 60], kinds: [cvrp, tsp]"};
constexpr char kForced[] = "teacher_forcing_end: 1";
constexpr char kMixed[] = "teacher_forcing_end: 0.5";
// At the higher rate the training of a pointer network is unstable and amplifies rounding.
const Change kLowRate = {"learning_rate: 0.03", "learning_rate: 0.003"};
// Padding rounds differently, and Adam makes full updates of gradients that are only rounding. At
// this rate the weights hardly change, so that each step is compared separately.
const Change kTinyRate = {"learning_rate: 0.03", "learning_rate: 0.0000001"};
const Change kAveraged = {"batch_size: 8", "batch_size: 8, weight_average: 0.8"};
constexpr char kSamplesMethod[] = "reinforce: {baseline: samples, samples: 3}\n";
const DeviceCase kDeviceCases[] = {
    {test::kMethods[0]},
    {test::kMethods[1]},
    {test::kMethods[2]},
    {{"Samples", "reinforce", kSamplesMethod}},
    {{"Averaged", "reinforce", kSamplesMethod}, {kAveraged}},
    {{"GradientCheckpointing", "reinforce", kSamplesMethod},
     {kTinyRate, {"batch_size: 8", "batch_size: 8, gradient_checkpointing: true"}}},
    {{"Mixture", "reinforce", kSamplesMethod},
     {{kPlainProblem,
       "customers: 7, kinds: [cvrp, tsp], layouts: [uniform, clustered, x], open_routes: 0.3, "
       "distance_limit: 0.3, backhauls: 0.3"}}},
    {{"TwoKinds", "reinforce", kSamplesMethod},
     {{kPlainProblem, "customers: 7, kinds: [tsp, cvrp], capacity: [20, 40]"}}},
    {{"Sizes", "reinforce", kSamplesMethod}, {kTinyRate, kSizes}},
    {{"Widths", "reinforce", kSamplesMethod}, {kTinyRate, kWidths}},
    {{"PointerWidths", "reinforce", kSamplesMethod}, {kTinyRate, kWidths}, kPointer},
    {{"SupervisedPointerWidths", "supervised", ""},
     {kTinyRate, {kMixed, kForced}, {kPlainProblem, "customers: [4, 40]"}},
     kPointer},
    {{"PomoSizes", "reinforce", "reinforce: {baseline: pomo, starts: 5}\n"}, {kTinyRate, kSizes}},
    {{"PomoAllStartsSizes", "reinforce", test::kMethods[2].more}, {kTinyRate, kSizes}},
    {{"OwnInstances", "reinforce", "reinforce: {baseline_instances: 20, warmup_epochs: 1}\n"},
     {kTinyRate, kOwn}},
    {test::kMethods[3], {kTinyRate}},
    {{"SelfLabellingSizesInParts", "self_labelling", ""}, {kTinyRate, kSizes, kInParts}},
    {test::kMethods[4], {kTinyRate}},
    {{"SmoothedSupervisedSizesInParts", "supervised", ""},
     {kTinyRate,
      {kPlainProblem, "customers: [4, 8]"},
      {"heuristic_iterations: 0", "heuristic_iterations: 0, label_smoothing: 0.1"},
      kInParts}},
    {{"SupervisedLabelFile", "supervised", ""},
     {kTinyRate,
      {"samples: 40, heuristic_iterations: 0",
       "samples: 40, labels: file, label_file: ROOT/labels.jsonl"}}},
    {{"SelfLabellingPointer", "self_labelling", ""}, {kTinyRate}, kPointer},
    {{"Matrices", "reinforce", kSamplesMethod}, {kTinyRate, kMatrices}},
    {{"MatricesInParts", "reinforce", kSamplesMethod}, {kTinyRate, kMatrices, kInParts}},
    {{"Windows", "reinforce", kSamplesMethod},
     {kTinyRate, {kPlainProblem, "kind: vrptw, customers: 5"}}},
    {{"ReinforcePointer", "reinforce", test::kMethods[0].more}, {kLowerRate}, kPointer},
    {{"ReinforcePointerExponential", "reinforce", test::kMethods[1].more}, {kLowerRate}, kPointer},
    {{"ReinforcePointerPomo", "reinforce", test::kMethods[2].more}, {kLowerRate}, kPointer},
    {{"ReinforcePointerSamples", "reinforce", kSamplesMethod},
     {kLowerRate, {kPlainProblem, "customers: 7, kinds: [cvrp, tsp, vrptw]"}},
     kPointer},
    {{"Pointer", "supervised", ""}, {kLowRate, {kMixed, kForced}}, kPointer},
    {{"PointerOwnChoices", "supervised", ""}, {kLowRate}, kPointer},
    {{"PointerDropoutSmallerLastBatch", "supervised", ""},
     {kLowRate, {"samples: 40", "samples: 36"}},
     kDroppingPointer},
    {{"SmoothedPointer", "supervised", ""}, {kLowRate, {kMixed, "label_smoothing: 0.1"}}, kPointer},
    {{"PointerSizesAndKinds", "supervised", ""},
     {kLowRate, {kPlainProblem, "customers: [4, 7], kinds: [cvrp, tsp, vrptw]"}},
     kDroppingPointer},
    {{"AveragedPointerLabelFile", "supervised", ""},
     {kLowRate,
      kAveraged,
      {"samples: 40, heuristic_iterations: 0",
       "samples: 40, labels: file, label_file: ROOT/labels.jsonl"}},
     kDroppingPointer},
    {{"GreedyRolloutInParts", "reinforce", test::kMethods[0].more}, {kTinyRate, kInParts}},
    {{"ExponentialInParts", "reinforce", test::kMethods[1].more}, {kTinyRate, kInParts}},
    {{"PomoInParts", "reinforce", test::kMethods[2].more}, {kTinyRate, kInParts}},
    {{"AveragedInParts", "reinforce", kSamplesMethod}, {kTinyRate, kAveraged, kInParts}},
    {{"OwnInstancesInParts", "reinforce", "reinforce: {baseline: exponential}\n"},
     {kTinyRate, kOwn, kInParts}},
    {{"ReinforcePointerInParts", "reinforce", test::kMethods[1].more},
     {kLowerRate, kInParts},
     kPointer},
    {{"PointerEmptyPartsInLastBatch", "supervised", ""},
     {kLowerRate, kInParts, {"samples: 40", "samples: 34"}},
     kDroppingPointer},
};

TEST_F(TrainingDeviceFixture, TrainsTheSameOnTheDevicesThread) {
  const std::string yaml = TransformerYaml(test::kMethods[0]);
  Recorder here;
  Recorder there;
  for (const bool captured : {false, true}) {
    executor_ = nullptr;
    ASSERT_TRUE(TrainOn(captured, "here", yaml, here).ok());
    executor_ = MakeThreadedExecutor(nullptr);
    const auto owned = TrainOn(captured, "there", yaml, there);
    ASSERT_TRUE(owned.ok()) << owned.status();
    EXPECT_LT(Difference("here", "there"), 1e-6);
  }
  EXPECT_NE(there.log.find("steps: captured"), std::string::npos) << there.log;
}

class TrainingDeviceTest : public TrainingDeviceFixture,
                           public testing::WithParamInterface<DeviceCase> {};

TEST_P(TrainingDeviceTest, TrainsTheSameAsTheHost) {
  const std::string yaml = GetParam().Yaml(root_);
  Recorder parts;
  Recorder whole;
  const auto expected = TrainOn(false, "parts", yaml, parts);
  const auto actual = TrainOn(true, "whole", yaml, whole);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(actual.ok()) << actual.status();
  EXPECT_EQ(parts.log.find("steps: captured"), std::string::npos) << parts.log;
  EXPECT_NE(whole.log.find("steps: captured"), std::string::npos) << whole.log;
  EXPECT_EQ(whole.log.find("on the host from here on"), std::string::npos) << whole.log;
  ASSERT_EQ(whole.steps.size(), 20);
  ASSERT_EQ(parts.steps.size(), 20);
  for (size_t i = 0; i < 20; ++i) {
    SCOPED_TRACE(i + 1);
    EXPECT_EQ(whole.steps[i].step, parts.steps[i].step);
    EXPECT_EQ(whole.steps[i].epoch, parts.steps[i].epoch);
    EXPECT_EQ(whole.steps[i].instances_seen, parts.steps[i].instances_seen);
    EXPECT_EQ(whole.steps[i].learning_rate, parts.steps[i].learning_rate);
    EXPECT_NEAR(whole.steps[i].train_cost, parts.steps[i].train_cost, 1e-9);
    EXPECT_NEAR(whole.steps[i].loss, parts.steps[i].loss, 1e-5);
    EXPECT_NEAR(whole.steps[i].gradient_norm, parts.steps[i].gradient_norm,
                1e-4 * parts.steps[i].gradient_norm);
    EXPECT_LT(whole.steps[i].pass_difference, 1e-5);
    const double accuracy = parts.steps[i].accuracy;
    EXPECT_EQ(std::isnan(whole.steps[i].accuracy), std::isnan(accuracy));
    if (!std::isnan(accuracy)) {
      EXPECT_NEAR(whole.steps[i].accuracy, accuracy, 1e-12);
    }
  }
  EXPECT_EQ(whole.checkpoints, parts.checkpoints);
  EXPECT_EQ(actual->steps, expected->steps) << "the same validation is the best";
  EXPECT_NEAR(actual->validation_cost, expected->validation_cost, 1e-6);
  EXPECT_LT(Difference("parts", "whole"), 1e-5);
}

TEST_P(TrainingDeviceTest, GivesTheSameBitsAfterAnInterruption) {
  const std::string yaml = GetParam().Yaml(root_);
  Recorder whole;
  ASSERT_TRUE(TrainOn(true, "whole", yaml, whole).ok());
  Recorder first;
  first.cancel_at = 8;
  EXPECT_EQ(TrainOn(true, "cut", yaml, first).status().code(), absl::StatusCode::kCancelled);
  Recorder second;
  const auto result = TrainOn(true, "cut", yaml, second);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GT(second.steps.front().step, 8);
  EXPECT_EQ(WeightsOf("whole"), WeightsOf("cut"));
}

INSTANTIATE_TEST_SUITE_P(Methods, TrainingDeviceTest, testing::ValuesIn(kDeviceCases),
                         [](const auto& one) { return one.param.method.name; });

using TrainingDeviceChoiceTest = TrainingDeviceFixture;

TEST_F(TrainingDeviceChoiceTest, DrawsTheHostsInstancesOnTheDevice) {
  const DeviceCase drawing = {
      test::kMethods[1], {{kPlainProblem, "customers: 7, kinds: [cvrp, tsp], capacity: [20, 40]"}}};
  DeviceCase moving = drawing;
  // The attribute is too rare to occur, so the instances are the same. But the device cannot draw
  // it.
  moving.changes.emplace_back("customers: 7", "customers: 7, backhauls: 1.0e-300");
  Recorder drawn;
  Recorder moved;
  ASSERT_TRUE(TrainOn(true, "drawn", drawing.Yaml(), drawn).ok());
  ASSERT_TRUE(TrainOn(true, "moved", moving.Yaml(), moved).ok());
  EXPECT_NE(drawn.log.find("instances: drawn on the device\n"), std::string::npos) << drawn.log;
  EXPECT_NE(moved.log.find("instances: drawn on the host: backhauls: above 0\n"), std::string::npos)
      << moved.log;
  EXPECT_EQ(WeightsOf("drawn"), WeightsOf("moved"));
  const auto data_seconds = [](const Recorder& recorder) {
    return recorder.steps.back().totals.phase_seconds[static_cast<size_t>(Phase::kData)];
  };
  EXPECT_EQ(data_seconds(drawn), 0);
  EXPECT_GT(data_seconds(moved), 0);
}

TEST_F(TrainingDeviceChoiceTest, CapturesOnceAndReplays) {
  Recorder recorder;
  ASSERT_TRUE(TrainOn(true, "a", TransformerYaml(test::kMethods[2]), recorder).ok());
  EXPECT_EQ(counts_.captures, 1);
  EXPECT_EQ(counts_.replays, 19);  // the first step ran without a graph
}

TEST_F(TrainingDeviceChoiceTest, CopiesInstancesForANetworkWithANodeOrder) {
  Recorder recorder;
  ASSERT_TRUE(TrainOn(true, "a", test::Yaml(test::kMethods[1], kPointer), recorder).ok());
  EXPECT_NE(recorder.log.find("on the host: the network reads nodes in a particular order\n"),
            std::string::npos)
      << recorder.log;
  EXPECT_EQ(counts_.replays, 19);
}

TEST_F(TrainingDeviceChoiceTest, CapturesAgainIfTheBaselineChanges) {
  Recorder recorder;
  ASSERT_TRUE(TrainOn(true, "a", TransformerYaml(test::kMethods[0]), recorder).ok());
  EXPECT_EQ(counts_.captures, 2);
  EXPECT_EQ(counts_.replays, 18);
}

TEST_F(TrainingDeviceChoiceTest, CapturesAgainOnceTheDecoderReadsItsOwnChoices) {
  Recorder recorder;
  ASSERT_TRUE(TrainOn(true, "a", test::Yaml(test::kMethods[4], kPointer), recorder).ok());
  EXPECT_EQ(counts_.captures, 2);
  EXPECT_EQ(counts_.replays, 18);
}

TEST_F(TrainingDeviceChoiceTest, TakesAsManyPartsAsAreAccumulated) {
  Recorder recorder;
  ASSERT_TRUE(
      TrainOn(true, "a", Changed(TransformerYaml(test::kMethods[2]), kInParts), recorder).ok());
  EXPECT_NE(recorder.log.find("steps: captured on the device in 3 parts, reported every 16\n"),
            std::string::npos)
      << recorder.log;
  EXPECT_EQ(counts_.captures, 1);
  EXPECT_EQ(counts_.replays, 19);
}

}  // namespace
}  // namespace vrp
