// Runs training steps of an engine without a job: data, rollout, gradient, clipping and AdamW, as
// rl4co's measuring script does (shared/peers/measure_rl4co.py).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/model/policy/captured_steps.h"
#include "core/model/policy/policy_engine.h"
#include "core/train/optimiser/adamw.h"
#include "tests/bench/bench_case.h"

namespace vrp {

enum class BenchBaseline {
  kExponential,  // moving average of the batches' mean costs, factor 0.8
  kRollout,      // greedy costs of a frozen copy on the same batch (Kool et al. 2019)
  kShared,       // mean over the instance's trajectories (POMO)
};

struct StepMeasurement {
  double seconds = 0;
  double cpu_seconds = 0;  // sum over all threads
  double cost = 0;         // mean over the trajectories
  double loss = 0;
  int32_t decoded_steps = 0;  // steps of the longest trajectory
  int64_t choices = 0;        // sum over all trajectories
  int64_t copied_bytes = 0;   // between host and device
  int64_t matrix_bytes = 0;   // part of `copied_bytes` for distance matrices
  PhaseSeconds phases{};
};

// A training run for benchmarks. Not thread-safe.
class BenchTraining {
 public:
  static absl::StatusOr<std::unique_ptr<BenchTraining>> Create(const BenchCase& c);

  // Runs one step on a batch in `accumulate` equal parts. Returns its times, cost and loss.
  absl::StatusOr<StepMeasurement> Step(BenchBaseline baseline);
  // Runs `count` captured steps of the device, including instances or labels, and waits for the
  // last one. Returns times per step, and cost and loss of the last step. Returns kUnimplemented if
  // the engine has no captured steps.
  absl::StatusOr<StepMeasurement> RunCapturedSteps(BenchBaseline baseline, int count);
  // Copies the network's current weights to the frozen copy.
  absl::Status Freeze();
  // Returns greedy trajectories of the network or of the frozen copy.
  absl::StatusOr<Trajectories> Greedy(const NetworkBatch& batch, int32_t starts,
                                      bool frozen = false) const;
  PolicyEngine& engine() { return *engine_; }

 private:
  BenchTraining(const BenchCase& c, std::unique_ptr<PolicyEngine> engine,
                std::unique_ptr<PolicyEngine> frozen);
  absl::Status ReadLearned();
  absl::Status MakeCapturedSteps();
  absl::Status BeginCapturedStep(BenchBaseline baseline);

  // Returns one of `parts` equal parts of the step's instances. With labels, always returns those
  // of the first step, and fills labels_.
  NetworkBatch MakeBatch(int32_t part = 0, int32_t parts = 1);
  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch, BenchBaseline baseline,
                                              int32_t part);
  absl::Status AddPart(BenchBaseline baseline, int32_t part, StepMeasurement& step);

  const BenchCase case_;
  std::unique_ptr<CpuPool> pool_;
  std::unique_ptr<PolicyEngine> engine_;
  std::unique_ptr<PolicyEngine> frozen_;
  AdamW optimiser_;
  std::vector<float> learned_;  // 1 or 0 per parameter; empty: all parameters are learned
  std::vector<std::vector<int32_t>> labels_;  // labels of the first batch
  double average_ = 0;                        // moving average of kExponential
  uint64_t step_ = 0;
  std::vector<float> mean_, square_;               // moments for RunCapturedSteps
  std::unique_ptr<CapturedSteps> captured_steps_;  // null until RunCapturedSteps is called
};

// Returns the engine of a case, with the weights of `c.model` or fresh ones.
absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeBenchEngine(const BenchCase& c);

}  // namespace vrp
