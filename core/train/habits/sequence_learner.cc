#include "core/train/habits/sequence_learner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/isa.h"
#include "core/base/status_macros.h"
#include "core/habits/evaluation.h"
#include "core/habits/routes/learn_route_habits.h"
#include "core/model/habits/habit_model_files.h"
#include "core/problem/plan/gap_reference.h"
#include "core/train/optimiser/clipped_step.h"
#include "core/train/run/result_card.h"

namespace vrp {
namespace {

constexpr char kAdamSteps[] = "adam_steps";
constexpr size_t kValidatedTogether = 64;  // routes
// Initial weight against a return before all stops are visited.
constexpr float kEarlyReturn = 15;

double AccuracyOf(const SequenceOutcome& outcome) {
  return static_cast<double>(outcome.hits) /
         static_cast<double>(std::max<int64_t>(1, outcome.targets));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SequenceLearner>> SequenceLearner::Create(
    RunContext& context, const RouteHistory& history, const SequenceData& data,
    const DistanceReference& reference) {
  const Bf16 bf16 = context.config.habits->bf16 ? UsableBf16() : Bf16::kNone;
  VRP_ASSIGN_OR_RETURN(auto engine, SequenceTransformer<float>::Create(data.options(), bf16));
  return std::unique_ptr<SequenceLearner>(
      new SequenceLearner(context, history, data, reference, std::move(engine)));
}

SequenceLearner::SequenceLearner(RunContext& context, const RouteHistory& history,
                                 const SequenceData& data, const DistanceReference& reference,
                                 std::unique_ptr<SequenceTransformer<float>> engine)
    : context_(context),
      history_(history),
      data_(data),
      reference_(reference),
      engine_(std::move(engine)),
      parameters_(SequenceLayout(data.options()), context.config.seed),
      adamw_(parameters_.layout(), {.weight_decay = context.config.weight_decay}) {
  parameters_.TrackGradient();
  const auto bias = parameters_.values().subspan(
      static_cast<size_t>(parameters_.layout().Offset("pointer.relation.bias")), kLegRelations);
  bias.front() = static_cast<float>(reference_.power);
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

absl::StatusOr<StateStep> SequenceLearner::Step(int64_t step) {
  const SequenceBatch batch = BatchOf(step).View();
  std::ranges::fill(parameters_.gradient(), 0.0F);
  VRP_ASSIGN_OR_RETURN(
      const SequenceOutcome outcome,
      engine_->AddGradient(batch, {.pool = &context_.pool}, parameters_.gradient()));
  StateStep result = {.loss = outcome.loss,
                      .cost = outcome.loss,
                      .accuracy = AccuracyOf(outcome),
                      .instances = batch.size};
  VRP_ASSIGN_OR_RETURN(result.gradient_norm, TakeClippedStep(context_.config, step, context_.pool,
                                                             &context_.pool, parameters_, adamw_));
  engine_->SetParameters(std::as_const(parameters_).values());
  return result;
}

absl::StatusOr<ValidationScore> SequenceLearner::Validate() {
  SequenceOutcome total;
  const size_t size = data_.validation().size();
  for (size_t first = 0; first < size; first += kValidatedTogether) {
    data_.WriteValidation(first, kValidatedTogether, validation_);
    VRP_ASSIGN_OR_RETURN(const SequenceOutcome part,
                         engine_->Loss(validation_.View(), {.pool = &context_.pool}));
    total.loss += part.loss * static_cast<double>(part.targets);
    total.targets += part.targets;
    total.hits += part.hits;
  }
  const double cost = total.loss / static_cast<double>(std::max<int64_t>(1, total.targets));
  return ValidationScore{
      .cost = cost, .gap = Gap(cost, reference_.cost), .accuracy = AccuracyOf(total)};
}

int64_t SequenceLearner::InstancesSeen(int64_t steps) const {
  const int64_t in_epoch = steps % context_.steps_per_epoch * context_.config.batch_size;
  return steps / context_.steps_per_epoch * data_.training_size() + in_epoch;
}

std::string SequenceLearner::ScoreText(const ValidationScore& score) const {
  return absl::StrFormat("-log p %.4f (%.4f by distance alone), next stop right in %.1f %%",
                         score.cost, reference_.cost, 100 * score.accuracy);
}

std::string SequenceLearner::StepsText(double loss) const {
  return absl::StrFormat("%.4f on the routes to learn from", loss);
}

absl::Status SequenceLearner::WriteModel(const std::string& directory, const std::string& job_name,
                                         std::span<const float> parameters,
                                         const TrainingResult& result) const {
  const HabitsConfig& config = *context_.config.habits;
  const SequenceTables tables = data_.TablesWith(parameters);
  VRP_ASSIGN_OR_RETURN(const std::shared_ptr<const SequenceHabitModel> model,
                       SequenceHabitModel::Create(tables));
  const HabitScore score =
      EvaluateHabits(*model, data_.validation(), history_.coordinates, context_.pool);
  const auto routes = data_.training_size();
  const HabitSettings settings = {.earlier_routes = config.earlier_routes,
                                  .history = config.history,
                                  .first_day = history_.routes.front().day,
                                  .last_day = history_.routes[static_cast<size_t>(routes - 1)].day,
                                  .routes = routes,
                                  .validation_days = config.validation_days,
                                  .next_stop_accuracy = score.next_stop_accuracy,
                                  .route_similarity = score.route_similarity};
  return WriteSequenceModel(
      directory, tables,
      LearnRouteHabits(history_, static_cast<size_t>(routes), context_.config.seed), settings,
      CardOf(context_.config, job_name, result));
}

std::map<std::string, double> SequenceLearner::ScalarState() const {
  return {{kAdamSteps, static_cast<double>(adamw_.steps())}};
}

std::map<std::string, std::span<float>> SequenceLearner::TensorState() {
  return {{"parameters", parameters_.values()},
          {"adam.mean", adamw_.mean()},
          {"adam.square", adamw_.square()}};
}

absl::Status SequenceLearner::Restore(const std::map<std::string, double>& scalars,
                                      std::span<const int32_t>) {
  adamw_.set_steps(static_cast<int64_t>(scalars.at(kAdamSteps)));
  engine_->SetParameters(std::as_const(parameters_).values());
  return absl::OkStatus();
}

}  // namespace vrp
