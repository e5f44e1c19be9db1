#include "core/train/run/training_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/model/policy/batch_parts.h"
#include "core/train/run/learning_rate.h"

namespace vrp {
namespace {

constexpr int64_t kMaxBadSteps = 10;
// A scale of fp16's losses that starts much too high is halved as often.
constexpr int64_t kMaxOverflows = 50;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TrainingRun::TrainingRun(const TrainingRequest& request, const StopCondition& stop,
                         TrainingObserver& observer, const EngineFactory& factory)
    : request_(request),
      config_(request.config),
      stop_(stop),
      observer_(observer),
      factory_(factory),
      steps_per_epoch_(config_.StepsPerEpoch()),
      pool_(request.threads),
      clock_(pool_),
      score_{.cost = kNone, .gap = kNone, .accuracy = kNone},
      best_cost_(kNone),
      best_gap_(kNone) {}

absl::StatusOr<TrainingResult> TrainingRun::Run() {
  absl::StatusOr<TrainingResult> result = RunToModel();
  totals_.run_phases = clock_.Read();
  observer_.OnEnd(totals_);
  return result;
}

absl::StatusOr<TrainingResult> TrainingRun::RunToModel() {
  VRP_RETURN_IF_ERROR(Prepare());
  const absl::Status status = Loop();
  if (status.code() == absl::StatusCode::kCancelled && step_ != saved_step_) {
    const absl::Status saved = Save();
    // The job need not fail for it: it goes on from the checkpoint before.
    if (!saved.ok()) observer_.OnLog(Concat("no last checkpoint: ", saved.ToString()));
  }
  if (!status.ok()) return status;
  return Publish();
}

absl::Status TrainingRun::Loop() {
  pace_.Begin(step_ == epochs_ended_ * steps_per_epoch_);
  // An interruption may have come between an epoch's last step and its end.
  if (step_ > 0 && step_ / steps_per_epoch_ > epochs_ended_) VRP_RETURN_IF_ERROR(EndEpoch());
  for (end_ = WhyEnded(); end_ == TrainingEnd::kUnknown; end_ = WhyEnded()) {
    VRP_RETURN_IF_ERROR(StopStatus(stop_.Check()));
    if (EndsEarly()) return absl::CancelledError("ended before its first step");
    VRP_RETURN_IF_ERROR(OneStep());
    if (step_ % steps_per_epoch_ == 0) VRP_RETURN_IF_ERROR(EndEpoch());
    if (step_ % config_.checkpoint_every_steps == 0 || IsOneOfTheBest()) {
      VRP_RETURN_IF_ERROR(Save());
    }
    VRP_RETURN_IF_ERROR(ServeLive());
  }
  VRP_RETURN_IF_ERROR(ValidateLastStep());
  TellEnd();
  return absl::OkStatus();
}

bool TrainingRun::IsOneOfTheBest() const {
  if (config_.keep_best_checkpoints == 0 || validated_step_ != step_) return false;
  return IsAmongBest(request_.checkpoint_directory, score_.cost, config_.keep_best_checkpoints);
}

bool TrainingRun::EndsEarly() const {
  return request_.end_early != nullptr && request_.end_early->cancelled() && !stop_.ShouldStop();
}

TrainingEnd TrainingRun::WhyEnded() const {
  if (step_ >= config_.epochs * steps_per_epoch_) return TrainingEnd::kAllEpochs;
  if (Stalled()) return TrainingEnd::kNoImprovement;
  if (request_.epoch_limit > 0 && epochs_ended_ >= request_.epoch_limit) {
    return TrainingEnd::kEpochLimit;
  }
  const absl::Duration spent = absl::FromChrono(std::chrono::steady_clock::now() - started_);
  // A model of no step at all would be of no use.
  if (step_ > 0 && spent >= request_.time_limit) return TrainingEnd::kTimeLimit;
  if (step_ > 0 && EndsEarly()) return TrainingEnd::kStopped;
  return TrainingEnd::kUnknown;
}

absl::StatusOr<ValidationScore> TrainingRun::Validate() {
  VRP_RETURN_IF_ERROR(Settle());
  if (validated_step_ == step_) return score_;
  const RunClock::Scope clocked(clock_, RunPhase::kValidation);
  const bool accuracy = config_.method == TrainingMethod::kSupervised;
  ValidationScore score;
  VRP_RETURN_IF_ERROR(WithAveragedWeights(average_, *engine_, [&]() -> absl::Status {
    VRP_ASSIGN_OR_RETURN(score, validation_.Evaluate(*engine_, accuracy, &pool_, stop_));
    return absl::OkStatus();
  }));
  return score;
}

absl::Status TrainingRun::ValidateLastStep() {
  const bool mid_epoch = end_ == TrainingEnd::kTimeLimit || end_ == TrainingEnd::kStopped;
  // The checkpoint of an earlier version may have ended all epochs without any best weights.
  const bool no_best = config_.publish == PublishRule::kBest && best_step_ == 0;
  if (validated_step_ == step_ || !(mid_epoch || no_best)) return absl::OkStatus();
  VRP_ASSIGN_OR_RETURN(score_, Validate());
  validated_step_ = step_;
  RememberBest();
  observer_.OnLog(Concat("step ", step_, ": ", ScoreText(score_, validation_)));
  return absl::OkStatus();
}

void TrainingRun::TellEnd() {
  if (end_ == TrainingEnd::kNoImprovement) {
    observer_.OnLog(absl::StrFormat("stopped early: no better validation since epoch %d (%.4f)",
                                    best_epoch_, best_cost_));
  } else if (end_ != TrainingEnd::kAllEpochs) {
    std::string_view why = "by the job's limit on epochs";
    if (end_ == TrainingEnd::kTimeLimit) why = "by the job's limit on time";
    if (end_ == TrainingEnd::kStopped) why = "on request";
    observer_.OnLog(Concat("stopped ", why, ": ", epochs_ended_, " whole epochs of ",
                           config_.epochs, ", ", step_, " steps"));
  }
}

absl::StatusOr<TrainingBatch> TrainingRun::NextBatch() {
  const RunClock::Scope clocked(clock_, RunPhase::kData);
  const double start = clock_.ThreadSeconds();
  if (loader_ == nullptr) {
    loader_ = std::make_unique<BatchLoader>(
        *source_, BatchLoaderOptions{.first = step_,
                                     .end = config_.epochs * steps_per_epoch_,
                                     .parts = device_ == nullptr ? config_.accumulate_steps : 1,
                                     .workers = config_.loader.workers,
                                     .prefetch = config_.loader.prefetch,
                                     .pool = &pool_});
  }
  absl::StatusOr<TrainingBatch> batch = loader_->Next();
  AddPhase(Phase::kData, start);
  const double workers = absl::ToDoubleSeconds(loader_->TakeWorkTime());
  totals_.phase_seconds[static_cast<size_t>(Phase::kData)] += workers;
  clock_.AddThreadSeconds(RunPhase::kData, workers);
  return batch;
}

absl::Status TrainingRun::OneStep() {
  const RunClock::Scope clocked(clock_, RunPhase::kSteps);
  observer_.OnPhase("training step");
  const absl::Time start = SteadyNow();
  if (device_ != nullptr) {
    VRP_ASSIGN_OR_RETURN(const bool begun, DeviceStep());
    if (begun) return absl::OkStatus();
  }
  VRP_ASSIGN_OR_RETURN(const TrainingBatch batch, NextBatch());
  VRP_ASSIGN_OR_RETURN(const StepOutcome outcome, Gradient(batch));
  const double update = clock_.ThreadSeconds();
  const double norm = GradientNorm(std::as_const(*engine_).parameters().gradient(), &pool_);
  const bool sound = !outcome.overflowed && std::isfinite(outcome.loss) && std::isfinite(norm);
  if (sound) VRP_RETURN_IF_ERROR(Apply(norm));
  AddPhase(Phase::kOptimiser, update);
  ++step_;
  return Conclude(outcome, {.step = step_,
                            .instances = batch.instances,
                            .gradient_norm = norm,
                            .seconds = absl::ToDoubleSeconds(SteadyNow() - start),
                            .sound = sound});
}

absl::Status TrainingRun::Conclude(const StepOutcome& outcome, const StepEnd& end) {
  Count(outcome, end.instances);
  totals_.seconds += end.seconds;
  if (!end.sound) {
    ++totals_.skipped_steps;
    return CountBadStep(end.step,
                        Concat("loss ", FormatNumber(outcome.loss), ", gradient norm ",
                               FormatNumber(end.gradient_norm)),
                        outcome.overflowed);
  }
  bad_steps_ = overflows_ = 0;
  const double log = clock_.ThreadSeconds();
  Report(outcome, end);
  AddPhase(Phase::kLog, log);
  return absl::OkStatus();
}

absl::StatusOr<StepOutcome> TrainingRun::Gradient(const TrainingBatch& batch) {
  while (true) {
    const std::span<float> gradient = engine_->parameters().gradient();
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    absl::StatusOr<StepOutcome> outcome =
        learner_->AddGradient(step_ + 1, batch, micro_batch_, stop_);
    if (!absl::IsResourceExhausted(outcome.status()) || !TakeFewerAtOnce()) return outcome;
  }
}

bool TrainingRun::TakeFewerAtOnce() {
  const int32_t part = LargestPart(config_.batch_size, config_.accumulate_steps);
  const int32_t before = micro_batch_ > 0 ? std::min(micro_batch_, part) : part;
  if (before <= 1) return false;
  micro_batch_ = (before + 1) / 2;
  observer_.OnLog(Concat("step ", step_ + 1, ": out of memory; from here on ", micro_batch_,
                         " instances at once"));
  return true;
}

absl::Status TrainingRun::Apply(double norm) {
  const double scale = norm > config_.gradient_clip ? config_.gradient_clip / norm : 1;
  adamw_->Step(engine_->parameters(), LearningRateAt(config_, step_), scale, &pool_);
  if (average_.has_value()) {
    average_->Add(std::as_const(*engine_).parameters().values(), adamw_->steps(), &pool_);
  }
  return engine_->ParametersChanged();
}

absl::Status TrainingRun::CountBadStep(int64_t step, const std::string& why, bool overflowed) {
  int64_t& count = overflowed ? overflows_ : bad_steps_;
  const int64_t most = overflowed ? kMaxOverflows : kMaxBadSteps;
  ++count;
  observer_.OnLog(Concat("step ", step, ": left out: ", overflowed ? "overflow in fp16" : why));
  if (count < most) return absl::OkStatus();
  return absl::InternalError(Concat(
      "training diverged: ", most, " steps in a row without a finite loss, the last at step ", step,
      " (", why, "); lower training.learning_rate or training.gradient_clip"));
}

void TrainingRun::Count(const StepOutcome& outcome, int64_t instances) {
  ++totals_.steps;
  totals_.instances += instances;
  instances_seen_ += instances;
  for (size_t i = 0; i < outcome.seconds.size(); ++i) {
    totals_.phase_seconds[i] += outcome.seconds[i];
  }
  totals_.copies += outcome.copies;
  totals_.copied_bytes += outcome.copied_bytes;
  totals_.matrix_bytes += outcome.matrix_bytes;
  pass_difference_ = std::max(pass_difference_, outcome.pass_difference);
}

void TrainingRun::AddPhase(Phase phase, double start) {
  totals_.phase_seconds[static_cast<size_t>(phase)] += clock_.ThreadSeconds() - start;
}

void TrainingRun::Report(const StepOutcome& outcome, const StepEnd& end) {
  const int64_t instances = totals_.instances - progress_.totals.instances;
  progress_ = {
      .epoch = (end.step - 1) / steps_per_epoch_ + 1,
      .epochs = config_.epochs,
      .step = end.step,
      .steps = config_.epochs * steps_per_epoch_,
      .loss = outcome.loss,
      .train_cost = outcome.cost,
      .accuracy = outcome.accuracy,
      .learning_rate = LearningRateAt(config_, end.step - 1),
      .gradient_norm = end.gradient_norm,
      .pass_difference = outcome.pass_difference,
      .instances_per_second = end.seconds > 0 ? static_cast<double>(instances) / end.seconds : 0,
      .matrix_bytes_per_step =
          static_cast<double>(totals_.matrix_bytes) / static_cast<double>(totals_.steps)};
  FillProgress();
  observer_.OnProgress(progress_);
}

void TrainingRun::FillProgress() {
  totals_.run_phases = clock_.Read();
  progress_.validation_cost = score_.cost;
  progress_.validation_reference = validation_.reference();
  progress_.validation_gap = score_.gap;
  progress_.validation_accuracy = score_.accuracy;
  progress_.reference = validation_.reference_name();
  progress_.instances_seen = instances_seen_;
  progress_.seconds_per_step = pace_.SecondsPerStep(totals_);
  progress_.seconds_per_epoch = pace_.seconds_per_epoch();
  progress_.totals = totals_;
}

absl::Status TrainingRun::EndEpoch() {
  observer_.OnPhase("validation");
  const int64_t epoch = epochs_ended_ + 1;
  VRP_ASSIGN_OR_RETURN(score_, Validate());
  validated_step_ = step_;
  std::string line;
  {
    const RunClock::Scope clocked(clock_, RunPhase::kBaseline);
    VRP_ASSIGN_OR_RETURN(line, learner_->EndEpoch(epoch, stop_));
  }
  epochs_ended_ = epoch;
  RememberBest();
  if (!line.empty()) observer_.OnLog(line);
  std::string text =
      Concat("epoch ", epoch, "/", config_.epochs, ": ", ScoreText(score_, validation_));
  if (std::isfinite(score_.accuracy)) {
    text += absl::StrFormat(", accuracy %.2f %%", 100 * score_.accuracy);
  }
  if (pass_difference_ > 0) {
    text += absl::StrFormat("; the passes differ by %.1e at most", pass_difference_);
  }
  observer_.OnLog(text);
  pass_difference_ = 0;
  progress_.epoch = epoch;
  progress_.epochs = config_.epochs;
  progress_.step = step_;
  progress_.steps = config_.epochs * steps_per_epoch_;
  progress_.end_of_epoch = true;
  const double seconds_per_step = pace_.SecondsPerStep(totals_);
  pace_.EndEpoch(totals_);
  FillProgress();
  progress_.seconds_per_step = seconds_per_step;  // of the epoch that has just ended
  observer_.OnProgress(progress_);
  return absl::OkStatus();
}

void TrainingRun::RememberBest() {
  if (!std::isfinite(score_.cost) || score_.cost >= best_cost_) return;
  best_cost_ = score_.cost;
  best_gap_ = score_.gap;
  best_epoch_ = epochs_ended_;
  best_step_ = step_;
  if (config_.publish != PublishRule::kBest) return;
  const std::span<const float> values = ServedWeights();
  best_values_.assign(values.begin(), values.end());
}

std::span<const float> TrainingRun::ServedWeights() const {
  if (average_.has_value()) return average_->values();
  return std::as_const(*engine_).parameters().values();
}

bool TrainingRun::Stalled() const {
  return config_.patience > 0 && epochs_ended_ - best_epoch_ >= config_.patience;
}

}  // namespace vrp
