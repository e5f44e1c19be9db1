// Measures the pointer network on the CPU, as JSON lines: a training step (only the gradient,
// without the optimiser) and greedy decoding. Also trains in bf16 if the CPU has it. Names and
// `instances_per_s` match rl4co's measuring script.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/cpu_pool.h"
#include "core/base/steady_time.h"
#include "core/model/pointer_network/cpu_pointer_network.h"
#include "core/problem/generate/generators.h"
#include "tests/bench/json_line.h"
#include "tests/bench/or_exit.h"

namespace vrp {
namespace {

struct Case {
  std::string what;
  ProblemKind kind = ProblemKind::kTsp;
  int32_t customers = 50;
  int32_t batch = 512;
  PointerNetworkOptions options;
  bool supervised = false;
  double teacher_forcing = 1;
  bool baseline = false;
  bool bf16 = false;
  bool train = true;
  int calls = 5;
};

NetworkBatch MakeBatch(const Case& c) {
  const std::vector<Instance> instances =
      Value(GenerateInstances({.kind = c.kind, .customers = c.customers, .seed = 1234}, c.batch));
  return MakeNetworkBatch(instances, NodeOrder::kByAngle);
}

void Weigh(int64_t, std::span<const double>, std::span<double> weights) {
  std::fill(weights.begin(), weights.end(), 1.0);
}

// Runs one call. Returns the times of the gradient's phases; zeros if the call does not train.
PhaseSeconds Call(const Case& c, PolicyEngine& engine, const NetworkBatch& batch,
                  const GradientRequest& request) {
  if (!c.train) {
    Value(engine.Run(batch, request.rollout));
    return {};
  }
  RolloutRequest greedy{.pool = request.rollout.pool};
  if (c.baseline) Value(engine.Run(batch, greedy));
  if (const absl::Status changed = engine.ParametersChanged(); !changed.ok()) Die(changed);
  return Value(engine.AddGradient(batch, request, Weigh)).seconds;
}

void Measure(const Case& c, std::string_view only, CpuPool& pool) {
  if (c.what.find(only) == std::string::npos) return;
  const auto engine = MakeCpuPointerNetwork(c.options, 1);
  if (c.bf16 && !engine->HasBf16()) return;
  engine->parameters().TrackGradient();
  const NetworkBatch batch = MakeBatch(c);
  GradientRequest request{.rollout = {.pool = c.batch == 1 ? nullptr : &pool, .bf16 = c.bf16}};
  std::vector<std::vector<int32_t>> choices;
  if (c.supervised) {
    const auto labels = engine->Run(batch, request.rollout);
    for (int32_t b = 0; b < c.batch; ++b) {
      const auto list = labels->Choices(b);
      choices.emplace_back(list.begin(), list.end());
    }
    request.rollout.choice = Choice::kForced;
    request.rollout.choices = choices;
    request.rollout.teacher_forcing = c.teacher_forcing;
    request.dropout = true;
  } else if (c.train) {
    request.rollout.choice = Choice::kSample;
  }
  std::vector<double> wall_s;
  std::vector<double> cpu_s;
  PhaseSeconds seconds{};
  for (int call = -1; call < c.calls; ++call) {
    const absl::Time begin = SteadyNow();
    const double cpu = ProcessCpuSeconds();
    const PhaseSeconds spent = Call(c, *engine, batch, request);
    if (call < 0) continue;
    wall_s.push_back(absl::ToDoubleSeconds(SteadyNow() - begin));
    cpu_s.push_back(ProcessCpuSeconds() - cpu);
    if (wall_s.back() <= *std::min_element(wall_s.begin(), wall_s.end())) seconds = spent;
  }
  const double best = *std::min_element(wall_s.begin(), wall_s.end());
  nlohmann::ordered_json line;
  line["what"] = c.what;
  line["batch"] = c.batch;
  line["incl_rollout_baseline"] = c.baseline;
  if (c.supervised) line["teacher_forcing"] = c.teacher_forcing;
  line["hidden"] = c.options.hidden;
  line["layers"] = c.options.layers;
  line["params"] = engine->parameters().size();
  line["amp"] = c.bf16 ? "bf16" : "none";
  line["step_s"] = Median(wall_s);
  line["best_step_s"] = best;
  // CPU time excludes the time that a shared host gives to other processes.
  line["best_cpu_s"] = *std::min_element(cpu_s.begin(), cpu_s.end());
  line["instances_per_s"] = c.batch / Median(wall_s);
  line["best_instances_per_s"] = c.batch / best;
  for (size_t i = 0; i < seconds.size(); ++i) {
    if (seconds[i] > 0) line["seconds"][std::string(kPhaseNames[i])] = seconds[i];
  }
  PrintMeasurement(std::move(line), c.batch == 1 ? 1 : pool.threads());
}

int Main(int argc, char** argv) {
  int threads = 2;
  if (argc > 3 || (argc > 1 && (!absl::SimpleAtoi(argv[1], &threads) || threads < 1))) {
    std::cerr << "usage: pointer_bench [THREADS [PART OF A CASE'S NAME]]\n";
    return 2;
  }
  const std::string_view only = argc > 2 ? argv[2] : "";
  CpuPool pool(threads);
  const PointerNetworkOptions small{.hidden = 128, .layers = 1, .dropout = 0};
  const PointerNetworkOptions large{.hidden = 256, .layers = 2, .dropout = 0.2};
  for (const bool bf16 : {false, true}) {
    for (const bool baseline : {false, true}) {
      Measure({.what = "ptrnet_reinforce_train_tsp50",
               .options = small,
               .baseline = baseline,
               .bf16 = bf16},
              only, pool);
    }
    for (const int32_t customers : {20, 50}) {
      for (const double teacher_forcing : {1.0, 0.75}) {
        Measure({.what = absl::StrCat("ptrnet_supervised_train_cvrp", customers),
                 .kind = ProblemKind::kCvrp,
                 .customers = customers,
                 .batch = 64,
                 .options = large,
                 .supervised = true,
                 .teacher_forcing = teacher_forcing,
                 .bf16 = bf16,
                 .calls = 12},
                only, pool);
      }
    }
  }
  for (const int32_t customers : {20, 50, 100}) {
    for (const int32_t batch : {1, 256}) {
      Measure({.what = absl::StrCat("ptrnet_greedy_cvrp", customers),
               .kind = ProblemKind::kCvrp,
               .customers = customers,
               .batch = batch,
               .options = large,
               .train = false,
               .calls = batch == 1 ? 20 : 3},
              only, pool);
    }
  }
  return 0;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) { return vrp::Main(argc, argv); }
