#include "core/train/habits/sequence_learner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/isa.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/optimiser/learning_rate.h"

namespace vrp {
namespace {

constexpr char kAdamSteps[] = "adam_steps";
constexpr size_t kValidatedTogether = 64;  // routes
// Initial weight against a return before all stops are visited.
constexpr float kEarlyReturn = 15;

}  // namespace

absl::StatusOr<std::unique_ptr<SequenceLearner>> SequenceLearner::Create(RunContext& context,
                                                                         const SequenceData& data,
                                                                         double distance_power) {
  const Bf16 bf16 = context.config.habits->bf16 ? UsableBf16() : Bf16::kNone;
  VRP_ASSIGN_OR_RETURN(auto engine, SequenceTransformer<float>::Create(data.options(), bf16));
  return std::unique_ptr<SequenceLearner>(
      new SequenceLearner(context, data, distance_power, std::move(engine)));
}

SequenceLearner::SequenceLearner(RunContext& context, const SequenceData& data,
                                 double distance_power,
                                 std::unique_ptr<SequenceTransformer<float>> engine)
    : context_(context),
      data_(data),
      engine_(std::move(engine)),
      parameters_(SequenceLayout(data.options()), context.config.seed),
      adamw_(parameters_.layout(), {.weight_decay = context.config.weight_decay}) {
  parameters_.TrackGradient();
  const auto bias = parameters_.values().subspan(
      static_cast<size_t>(parameters_.layout().Offset("pointer.relation.bias")), kLegRelations);
  bias.front() = static_cast<float>(distance_power);
  bias.back() = kEarlyReturn;
  engine_->SetParameters(std::as_const(parameters_).values());
}

const SequenceBuffers& SequenceLearner::BatchOf(int64_t step) {
  const RunClock::Scope clocked(context_.clock, RunPhase::kData);
  SequenceBuffers& own = buffers_[step % 2];
  if (next_step_ == step) {
    next_.get();
  } else {
    if (next_.valid()) next_.get();
    data_.WriteTraining(step, own);
  }
  next_step_ = step + 1;
  next_ = std::async(std::launch::async,
                     [this, step] { data_.WriteTraining(step + 1, buffers_[(step + 1) % 2]); });
  return own;
}

absl::StatusOr<SequenceStep> SequenceLearner::Step(int64_t step) {
  const SequenceBatch batch = BatchOf(step).View();
  std::ranges::fill(parameters_.gradient(), 0.0F);
  VRP_ASSIGN_OR_RETURN(
      const SequenceOutcome outcome,
      engine_->AddGradient(batch, {.pool = &context_.pool}, parameters_.gradient()));
  const auto targets = static_cast<double>(std::max<int64_t>(1, outcome.targets));
  SequenceStep result = {.loss = outcome.loss,
                         .accuracy = static_cast<double>(outcome.hits) / targets,
                         .routes = batch.size};
  result.gradient_norm = GradientNorm(std::as_const(parameters_).gradient(), &context_.pool);
  if (!std::isfinite(result.gradient_norm)) {
    return absl::InternalError(Concat("step ", step + 1, ": the gradient is not finite; try a ",
                                      "lower training.learning_rate"));
  }
  const double clip = context_.config.gradient_clip;
  const double scale = result.gradient_norm > clip ? clip / result.gradient_norm : 1;
  adamw_.Step(parameters_, LearningRateAt(context_.config, step), scale, &context_.pool);
  engine_->SetParameters(std::as_const(parameters_).values());
  return result;
}

absl::StatusOr<SequenceOutcome> SequenceLearner::Validate() {
  SequenceOutcome total;
  double loss = 0;
  const size_t size = data_.validation().size();
  for (size_t first = 0; first < size; first += kValidatedTogether) {
    data_.WriteValidation(first, kValidatedTogether, validation_);
    VRP_ASSIGN_OR_RETURN(const SequenceOutcome part,
                         engine_->Loss(validation_.View(), {.pool = &context_.pool}));
    loss += part.loss * static_cast<double>(part.targets);
    total.targets += part.targets;
    total.hits += part.hits;
  }
  total.loss = loss / static_cast<double>(std::max<int64_t>(1, total.targets));
  return total;
}

std::map<std::string, double> SequenceLearner::ScalarState() const {
  return {{kAdamSteps, static_cast<double>(adamw_.steps())}};
}

std::map<std::string, std::span<float>> SequenceLearner::TensorState() {
  return {{"parameters", parameters_.values()},
          {"adam.mean", adamw_.mean()},
          {"adam.square", adamw_.square()}};
}

void SequenceLearner::Restore(const std::map<std::string, double>& scalars) {
  adamw_.set_steps(static_cast<int64_t>(scalars.at(kAdamSteps)));
  engine_->SetParameters(std::as_const(parameters_).values());
}

}  // namespace vrp
