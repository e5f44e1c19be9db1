// Compares the phases of a training step on the CPU with the cores' peak. For each precision of the
// CPU, a line {"what": "core_peak"} states the peak of multiply-adds on registers only. The peak is
// measured again before each case, because the clock of a shared machine's cores varies. If the
// engine uses that precision, one line per case and phase follows. The graph transformer is trained
// by REINFORCE with a moving average as baseline, the pointer network on labels. step_flops.h
// defines the counted arithmetic. Seconds of a phase are summed over threads; data and optimiser
// count only the calling thread. The rest of `threads` times the step's time is waiting.
//
//   roofline_bench [threads]     2 by default
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/model/pointer_network/pointer_architecture.h"
#include "tests/bench/bench_training.h"
#include "tests/bench/core_peak.h"
#include "tests/bench/json_line.h"
#include "tests/bench/or_exit.h"
#include "tests/bench/step_flops.h"

namespace vrp {
namespace {

constexpr int kWarmup = 3;
constexpr int kSteps = 15;

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
  const double choices =
      MedianOf(steps, [](const auto& step) { return static_cast<double>(step.choices); });
  const PhaseFlops flops = FlopsByPhase(c, choices);
  double busy = 0;
  double counted_flops = 0;
  const auto print = [&](std::string_view phase, double seconds, double count) {
    nlohmann::ordered_json line = {
        {"what", "roofline"},          {"architecture", c.architecture},
        {"customers", c.customers},    {"batch", c.batch},
        {"precision", KindName(peak)}, {"phase", phase},
        {"thread_seconds", seconds},   {"share_of_step", seconds / (step_s * c.threads)}};
    if (count > 0) {
      const double rate = count / seconds * c.threads * 1e-9;  // if all threads did only this
      line["gflops"] = rate;
      line["share_of_peak"] = rate / peak.gflops;
    }
    line["peak_gflops"] = peak.gflops;
    PrintMeasurement(std::move(line), c.threads);
  };
  for (size_t k = 0; k < kPhaseNames.size(); ++k) {
    const double seconds = MedianOf(steps, [k](const auto& step) { return step.phases[k]; });
    if (seconds == 0) continue;
    print(kPhaseNames[k], seconds, flops[k]);
    busy += seconds;
    counted_flops += flops[k];
  }
  print("waiting", std::max(0.0, step_s * c.threads - busy), 0);
  print("step", step_s * c.threads, counted_flops);
}

std::vector<BenchCase> Cases() {
  std::vector<BenchCase> cases;
  for (const auto& [customers, batch] : {std::pair(10, 128), {20, 512}, {50, 512}}) {
    BenchCase& c = cases.emplace_back();
    c.customers = customers;
    c.batch = batch;
  }
  for (const int32_t customers : {20, 50}) {
    BenchCase& c = cases.emplace_back();
    c.architecture = "ptrnet";
    c.sizes = WritePointerNetworkOptions({});
    c.customers = customers;
    c.batch = 64;
    c.supervised = true;
  }
  return cases;
}

// Returns the peak of the same kind, measured now.
CorePeak MeasuredAgain(const CorePeak& peak, int threads) {
  for (const CorePeak& now : MeasureCorePeaks(threads)) {
    if (now.kind == peak.kind) return now;
  }
  return peak;
}

void MeasureAll(int threads) {
  for (const CorePeak& peak : MeasureCorePeaks(threads)) {
    PrintMeasurement({{"what", "core_peak"}, {"kind", KindName(peak)}, {"gflops", peak.gflops}},
                     threads);
    const bool bf16 = peak.kind != Bf16::kNone;
    if (bf16 && peak.kind != UsableBf16()) continue;
    for (BenchCase c : Cases()) {
      c.bf16 = bf16;
      c.threads = threads;
      MeasureCase(c, MeasuredAgain(peak, threads));
    }
  }
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) {
  vrp::MeasureAll(std::max(1, argc > 1 ? std::atoi(argv[1]) : 2));
  return 0;
}
