// Runs steps of one of our engines on request, so that another program can alternate them with its
// own steps:
//   engine_bench key=value...        the case: see BenchCase
// Prints a line {"ready": true, "params": ..., "rss_mib": ..., "bf16": "hardware"}, then answers
// each line of standard input with one line of JSON:
//   step [exponential|rollout|shared]  one training step without capture
//   captured COUNT [exponential|rollout|shared]  COUNT captured steps of the device
//   copies COUNT [exponential|rollout|shared]    the same; answers with the copies that CUDA makes
//   greedy [STARTS]                    greedy tours of the case's `instances`
//   costs network|frozen               greedy costs of the case's `baseline_instances`, by the
//                                      network or its frozen copy
//   freeze                             copies the network's weights to the frozen copy
// Ends when its input ends. Errors go to standard error, with exit code 1.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "core/base/isa.h"
#include "core/base/steady_time.h"
#include "nlohmann/json.hpp"
#include "tests/bench/bench_training.h"
#include "tests/bench/copy_trace.h"
#include "tests/bench/json_line.h"
#include "tests/bench/or_exit.h"
#include "tests/parity/parity_case.h"

namespace vrp {
namespace {

using Json = nlohmann::ordered_json;

struct BenchInstances {
  NetworkBatch evaluation;
  NetworkBatch baseline;
};

NetworkBatch ReadInstances(const std::string& path, const BatchForm& form) {
  if (path.empty()) return {};
  return Value(ReadParityInstances(path, form));
}

// Returns the peak memory of this process in MiB. Does not use getrusage, whose value includes the
// memory of the parent process.
double PeakMib() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    double kib = 0;
    if (word == "VmHWM:" && file >> kib) return kib / 1024;
  }
  return 0;
}

double ResidentMib() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  file >> size >> resident;
  return static_cast<double>(resident) * 4096 / (1 << 20);
}

BenchBaseline BaselineOf(const std::string& word) {
  if (word == "rollout") return BenchBaseline::kRollout;
  if (word == "shared") return BenchBaseline::kShared;
  return BenchBaseline::kExponential;
}

Json StepLine(const StepMeasurement& step) {
  Json line = {{"seconds", step.seconds},
               {"cpu_s", step.cpu_seconds},
               {"decoded_steps", step.decoded_steps},
               {"cost", step.cost},
               {"loss", step.loss},
               {"copied_bytes", step.copied_bytes},
               {"matrix_bytes", step.matrix_bytes}};
  for (size_t k = 0; k < kPhaseNames.size(); ++k) {
    if (step.phases[k] > 0) line["phases"][std::string(kPhaseNames[k])] = step.phases[k];
  }
  line["peak_mem_mib"] = PeakMib();
  return line;
}

Json GreedyLine(const BenchTraining& training, const NetworkBatch& batch, int32_t starts) {
  const absl::Time begin = SteadyNow();
  const double cpu = ProcessCpuSeconds();
  const Trajectories tours = Value(training.Greedy(batch, starts));
  Json line = {{"seconds", absl::ToDoubleSeconds(SteadyNow() - begin)},
               {"cpu_s", ProcessCpuSeconds() - cpu}};
  double sum = 0;
  for (const double cost : tours.costs) sum += cost;
  line["cost"] = sum / static_cast<double>(tours.costs.size());
  line["decoded_steps"] = tours.steps;
  line["peak_mem_mib"] = PeakMib();
  return line;
}

std::string_view DirectionName(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kToDevice:
      return "to device";
    case CopyDirection::kToHost:
      return "to host";
    case CopyDirection::kOnDevice:
      return "on device";
    case CopyDirection::kOther:
      break;
  }
  return "other";
}

// Returns the copies during RunCapturedSteps as JSON. They include the copies that save the state
// and, in the first call, those that prepare the steps. Tracing begins with the first call.
Json CopiesLine(BenchTraining& training, BenchBaseline baseline, int count) {
  static const absl::Status begun = CopyTrace::Begin();
  if (!begun.ok()) Die(begun);
  Value(training.RunCapturedSteps(baseline, count));
  Json copies = Json::array();
  for (const auto& [size, times] : Value(CopyTrace::Take())) {
    copies.push_back(
        {{"way", DirectionName(size.direction)}, {"bytes", size.bytes}, {"count", times}});
  }
  return {{"copies", copies}, {"steps", count}};
}

// Returns how the case's bf16 products are computed; "none" if they are computed in float32.
std::string_view Bf16Name(const BenchCase& c, const PolicyEngine& engine) {
  if (!c.bf16) return "none";
  if (c.torch) return "torch";
  if (c.device != "cpu") return "hardware";
  if (!engine.HasBf16()) return "none";
  return IsNative(UsableBf16()) ? "hardware" : "emulated";
}

// Returns the answer to one request of standard input.
Json Answer(const std::string& text, BenchTraining& training, const BenchInstances& instances) {
  std::istringstream words(text);
  std::string verb;
  std::string argument;
  words >> verb >> argument;
  if (verb == "step") return StepLine(Value(training.Step(BaselineOf(argument))));
  if (verb == "captured" || verb == "copies") {
    std::string word;
    words >> word;
    const BenchBaseline baseline = BaselineOf(word);
    const int count = std::max(1, std::atoi(argument.c_str()));
    if (verb == "copies") return CopiesLine(training, baseline, count);
    return StepLine(Value(training.RunCapturedSteps(baseline, count)));
  }
  if (verb == "greedy") {
    return GreedyLine(training, instances.evaluation,
                      argument.empty() ? 1 : std::atoi(argument.c_str()));
  }
  if (verb == "costs") {
    return {{"costs", Value(training.Greedy(instances.baseline, 1, argument == "frozen")).costs}};
  }
  if (verb == "freeze") {
    if (const absl::Status status = training.Freeze(); !status.ok()) Die(status);
    return {{"frozen", true}};
  }
  Die(absl::InvalidArgumentError("got the request \"" + text +
                                 "\", wanted step, captured, copies, greedy, costs or freeze"));
}

int Main(int argc, char** argv) {
  const BenchCase c = Value(ParseBenchCase({argv + 1, static_cast<size_t>(argc - 1)}));
  const std::unique_ptr<BenchTraining> training = Value(BenchTraining::Create(c));
  const BatchForm& form = training->engine().batch_form();
  const BenchInstances instances = {ReadInstances(c.instances, form),
                                    ReadInstances(c.baseline_instances, form)};
  std::cout << Json({{"ready", true},
                     {"params", training->engine().parameters().size()},
                     {"rss_mib", ResidentMib()},
                     {"bf16", Bf16Name(c, training->engine())}})
            << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << Answer(line, *training, instances) << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) { return vrp::Main(argc, argv); }
