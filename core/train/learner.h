// What the training methods have in common, as the loop of a run sees them. Needs torch.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/model/pointer_network.h"
#include "core/train/training_config.h"

namespace vrp {

struct StepOutcome {
  double loss = 0;
  double cost = 0;  // mean of the tours that were sampled, or that are the labels
  // Largest difference of a tour's log-likelihood between the two passes, per choice; 0 where there
  // is one pass only. The numerics contract (DESIGN.md, section 5) bounds it.
  double pass_difference = 0;
};

// One thread; the network outlives it.
class Learner {
 public:
  virtual ~Learner() = default;

  // Computes the loss of step `step` (from 1) and adds its gradient to the network's. Deterministic
  // in (configuration, step, parameters, own state).
  virtual absl::StatusOr<StepOutcome> ComputeGradient(int64_t step, const StopCondition& stop) = 0;
  // After the last step of `epoch` (from 1). Changes nothing when it fails. A line for the log, or
  // nothing.
  virtual absl::StatusOr<std::string> EndEpoch(int64_t epoch, const StopCondition& stop) = 0;

  // Own state for checkpoints: numbers, and tensors of the parameters' size.
  virtual std::map<std::string, double> Numbers() const { return {}; }
  virtual std::map<std::string, at::Tensor> Tensors() const { return {}; }
  // Of a checkpoint of the same configuration, whose entries the caller has checked against the two
  // above.
  virtual void Restore(const std::map<std::string, double>&,
                       const std::map<std::string, at::Tensor>&) {}
};

struct LearnerOptions {
  TrainingConfig config;
  PointerNetwork* network = nullptr;
  int32_t threads = 1;
  bool amp = false;  // autocast the passes to bf16
};

std::unique_ptr<Learner> MakeReinforceLearner(const LearnerOptions& options);
// Makes or reads the labels first: kCancelled by `stop`, kInvalidArgument names what is wrong with
// the label file.
absl::StatusOr<std::unique_ptr<Learner>> MakeSupervisedLearner(const LearnerOptions& options,
                                                               const StopCondition& stop);

// kInternal when the two passes differ by more than rounding explains.
absl::Status CheckPassDifference(double difference, bool amp);

}  // namespace vrp
