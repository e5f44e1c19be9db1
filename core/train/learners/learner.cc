#include "core/train/learners/learner.h"

#include <utility>

#include "core/base/status_macros.h"

namespace vrp {

absl::StatusOr<CapturedStepsRequest> Learner::RequestCapturedSteps() const {
  VRP_ASSIGN_OR_RETURN(const InstanceBounds bounds, options_.source->Bounds());
  const TrainingConfig& config = options_.config;
  const LearnerLoss loss = Loss();
  int32_t trajectories = loss.trajectories;
  if (trajectories == 0 && bounds.starts.low == bounds.starts.high) {
    trajectories = bounds.starts.high;
  }
  return CapturedStepsRequest{.instances = config.batch_size,
                              .nodes = bounds.nodes,
                              .tsp = bounds.tsp,
                              .matrices = bounds.matrices,
                              .parts = config.accumulate_steps,
                              .trajectories = trajectories,
                              .distinct_starts = loss.distinct_starts,
                              .seed = config.seed,
                              .bf16 = options_.bf16,
                              .average_decay = loss.average_decay,
                              .baseline = loss.baseline,
                              .labels = loss.labels,
                              .label_smoothing = loss.label_smoothing,
                              .dropout = loss.dropout,
                              .weight_average = config.weight_average};
}

absl::Status Learner::BeginStep(CapturedSteps& steps, int64_t step,
                                const TrainingBatch* batch) const {
  const StepLoss loss = LossAt(step);
  if (!Loss().labels) {
    if (batch == nullptr) return steps.Step(loss.baseline);
    return steps.Step(loss.baseline, batch->parts.front().batch);
  }
  if (batch == nullptr)
    return absl::InvalidArgumentError("step: got no batch, wanted one with labels");
  const BatchPart& part = batch->parts.front();
  return steps.StepOnLabels({.choices = part.choices,
                             .steps = batch->label_steps,
                             .cost = batch->label_cost,
                             .teacher_forcing = loss.teacher_forcing},
                            part.batch);
}

absl::StatusOr<std::unique_ptr<Learner>> MakeLearner(LearnerOptions options) {
  switch (options.config.method) {
    case TrainingMethod::kReinforce:
      return MakeReinforceLearner(std::move(options));
    case TrainingMethod::kSelfLabelling:
      return MakeSelfLabellingLearner(std::move(options));
    case TrainingMethod::kSupervised:
      break;
  }
  return MakeSupervisedLearner(std::move(options));
}

}  // namespace vrp
