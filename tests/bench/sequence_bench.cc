// Measures a training step of the sequence transformer: 4 layers, width 64, 4 heads, feed-forward
// 256, 1,024 sequences of 163 tokens, label smoothing and AdamW. Prints for each precision of the
// CPU a line {"what": "sequence_step"} with the step's seconds and parts, its counted arithmetic
// (causal, without recomputation), and its share of the cores' peak (core_peak.h), measured before
// and after the steps. `share_of_mixed_peak` compares with the linear layers at the precision's
// peak and attention at that of float32. A line {"what": "sequence_profile"} has the parts of the
// passes (sequence_profile.h). Then follow lines of lever.h: each choice of the step on and off,
// the last ones against the rival of sequence_rival.h, and a line {"what": "sequence_rival"} with
// the rival's allocations.
//
//   sequence_bench [threads] [step]     1 thread by default; `once` instead: only checks that
//                                       everything runs; `step`: only steps and profiles
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/cpu_pool.h"
#include "core/base/steady_time.h"
#include "core/model/habits/sequence_transformer.h"
#include "core/model/weights/flat_parameters.h"
#include "core/train/optimiser/adamw.h"
#include "tests/bench/core_peak.h"
#include "tests/bench/json_line.h"
#include "tests/bench/lever.h"
#include "tests/bench/or_exit.h"
#include "tests/bench/sequence_case.h"
#include "tests/bench/sequence_profile.h"
#include "tests/bench/sequence_rival.h"

