// Whole steps on a device, which a fake stream on the CPU stands for, beside the same training step
// by step: the same instances, tours and baselines.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/functional/function_ref.h"
#include "core/device/executor.h"
#include "core/model/owned_engine.h"
#include "core/model/safetensors.h"
#include "core/model/torch_engines.h"
#include "core/train/checkpoint.h"
#include "gtest/gtest.h"
#include "tests/model/torch_memory.h"
#include "tests/model/torch_step_stream.h"
#include "tests/testing/instance_builder.h"
#include "tests/train/label_line.h"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

using test::Method;
using test::Recorder;

constexpr char kTransformer[] =
    "model: gt\n"
    "graph_transformer: {hidden: 32, heads: 4, feed_forward: 48, layers: 2, edge_bias: true}\n";
constexpr char kPointer[] = "model: ptrnet\nnetwork: {hidden: 32, layers: 2, dropout: 0}\n";
constexpr char kDroppingPointer[] =
    "model: ptrnet\nnetwork: {hidden: 32, layers: 2, dropout: 0.2}\n";

std::string TransformerYaml(const Method& method) { return test::Yaml(method, kTransformer); }

// Own instances and labels of several sizes: 36 each, so that an epoch's last batch is smaller.
std::string Lines(bool labels) {
  std::string text;
  for (uint64_t seed = 1; seed <= 36; ++seed) {
    const bool cities = seed % 5 == 0;
    const Instance instance = test::AnInstance()
                                  .Kind(cities ? ProblemKind::kTsp : ProblemKind::kCvrp)
                                  .WithCustomers(3 + static_cast<int32_t>(seed) % 4)
                                  .Seed(seed)
                                  .Build();
    text += labels ? test::LabelLine(instance) : WriteJson(instance) + "\n";
  }
  return text;
}

// Own instances, of which some are given by their matrix alone.
std::string MatrixLines() {
  std::string text;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    test::InstanceBuilder builder = test::AnInstance();
    builder.WithCustomers(3 + static_cast<int32_t>(seed) % 4).RandomDemands().Seed(seed);
    if (seed % 3 != 0) builder.ExplicitMatrix(0.4);
    text += WriteJson(builder.Build()) + "\n";
  }
  return text;
}

// How much memory there is for a step's work, and how much one has taken at most.
struct StepMemory {
  int64_t limit = std::numeric_limits<int64_t>::max();
  int64_t peak = 0;

  absl::Status Do(absl::FunctionRef<absl::Status()> work) {
    const test::WorkMemory memory(limit);
    const absl::Cleanup note = [&] { peak = std::max(peak, memory.peak()); };
    return work();
  }
};

// A stream of a device with so much.
class BoundedStream final : public StepStream {
 public:
  // `memory` outlives it.
  BoundedStream(std::unique_ptr<StepStream> stream, StepMemory* memory)
      : stream_(std::move(stream)), memory_(memory) {}

  absl::Status Run(absl::FunctionRef<absl::Status()> work) override {
    return stream_->Run([&] { return memory_->Do(work); });
  }
  absl::StatusOr<std::unique_ptr<StepGraph>> Capture(std::function<absl::Status()> work) override {
    return stream_->Capture(
        [memory = memory_, work = std::move(work)] { return memory->Do(work); });
  }
  absl::Status DoWhereAny(const StepFlags& flags, absl::FunctionRef<absl::Status()> part) override {
    return stream_->DoWhereAny(flags, part);
  }
  absl::StatusOr<std::unique_ptr<StepCopy>> CopyAside(void* to, const void* from,
                                                      int64_t bytes) override {
    return stream_->CopyAside(to, from, bytes);
  }
  absl::Status Wait() override { return stream_->Wait(); }

 private:
  const std::unique_ptr<StepStream> stream_;
  StepMemory* const memory_;
};

class TrainingDeviceFixture : public test::TrainerFixture {
 protected:
  TrainingDeviceFixture() {
    EXPECT_TRUE(AtomicWriteFile(root_ + "/own.jsonl", Lines(false)).ok());
    EXPECT_TRUE(AtomicWriteFile(root_ + "/labels.jsonl", Lines(true)).ok());
    EXPECT_TRUE(AtomicWriteFile(root_ + "/matrices.jsonl", MatrixLines()).ok());
  }

