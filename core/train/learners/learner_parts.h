// Helpers shared by the learners.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/train/learners/learner.h"

namespace vrp {

// A helper for learners that compute a step's gradient in parts. It makes the requests and adds up
// the outcomes.
class StepParts {
 public:
  // Reads the learner's loss at `step`. `learner` must outlive this object.
  StepParts(const Learner& learner, int64_t step, int32_t micro_batch, const StopCondition& stop);

  // Returns the request for sampled trajectories of `part`. Its random numbers do not depend on the
  // division into parts.
  RolloutRequest Sampled(const BatchPart& part) const;
  // Returns the request for trajectories along `labels` [B], which must outlive the request.
  RolloutRequest ForLabels(const BatchPart& part,
                           std::span<const std::vector<int32_t>> labels) const;
  // Returns the request for the gradient of the trajectories of `rollout`.
  GradientRequest Gradient(const RolloutRequest& rollout) const;
  // Adds `outcome` to the sums. Returns kInternal if the two passes differ by more than rounding
  // explains.
  absl::Status AddOutcome(const GradientOutcome& outcome);
  // Replaces the sums and the outcome by those of all ranks, and `more` by its sum. The last call
  // of a successful step: the ranks exchange nothing before it, so that each can repeat its share.
  absl::Status AddRanks(double& more);
  absl::Status AddRanks() {
    double none = 0;
    return AddRanks(none);
  }
  // Returns a thread time in seconds. Only the difference of two calls has a meaning: the time
  // between the calls, summed over threads.
  double ThreadSeconds() const;
  // Adds the thread time since `start`, by ThreadSeconds(), to the time of rollouts. Call it for
  // rollouts outside AddGradient.
  void AddRolloutSince(double start);

  const StepLoss& loss() const { return step_loss_; }

  StepOutcome outcome;  // without cost and accuracy
  double cost_sum = 0;  // sum over the trajectories counted, in the order [instance, trajectory]
  int64_t trajectories = 0;  // number of trajectories counted
  int64_t agreements = 0;    // number of their choices that were the likeliest
  int64_t choices = 0;       // number of their choices

 private:
  RolloutRequest Rollout(const BatchPart& part, Choice choice) const;

  const LearnerOptions& options_;
  const LearnerLoss loss_;
  const StepLoss step_loss_;
  const int64_t step_;
  const int32_t micro_batch_;
  const StopCondition stop_;
  const absl::Time begun_;
};

// Returns kInternal if the two passes' log-likelihoods differ by more than rounding explains. The
// caller handles NaN.
absl::Status CheckPassDifference(double difference, bool bf16);

// Returns the greedy cost of each instance of `batch`, in the instance's unit. `request` must ask
// for one greedy trajectory.
absl::StatusOr<std::vector<double>> GreedyCosts(const PolicyEngine& engine,
                                                const NetworkBatch& batch,
                                                const RolloutRequest& request);

}  // namespace vrp
