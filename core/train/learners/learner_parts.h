// What the learners share.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/train/learners/learner.h"

namespace vrp {

// A step's gradient in parts: makes the requests, and adds the outcomes up.
class StepParts {
 public:
  StepParts(const LearnerOptions& options, int64_t step, int32_t micro_batch,
            const StopCondition& stop);

  // The rollout of `part`, choosing by `choice`; its random numbers do not depend on the parts.
  RolloutRequest Rollout(const BatchPart& part, Choice choice) const;
  GradientRequest Gradient(const RolloutRequest& rollout) const;
  // Counts `outcome` in; kInternal when the two passes differ by more than rounding explains.
  absl::Status Add(const GradientOutcome& outcome);
  // Returns a clock of the step's thread time, in seconds: the difference of two calls is the time
  // between them, summed over threads.
  double ThreadSeconds() const;
  // Counts the thread time since `start`, by ThreadSeconds(), as rollout: for rollouts outside of
  // AddGradient.
  void AddRolloutSince(double start);

  StepOutcome outcome;  // without cost and accuracy
  double cost_sum = 0;  // of the trajectories counted in, [instance, trajectory] in order
  int64_t trajectories = 0;
  int64_t agreements = 0;
  int64_t choices = 0;

 private:
  const LearnerOptions& options_;
  const int64_t step_;
  const int32_t micro_batch_;
  const StopCondition stop_;
  const absl::Time begun_;
};

// What any method's whole steps on instances within `bounds` are asked for.
WholeStepsRequest CommonWholeSteps(const LearnerOptions& options, const InstanceBounds& bounds);

// kInternal when the two passes' log-likelihoods differ by more than rounding explains; NaN is the
// caller's to count.
absl::Status CheckPassDifference(double difference, bool bf16);

// Greedy costs of `batch`, one an instance, in its own unit. `request` asks for one greedy
// trajectory.
absl::StatusOr<std::vector<double>> GreedyCosts(const PolicyEngine& engine,
                                                const NetworkBatch& batch,
                                                const RolloutRequest& request);

}  // namespace vrp
