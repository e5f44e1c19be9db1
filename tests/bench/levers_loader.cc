#include "tests/bench/levers_loader.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/problem/generate/generators.h"
#include "core/search/build/construct.h"
#include "core/train/data/batch_loader.h"
#include "tests/bench/lever.h"
#include "tests/bench/or_exit.h"

namespace vrp {
namespace {

constexpr int32_t kSamples = 16384;
constexpr int32_t kFewSamples = 1024;  // if MeasuresOnceOnly
constexpr int32_t kBatch = 512;        // samples per step
constexpr int32_t kSteps = 4;          // steps per measurement
constexpr int32_t kLoaderCustomers = 10;

void WriteSamples(const std::string& path) {
  const auto writer = Value(SampleSetWriter::Create(path));
  const int32_t samples = MeasuresOnceOnly() ? kFewSamples : kSamples;
  for (int32_t k = 0; k < samples; ++k) {
    Sample sample;
    sample.data = GenerateInstanceData({.customers = kLoaderCustomers}, k);
    sample.plan = NearestNeighbourPlan(Value(Instance::Create(sample.data)));
    if (const absl::Status added = writer->Add(sample); !added.ok()) Die(added);
  }
  if (const absl::Status finished = writer->Finish(); !finished.ok()) Die(finished);
}

// A trainer on batches of the loader. It computes only gradients of labels, without an optimiser.
class Stepper {
 public:
  Stepper(const std::string& path, int32_t workers)
      : engine_(MakeCpuGraphTransformer({.layers = 1, .edge_bias = false}, 1)),
        source_(MakeLabelledSource(Config(), engine_->batch_form(), Open(path))),
        loader_(*source_, {.workers = workers, .prefetch = 2 * kSteps}) {
    engine_->parameters().TrackGradient();
  }

  void Run() {
    for (int32_t step = 0; step < kSteps; ++step) {
      const TrainingBatch batch = Value(loader_.Next());
      for (const BatchPart& part : batch.parts) {
        GradientRequest request;
        request.rollout.choice = Choice::kForced;
        request.rollout.choices = part.choices;
        Value(engine_->AddGradient(part.batch, request,
                                   [](int64_t, std::span<const double>, std::span<double> weights) {
                                     std::fill(weights.begin(), weights.end(), -1.0 / kBatch);
                                   }));
      }
    }
  }

 private:
  static TrainingConfig Config() {
    TrainingConfig config;
    config.method = TrainingMethod::kSupervised;
    config.batch_size = kBatch;
    return config;
  }
  static std::unique_ptr<SampleSet> Open(const std::string& path) {
    return Value(SampleSet::Open(path, static_cast<int64_t>(std::filesystem::file_size(path)) / 8));
  }

  std::unique_ptr<PolicyEngine> engine_;
  std::unique_ptr<BatchSource> source_;
  BatchLoader loader_;
};

}  // namespace

void MeasureLoader() {
  const std::string path = Concat(std::filesystem::temp_directory_path().string(), "/levers-",
                                  static_cast<int64_t>(::getpid()), ".set");
  WriteSamples(path);
  {
    Stepper ahead(path, 1);
    Stepper waiting(path, 0);
    MeasureLever({"loader",
                  Concat(kSteps, " steps of ", kBatch, ", labels from disk"),
                  {"prefetch on its thread", [&] { ahead.Run(); }},
                  {"prepared on demand", [&] { waiting.Run(); }}});
  }
  std::filesystem::remove(path);
}

}  // namespace vrp
