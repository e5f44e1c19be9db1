#include "core/train/habits/sequence_run.h"

#include <map>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/isa.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/habits/counts/choose_parameters.h"
#include "core/problem/plan/gap_reference.h"
#include "core/train/optimiser/learning_rate.h"
#include "core/train/run/run_end.h"
#include "core/train/run/scalar_state.h"

namespace vrp {
namespace {

constexpr char kCost[] = "validation_cost";
constexpr char kAccuracy[] = "validation_accuracy";

}  // namespace

SequenceRun::SequenceRun(const TrainingRequest& request, const StopCondition& stop,
                         TrainingObserver& observer, const RouteHistory& history,
                         const SequenceData& data, absl::Time started)
    : started_(started),
      context_(request, stop, observer),
      history_(history),
      data_(data),
      best_(request.config.publish == PublishRule::kBest) {}

absl::StatusOr<TrainingResult> SequenceRun::Run() {
  VRP_RETURN_IF_ERROR(Prepare());
  const absl::StatusOr<TrainingEnd> end = Loop();
  if (absl::IsCancelled(end.status())) checkpoints_->SaveLast();
  VRP_RETURN_IF_ERROR(end.status());
  return Publish(*end);
}

TrainingTotals SequenceRun::Totals() {
  totals_.run_phases = context_.clock.Read();
  return totals_;
}

absl::Status SequenceRun::Prepare() {
  const RunClock::Scope clocked(context_.clock, RunPhase::kPreparation);
  context_.observer.OnPhase("references");
  const auto held_out = static_cast<size_t>(data_.training_size());
  const LegCounter counter(history_, held_out, 0, context_.config.seed);
  reference_ = FitDistances(counter, data_.validation(), CandidatesWith({0}).powers, context_.pool);
  LogBanner();
  context_.observer.OnPhase("resumption");
  VRP_ASSIGN_OR_RETURN(learner_, SequenceLearner::Create(context_, data_, reference_.power));
  checkpoints_ = std::make_unique<StateCheckpoints>(context_, position_, best_, SavedState());
  return checkpoints_->Resume();
}

void SequenceRun::LogBanner() {
  const std::span<const PastRoute> routes = history_.routes;
  const auto held_out = static_cast<size_t>(data_.training_size());
  TrainingObserver& observer = context_.observer;
  observer.OnLog(Concat("habits: learns from ", held_out, " routes of ",
                        CountDays(routes.first(held_out)), " days, ", history_.drivers.size(),
                        " drivers; validated on ", data_.validation().size(),
                        " routes of the last ", CountDays(routes.subspan(held_out)), " days; ",
                        context_.pool.threads(), " threads"));
  const SequenceTransformerOptions& sizes = data_.options();
  const bool bf16 = context_.config.habits->bf16;
  observer.OnLog(Concat("model: transformer, ", SequenceLayout(sizes).size(), " parameters, ",
                        sizes.layers, " layers, width ", sizes.width, ", ", sizes.heads, " heads, ",
                        sizes.features, " features, ",
                        !bf16                    ? "fp32"
                        : IsNative(UsableBf16()) ? "bf16"
                                                 : "bf16 emulated, which is slow"));
  if (context_.request.device.kind == DeviceKind::kCuda) {
    observer.OnLog(Concat("trains on the CPU instead of on ", context_.request.device.ToString(),
                          ", which habit models do not use"));
  }
}

StateCheckpoints::State SequenceRun::SavedState() {
  return {.scalars =
              [this] {
                std::map<std::string, double> scalars = learner_->ScalarState();
                PutFinite(scalars, kCost, cost_);
                scalars[kAccuracy] = accuracy_;
                return scalars;
              },
          .tensors = [this] { return learner_->TensorState(); },
          .restore =
              [this](const std::map<std::string, double>& scalars, std::span<const int32_t>) {
                cost_ = GetFinite(scalars, kCost);
                accuracy_ = scalars.at(kAccuracy);
                learner_->Restore(scalars);
                return absl::OkStatus();
              },
          .cost =
              [this](int64_t step) {
                return step == validated_step_ ? cost_ : std::numeric_limits<double>::quiet_NaN();
              },
          .parameters = learner_->parameters().size()};
}

absl::StatusOr<TrainingEnd> SequenceRun::Loop() {
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
    if (step % context_.config.checkpoint_every_steps == 0 || checkpoints_->IsOneOfTheBest()) {
      VRP_RETURN_IF_ERROR(checkpoints_->Save());
    }
    VRP_RETURN_IF_ERROR(ServeLive());
  }
  VRP_RETURN_IF_ERROR(ValidateLastStep(end));
  LogEnd(context_, position_, best_, end);
  return end;
}