  // LibTorch's engines on the CPU, with or without a stream for whole steps.
  void UseEngines(bool whole_steps) {
    engines_ = [this, whole_steps](const TrainingConfig& config, DeviceId, EngineOptions options) {
      if (whole_steps) options.step_stream = [this] { return MakeStream(); };
      const TorchEngineRequest request = {.device = {}, .seed = config.seed, .options = options};
      absl::StatusOr<std::unique_ptr<PolicyEngine>> engine =
          config.model == "gt" ? MakeTorchGraphTransformerEngine(config.graph_transformer, request)
                               : MakeTorchPointerEngine(config.network, request);
      if (executor_ == nullptr || !engine.ok()) return engine;
      return absl::StatusOr<std::unique_ptr<PolicyEngine>>(
          MakeOwnedEngine(*std::move(engine), *executor_, Priority::kTraining));
    };
  }
  std::unique_ptr<StepStream> MakeStream() {
    const bool refuses = refused_graphs_ > 0;
    if (refuses) --refused_graphs_;
    return std::make_unique<BoundedStream>(
        test::TorchStepStream(
            {.counts = &counts_, .capture_status = refuses ? capture_status_ : absl::OkStatus()}),
        &memory_);
  }

  absl::StatusOr<TrainingResult> TrainOn(bool whole_steps, const std::string& name,
                                         const std::string& yaml, Recorder& recorder) {
    UseEngines(whole_steps);
    return Train(name, yaml, recorder);
  }

  // Largest difference of a weight between two models.
  double Difference(const std::string& a, const std::string& b) const {
    const std::string texts[] = {WeightsOf(a), WeightsOf(b)};
    const auto one = SafetensorsFile::Parse(texts[0], a);
    const auto two = SafetensorsFile::Parse(texts[1], b);
    EXPECT_TRUE(one.ok() && two.ok());
    double largest = 0;
    for (const TensorView& tensor : one->tensors()) {
      const TensorView* const other = two->Find(tensor.name);
      const auto* const x = reinterpret_cast<const float*>(tensor.data.data());
      const auto* const y = reinterpret_cast<const float*>(other->data.data());
      for (size_t i = 0; i < tensor.data.size() / sizeof(float); ++i) {
        largest = std::max(largest, std::abs(double{x[i]} - y[i]));
      }
    }
    return largest;
  }

  test::StepStreamCounts counts_;
  absl::Status capture_status_ = absl::ResourceExhaustedError("no memory for a graph");
  int refused_graphs_ = 0;  // so many streams' captures end like that
  StepMemory memory_;
  std::unique_ptr<DeviceExecutor> executor_;  // null: the training's own thread
};

using Change = std::pair<const char*, const char*>;  // from, to

std::string Changed(std::string yaml, const Change& change) {
  const size_t at = yaml.find(change.first);
  EXPECT_NE(at, std::string::npos) << change.first;
  return yaml.replace(at, std::string(change.first).size(), change.second);
}

struct DeviceCase {
  Method method;
  std::vector<Change> changes = {};
  const char* model = kTransformer;

