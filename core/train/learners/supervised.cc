#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/train/learners/learner_parts.h"

namespace vrp {
namespace {

class SupervisedLearner final : public Learner {
 public:
  explicit SupervisedLearner(LearnerOptions options) : options_(std::move(options)) {}

  absl::StatusOr<StepOutcome> AddGradient(int64_t step, const TrainingBatch& batch,
                                          int32_t micro_batch, const StopCondition& stop) override {
    StepParts parts(options_, step, micro_batch, stop);
    // The loss is the mean over all choices of the step, however it is divided.
    const double weight = -1 / static_cast<double>(batch.label_steps);
    const auto weigh = [weight](int64_t, std::span<const double>, std::span<double> weights) {
      std::fill(weights.begin(), weights.end(), weight);
    };
    for (const BatchPart& part : batch.parts) {
      RolloutRequest follow = parts.Rollout(part, Choice::kFollow);
      follow.choices = part.choices;
      follow.teacher_forcing = TeacherForcing(step);
      GradientRequest request = parts.Gradient(follow);
      request.label_smoothing = options_.config.supervised.label_smoothing;
      request.dropout = Drops();
      VRP_ASSIGN_OR_RETURN(const GradientOutcome outcome,
                           options_.engine->AddGradient(part.batch, request, weigh));
      VRP_RETURN_IF_ERROR(parts.Add(outcome));
    }
    StepOutcome outcome = parts.outcome;
    outcome.cost = batch.label_cost;
    outcome.accuracy = static_cast<double>(parts.agreements) /
                       static_cast<double>(std::max<int64_t>(1, parts.choices));
    return outcome;
  }

  absl::StatusOr<WholeStepsRequest> RequestWholeSteps() const override {
    VRP_ASSIGN_OR_RETURN(const InstanceBounds bounds, options_.source->Bounds());
    WholeStepsRequest request = CommonWholeSteps(options_, bounds);
    request.labels = true;
    request.label_smoothing = options_.config.supervised.label_smoothing;
    request.dropout = Drops();
    return request;
  }
  absl::Status BeginStep(WholeSteps& steps, int64_t step,
                         const TrainingBatch* batch) const override {
    if (batch == nullptr) return absl::InvalidArgumentError("step: the device draws no labels");
    const BatchPart& part = batch->parts.front();
    return steps.StepAlong({.choices = part.choices,
                            .steps = batch->label_steps,
                            .cost = batch->label_cost,
                            .teacher_forcing = TeacherForcing(step)},
                           part.batch);
  }

 private:
  bool Drops() const {
    return options_.config.model == "ptrnet" && options_.config.network.dropout > 0;
  }

  double TeacherForcing(int64_t step) const {
    const SupervisedConfig& supervised = options_.config.supervised;
    const int64_t epochs = options_.config.epochs;
    const int64_t epoch = (step - 1) / options_.config.StepsPerEpoch();
    const double share =
        epochs > 1 ? static_cast<double>(epoch) / static_cast<double>(epochs - 1) : 0;
    return supervised.teacher_forcing_start +
           share * (supervised.teacher_forcing_end - supervised.teacher_forcing_start);
  }

  const LearnerOptions options_;
};

}  // namespace

std::unique_ptr<Learner> MakeSupervisedLearner(LearnerOptions options) {
  return std::make_unique<SupervisedLearner>(std::move(options));
}

}  // namespace vrp
