#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/train/learners/learner_parts.h"

namespace vrp {
namespace {

// A learner that raises the log-likelihood of the labels' choices.
class SupervisedLearner final : public Learner {
 public:
  using Learner::Learner;

  LearnerLoss Loss() const override {
    return {.labels = true,
            .label_smoothing = options_.config.supervised.label_smoothing,
            .dropout = options_.config.sizes.dropout > 0};
  }
  // Changes teacher forcing linearly from the first epoch to the last.
  StepLoss LossAt(int64_t step) const override {
    const SupervisedConfig& supervised = options_.config.supervised;
    const int64_t epochs = options_.config.epochs;
    const int64_t epoch = (step - 1) / options_.config.StepsPerEpoch();
    const double share =
        epochs > 1 ? static_cast<double>(epoch) / static_cast<double>(epochs - 1) : 0;
    return {.teacher_forcing =
                supervised.teacher_forcing_start +
                share * (supervised.teacher_forcing_end - supervised.teacher_forcing_start)};
  }

  absl::StatusOr<StepOutcome> AddGradient(int64_t step, const TrainingBatch& batch,
                                          int32_t micro_batch, const StopCondition& stop) override {
    StepParts parts(*this, step, micro_batch, stop);
    // The loss is the mean over all choices of the step, for any division of the step.
    const double weight = -1 / static_cast<double>(batch.label_steps);
    const auto weigh = [weight](int64_t, std::span<const double>, std::span<double> weights) {
      std::fill(weights.begin(), weights.end(), weight);
    };
    for (const BatchPart& part : batch.parts) {
      const GradientRequest request = parts.Gradient(parts.ForLabels(part, part.choices));
      VRP_ASSIGN_OR_RETURN(const GradientOutcome outcome,
                           options_.engine->AddGradient(part.batch, request, weigh));
      VRP_RETURN_IF_ERROR(parts.AddOutcome(outcome));
    }
    VRP_RETURN_IF_ERROR(parts.AddRanks());
    StepOutcome outcome = parts.outcome;
    outcome.cost = batch.label_cost;
    outcome.accuracy = static_cast<double>(parts.agreements) /
                       static_cast<double>(std::max<int64_t>(1, parts.choices));
    return outcome;
  }
};

}  // namespace

std::unique_ptr<Learner> MakeSupervisedLearner(LearnerOptions options) {
  return std::make_unique<SupervisedLearner>(std::move(options));
}

}  // namespace vrp