absl::Status SequenceRun::TakeStep() {
  const RunClock::Scope clocked(context_.clock, RunPhase::kSteps);
  context_.observer.OnPhase("training step");
  const absl::Time begin = SteadyNow();
  VRP_ASSIGN_OR_RETURN(const SequenceStep step, learner_->Step(position_.step));
  ++position_.step;
  Report(step, absl::ToDoubleSeconds(SteadyNow() - begin));
  return absl::OkStatus();
}

void SequenceRun::Report(const SequenceStep& step, double seconds) {
  ++totals_.steps;
  totals_.instances += step.routes;
  totals_.seconds += seconds;
  loss_ += step.loss;
  ++steps_;
  const auto routes = static_cast<double>(step.routes);
  progress_ = {.epoch = context_.EpochOf(position_.step),
               .epochs = context_.config.epochs,
               .step = position_.step,
               .steps = context_.Steps(),
               .loss = step.loss,
               .train_cost = step.loss,
               .accuracy = step.accuracy,
               .learning_rate = LearningRateAt(context_.config, position_.step - 1),
               .gradient_norm = step.gradient_norm,
               .instances_per_second = seconds > 0 ? routes / seconds : 0};
  FillProgress();
  progress_.validation_accuracy = std::numeric_limits<double>::quiet_NaN();
  context_.observer.OnProgress(progress_);
}

ValidationScore SequenceRun::Score() const {
  return {.cost = cost_, .gap = Gap(cost_, reference_.cost), .accuracy = accuracy_};
}

void SequenceRun::FillProgress() {
  totals_.run_phases = context_.clock.Read();
  progress_.validation_cost = cost_;
  progress_.validation_reference = reference_.cost;
  progress_.validation_gap = Score().gap;
  progress_.validation_accuracy = accuracy_;
  progress_.reference = kDistanceReference;
  progress_.seconds_per_step = pace_.SecondsPerStep(totals_);
  progress_.seconds_per_epoch = pace_.seconds_per_epoch();
  const int64_t in_epoch = position_.step % context_.steps_per_epoch * context_.config.batch_size;
  progress_.instances_seen =
      position_.step / context_.steps_per_epoch * data_.training_size() + in_epoch;
  progress_.totals = totals_;
}

absl::Status SequenceRun::Validate() {
  const RunClock::Scope clocked(context_.clock, RunPhase::kValidation);
  context_.observer.OnPhase("validation");
  VRP_ASSIGN_OR_RETURN(const SequenceOutcome outcome, learner_->Validate());
  cost_ = outcome.loss;
  accuracy_ = static_cast<double>(outcome.hits) /
              static_cast<double>(std::max<int64_t>(1, outcome.targets));
  validated_step_ = position_.step;
  return absl::OkStatus();
}

absl::Status SequenceRun::EndEpoch() {
  const int64_t epoch = position_.epochs_ended + 1;
  VRP_RETURN_IF_ERROR(Validate());
  position_.epochs_ended = epoch;
  best_.Offer(Score(), epoch, position_.step, std::as_const(*learner_).parameters().values());
  std::string line = absl::StrFormat(
      "epoch %d/%d: -log p %.4f (%.4f by distance alone), next stop right in %.1f %%", epoch,
      context_.config.epochs, cost_, reference_.cost, 100 * accuracy_);
  if (steps_ > 0) {
    line +=
        absl::StrFormat(", %.4f on the routes to learn from", loss_ / static_cast<double>(steps_));
  }
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
  progress_.seconds_per_step = seconds_per_step;  // steps of the epoch that has just ended
  context_.observer.OnProgress(progress_);
  return absl::OkStatus();
}

bool SequenceRun::Stalled() const {
  const int64_t patience = context_.config.patience;
  return patience > 0 && position_.epochs_ended - best_.epoch() >= patience;
}

absl::Status SequenceRun::ValidateLastStep(TrainingEnd end) {
  const bool mid_epoch = end == TrainingEnd::kTimeLimit || end == TrainingEnd::kStopped;
  if (validated_step_ == position_.step || !mid_epoch) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(Validate());
  best_.Offer(Score(), position_.epochs_ended, position_.step,
              std::as_const(*learner_).parameters().values());
  return absl::OkStatus();
}

}  // namespace vrp
