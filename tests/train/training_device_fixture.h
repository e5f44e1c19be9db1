// A fixture for training runs with captured steps, on a fake stream on the CPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/functional/function_ref.h"
#include "core/device/executor.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/policy/owned_engine.h"
#include "core/model/torch/engines.h"
#include "core/model/weights/safetensors.h"
#include "core/problem/formats/json/json_writer.h"
#include "gtest/gtest.h"
#include "tests/device/forwarding_step_stream.h"
#include "tests/model/torch_memory.h"
#include "tests/model/torch_step_stream.h"
#include "tests/testing/instance_builder.h"
#include "tests/train/label_line.h"
#include "tests/train/trainer_fixture.h"

namespace vrp::test {

inline constexpr char kTransformer[] =
    "model: gt\n"
    "graph_transformer: {hidden: 32, heads: 4, feed_forward: 48, layers: 2, edge_bias: true}\n";
inline constexpr char kPointer[] = "model: ptrnet\nnetwork: {hidden: 32, layers: 2, dropout: 0}\n";
inline constexpr char kPointerWithDropout[] =
    "model: ptrnet\nnetwork: {hidden: 32, layers: 2, dropout: 0.2}\n";

inline std::string TransformerYaml(const Method& method) { return Yaml(method, kTransformer); }

// Returns 36 instances or labels of several sizes. Since batches have 8 labels, an epoch's last
// batch of labels is smaller.
inline std::string InstanceLines(bool labels) {
  std::string text;
  for (uint64_t seed = 1; seed <= 36; ++seed) {
    const bool tsp = seed % 5 == 0;
    const Instance instance = AnInstance()
                                  .Kind(tsp ? ProblemKind::kTsp : ProblemKind::kCvrp)
                                  .WithCustomers(3 + static_cast<int32_t>(seed) % 4)
                                  .Seed(seed)
                                  .Build();
    text += labels ? LabelLine(instance) : WriteJson(instance) + "\n";
  }
  return text;
}

// Returns instances, some of which have only a matrix.
inline std::string MatrixLines() {
  std::string text;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    InstanceBuilder builder = AnInstance();
    builder.WithCustomers(3 + static_cast<int32_t>(seed) % 4).RandomDemands().Seed(seed);
    if (seed % 3 != 0) builder.ExplicitMatrix(0.4);
    text += WriteJson(builder.Build()) + "\n";
  }
  return text;
}

// The memory limit of a step's work, and the work's peak, in bytes.
struct StepMemory {
  int64_t limit = std::numeric_limits<int64_t>::max();
  int64_t peak = 0;

  absl::Status Run(absl::FunctionRef<absl::Status()> work) {
    const TorchMemoryCounter memory(limit);
    const absl::Cleanup record_peak = [&] { peak = std::max(peak, memory.peak()); };
    return work();
  }
};

// A stream of a device with limited memory.
class BoundedStream final : public ForwardingStepStream {
 public:
  // Forwards to `stream`. `memory` must outlive this stream.
  BoundedStream(std::unique_ptr<StepStream> stream, StepMemory* memory)
      : ForwardingStepStream(std::move(stream)), memory_(memory) {}

  absl::Status Run(absl::FunctionRef<absl::Status()> work) override {
    return ForwardingStepStream::Run([&] { return memory_->Run(work); });
  }
  absl::StatusOr<std::unique_ptr<StepGraph>> Capture(std::function<absl::Status()> work) override {
    return ForwardingStepStream::Capture(
        [memory = memory_, work = std::move(work)] { return memory->Run(work); });
  }

 private:
  StepMemory* const memory_;
};

class TrainingDeviceFixture : public TrainerFixture {
 protected:
  TrainingDeviceFixture() {
    EXPECT_TRUE(AtomicWriteFile(root_ + "/own.jsonl", InstanceLines(false)).ok());
    EXPECT_TRUE(AtomicWriteFile(root_ + "/labels.jsonl", InstanceLines(true)).ok());
    EXPECT_TRUE(AtomicWriteFile(root_ + "/matrices.jsonl", MatrixLines()).ok());
  }

  // Uses LibTorch's engines on the CPU, with or without a stream for captured steps.
  void UseEngines(bool captured) {
    engines_ = [this, captured](const TrainingConfig& config, DeviceId, EngineOptions options) {
      if (captured) options.step_stream = [this] { return MakeStream(); };
      const TorchEngineRequest request = {.device = {}, .seed = config.seed, .options = options};
      absl::StatusOr<std::unique_ptr<PolicyEngine>> engine =
          MakeTorchEngine(*config.architecture, config.sizes, request);
      if (executor_ == nullptr || !engine.ok()) return engine;
      return absl::StatusOr<std::unique_ptr<PolicyEngine>>(
          MakeOwnedEngine(*std::move(engine), *executor_, Priority::kTraining));
    };
  }
  std::unique_ptr<StepStream> MakeStream() {
    const bool refuses = refused_graphs_ > 0;
    if (refuses) --refused_graphs_;
    return std::make_unique<BoundedStream>(
        TorchStepStream(
            {.counts = &counts_, .capture_status = refuses ? capture_status_ : absl::OkStatus()}),
        &memory_);
  }

  absl::StatusOr<TrainingResult> TrainWithEngines(bool captured, const std::string& name,
                                                  const std::string& yaml, Recorder& recorder) {
    UseEngines(captured);
    return Train(name, yaml, recorder);
  }

  // Returns the largest difference of a weight between two models.
  double Difference(const std::string& a, const std::string& b) const {
    const std::string texts[] = {WeightsOf(a), WeightsOf(b)};
    const auto first = SafetensorsFile::Parse(texts[0], a);
    const auto second = SafetensorsFile::Parse(texts[1], b);
    EXPECT_TRUE(first.ok() && second.ok());
    double largest = 0;
    for (const TensorView& tensor : first->tensors()) {
      const TensorView* const other = second->Find(tensor.name);
      const auto* const x = reinterpret_cast<const float*>(tensor.data.data());
      const auto* const y = reinterpret_cast<const float*>(other->data.data());
      for (size_t i = 0; i < tensor.data.size() / sizeof(float); ++i) {
        largest = std::max(largest, std::abs(double{x[i]} - y[i]));
      }
    }
    return largest;
  }

  StepStreamCounts counts_;
  absl::Status capture_status_ = absl::ResourceExhaustedError("no memory for a graph");
  int refused_graphs_ = 0;  // number of streams whose captures fail
  StepMemory memory_;
  std::unique_ptr<DeviceExecutor> executor_;  // null: the training run's own thread
};

using Change = std::pair<const char*, const char*>;  // the original text and its replacement

inline std::string ApplyChange(std::string yaml, const Change& change) {
  const size_t at = yaml.find(change.first);
  EXPECT_NE(at, std::string::npos) << change.first;
  return yaml.replace(at, std::string(change.first).size(), change.second);
}

inline const Change kAccumulate = {"batch_size: 8", "batch_size: 8, accumulate_steps: 3"};
inline const Change kLowerRate = {"learning_rate: 0.03", "learning_rate: 0.001"};

}  // namespace vrp::test
