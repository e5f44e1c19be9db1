// Training methods for the loop of a run. Each gives weights to the log-likelihoods of
// trajectories. Needs no torch.
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
#include "core/exchange/rank_group.h"
#include "core/model/policy/policy_engine.h"
#include "core/train/config/training_config.h"
#include "core/train/data/batch_source.h"

namespace vrp {

// The loss of a training method. Both the host's steps and captured steps are made from it.
struct LearnerLoss {
  bool labels = false;  // whether trajectories repeat the labels' plans; otherwise they are sampled
  // Number of trajectories per instance with StepBaseline::kShared and kBest. 0: the number of
  // nodes that may come first in the instance. Other baselines use one trajectory.
  int32_t trajectories = 1;
  // Whether trajectories begin at different nodes, as in RolloutRequest. Only with kShared.
  bool distinct_starts = false;
  double average_decay = 0.8;              // decay of kAverage
  const PolicyEngine* baseline = nullptr;  // engine of kGreedy
  double label_smoothing = 0;              // as in GradientRequest
  bool dropout = false;                    // whether to use dropout, as in GradientRequest
};

// The terms of the loss that change from step to step.
struct StepLoss {
  StepBaseline baseline = StepBaseline::kShared;  // baseline of sampled trajectories
  double teacher_forcing = 1;                     // probability along labels, as in RolloutRequest
};

// The values that a step computed besides its gradient.
struct StepOutcome {
  double loss = 0;
  double cost = 0;  // mean cost of the tours, sampled or labelled
  // Share of the labels' choices that were the likeliest; NaN without labels.
  double accuracy = std::numeric_limits<double>::quiet_NaN();
  // Largest difference of a tour's log-likelihood between the two passes, divided by its number of
  // choices; 0 for a single pass. CheckPassDifference bounds it.
  double pass_difference = 0;
  bool overflowed = false;  // whether fp16 overflowed, so that the step is skipped
  PhaseSeconds seconds{};   // summed over threads
  // Copies between host and device, as in GradientOutcome.
  int64_t copies = 0;
  int64_t copied_bytes = 0;
  int64_t matrix_bytes = 0;
};

struct LearnerOptions {
  TrainingConfig config;
  PolicyEngine* engine = nullptr;          // must outlive the learner
  std::unique_ptr<PolicyEngine> baseline;  // greedy_rollout: an engine of the same architecture
  BatchSource* source = nullptr;           // must outlive the learner
  CpuPool* pool = nullptr;                 // null: the calling thread does all the work
  bool bf16 = false;                       // whether the engine computes in bf16
  RankGroup* ranks = nullptr;              // null: this process alone trains the network
};

// A training method. Not thread-safe.
class Learner {
 public:
  explicit Learner(LearnerOptions options) : options_(std::move(options)) {}
  virtual ~Learner() = default;

  // Returns the loss of every step.
  virtual LearnerLoss Loss() const = 0;
  // Returns the terms of step `step` (from 1).
  virtual StepLoss LossAt(int64_t step) const = 0;

  // Computes the loss of step `step` (from 1) by calls of the engine and adds the gradient of this
  // rank's share of it to the engine's gradient. The outcome and the learner's state are those of
  // all ranks, which the ranks exchange at the end of a successful call. Deterministic in
  // (configuration, step, batch, parameters, the learner's state). The learner's state changes only
  // on success. `micro_batch` as in GradientRequest.
  virtual absl::StatusOr<StepOutcome> AddGradient(int64_t step, const TrainingBatch& batch,
                                                  int32_t micro_batch,
                                                  const StopCondition& stop) = 0;
  // Ends epoch `epoch` (from 1). Returns a line for the log, or an empty text. If `stop` ends the
  // call, nothing has changed.
  virtual absl::StatusOr<std::string> EndEpoch(int64_t, const StopCondition&) {
    return std::string();
  }

  // Returns the request for capturing the same steps on the engine's device
  // (PolicyEngine::MakeCapturedSteps). Fills in only the fields that the learner knows. Returns the
  // errors of BatchSource::Bounds.
  absl::StatusOr<CapturedStepsRequest> RequestCapturedSteps() const;
  // Begins step `step` (from 1) of `steps`, which were made by that request. `batch` is null if the
  // device draws the instances. Otherwise it has one part, which the device divides.
  absl::Status BeginStep(CapturedSteps& steps, int64_t step, const TrainingBatch* batch) const;
  // Returns the learner's moving average, which captured steps continue; null if it has none.
  virtual MovingAverage* average() { return nullptr; }

  // Returns the named scalars of the learner's own state, for checkpoints.
  virtual std::map<std::string, double> ScalarState() const { return {}; }
  // Returns the named tensors of the learner's own state. They are saved, and later filled in
  // place.
  virtual std::map<std::string, std::span<float>> TensorState() { return {}; }
  // Restores the scalars of a checkpoint of the same configuration. The caller has checked the
  // names and filled the tensors.
  virtual absl::Status Restore(const std::map<std::string, double>&) { return absl::OkStatus(); }

  const LearnerOptions& options() const { return options_; }

 protected:
  LearnerOptions options_;
};

// Makes a learner for REINFORCE (Williams 1992) with the baseline of reinforce.baseline. Returns
// the errors of PolicyEngine::ParametersChanged of a separate baseline engine.
absl::StatusOr<std::unique_ptr<Learner>> MakeReinforceLearner(LearnerOptions options);
// Makes a learner whose label is the best of several samples (Corsini et al. 2024, "Self-labeling
// the job shop scheduling problem").
std::unique_ptr<Learner> MakeSelfLabellingLearner(LearnerOptions options);
// Makes a learner that repeats the labels' plans: by teacher forcing, or by scheduled sampling if
// its ratio is below 1.
std::unique_ptr<Learner> MakeSupervisedLearner(LearnerOptions options);
// Makes the learner of the configuration's method. Returns the errors of MakeReinforceLearner.
absl::StatusOr<std::unique_ptr<Learner>> MakeLearner(LearnerOptions options);

}  // namespace vrp
