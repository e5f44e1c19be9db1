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

using test::ApplyChange;
using test::Change;
using test::kAccumulate;
using test::kLowerRate;
using test::kPointer;
using test::kPointerWithDropout;
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
    for (const Change& change : changes) yaml = ApplyChange(yaml, change);
    const size_t at = yaml.find("ROOT");
    return at == std::string::npos ? yaml : yaml.replace(at, 4, root);
  }
};
void PrintTo(const DeviceCase& device_case, std::ostream* out) { *out << device_case.method.name; }

constexpr char kPlainProblem[] = "kind: cvrp, customers: 6";
const Change kInstanceFile = {kPlainProblem, "kind: cvrp, instances: ROOT/own.jsonl"};
const Change kMatrices = {kPlainProblem, "kind: cvrp, instances: ROOT/matrices.jsonl"};
const Change kSeveralSizes = {kPlainProblem, "customers: [4, 8], kinds: [cvrp, tsp]"};
const Change kSeveralWidths = {kPlainProblem, "customers: [4, 60], kinds: [cvrp, tsp]"};
constexpr char kFullTeacherForcing[] = "teacher_forcing_end: 1";
constexpr char kPartialTeacherForcing[] = "teacher_forcing_end: 0.5";
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
    {{"Sizes", "reinforce", kSamplesMethod}, {kTinyRate, kSeveralSizes}},
    {{"Widths", "reinforce", kSamplesMethod}, {kTinyRate, kSeveralWidths}},
    {{"PointerWidths", "reinforce", kSamplesMethod}, {kTinyRate, kSeveralWidths}, kPointer},
    {{"SupervisedPointerWidths", "supervised", ""},
     {kTinyRate,
      {kPartialTeacherForcing, kFullTeacherForcing},
      {kPlainProblem, "customers: [4, 40]"}},
     kPointer},
    {{"PomoSizes", "reinforce", "reinforce: {baseline: pomo, starts: 5}\n"},
     {kTinyRate, kSeveralSizes}},
    {{"PomoAllStartsSizes", "reinforce", test::kMethods[2].more}, {kTinyRate, kSeveralSizes}},
    {{"OwnInstances", "reinforce", "reinforce: {baseline_instances: 20, warmup_epochs: 1}\n"},
     {kTinyRate, kInstanceFile}},
    {test::kMethods[3], {kTinyRate}},
    {{"SelfLabellingSizesInParts", "self_labelling", ""}, {kTinyRate, kSeveralSizes, kAccumulate}},
    {test::kMethods[4], {kTinyRate}},
    {{"SmoothedSupervisedSizesInParts", "supervised", ""},
     {kTinyRate,
      {kPlainProblem, "customers: [4, 8]"},
      {"heuristic_iterations: 0", "heuristic_iterations: 0, label_smoothing: 0.1"},
      kAccumulate}},
    {{"SupervisedLabelFile", "supervised", ""},
     {kTinyRate,
      {"samples: 40, heuristic_iterations: 0",
       "samples: 40, labels: file, label_file: ROOT/labels.jsonl"}}},
    {{"SelfLabellingPointer", "self_labelling", ""}, {kTinyRate}, kPointer},
    {{"Matrices", "reinforce", kSamplesMethod}, {kTinyRate, kMatrices}},
    {{"MatricesInParts", "reinforce", kSamplesMethod}, {kTinyRate, kMatrices, kAccumulate}},
    {{"Windows", "reinforce", kSamplesMethod},
     {kTinyRate, {kPlainProblem, "kind: vrptw, customers: 5"}}},
    {{"ReinforcePointer", "reinforce", test::kMethods[0].more}, {kLowerRate}, kPointer},
    {{"ReinforcePointerExponential", "reinforce", test::kMethods[1].more}, {kLowerRate}, kPointer},
    {{"ReinforcePointerPomo", "reinforce", test::kMethods[2].more}, {kLowerRate}, kPointer},
    {{"ReinforcePointerSamples", "reinforce", kSamplesMethod},
     {kLowerRate, {kPlainProblem, "customers: 7, kinds: [cvrp, tsp, vrptw]"}},
     kPointer},
    {{"Pointer", "supervised", ""},
     {kLowRate, {kPartialTeacherForcing, kFullTeacherForcing}},
     kPointer},
    {{"PointerOwnChoices", "supervised", ""}, {kLowRate}, kPointer},
    {{"PointerDropoutSmallerLastBatch", "supervised", ""},
     {kLowRate, {"samples: 40", "samples: 36"}},
     kPointerWithDropout},
    {{"SmoothedPointer", "supervised", ""},
     {kLowRate, {kPartialTeacherForcing, "label_smoothing: 0.1"}},
     kPointer},
    {{"PointerSizesAndKinds", "supervised", ""},
     {kLowRate, {kPlainProblem, "customers: [4, 7], kinds: [cvrp, tsp, vrptw]"}},
     kPointerWithDropout},
    {{"AveragedPointerLabelFile", "supervised", ""},
     {kLowRate,
      kAveraged,
      {"samples: 40, heuristic_iterations: 0",
       "samples: 40, labels: file, label_file: ROOT/labels.jsonl"}},
     kPointerWithDropout},
    {{"GreedyRolloutInParts", "reinforce", test::kMethods[0].more}, {kTinyRate, kAccumulate}},
    {{"ExponentialInParts", "reinforce", test::kMethods[1].more}, {kTinyRate, kAccumulate}},
    {{"PomoInParts", "reinforce", test::kMethods[2].more}, {kTinyRate, kAccumulate}},
    {{"AveragedInParts", "reinforce", kSamplesMethod}, {kTinyRate, kAveraged, kAccumulate}},
    {{"OwnInstancesInParts", "reinforce", "reinforce: {baseline: exponential}\n"},
     {kTinyRate, kInstanceFile, kAccumulate}},
    {{"ReinforcePointerInParts", "reinforce", test::kMethods[1].more},
     {kLowerRate, kAccumulate},
     kPointer},
    {{"PointerEmptyPartsInLastBatch", "supervised", ""},
     {kLowerRate, kAccumulate, {"samples: 40", "samples: 34"}},
     kPointerWithDropout},
};

