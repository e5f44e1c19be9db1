// What the training methods have in common, as the loop of a run sees them: each gives weights to
// the log-likelihoods of trajectories. No torch here.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/model/policy/policy_engine.h"
#include "core/train/config/training_config.h"
#include "core/train/data/batch_source.h"

namespace vrp {

struct StepOutcome {
  double loss = 0;
  double cost = 0;  // mean of the tours that were sampled, or that are the labels
  double accuracy = std::numeric_limits<double>::quiet_NaN();  // of labels' choices
  // Largest difference of a tour's log-likelihood between the two passes, a choice; 0 where there
  // is one pass only. The numerics contract (DESIGN.md, section 5) bounds it.
  double pass_difference = 0;
  bool overflowed = false;  // in fp16: the step is to be left out
  PhaseSeconds seconds{};   // summed over threads
  int64_t copies = 0;
  int64_t copied_bytes = 0;
  int64_t matrix_bytes = 0;
};

struct LearnerOptions {
  TrainingConfig config;
  PolicyEngine* engine = nullptr;          // outlives the learner
  std::unique_ptr<PolicyEngine> baseline;  // greedy_rollout: another of the same architecture
  BatchSource* source = nullptr;           // outlives the learner
  CpuPool* pool = nullptr;
  bool bf16 = false;
};

// One thread.
class Learner {
 public:
  virtual ~Learner() = default;

  // Computes the loss of step `step` (from 1) and adds its gradient to the engine's. Deterministic
  // in (configuration, step, batch, parameters, own state); its own state changes only where it
  // succeeds. `micro_batch` as in GradientRequest.
  virtual absl::StatusOr<StepOutcome> AddGradient(int64_t step, const TrainingBatch& batch,
                                                  int32_t micro_batch,
                                                  const StopCondition& stop) = 0;
  // After the last step of `epoch` (from 1). Where `stop` ends it, nothing has changed. A line for
  // the log, or nothing.
  virtual absl::StatusOr<std::string> EndEpoch(int64_t, const StopCondition&) {
    return std::string();
  }

  // The same steps as the engine's device takes them by itself (PolicyEngine::MakeWholeSteps),
  // with what the learner knows of them filled in. kUnimplemented says why it cannot.
  virtual absl::StatusOr<WholeStepsRequest> RequestWholeSteps() const = 0;
  // Begins step `step` (from 1) of `steps`, which were made by that request. `batch`: null where
  // the device draws the instances; in one part otherwise, which the device divides.
  virtual absl::Status BeginStep(WholeSteps& steps, int64_t step,
                                 const TrainingBatch* batch) const = 0;
  // The learner's own, which such steps go on with; null: it has none.
  virtual MovingAverage* average() { return nullptr; }

  // Own state for checkpoints: numbers, and spans that are saved and filled again in place.
  virtual std::map<std::string, double> Numbers() const { return {}; }
  virtual std::map<std::string, std::span<float>> Spans() { return {}; }
  // Numbers of a checkpoint of the same configuration, whose names the caller has checked; the
  // spans are filled already.
  virtual absl::Status Restore(const std::map<std::string, double>&) { return absl::OkStatus(); }
};

// REINFORCE (Williams 1992) with the baseline of reinforce.baseline. Fails as
// PolicyEngine::ParametersChanged, of a baseline that is another engine.
absl::StatusOr<std::unique_ptr<Learner>> MakeReinforceLearner(LearnerOptions options);
// The best of several samples becomes the label (Corsini et al. 2024, "Self-labeling the job shop
// scheduling problem").
std::unique_ptr<Learner> MakeSelfLabellingLearner(LearnerOptions options);
// Learning to repeat the labels' plans: teacher forcing, or scheduled sampling where its ratio is
// below 1.
std::unique_ptr<Learner> MakeSupervisedLearner(LearnerOptions options);
// By the configuration's method.
absl::StatusOr<std::unique_ptr<Learner>> MakeLearner(LearnerOptions options);

}  // namespace vrp