  // With what lies in the folder `root`.
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
// At the others' rate a pointer network's training is wild, and roundings grow with it.
const Change kSlowly = {"learning_rate: 0.03", "learning_rate: 0.003"};
const Change kSlower = {"learning_rate: 0.03", "learning_rate: 0.001"};
// Padding rounds in another way, and Adam makes whole updates of gradients that are only roundings.
// At this rate weights hardly move, so that each step is compared by itself.
const Change kHardly = {"learning_rate: 0.03", "learning_rate: 0.0000001"};
const Change kInParts = {"batch_size: 8", "batch_size: 8, accumulate_steps: 3"};
const Change kAveraged = {"batch_size: 8", "batch_size: 8, weight_average: 0.8"};
constexpr char kSamplesMethod[] = "reinforce: {baseline: samples, samples: 3}\n";
const DeviceCase kDeviceCases[] = {
    {test::kMethods[0]},
    {test::kMethods[1]},
    {test::kMethods[2]},
    {{"Samples", "reinforce", kSamplesMethod}},
    {{"Averaged", "reinforce", kSamplesMethod}, {kAveraged}},
    {{"ComputedAgain", "reinforce", kSamplesMethod},
     {kHardly, {"batch_size: 8", "batch_size: 8, gradient_checkpointing: true"}}},
    {{"Mixture", "reinforce", kSamplesMethod},
     {{kPlainProblem,
       "customers: 7, kinds: [cvrp, tsp], layouts: [uniform, clustered, x], open_routes: 0.3, "
       "distance_limit: 0.3, backhauls: 0.3"}}},
    {{"TwoKinds", "reinforce", kSamplesMethod},
     {{kPlainProblem, "customers: 7, kinds: [tsp, cvrp], capacity: [20, 40]"}}},
    {{"Sizes", "reinforce", kSamplesMethod}, {kHardly, kSizes}},
    {{"Widths", "reinforce", kSamplesMethod}, {kHardly, kWidths}},
    {{"PointerOfWidths", "reinforce", kSamplesMethod}, {kHardly, kWidths}, kPointer},
    {{"SupervisedOfWidths", "supervised", ""},
     {kHardly, {kMixed, kForced}, {kPlainProblem, "customers: [4, 40]"}},
     kPointer},
    {{"PomoOfSizes", "reinforce", "reinforce: {baseline: pomo, starts: 5}\n"}, {kHardly, kSizes}},
    {{"PomoOfAllStartsOfSizes", "reinforce", test::kMethods[2].more}, {kHardly, kSizes}},
    {{"OwnInstances", "reinforce", "reinforce: {baseline_instances: 20, warmup_epochs: 1}\n"},
     {kHardly, kOwn}},
    {test::kMethods[3], {kHardly}},
    {{"SelfLabellingOfSizesInParts", "self_labelling", ""}, {kHardly, kSizes, kInParts}},
    {test::kMethods[4], {kHardly}},
    {{"SmoothedSupervisedOfSizesInParts", "supervised", ""},
     {kHardly,
      {kPlainProblem, "customers: [4, 8]"},
      {"heuristic_iterations: 0", "heuristic_iterations: 0, label_smoothing: 0.1"},
      kInParts}},
    {{"SupervisedByALabelFile", "supervised", ""},
     {kHardly,
      {"samples: 40, heuristic_iterations: 0",
       "samples: 40, labels: file, label_file: ROOT/labels.jsonl"}}},
    {{"SelfLabellingPointer", "self_labelling", ""}, {kHardly}, kPointer},
    {{"Matrices", "reinforce", kSamplesMethod}, {kHardly, kMatrices}},
    {{"MatricesInParts", "reinforce", kSamplesMethod}, {kHardly, kMatrices, kInParts}},
    {{"Windows", "reinforce", kSamplesMethod},
     {kHardly, {kPlainProblem, "kind: vrptw, customers: 5"}}},
    {{"RolledPointer", "reinforce", test::kMethods[0].more}, {kSlower}, kPointer},
    {{"RolledPointerWithAnAverage", "reinforce", test::kMethods[1].more}, {kSlower}, kPointer},
    {{"RolledPointerWithStarts", "reinforce", test::kMethods[2].more}, {kSlower}, kPointer},
    {{"RolledPointerWithSamples", "reinforce", kSamplesMethod},
     {kSlower, {kPlainProblem, "customers: 7, kinds: [cvrp, tsp, vrptw]"}},
     kPointer},
    {{"Pointer", "supervised", ""}, {kSlowly, {kMixed, kForced}}, kPointer},
    {{"PointerWithOwnChoices", "supervised", ""}, {kSlowly}, kPointer},
    {{"PointerWithDropoutAndALastBatchThatIsSmaller", "supervised", ""},
     {kSlowly, {"samples: 40", "samples: 36"}},
     kDroppingPointer},
    {{"SmoothedPointer", "supervised", ""}, {kSlowly, {kMixed, "label_smoothing: 0.1"}}, kPointer},
    {{"PointerOfSizesAndKinds", "supervised", ""},
     {kSlowly, {kPlainProblem, "customers: [4, 7], kinds: [cvrp, tsp, vrptw]"}},
     kDroppingPointer},
    {{"AveragedPointerByALabelFile", "supervised", ""},
     {kSlowly,
      kAveraged,
      {"samples: 40, heuristic_iterations: 0",
       "samples: 40, labels: file, label_file: ROOT/labels.jsonl"}},
     kDroppingPointer},
    {{"GreedyRolloutInParts", "reinforce", test::kMethods[0].more}, {kHardly, kInParts}},
    {{"ExponentialInParts", "reinforce", test::kMethods[1].more}, {kHardly, kInParts}},
    {{"PomoInParts", "reinforce", test::kMethods[2].more}, {kHardly, kInParts}},
    {{"AveragedInParts", "reinforce", kSamplesMethod}, {kHardly, kAveraged, kInParts}},
    {{"OwnInstancesInParts", "reinforce", "reinforce: {baseline: exponential}\n"},
     {kHardly, kOwn, kInParts}},
    {{"RolledPointerInParts", "reinforce", test::kMethods[1].more}, {kSlower, kInParts}, kPointer},
    {{"PointerInPartsOfWhichTheLastBatchLeavesSomeEmpty", "supervised", ""},
     {kSlower, kInParts, {"samples: 40", "samples: 34"}},
     kDroppingPointer},
};

TEST_F(TrainingDeviceFixture, GoesTheSameWayOnAThreadOfTheDevicesOwn) {
  const std::string yaml = TransformerYaml(test::kMethods[0]);
  Recorder here;
  Recorder there;
  for (const bool whole_steps : {false, true}) {
    executor_ = nullptr;
    ASSERT_TRUE(TrainOn(whole_steps, "here", yaml, here).ok());
    executor_ = MakeThreadedExecutor(nullptr);
    const auto owned = TrainOn(whole_steps, "there", yaml, there);
    ASSERT_TRUE(owned.ok()) << owned.status();
    EXPECT_LT(Difference("here", "there"), 1e-6);
  }
  EXPECT_NE(there.log.find("steps: whole ones"), std::string::npos) << there.log;
}

class TrainingDeviceTest : public TrainingDeviceFixture,
                           public testing::WithParamInterface<DeviceCase> {};

TEST_P(TrainingDeviceTest, GoesTheWayOfStepsPartByPart) {
  const std::string yaml = GetParam().Yaml(root_);
  Recorder parts;
  Recorder whole;
  const auto expected = TrainOn(false, "parts", yaml, parts);
  const auto actual = TrainOn(true, "whole", yaml, whole);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(actual.ok()) << actual.status();
  EXPECT_EQ(parts.log.find("steps: whole ones"), std::string::npos) << parts.log;
  EXPECT_NE(whole.log.find("steps: whole ones"), std::string::npos) << whole.log;
  EXPECT_EQ(whole.log.find("part by part"), std::string::npos) << whole.log;
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
  EXPECT_NEAR(actual->validation_cost, expected->validation_cost, 1e-6);
  EXPECT_LT(Difference("parts", "whole"), 1e-5);
}

TEST_P(TrainingDeviceTest, EndsInTheSameBitsAfterAnInterruption) {
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

TEST_F(TrainingDeviceChoiceTest, DrawsInstancesOnTheDeviceAsTheHostWouldAndWithoutIt) {
  const DeviceCase drawing = {
      test::kMethods[1], {{kPlainProblem, "customers: 7, kinds: [cvrp, tsp], capacity: [20, 40]"}}};
  DeviceCase moving = drawing;
  // The same instances: no one has what is so rare, but the device does not draw such.
  moving.changes.emplace_back("customers: 7", "customers: 7, backhauls: 1.0e-300");
  Recorder drawn;
  Recorder moved;
  ASSERT_TRUE(TrainOn(true, "drawn", drawing.Yaml(), drawn).ok());
  ASSERT_TRUE(TrainOn(true, "moved", moving.Yaml(), moved).ok());
  EXPECT_NE(drawn.log.find("instances: made on the device\n"), std::string::npos) << drawn.log;
  EXPECT_NE(moved.log.find("instances: by the host: backhauls: above 0\n"), std::string::npos)
      << moved.log;
  EXPECT_EQ(WeightsOf("drawn"), WeightsOf("moved"));
  const auto data_seconds = [](const Recorder& recorder) {
    return recorder.steps.back().totals.phase_seconds[static_cast<size_t>(Phase::kData)];
  };
  EXPECT_EQ(data_seconds(drawn), 0);
  EXPECT_GT(data_seconds(moved), 0);
}

TEST_F(TrainingDeviceChoiceTest, ReplaysWhatItHasRecordedOnce) {
  Recorder recorder;
  ASSERT_TRUE(TrainOn(true, "a", TransformerYaml(test::kMethods[2]), recorder).ok());
  EXPECT_EQ(counts_.captures, 1);
  EXPECT_EQ(counts_.replays, 19);  // the first step ran by itself
}

TEST_F(TrainingDeviceChoiceTest, MovesInstancesForANetworkThatReadsThemInAnOrder) {
  Recorder recorder;
  ASSERT_TRUE(TrainOn(true, "a", test::Yaml(test::kMethods[1], kPointer), recorder).ok());
  EXPECT_NE(recorder.log.find("by the host: the network reads nodes in an order\n"),
            std::string::npos)
      << recorder.log;
  EXPECT_EQ(counts_.replays, 19);
}

TEST_F(TrainingDeviceChoiceTest, RecordsAnewWhereTheBaselineBecomesAnother) {
  Recorder recorder;
  ASSERT_TRUE(TrainOn(true, "a", TransformerYaml(test::kMethods[0]), recorder).ok());
  EXPECT_EQ(counts_.captures, 2);
  EXPECT_EQ(counts_.replays, 18);
}

TEST_F(TrainingDeviceChoiceTest, RecordsAnewWhereTheDecoderBeginsToReadItsOwnChoices) {
  Recorder recorder;
  ASSERT_TRUE(TrainOn(true, "a", test::Yaml(test::kMethods[4], kPointer), recorder).ok());
  EXPECT_EQ(counts_.captures, 2);
  EXPECT_EQ(counts_.replays, 18);
}

TEST_F(TrainingDeviceChoiceTest, TakesStepsInAsManyPartsAsAreAccumulated) {
  Recorder recorder;
  ASSERT_TRUE(
      TrainOn(true, "a", Changed(TransformerYaml(test::kMethods[2]), kInParts), recorder).ok());
  EXPECT_NE(recorder.log.find("steps: whole ones on the device in 3 parts, told every 16\n"),
            std::string::npos)
      << recorder.log;
  EXPECT_EQ(counts_.captures, 1);
  EXPECT_EQ(counts_.replays, 19);
}

// Steps that find too little memory: of which log and outcome are compared with those of the host.
class TrainingMemoryTest : public TrainingDeviceFixture {
 protected:
  static std::string Yaml(const Method& method, const char* model = kTransformer) {
    return Changed(test::Yaml(method, model), kSlower);
  }
  void ExpectTheWayOfTheHost(const std::string& name, const std::string& yaml,
                             const Recorder& actual) {
    Recorder expected;
    ASSERT_TRUE(TrainOn(false, name + "-host", yaml, expected).ok());
    ASSERT_EQ(actual.steps.size(), expected.steps.size());
    for (size_t i = 0; i < expected.steps.size(); ++i) {
      SCOPED_TRACE(i + 1);
      EXPECT_EQ(actual.steps[i].step, expected.steps[i].step);
      EXPECT_EQ(actual.steps[i].instances_seen, expected.steps[i].instances_seen);
      EXPECT_NEAR(actual.steps[i].train_cost, expected.steps[i].train_cost, 1e-9);
      EXPECT_NEAR(actual.steps[i].loss, expected.steps[i].loss, 1e-5);
      EXPECT_TRUE(std::isfinite(actual.steps[i].totals.seconds));
    }
    // Not the weights: Adam makes whole updates of gradients that are only roundings.
    ASSERT_EQ(actual.epochs.size(), expected.epochs.size());
    for (size_t i = 0; i < expected.epochs.size(); ++i) {
      EXPECT_NEAR(actual.epochs[i].validation_cost, expected.epochs[i].validation_cost, 1e-6);
    }
  }
  // That of the newest checkpoint: instances at once.
  double MicroBatch(const std::string& name) const {
    return ReadNewestCheckpoint(root_ + "/" + name + "/checkpoint")->numbers.at("micro_batch");
  }
  static void ExpectLine(const Recorder& recorder, const std::string& line) {
    EXPECT_NE(recorder.log.find(line + "\n"), std::string::npos) << line << ":\n" << recorder.log;
  }
};

TEST_F(TrainingMemoryTest, HalvesTheInstancesAtOnceUntilThereIsMemory) {
  const std::vector<std::pair<Method, const char*>> kinds = {{test::kMethods[0], kTransformer},
                                                             {test::kMethods[1], kTransformer},
                                                             {test::kMethods[2], kTransformer},
                                                             {test::kMethods[1], kPointer},
                                                             {test::kMethods[4], kPointer}};
  for (const auto& [method, model] : kinds) {
    const std::string name = std::string(method.name) + (model == kPointer ? "Pointer" : "");
    SCOPED_TRACE(name);
    const std::string yaml = Yaml(method, model);
    memory_ = {};
    Recorder two;  // at once
    const Change accumulating = {"batch_size: 8", "batch_size: 8, accumulate_steps: 4"};
    ASSERT_TRUE(TrainOn(true, name + "-two", Changed(yaml, accumulating), two).ok());
    memory_.limit = memory_.peak * 11 / 10;
    Recorder halved;
    const auto result = TrainOn(true, name, yaml, halved);
    ASSERT_TRUE(result.ok()) << result.status();
    ExpectLine(halved, "step 1: out of memory; from here on 4 instances at once");
    ExpectLine(halved, "step 1: out of memory; from here on 2 instances at once");
    EXPECT_EQ(halved.log.find("2: out of memory"), std::string::npos) << halved.log;
    EXPECT_EQ(halved.log.find("part by part"), std::string::npos) << halved.log;
    EXPECT_EQ(MicroBatch(name), 2);
    ExpectTheWayOfTheHost(name, yaml, halved);
  }
}

TEST_F(TrainingMemoryTest, HalvesThemWhereAGraphFindsNone) {
  const std::string yaml = Yaml(test::kMethods[1]);
  refused_graphs_ = 2;
  Recorder halved;
  ASSERT_TRUE(TrainOn(true, "halved", yaml, halved).ok());
  // The first of the steps that are made anew runs by itself.
  ExpectLine(halved, "step 2: out of memory; from here on 4 instances at once");
  ExpectLine(halved, "step 3: out of memory; from here on 2 instances at once");
  EXPECT_EQ(halved.log.find("part by part"), std::string::npos) << halved.log;
  EXPECT_EQ(counts_.captures, 3);
  EXPECT_EQ(counts_.replays, 17);
  ExpectTheWayOfTheHost("halved", yaml, halved);
}

TEST_F(TrainingMemoryTest, GoesOnInAsManyPartsAfterAnInterruption) {
  const std::string yaml = Yaml(test::kMethods[1]);
  refused_graphs_ = 1;
  Recorder whole;
  ASSERT_TRUE(TrainOn(true, "whole", yaml, whole).ok());
  refused_graphs_ = 1;
  Recorder first;
  first.cancel_at = 8;
  EXPECT_EQ(TrainOn(true, "cut", yaml, first).status().code(), absl::StatusCode::kCancelled);
  Recorder second;
  ASSERT_TRUE(TrainOn(true, "cut", yaml, second).ok());
  ExpectLine(second, "steps: whole ones on the device in 2 parts, told every 16");
  EXPECT_EQ(WeightsOf("whole"), WeightsOf("cut"));
}

TEST_F(TrainingMemoryTest, BeginsWithThePartsThatAreAccumulated) {
  refused_graphs_ = 1;
  const std::string yaml = Changed(Yaml(test::kMethods[1]), kInParts);
  Recorder halved;
  ASSERT_TRUE(TrainOn(true, "halved", yaml, halved).ok());
  ExpectLine(halved, "step 2: out of memory; from here on 2 instances at once");
  ExpectTheWayOfTheHost("halved", yaml, halved);
}

TEST_F(TrainingMemoryTest, GoesOnPartByPartWhereNotEvenOneInstanceFindsAny) {
  for (const Change& change : {Change{"batch_size: 8", "batch_size: 8"}, kInParts}) {
    const std::string yaml = Changed(Yaml(test::kMethods[2]), change);
    memory_.limit = 1;
    const std::string name = change.second;
    Recorder left;
    const auto result = TrainOn(true, name, yaml, left);
    ASSERT_TRUE(result.ok()) << result.status();
    ExpectLine(left, "step 1: out of memory; from here on 1 instances at once");
    ExpectLine(left, "step 1: from here on part by part: out of memory");
    EXPECT_EQ(MicroBatch(name), 0);  // the host's steps have the memory
    ExpectTheWayOfTheHost(name, yaml, left);
  }
}

TEST_F(TrainingMemoryTest, GoesOnPartByPartWhereNothingCanBeRecorded) {
  // The second network's instances are the host's: of those that it has made some are left.
  for (const char* const model : {kTransformer, kPointer}) {
    const std::string yaml = Changed(Yaml(test::kMethods[1], model), kInParts);
    capture_status_ = absl::InternalError("no graphs");
    refused_graphs_ = 1;
    const std::string name = model == kPointer ? "pointer" : "transformer";
    Recorder refused;
    const auto result = TrainOn(true, name, yaml, refused);
    ASSERT_TRUE(result.ok()) << result.status();
    ExpectLine(refused, "step 2: from here on part by part: no graphs");
    EXPECT_EQ(refused.log.find("out of memory"), std::string::npos) << refused.log;
    ExpectTheWayOfTheHost(name, yaml, refused);
  }
}

}  // namespace
}  // namespace vrp