TEST_F(TrainingDeviceFixture, TrainsTheSameOnTheDevicesThread) {
  const std::string yaml = TransformerYaml(test::kMethods[0]);
  Recorder own_thread;
  Recorder device_thread;
  for (const bool captured : {false, true}) {
    executor_ = nullptr;
    ASSERT_TRUE(TrainWithEngines(captured, "own_thread", yaml, own_thread).ok());
    executor_ = MakeThreadedExecutor(nullptr);
    const auto owned = TrainWithEngines(captured, "device_thread", yaml, device_thread);
    ASSERT_TRUE(owned.ok()) << owned.status();
    EXPECT_LT(Difference("own_thread", "device_thread"), 1e-6);
  }
  EXPECT_NE(device_thread.log.find("steps: captured"), std::string::npos) << device_thread.log;
}

class TrainingDeviceTest : public TrainingDeviceFixture,
                           public testing::WithParamInterface<DeviceCase> {};

TEST_P(TrainingDeviceTest, TrainsTheSameAsTheHost) {
  const std::string yaml = GetParam().Yaml(root_);
  Recorder host;
  Recorder device;
  const auto expected = TrainWithEngines(false, "host", yaml, host);
  const auto actual = TrainWithEngines(true, "device", yaml, device);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(actual.ok()) << actual.status();
  EXPECT_EQ(host.log.find("steps: captured"), std::string::npos) << host.log;
  EXPECT_NE(device.log.find("steps: captured"), std::string::npos) << device.log;
  EXPECT_EQ(device.log.find("on the host from here on"), std::string::npos) << device.log;
  ASSERT_EQ(device.steps.size(), 20);
  ASSERT_EQ(host.steps.size(), 20);
  for (size_t i = 0; i < 20; ++i) {
    SCOPED_TRACE(i + 1);
    EXPECT_EQ(device.steps[i].step, host.steps[i].step);
    EXPECT_EQ(device.steps[i].epoch, host.steps[i].epoch);
    EXPECT_EQ(device.steps[i].instances_seen, host.steps[i].instances_seen);
    EXPECT_EQ(device.steps[i].learning_rate, host.steps[i].learning_rate);
    EXPECT_NEAR(device.steps[i].train_cost, host.steps[i].train_cost, 1e-9);
    EXPECT_NEAR(device.steps[i].loss, host.steps[i].loss, 1e-5);
    EXPECT_NEAR(device.steps[i].gradient_norm, host.steps[i].gradient_norm,
                1e-4 * host.steps[i].gradient_norm);
    EXPECT_LT(device.steps[i].pass_difference, 1e-5);
    const double accuracy = host.steps[i].accuracy;
    EXPECT_EQ(std::isnan(device.steps[i].accuracy), std::isnan(accuracy));
    if (!std::isnan(accuracy)) {
      EXPECT_NEAR(device.steps[i].accuracy, accuracy, 1e-12);
    }
  }
  EXPECT_EQ(device.checkpoints, host.checkpoints);
  EXPECT_EQ(actual->steps, expected->steps) << "both must choose the same validation";
  EXPECT_NEAR(actual->validation_cost, expected->validation_cost, 1e-6);
  EXPECT_LT(Difference("host", "device"), 1e-5);
}

