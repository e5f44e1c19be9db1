#include "core/train/run/state_run.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/disk_space.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/model/weights/model_card.h"
#include "core/train/optimiser/learning_rate.h"
#include "core/train/run/run_end.h"
#include "core/train/run/scalar_state.h"

namespace vrp {
namespace {

constexpr double kUnknownScore = std::numeric_limits<double>::quiet_NaN();
constexpr char kScoreCost[] = "validation_cost";
constexpr char kScoreGap[] = "validation_gap";
constexpr char kScoreAccuracy[] = "validation_accuracy";

// Stores what is known, so that checkpoints of a learner that never scores a figure do not need it.
void PutIfFinite(std::map<std::string, double>& scalars, const std::string& name, double value) {
  if (std::isfinite(value)) PutFinite(scalars, name, value);
}

}  // namespace

StateRun::StateRun(RunContext& context, StateLearner& learner, absl::Time started)
    : context_(context),
      learner_(learner),
      started_(started),
      best_(context.config.publish == PublishRule::kBest),
      checkpoints_(context, position_, best_, SavedState()),
      score_({.cost = kUnknownScore, .gap = kUnknownScore, .accuracy = kUnknownScore}) {}

absl::StatusOr<TrainingResult> StateRun::Run() {
  context_.observer.OnPhase("resumption");
  VRP_RETURN_IF_ERROR(checkpoints_.Resume());
  const absl::StatusOr<TrainingEnd> end = Loop();
  if (absl::IsCancelled(end.status())) checkpoints_.SaveLast();
  VRP_RETURN_IF_ERROR(end.status());
  return Publish(*end);
}

TrainingTotals StateRun::Totals() {
  totals_.run_phases = context_.clock.Read();
  return totals_;
}

std::span<const float> StateRun::Parameters() const {
  return std::as_const(learner_.parameters()).values();
}

StateCheckpoints::State StateRun::SavedState() {
  return {
      .scalars =
          [this] {
            std::map<std::string, double> scalars = learner_.ScalarState();
            PutIfFinite(scalars, kScoreCost, score_.cost);
            PutIfFinite(scalars, kScoreGap, score_.gap);
            PutIfFinite(scalars, kScoreAccuracy, score_.accuracy);
            return scalars;
          },
      .tensors = [this] { return learner_.TensorState(); },
      .integers = [this] { return learner_.IntegerState(); },
      .restore =
          [this](const std::map<std::string, double>& scalars, std::span<const int32_t> integers) {
            score_.cost = GetFinite(scalars, kScoreCost);
            score_.gap = GetFinite(scalars, kScoreGap);
            score_.accuracy = GetFinite(scalars, kScoreAccuracy);
            return learner_.Restore(scalars, integers);
          },
      .cost =
          [this](int64_t step) { return step == validated_step_ ? score_.cost : kUnknownScore; },
      .parameters = learner_.parameters().size()};
}

absl::StatusOr<TrainingEnd> StateRun::Loop() {
  int64_t& step = position_.step;
  const int64_t steps_per_epoch = context_.steps_per_epoch;
  pace_.Begin(step == position_.epochs_ended * steps_per_epoch);
  // The run may have been interrupted between an epoch's last step and its end.
  if (step > 0 && step / steps_per_epoch > position_.epochs_ended) VRP_RETURN_IF_ERROR(EndEpoch());
  const auto next_end = [&] { return EndReason(context_, position_, Stalled(), started_); };
  TrainingEnd end = next_end();
  for (; end == TrainingEnd::kUnknown; end = next_end()) {
    VRP_RETURN_IF_ERROR(StopStatus(context_.stop.Check()));
    if (EndsEarly(context_)) return absl::CancelledError("ended before its first step");
    VRP_RETURN_IF_ERROR(TakeStep());
    if (step % steps_per_epoch == 0) VRP_RETURN_IF_ERROR(EndEpoch());
    if (step % context_.config.checkpoint_every_steps == 0 || checkpoints_.IsOneOfTheBest()) {
      VRP_RETURN_IF_ERROR(checkpoints_.Save());
    }
    VRP_RETURN_IF_ERROR(ServeLive());
  }
  VRP_RETURN_IF_ERROR(ValidateLastStep(end));
  LogEnd(context_, position_, best_, end);
  return end;
}

absl::Status StateRun::TakeStep() {
  const RunClock::Scope clocked(context_.clock, RunPhase::kSteps);
  context_.observer.OnPhase("training step");
  const absl::Time begin = SteadyNow();
  VRP_ASSIGN_OR_RETURN(const StateStep step, learner_.Step(position_.step));
  ++position_.step;
  Report(step, absl::ToDoubleSeconds(SteadyNow() - begin));
  return absl::OkStatus();
}

void StateRun::Report(const StateStep& step, double seconds) {
  ++totals_.steps;
  totals_.instances += step.instances;
  totals_.seconds += seconds;
  loss_ += step.loss;
  ++steps_;
  const auto instances = static_cast<double>(step.instances);
  progress_ = {.epoch = context_.EpochOf(position_.step),
               .epochs = context_.config.epochs,
               .step = position_.step,
               .steps = context_.Steps(),
               .loss = step.loss,
               .train_cost = step.cost,
               .accuracy = step.accuracy,
               .learning_rate = LearningRateAt(context_.config, position_.step - 1),
               .gradient_norm = step.gradient_norm,
               .instances_per_second = seconds > 0 ? instances / seconds : 0};
  FillProgress();
  context_.observer.OnProgress(progress_);
}

void StateRun::FillProgress() {
  totals_.run_phases = context_.clock.Read();
  progress_.validation_cost = score_.cost;
  progress_.validation_reference = learner_.reference();
  progress_.validation_gap = score_.gap;
  progress_.validation_accuracy = kUnknownScore;
  progress_.reference = learner_.reference_name();
  progress_.seconds_per_step = pace_.SecondsPerStep(totals_);
  progress_.seconds_per_epoch = pace_.seconds_per_epoch();
  progress_.instances_seen = learner_.InstancesSeen(position_.step);
  progress_.totals = totals_;
}

absl::Status StateRun::Validate() {
  const RunClock::Scope clocked(context_.clock, RunPhase::kValidation);
  context_.observer.OnPhase("validation");
  VRP_ASSIGN_OR_RETURN(score_, learner_.Validate());
  validated_step_ = position_.step;
  return absl::OkStatus();
}

absl::Status StateRun::EndEpoch() {
  const int64_t epoch = position_.epochs_ended + 1;
  VRP_RETURN_IF_ERROR(Validate());
  position_.epochs_ended = epoch;
  best_.Offer(score_, epoch, position_.step, Parameters());
  std::string line =
      Concat("epoch ", epoch, "/", context_.config.epochs, ": ", learner_.ScoreText(score_));
  if (steps_ > 0) line += Concat(", ", learner_.StepsText(loss_ / static_cast<double>(steps_)));
  context_.observer.OnLog(line);
  loss_ = 0;
  steps_ = 0;
  progress_.epoch = epoch;
  progress_.epochs = context_.config.epochs;
  progress_.step = position_.step;
  progress_.steps = context_.Steps();
  progress_.end_of_epoch = true;
  const double seconds_per_step = pace_.SecondsPerStep(totals_);
  pace_.EndEpoch(totals_);
  FillProgress();
  progress_.validation_accuracy = score_.accuracy;
  progress_.seconds_per_step = seconds_per_step;  // steps of the epoch that has just ended
  context_.observer.OnProgress(progress_);
  return absl::OkStatus();
}

bool StateRun::Stalled() const {
  const int64_t patience = context_.config.patience;
  return patience > 0 && position_.epochs_ended - best_.epoch() >= patience;
}

absl::Status StateRun::ValidateLastStep(TrainingEnd end) {
  const bool mid_epoch = end == TrainingEnd::kTimeLimit || end == TrainingEnd::kStopped;
  if (!mid_epoch) return absl::OkStatus();
  // A request for a live model may have validated the step already.
  if (validated_step_ != position_.step) VRP_RETURN_IF_ERROR(Validate());
  best_.Offer(score_, position_.epochs_ended, position_.step, Parameters());
  context_.observer.OnLog(Concat("step ", position_.step, ": ", learner_.ScoreText(score_)));
  return absl::OkStatus();
}

TrainingResult StateRun::ResultOf(int64_t step, const ValidationScore& score,
                                  PublishReason reason) const {
  return {.steps = step,
          .epoch = context_.EpochOf(step),
          .reason = reason,
          .validation_cost = std::isfinite(score.cost) ? score.cost : 0,
          .validation_reference = learner_.reference(),
          .validation_gap = score.gap,
          .reference = learner_.reference_name(),
          .end = TrainingEnd::kUnknown};
}

absl::StatusOr<TrainingResult> StateRun::Publish(TrainingEnd end) {
  const RunClock::Scope clocked(context_.clock, RunPhase::kPublication);
  context_.observer.OnPhase("publication");
  const bool best = !best_.values().empty();
  TrainingResult result =
      best ? ResultOf(best_.step(), {.cost = best_.cost(), .gap = best_.gap()},
                      PublishReason::kBestValidation)
           : ResultOf(position_.step, score_,
                      context_.config.publish == PublishRule::kLast ? PublishReason::kLastWeights
                                                                    : PublishReason::kNotValidated);
  result.end = end;
  context_.observer.OnLog(
      absl::StrFormat("publishes the weights of epoch %d of %d (step %d): %s, validation %.4f",
                      result.epoch, context_.config.epochs, result.steps,
                      PublishReasonName(result.reason), result.validation_cost));
  const std::span<const float> parameters = best ? best_.values() : Parameters();
  VRP_RETURN_IF_ERROR(WriteWhenDiskHasSpace(
      context_.stop,
      [&] {
        return learner_.WriteModel(context_.request.model_directory, context_.request.job_name,
                                   parameters, result);
      },
      [&](const absl::Status& full) {
        context_.observer.OnLog(
            Concat("waits for disk space to write the model: ", FromAbsl(full.message())));
      }));
  return result;
}

absl::Status StateRun::ServeLive() {
  absl::Status failed;
  if (context_.request.live == nullptr) return failed;
  const RunClock::Scope clocked(context_.clock, RunPhase::kPublication);
  const int64_t step = position_.step;
  context_.request.live->Serve([&](const std::string& directory) -> absl::StatusOr<TrainingResult> {
    if (validated_step_ != step) failed.Update(Validate());
    VRP_RETURN_IF_ERROR(failed);
    const TrainingResult result = ResultOf(step, score_, PublishReason::kLastWeights);
    VRP_RETURN_IF_ERROR(learner_.WriteModel(directory, LiveJobName(context_.request.job_name, step),
                                            Parameters(), result));
    return result;
  });
  return failed;
}

}  // namespace vrp
