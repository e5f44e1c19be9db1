#include "core/train/dispatch/dispatch_run.h"

#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/train/dispatch/hindsight_labels.h"
#include "core/train/dispatch/prize_samples.h"
#include "core/train/optimiser/learning_rate.h"
#include "core/train/run/run_end.h"

namespace vrp {
namespace {

std::string CacheFolder(const TrainingRequest& request) {
  if (!request.cache_directory.empty()) return request.cache_directory;
  return Concat(request.checkpoint_directory, "/labels");
}

// Returns the condition that ends the preparation. A run without a checkpoint may end early then.
StopCondition PreparationStop(const RunContext& context) {
  const TrainingRequest& request = context.request;
  const bool may_end = request.end_early != nullptr && !HasCheckpoint(request.checkpoint_directory);
  return may_end ? StopCondition(context.stop.deadline(), request.end_early) : context.stop;
}

DispatchSettings SettingsOf(const DispatchConfig& config, const PrizeNetworkOptions& network,
                            const TrainingData& data) {
  const bool logged = data.log != nullptr;
  DispatchSettings settings = {
      .network = network,
      .features = FeatureOptionsOf(config),
      .log = config.log,
      .days_per_site = logged ? static_cast<int32_t>(data.days.size()) : config.days_per_site,
      .first_seed = logged ? 0 : config.first_seed,
      .days = DayShapeOf(config)};
  for (const TrainingSite& site : data.sites) settings.sites.push_back(site.site.instance().name());
  return settings;
}

}  // namespace

DispatchRun::DispatchRun(const TrainingRequest& request, const StopCondition& stop,
                         TrainingObserver& observer, absl::Time started)
    : started_(started), context_(request, stop, observer) {}

absl::StatusOr<TrainingResult> DispatchRun::Run(TrainingData data) {
  VRP_RETURN_IF_ERROR(Prepare(std::move(data)));
  const absl::StatusOr<TrainingEnd> end = Loop();
  if (absl::IsCancelled(end.status())) checkpoints_->SaveLast();
  VRP_RETURN_IF_ERROR(end.status());
  return publisher_->Publish(position_.step, *end);
}

TrainingTotals DispatchRun::Totals() {
  totals_.run_phases = context_.clock.Read();
  return totals_;
}

absl::Status DispatchRun::Prepare(TrainingData data) {
  const RunClock::Scope clocked(context_.clock, RunPhase::kPreparation);
  const DispatchConfig& config = *context_.config.dispatch;
  TrainingObserver& observer = context_.observer;
  const auto phase = [&observer](std::string name) {
    return [&observer, name = std::move(name)] { observer.OnPhase(name); };
  };
  const StopCondition stop = PreparationStop(context_);
  const std::string of = data.log == nullptr ? Concat(data.sites.size(), " sites") : config.log;
  observer.OnLog(Concat("dispatch: ", data.days.size(), " days of ", of, " with ",
                        CountSamples(data.days), " decisions to learn from, ",
                        context_.pool.threads(), " threads; validated on ", data.validation.size(),
                        " days"));
  if (context_.request.device.kind == DeviceKind::kCuda) {
    observer.OnLog(Concat("trains on the CPU instead of on ", context_.request.device.ToString(),
                          ", which dispatch models do not use"));
  }
  HindsightContext labels_context = {.folder = CacheFolder(context_.request),
                                     .pool = &context_.pool,
                                     .stop = stop,
                                     .on_piece = phase("references")};
  VRP_RETURN_IF_ERROR(EnsureDirectory(labels_context.folder));
  VRP_ASSIGN_OR_RETURN(const HindsightLabels references,
                       MakeHindsightLabels(data.sites, data.validation, config, labels_context));
  labels_context.on_piece = phase("labels");
  VRP_ASSIGN_OR_RETURN(const HindsightLabels labels,
                       MakeHindsightLabels(data.sites, data.days, config, labels_context));
  observer.OnLog(Concat("labels: ", labels.plans.size(), " plans in hindsight, ", labels.found,
                        " of them found in ", labels_context.folder));
  std::vector<std::shared_ptr<const FeatureMaker>> makers =
      MakeFeatureMakers(data, config, context_.pool);
  VRP_ASSIGN_OR_RETURN(std::vector<TrainingSample> samples,
                       MakePrizeSamples(data.days, labels.plans, config,
                                        {.sites = data.sites,
                                         .makers = makers,
                                         .seed = context_.config.seed,
                                         .pool = context_.pool,
                                         .stop = stop,
                                         .on_piece = phase("preparation")}));
  observer.OnPhase("resumption");
  VRP_ASSIGN_OR_RETURN(learner_, PrizeLearner::Create(context_, std::move(samples)));
  const std::vector<std::string> features = InputFeatures(learner_->options());
  observer.OnLog(Concat("model: dispatch, ", EncoderText(learner_->options()), ", ",
                        learner_->parameters().size(), " parameters, ", features.size(),
                        " features: ", absl::StrJoin(features, ", ")));
  DispatchSettings settings = SettingsOf(config, learner_->options(), data);
  ShiftValidator::Days validated = {.sites = std::move(data.sites),
                                    .makers = std::move(makers),
                                    .days = std::move(data.validation),
                                    .references = {}};
  for (const HindsightPlan& plan : references.plans) validated.references.push_back(plan.cost);
  validator_ = std::make_unique<ShiftValidator>(context_, std::move(validated));
  checkpoints_ =
      std::make_unique<StateCheckpoints>(context_, position_, validator_->best(), SavedState());
  publisher_ =
      std::make_unique<DispatchPublisher>(context_, *learner_, *validator_, std::move(settings));
  return checkpoints_->Resume();
}

StateCheckpoints::State DispatchRun::SavedState() {
  return {.scalars =
              [this] {
                std::map<std::string, double> scalars = learner_->ScalarState();
                scalars.merge(validator_->ScalarState());
                return scalars;
              },
          .tensors = [this] { return learner_->TensorState(); },
          .plans = [this] { return learner_->PlanState(); },
          .restore =
              [this](const std::map<std::string, double>& scalars, std::span<const int32_t> plans) {
                validator_->Restore(scalars);
                return learner_->Restore(scalars, plans);
              },
          .cost =
              [this](int64_t step) {
                return validator_->Validated(step) ? validator_->score().score.cost
                                                   : std::numeric_limits<double>::quiet_NaN();
              },
          .parameters = learner_->parameters().size()};
}

absl::StatusOr<TrainingEnd> DispatchRun::Loop() {
  int64_t& step = position_.step;
  const int64_t steps_per_epoch = context_.steps_per_epoch;
  pace_.Begin(step == position_.epochs_ended * steps_per_epoch);
  // The run may have been interrupted between an epoch's last step and its end.
  if (step > 0 && step / steps_per_epoch > position_.epochs_ended) VRP_RETURN_IF_ERROR(EndEpoch());
  TrainingEnd end = NextEnd();
  for (; end == TrainingEnd::kUnknown; end = NextEnd()) {
    VRP_RETURN_IF_ERROR(StopStatus(context_.stop.Check()));
    if (EndsEarly(context_)) return absl::CancelledError("ended before its first step");
    VRP_RETURN_IF_ERROR(TakeStep());
    if (step % steps_per_epoch == 0) VRP_RETURN_IF_ERROR(EndEpoch());
    if (step % context_.config.checkpoint_every_steps == 0 || checkpoints_->IsOneOfTheBest()) {
      VRP_RETURN_IF_ERROR(checkpoints_->Save());
    }
    VRP_RETURN_IF_ERROR(publisher_->ServeLive(step, [this]() -> absl::StatusOr<ShiftScore> {
      if (validator_->Validated(position_.step)) return validator_->score();
      return validator_->Evaluate(learner_->network());
    }));
  }
  VRP_RETURN_IF_ERROR(ValidateLastStep(end));
  LogEnd(context_, position_, validator_->best(), end);
  return end;
}

absl::Status DispatchRun::TakeStep() {
  const RunClock::Scope clocked(context_.clock, RunPhase::kSteps);
  context_.observer.OnPhase("training step");
  const absl::Time begin = SteadyNow();
  VRP_ASSIGN_OR_RETURN(const PrizeStep step, learner_->Step(position_.step));
  ++position_.step;
  Report(step, absl::ToDoubleSeconds(SteadyNow() - begin));
  return absl::OkStatus();
}

void DispatchRun::Report(const PrizeStep& step, double seconds) {
  ++totals_.steps;
  totals_.instances += step.samples;
  totals_.seconds += seconds;
  agreement_ += step.agreement;
  ++steps_;
  const auto samples = static_cast<double>(step.samples);
  progress_ = {.epoch = context_.EpochOf(position_.step),
               .epochs = context_.config.epochs,
               .step = position_.step,
               .steps = context_.Steps(),
               .loss = 1 - step.agreement,
               .train_cost = step.labelled_cost,
               .accuracy = step.agreement,
               .learning_rate = LearningRateAt(context_.config, position_.step - 1),
               .gradient_norm = step.gradient_norm,
               .instances_per_second = seconds > 0 ? samples / seconds : 0};
  FillProgress();
  context_.observer.OnProgress(progress_);
}

void DispatchRun::FillProgress() {
  totals_.run_phases = context_.clock.Read();
  const ValidationScore& score = validator_->score().score;
  progress_.validation_cost = score.cost;
  progress_.validation_reference = validator_->reference();
  progress_.validation_gap = score.gap;
  progress_.validation_accuracy = std::numeric_limits<double>::quiet_NaN();
  progress_.reference = validator_->reference_name();
  progress_.seconds_per_step = pace_.SecondsPerStep(totals_);
  progress_.seconds_per_epoch = pace_.seconds_per_epoch();
  progress_.instances_seen = learner_->SamplesSeen(position_.step);
  progress_.totals = totals_;
}

absl::Status DispatchRun::EndEpoch() {
  const int64_t epoch = position_.epochs_ended + 1;
  VRP_RETURN_IF_ERROR(Validate());
  position_.epochs_ended = epoch;
  validator_->UpdateBest(epoch, std::as_const(*learner_).parameters().values());
  std::string line =
      Concat("epoch ", epoch, "/", context_.config.epochs, ": ", validator_->ScoreText());
  if (steps_ > 0) {
    line += absl::StrFormat(", agreement %.2f %%", 100 * agreement_ / static_cast<double>(steps_));
  }
  context_.observer.OnLog(line);
  agreement_ = 0;
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

absl::Status DispatchRun::Validate() {
  context_.observer.OnPhase("validation");
  VRP_RETURN_IF_ERROR(validator_->Validate(learner_->network(), position_.step));
  learner_->SetShift(validator_->score().shift);
  return absl::OkStatus();
}

TrainingEnd DispatchRun::NextEnd() const {
  return EndReason(context_, position_, validator_->Stalled(position_.epochs_ended), started_);
}

absl::Status DispatchRun::ValidateLastStep(TrainingEnd end) {
  const bool mid_epoch = end == TrainingEnd::kTimeLimit || end == TrainingEnd::kStopped;
  if (validator_->Validated(position_.step) || !mid_epoch) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(Validate());
  validator_->UpdateBest(position_.epochs_ended, std::as_const(*learner_).parameters().values());
  context_.observer.OnLog(Concat("step ", position_.step, ": ", validator_->ScoreText()));
  return absl::OkStatus();
}

}  // namespace vrp
