// How near a training step on the CPU comes to what the cores can do, phase by phase: first lines
// {"what": "core_peak"} of multiply-adds on registers alone, then one for each phase of a step of
// REINFORCE by the graph transformer with its moving-average baseline. The useful arithmetic is
// counted (encoder_flops.h); rollout and second pass read more than they reckon, so that of them
// only the seconds say something. All phases' seconds are the threads' summed: what they leave of
// `threads` times the step's is spent waiting.
//
//   roofline_bench [threads]     2 unless told
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "core/model/graph_transformer_layout.h"
#include "core/model/graph_transformer_options.h"
#include "core/model/graph_transformer_pass.h"
#include "tests/bench/bench_training.h"
#include "tests/bench/core_peak.h"
#include "tests/bench/encoder_flops.h"
#include "tests/bench/json_line.h"

namespace vrp {
namespace {

constexpr int kWarmup = 3;
constexpr int kSteps = 15;

template <typename T>
T Value(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::cerr << "roofline_bench: " << value.status() << "\n";
  std::exit(1);
}

// Forward, of all instances of a step: the encoder, the nodes' embedding before it and their four
// projections for the decoder behind it.
double EncodeFlops(const BenchCase& c) {
  const GraphTransformerOptions options;
  const int64_t nodes = c.customers + 1;
  const double h = options.hidden;
  const double around = static_cast<double>(nodes) * 2 * h * (kEmbeddedFeatures + 4 * h);
  return c.batch * (EncoderForwardFlops(EncoderShapeOf(options), nodes) + around);
}

// What each phase reckons in a step; 0: not counted.
PhaseSeconds FlopsByPhase(const BenchCase& c) {
  PhaseSeconds flops{};
  flops[static_cast<size_t>(Phase::kEncode)] = EncodeFlops(c);
  flops[static_cast<size_t>(Phase::kBackward)] = 2 * EncodeFlops(c);
  return flops;
}

std::vector<StepMeasurement> TakeSteps(const BenchCase& c) {
  const auto training = Value(BenchTraining::Create(c));
  std::vector<StepMeasurement> steps;
  for (int i = 0; i < kWarmup + kSteps; ++i) {
    const StepMeasurement step = Value(training->Step(BenchBaseline::kExponential));
    if (i >= kWarmup) steps.push_back(step);
  }
  return steps;
}

template <typename ValueOf>
double MedianOf(const std::vector<StepMeasurement>& steps, ValueOf value_of) {
  std::vector<double> values;
  for (const StepMeasurement& step : steps) values.push_back(value_of(step));
  return Median(std::move(values));
}

void MeasureCase(const BenchCase& c, const CorePeak& peak) {
  const std::vector<StepMeasurement> steps = TakeSteps(c);
  const double step_s = MedianOf(steps, [](const auto& step) { return step.seconds; });
  const PhaseSeconds flops = FlopsByPhase(c);
  double busy = 0;
  double reckoned = 0;
  const auto print = [&](std::string_view phase, double seconds, double count) {
    nlohmann::ordered_json line = {{"what", "roofline"},
                                   {"customers", c.customers},
                                   {"batch", c.batch},
                                   {"precision", KindName(peak)},
                                   {"phase", phase},
                                   {"thread_seconds", seconds},
                                   {"share_of_step", seconds / (step_s * c.threads)}};
    if (count > 0) {
      const double rate = count / seconds * c.threads * 1e-9;  // as if all threads did nothing else
      line["gflops"] = rate;
      line["share_of_peak"] = rate / peak.gflops;
    }
    PrintMeasurement(std::move(line), c.threads);
  };
  for (size_t k = 0; k < kPhaseNames.size(); ++k) {
    const double seconds = MedianOf(steps, [k](const auto& step) { return step.phases[k]; });
    if (seconds == 0) continue;
    print(kPhaseNames[k], seconds, flops[k]);
    busy += seconds;
    reckoned += flops[k];
  }
  print("waiting", std::max(0.0, step_s * c.threads - busy), 0);
  print("step", step_s * c.threads, reckoned);
}

void MeasureAll(int threads) {
  for (const CorePeak& peak : MeasureCorePeaks(threads)) {
    PrintMeasurement({{"what", "core_peak"}, {"kind", KindName(peak)}, {"gflops", peak.gflops}},
                     threads);
    const bool bf16 = peak.kind != Bf16::kNone;
    if (bf16 && peak.kind != UsableBf16()) continue;
    for (const auto& [customers, batch] : {std::pair(10, 128), {20, 512}, {50, 512}}) {
      BenchCase c;
      c.customers = customers;
      c.batch = batch;
      c.bf16 = bf16;
      c.threads = threads;
      MeasureCase(c, peak);
    }
  }
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) {
  vrp::MeasureAll(std::max(1, argc > 1 ? std::atoi(argv[1]) : 2));
  return 0;
}