namespace {

std::atomic<int64_t> allocations = 0;  // calls of operator new, by all threads

void* Allocate(size_t size, size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = nullptr;
  if (posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) != 0) std::abort();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return Allocate(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace vrp {
namespace {

constexpr SequenceTransformerOptions kNetwork = {.positions = 163, .features = 10};
constexpr double kSmoothing = 0.1;
constexpr double kLearningRate = 1e-4;
constexpr int kSteps = 7;
constexpr int32_t kRivalSamples = 8;

// Arithmetic of a training step, multiplications and additions counted separately.
struct SequenceFlops {
  double linear = 0;
  double attention = 0;
};

// Counts the encoder's products, forward once and backward twice. The embedding and the head, about
// 1 % more, do not count.
SequenceFlops FlopsOf(std::span<const SequenceSample> samples) {
  const double h = kNetwork.width;
  SequenceFlops flops;
  for (const SequenceSample& sample : samples) {
    const auto tokens = static_cast<double>(sample.types.size());
    flops.linear += 3 * kNetwork.layers * tokens * 2 * (4 * h * h + 2 * h * kNetwork.feed_forward);
    flops.attention += 3 * kNetwork.layers * 4 * h * tokens * (tokens + 1) / 2;
  }
  return flops;
}

// Seconds of a step's parts.
struct StepSeconds {
  double collate = 0;
  double pack = 0;
  double gradient = 0;
  double optimiser = 0;
  double all() const { return collate + pack + gradient + optimiser; }
};

double SecondsSince(absl::Time& begin) {
  const absl::Time now = SteadyNow();
  return absl::ToDoubleSeconds(now - std::exchange(begin, now));
}

// A training run without a job around it.
class SequenceTrainer {
 public:
  SequenceTrainer(Bf16 bf16, const SequenceCase& sizes, CpuPool* pool)
      : sizes_(sizes),
        pool_(pool),
        engine_(Value(SequenceTransformer<float>::Create(kNetwork, bf16))),
        parameters_(SequenceLayout(kNetwork), 1),
        optimiser_(parameters_.layout(), {.weight_decay = 0.01}) {
    parameters_.TrackGradient();
  }

  SequenceBuffers& buffers() { return buffers_; }
  void Fill(std::span<const SequenceSample> samples, SequenceBuffers& buffers) const {
    Collate(samples, sizes_, buffers);
  }
  // Takes a step on a batch that is collated already.
  StepSeconds Train(const SequenceBatch& batch) {
    StepSeconds seconds;
    absl::Time begin = SteadyNow();
    engine_->SetParameters(parameters_.values());
    std::ranges::fill(parameters_.gradient(), 0.0F);
    seconds.pack = SecondsSince(begin);
    loss_ = Value(engine_->AddGradient(batch, {.label_smoothing = kSmoothing, .pool = pool_},
                                       parameters_.gradient()))
                .loss;
    seconds.gradient = SecondsSince(begin);
    optimiser_.Step(parameters_, kLearningRate, 1, pool_);
    seconds.optimiser = SecondsSince(begin);
    return seconds;
  }
  StepSeconds Step(std::span<const SequenceSample> samples) {
    absl::Time begin = SteadyNow();
    Fill(samples, buffers_);
    const double collate = SecondsSince(begin);
    StepSeconds seconds = Train(buffers_.View());
    seconds.collate = collate;
    return seconds;
  }
  double loss() const { return loss_; }

 private:
  const SequenceCase sizes_;
  CpuPool* const pool_;
  const std::unique_ptr<SequenceTransformer<float>> engine_;
  FlatParameters parameters_;
  AdamW optimiser_;
  SequenceBuffers buffers_;
  double loss_ = 0;
};

double PeakOf(Bf16 kind, int threads) {
  for (const CorePeak& peak : MeasureCorePeaks(threads)) {
    if (peak.kind == kind) return peak.gflops;
  }
  return 0;
}

SequenceCase CaseOf(int32_t min_tokens) {
  SequenceCase sizes;
  if (MeasuresOnceOnly()) sizes.samples = 4;
  sizes.min_tokens = min_tokens;
  return sizes;
}

// The highest peaks of several measurements.
struct Peaks {
  double own = 0;   // of the precision
  double fp32 = 0;  // of float32
  void Measure(Bf16 bf16, int threads) {
    own = std::max(own, PeakOf(bf16, threads));
    fp32 = std::max(fp32, PeakOf(Bf16::kNone, threads));
  }
};

// Steps of one precision, and their calls of operator new.
struct MeasuredSteps {
  std::vector<StepSeconds> seconds;
  double allocations = 0;  // per step
  double first_loss = 0;
  double last_loss = 0;

  double MedianOf(double (*part)(const StepSeconds&)) const {
    std::vector<double> values;
    for (const StepSeconds& step : seconds) values.push_back(part(step));
    return Median(values);
  }
};

MeasuredSteps TakeSteps(std::span<const SequenceSample> samples, SequenceTrainer& trainer) {
  MeasuredSteps steps;
  trainer.Step(samples);
  steps.first_loss = trainer.loss();
  const int64_t before = allocations;
  for (int k = 0; k < (MeasuresOnceOnly() ? 1 : kSteps); ++k) {
    steps.seconds.push_back(trainer.Step(samples));
  }
  steps.allocations =
      static_cast<double>(allocations - before) / static_cast<double>(steps.seconds.size());
  steps.last_loss = trainer.loss();
  return steps;
}

void MeasureStep(Bf16 bf16, int threads) {
  const SequenceCase sizes = CaseOf(163);
  const std::vector<SequenceSample> samples = DrawSequences(sizes);
  CpuPool pool(threads);
  SequenceTrainer trainer(bf16, sizes, threads > 1 ? &pool : nullptr);
  Peaks peaks;
  peaks.Measure(bf16, threads);
  const MeasuredSteps steps = TakeSteps(samples, trainer);
  peaks.Measure(bf16, threads);
  const double seconds = steps.MedianOf([](const StepSeconds& s) { return s.all(); });
  const SequenceFlops flops = FlopsOf(samples);
  const double gflops = (flops.linear + flops.attention) / seconds * 1e-9;
  const double least_seconds =
      (flops.linear / peaks.own + flops.attention / peaks.fp32) * 1e-9;  // at the peaks
  PrintMeasurement(
      {{"what", "sequence_step"},
       {"precision", KindName({bf16, 0})},
       {"batch", sizes.samples},
       {"tokens", sizes.max_tokens},
       {"seconds", seconds},
       {"collate_ms", 1e3 * steps.MedianOf([](const StepSeconds& s) { return s.collate; })},
       {"pack_ms", 1e3 * steps.MedianOf([](const StepSeconds& s) { return s.pack; })},
       {"gradient_ms", 1e3 * steps.MedianOf([](const StepSeconds& s) { return s.gradient; })},
       {"optimiser_ms", 1e3 * steps.MedianOf([](const StepSeconds& s) { return s.optimiser; })},
       {"tflop", 1e-12 * (flops.linear + flops.attention)},
       {"gflops", gflops},
       {"peak_gflops", peaks.own},
       {"share_of_peak", gflops / peaks.own},
       {"share_of_mixed_peak", least_seconds / seconds},
       {"allocations_per_step", steps.allocations},
       {"first_loss", steps.first_loss},
       {"last_loss", steps.last_loss}},
      threads);
}

// Returns samples of different lengths, padded to the longest by further tokens of the history.
std::vector<SequenceSample> WithPadding(std::vector<SequenceSample> samples,
                                        const SequenceCase& sizes) {
  for (SequenceSample& sample : samples) {
    const auto tokens = static_cast<size_t>(sizes.max_tokens);
    sample.types.resize(tokens, TokenType::kEnd);
    sample.contexts.resize(tokens * static_cast<size_t>(sizes.features));
    sample.targets.resize(tokens, kNoTarget);
  }
  return samples;
}

void MeasurePadding() {
  SequenceCase sizes = CaseOf(41);
  sizes.samples = std::min(sizes.samples, 32);
  const std::vector<SequenceSample> samples = DrawSequences(sizes);
  const std::vector<SequenceSample> padded = WithPadding(samples, sizes);
  SequenceTrainer ours(Bf16::kNone, sizes, nullptr);
  SequenceTrainer theirs(Bf16::kNone, sizes, nullptr);
  MeasureLever({"padding",
                std::to_string(sizes.samples) + " x 41 to 163 tokens",
                {"skipped", [&] { ours.Step(samples); }},
                {"computed", [&] { theirs.Step(padded); }}});
}

// Compares the causal encoder with the one of graph transformers, whose attention is among all
// tokens.
void MeasureCausalBlocks() {
  const EncoderShape shape = SequenceEncoderShape(kNetwork);
  const ParameterLayout layout = SequenceLayout(kNetwork);
  const FlatParameters parameters(layout, 1);
  std::vector<EncoderLayerOffsets> offsets = SequenceEncoderOffsets(kNetwork, layout);
  const std::vector<int32_t> first_rows = {0, 163};
  std::vector<float> gradient(static_cast<size_t>(layout.size()));
  std::vector<float> rows(static_cast<size_t>(163 * shape.hidden));
  std::vector<float> saved;
  std::vector<float> scratch;
  const auto causal = MakeCausalEncoder<float>(shape, offsets, BestIsa());
  offsets.pop_back();
  const auto full = MakeEncoder<float>(shape, offsets, BestIsa());
  const auto run = [&](Encoder<float>& encoder) {
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i % 97) * 0.01F;
    encoder.Forward({first_rows, {}}, rows.data(), saved.data(), scratch.data());
    std::ranges::fill(rows, 1e-3F);
    encoder.Backward({first_rows, {}}, rows.data(), saved.data(), scratch.data(), gradient.data());
  };
  for (Encoder<float>* encoder : {causal.get(), full.get()}) {
    encoder->Pack(parameters.values().data());
    saved.resize(std::max(saved.size(), static_cast<size_t>(encoder->SavedSize(first_rows))));
    scratch.resize(std::max(scratch.size(), static_cast<size_t>(encoder->ScratchSize(first_rows))));
  }
  MeasureLever({"causal blocks",
                "163 tokens, 4 layers",
                {"skipped", [&] { run(*causal); }},
                {"all pairs", [&] { run(*full); }}});
}

void MeasureCollation() {
  const SequenceCase sizes = CaseOf(163);
  const std::vector<SequenceSample> samples = DrawSequences(sizes);
  SequenceBuffers buffers;
  MeasureLever({"collation",
                std::to_string(sizes.samples) + " x 163 tokens",
                {"into kept buffers", [&] { Collate(samples, sizes, buffers); }},
                {"into new ones", [&] {
                   SequenceBuffers made;
                   Collate(samples, sizes, made);
                 }}});
}

// Collates the next batch in another thread during a step, or before each step in the same thread.
// On one core both take the same time.
void MeasurePrefetch() {
  SequenceCase sizes = CaseOf(163);
  sizes.samples = std::min(sizes.samples, 32);
  const std::vector<SequenceSample> samples = DrawSequences(sizes);
  SequenceTrainer ours(Bf16::kNone, sizes, nullptr);
  SequenceTrainer theirs(Bf16::kNone, sizes, nullptr);
  SequenceBuffers next;
  Collate(samples, sizes, ours.buffers());
  CpuPool loader(1);
  MeasureLever({"prefetch",
                std::to_string(sizes.samples) + " x 163 tokens",
                {"another thread",
                 [&] {
                   auto loaded = loader.Submit([&] { Collate(samples, sizes, next); });
                   ours.Train(ours.buffers().View());
                   loaded.get();
                   std::swap(next, ours.buffers());
                 }},
                {"before the step", [&] { theirs.Step(samples); }}});
}

// Compares with torch on a small batch: the rival's loops take the same time per sample in a larger
// one.
void MeasureRival() {
  SequenceCase sizes = CaseOf(163);
  sizes.samples = kRivalSamples;
  const std::vector<SequenceSample> samples = DrawSequences(sizes);
  SequenceRival rival(kNetwork, sizes);
  SequenceTrainer trainer(Bf16::kNone, sizes, nullptr);
  const std::string size = std::to_string(kRivalSamples) + " x 163 tokens";
  const auto run = [&](RivalLoops loops) {
    return [&rival, &samples, loops] { rival.Step(samples, loops); };
  };
  MeasureLever({"step",
                size,
                {"our engine", [&] { trainer.Step(samples); }},
                {"torch, loops over samples and steps", run(RivalLoops::kSamplesAndSteps)}});
  MeasureLever({"step",
                size,
                {"our engine", [&] { trainer.Step(samples); }},
                {"torch, whole batch", run(RivalLoops::kNone)}});
  MeasureLever({"embedding",
                size,
                {"torch, whole batch", [&] { rival.Embed(samples, RivalLoops::kNone); }},
                {"torch, loops over samples and steps",
                 [&] { rival.Embed(samples, RivalLoops::kSamplesAndSteps); }}});
  const int64_t before = allocations;
  rival.Step(samples, RivalLoops::kSamplesAndSteps);
  const auto made = static_cast<double>(allocations - before);
  PrintMeasurement({{"what", "sequence_rival"},
                    {"batch", kRivalSamples},
                    {"tokens", 163},
                    {"allocations_per_sequence", made / kRivalSamples}},
                   1);
}

void MeasureSteps(int threads) {
  for (const Bf16 bf16 : {Bf16::kNone, UsableBf16()}) {
    MeasureStep(bf16, threads);
    MeasureSequenceProfile(bf16, kNetwork, CaseOf(163));
    if (UsableBf16() == Bf16::kNone) break;
  }
}

void MeasureChoices() {
  MeasureCausalBlocks();
  MeasurePadding();
  MeasureCollation();
  MeasurePrefetch();
  MeasureRival();
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) {
  const bool once = argc > 1 && std::string_view(argv[1]) == "once";
  if (once) vrp::MeasureOnceOnly();
  vrp::MeasureSteps(argc > 1 && !once ? std::max(1, std::atoi(argv[1])) : 1);
  if (argc <= 2 || std::string_view(argv[2]) != "step") vrp::MeasureChoices();
  return 0;
}