TEST_P(TrainingDeviceTest, GivesTheSameBitsAfterAnInterruption) {
  const std::string yaml = GetParam().Yaml(root_);
  Recorder reference;
  ASSERT_TRUE(TrainWithEngines(true, "reference", yaml, reference).ok());
  Recorder first;
  first.cancel_at = 8;
  EXPECT_EQ(TrainWithEngines(true, "interrupted", yaml, first).status().code(),
            absl::StatusCode::kCancelled);
  Recorder second;
  const auto result = TrainWithEngines(true, "interrupted", yaml, second);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GT(second.steps.front().step, 8);
  EXPECT_EQ(WeightsOf("reference"), WeightsOf("interrupted"));
}

INSTANTIATE_TEST_SUITE_P(Methods, TrainingDeviceTest, testing::ValuesIn(kDeviceCases),
                         [](const auto& device_case) { return device_case.param.method.name; });

using TrainingDeviceChoiceTest = TrainingDeviceFixture;

TEST_F(TrainingDeviceChoiceTest, DrawsTheSameInstancesOnTheDeviceAsOnTheHost) {
  const DeviceCase drawn_case = {
      test::kMethods[1], {{kPlainProblem, "customers: 7, kinds: [cvrp, tsp], capacity: [20, 40]"}}};
  DeviceCase copied_case = drawn_case;
  // Backhauls are too rare to occur, so the instances are the same. But the device cannot draw
  // instances with backhauls.
  copied_case.changes.emplace_back("customers: 7", "customers: 7, backhauls: 1.0e-300");
  Recorder drawn;
  Recorder copied;
  ASSERT_TRUE(TrainWithEngines(true, "drawn", drawn_case.Yaml(), drawn).ok());
  ASSERT_TRUE(TrainWithEngines(true, "copied", copied_case.Yaml(), copied).ok());
  EXPECT_NE(drawn.log.find("instances: drawn on the device\n"), std::string::npos) << drawn.log;
  EXPECT_NE(copied.log.find("instances: drawn on the host: backhauls: above 0\n"),
            std::string::npos)
      << copied.log;
  EXPECT_EQ(WeightsOf("drawn"), WeightsOf("copied"));
  const auto data_seconds = [](const Recorder& recorder) {
    return recorder.steps.back().totals.phase_seconds[static_cast<size_t>(Phase::kData)];
  };
  EXPECT_EQ(data_seconds(drawn), 0);
  EXPECT_GT(data_seconds(copied), 0);
}

TEST_F(TrainingDeviceChoiceTest, CapturesOnceAndReplays) {
  Recorder recorder;
  ASSERT_TRUE(TrainWithEngines(true, "a", TransformerYaml(test::kMethods[2]), recorder).ok());
  EXPECT_EQ(counts_.captures, 1);
  EXPECT_EQ(counts_.replays, 19);  // the first step ran without a graph
}

TEST_F(TrainingDeviceChoiceTest, CopiesInstancesForANetworkWithANodeOrder) {
  Recorder recorder;
  ASSERT_TRUE(TrainWithEngines(true, "a", test::Yaml(test::kMethods[1], kPointer), recorder).ok());
  EXPECT_NE(recorder.log.find("on the host: the network reads nodes in a particular order\n"),
            std::string::npos)
      << recorder.log;
  EXPECT_EQ(counts_.replays, 19);
}

TEST_F(TrainingDeviceChoiceTest, CapturesAgainIfTheBaselineChanges) {
  Recorder recorder;
  ASSERT_TRUE(TrainWithEngines(true, "a", TransformerYaml(test::kMethods[0]), recorder).ok());
  EXPECT_EQ(counts_.captures, 2);
  EXPECT_EQ(counts_.replays, 18);
}

TEST_F(TrainingDeviceChoiceTest, CapturesAgainOnceTheDecoderReadsItsOwnChoices) {
  Recorder recorder;
  ASSERT_TRUE(TrainWithEngines(true, "a", test::Yaml(test::kMethods[4], kPointer), recorder).ok());
  EXPECT_EQ(counts_.captures, 2);
  EXPECT_EQ(counts_.replays, 18);
}

TEST_F(TrainingDeviceChoiceTest, TakesAsManyPartsAsAreAccumulated) {
  Recorder recorder;
  ASSERT_TRUE(TrainWithEngines(
                  true, "a", ApplyChange(TransformerYaml(test::kMethods[2]), kAccumulate), recorder)
                  .ok());
  EXPECT_NE(recorder.log.find("steps: captured on the device in 3 parts, reported every 16\n"),
            std::string::npos)
      << recorder.log;
  EXPECT_EQ(counts_.captures, 1);
  EXPECT_EQ(counts_.replays, 19);
}

}  // namespace
}  // namespace vrp
