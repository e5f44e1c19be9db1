#include "core/train/run/reporter.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/optimiser/learning_rate.h"

namespace vrp {
namespace {

constexpr char kInstancesSeen[] = "instances_seen";

}  // namespace

Reporter::Reporter(RunContext& context, const Validator& validator)
    : context_(context), validator_(validator), guard_(context.observer) {}

void Reporter::AddPhaseSince(Phase phase, double start) {
  AddPhase(phase, context_.clock.ThreadSeconds() - start);
}

void Reporter::AddPhase(Phase phase, double seconds) {
  totals_.phase_seconds[static_cast<size_t>(phase)] += seconds;
}

void Reporter::AddCopies(int64_t copies, int64_t bytes, int64_t matrix_bytes) {
  totals_.copies += copies;
  totals_.copied_bytes += bytes;
  totals_.matrix_bytes += matrix_bytes;
}

absl::Status Reporter::EndStep(const StepOutcome& outcome, const EndedStep& end) {
  Count(outcome, end.instances);
  totals_.seconds += end.seconds;
  if (!end.applied) {
    ++totals_.skipped_steps;
    return guard_.Skipped(end.step,
                          Concat("loss ", FormatNumber(outcome.loss), ", gradient norm ",
                                 FormatNumber(end.gradient_norm)),
                          outcome.overflowed);
  }
  guard_.Applied();
  const double log = context_.clock.ThreadSeconds();
  Report(outcome, end);
  AddPhaseSince(Phase::kLog, log);
  return absl::OkStatus();
}

void Reporter::Count(const StepOutcome& outcome, int64_t instances) {
  ++totals_.steps;
  totals_.instances += instances;
  instances_seen_ += instances;
  for (size_t i = 0; i < outcome.seconds.size(); ++i) {
    totals_.phase_seconds[i] += outcome.seconds[i];
  }
  AddCopies(outcome.copies, outcome.copied_bytes, outcome.matrix_bytes);
  pass_difference_ = std::max(pass_difference_, outcome.pass_difference);
}

void Reporter::Report(const StepOutcome& outcome, const EndedStep& end) {
  const int64_t instances = totals_.instances - progress_.totals.instances;
  progress_ = {
      .epoch = context_.EpochOf(end.step),
      .epochs = context_.config.epochs,
      .step = end.step,
      .steps = context_.Steps(),
      .loss = outcome.loss,
      .train_cost = outcome.cost,
      .accuracy = outcome.accuracy,
      .learning_rate = LearningRateAt(context_.config, end.step - 1),
      .gradient_norm = end.gradient_norm,
      .pass_difference = outcome.pass_difference,
      .instances_per_second = end.seconds > 0 ? static_cast<double>(instances) / end.seconds : 0,
      .matrix_bytes_per_step =
          static_cast<double>(totals_.matrix_bytes) / static_cast<double>(totals_.steps)};
  FillProgress();
  context_.observer.OnProgress(progress_);
}

void Reporter::FillProgress() {
  totals_.run_phases = context_.clock.Read();
  const ValidationScore& score = validator_.score();
  progress_.validation_cost = score.cost;
  progress_.validation_reference = validator_.set().reference();
  progress_.validation_gap = score.gap;
  progress_.validation_accuracy = score.accuracy;
  progress_.reference = validator_.set().reference_name();
  progress_.instances_seen = instances_seen_;
  progress_.seconds_per_step = pace_.SecondsPerStep(totals_);
  progress_.seconds_per_epoch = pace_.seconds_per_epoch();
  progress_.totals = totals_;
}

void Reporter::EndEpoch(int64_t epoch, int64_t step) {
  context_.observer.OnLog(EpochText(epoch));
  pass_difference_ = 0;
  progress_.epoch = epoch;
  progress_.epochs = context_.config.epochs;
  progress_.step = step;
  progress_.steps = context_.Steps();
  progress_.end_of_epoch = true;
  const double seconds_per_step = pace_.SecondsPerStep(totals_);
  pace_.EndEpoch(totals_);
  FillProgress();
  progress_.seconds_per_step = seconds_per_step;  // steps of the epoch that has just ended
  context_.observer.OnProgress(progress_);
}

std::string Reporter::EpochText(int64_t epoch) const {
  const ValidationScore& score = validator_.score();
  std::string text = Concat("epoch ", epoch, "/", context_.config.epochs, ": ",
                            ScoreText(score, validator_.set()));
  if (std::isfinite(score.accuracy)) {
    text += absl::StrFormat(", accuracy %.2f %%", 100 * score.accuracy);
  }
  if (pass_difference_ > 0) {
    text += absl::StrFormat("; log-likelihoods of the two passes differ by at most %.1e",
                            pass_difference_);
  }
  return text;
}

std::map<std::string, double> Reporter::ScalarState() const {
  std::map<std::string, double> scalars = guard_.ScalarState();
  scalars[kInstancesSeen] = static_cast<double>(instances_seen_);
  return scalars;
}

void Reporter::Restore(const std::map<std::string, double>& scalars) {
  guard_.Restore(scalars);
  instances_seen_ = static_cast<int64_t>(scalars.at(kInstancesSeen));
}

}  // namespace vrp
