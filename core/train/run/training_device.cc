// Steps that run on the device by themselves: the host begins them, hears later what they came to,
// and waits for them only where their weights are wanted: at a validation, a checkpoint, the end.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"
#include "core/model/policy/batch_parts.h"
#include "core/train/data/instance_source.h"
#include "core/train/learners/learner_parts.h"
#include "core/train/run/learning_rate.h"
#include "core/train/run/training_run.h"

namespace vrp {
namespace {

// The device draws nodes in no order.
absl::StatusOr<UniformInstances> Drawn(const WholeStepsRequest& steps, const PolicyEngine& engine,
                                       const ProblemConfig& problem) {
  if (steps.labels) return absl::UnimplementedError("they have labels");
  if (engine.batch_form().order == NodeOrder::kAsGiven) return DrawnByDevice(problem);
  return absl::UnimplementedError("the network reads nodes in an order");
}

std::vector<double> LearningRates(const TrainingConfig& config) {
  std::vector<double> rates;
  const int64_t steps = std::max<int64_t>(1, config.epochs * config.StepsPerEpoch());
  rates.reserve(static_cast<size_t>(steps));
  for (int64_t step = 0; step < steps; ++step) rates.push_back(LearningRateAt(config, step));
  return rates;
}

}  // namespace

absl::Status TrainingRun::ChooseSteps() {
  if (!engine_->takes_whole_steps()) return absl::OkStatus();
  absl::StatusOr<WholeStepsRequest> request = learner_->RequestWholeSteps();
  absl::Status made = request.status();
  absl::Status why_not_drawn;
  if (request.ok()) {
    whole_ = *std::move(request);
    whole_.adamw = adamw_->options();
    whole_.gradient_clip = config_.gradient_clip;
    whole_.learning_rates = LearningRates(config_);
    const absl::StatusOr<UniformInstances> drawn = Drawn(whole_, *engine_, config_.problem);
    if (drawn.ok()) whole_.drawn = *drawn;
    why_not_drawn = drawn.status();
    made = MakeSteps();
  }
  if (made.ok()) {
    observer_.OnLog(Concat("steps: whole ones on the device",
                           whole_.parts > 1 ? Concat(" in ", whole_.parts, " parts") : "",
                           ", told every ", whole_.report_every));
    observer_.OnLog(whole_.drawn.has_value()
                        ? "instances: made on the device"
                        : Concat("instances: by the host: ", FromAbsl(why_not_drawn.message())));
    return absl::OkStatus();
  }
  if (IsDeviceLost(made)) return made;
  if (request_.device.kind == DeviceKind::kCuda) {
    observer_.OnLog(Concat("steps: part by part: ", FromAbsl(made.message())));
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::MakeSteps() {
  if (micro_batch_ > 0) {
    whole_.parts = std::max(whole_.parts, PartsOfAtMost(micro_batch_, whole_.instances));
  }
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<WholeSteps> made, engine_->MakeWholeSteps(whole_));
  const MovingAverage* const average = learner_->average();
  WholeStepsState state = HostState();
  state.steps = step_;
  state.updates = adamw_->steps();
  if (average != nullptr) state.average = *average;
  VRP_RETURN_IF_ERROR(made->Load(state));
  settled_step_ = step_;
  device_ = std::move(made);
  return absl::OkStatus();
}

WholeStepsState TrainingRun::HostState() {
  WholeStepsState state = {.mean = adamw_->mean(), .square = adamw_->square()};
  if (average_.has_value()) state.weight_average = average_->values();
  return state;
}

absl::StatusOr<bool> TrainingRun::DeviceStep() {
  std::optional<TrainingBatch> batch;
  if (!whole_.drawn.has_value()) {
    VRP_ASSIGN_OR_RETURN(batch, NextBatch());
  }
  VRP_ASSIGN_OR_RETURN(const bool begun, BeginOnDevice(batch.has_value() ? &*batch : nullptr));
  if (!begun) return false;
  ++step_;
  totals_.copies += device_->batch_bytes() > 0 ? 1 : 0;
  totals_.copied_bytes += device_->batch_bytes();
  totals_.matrix_bytes += device_->matrix_bytes();
  VRP_RETURN_IF_ERROR(TellWholeSteps());
  return true;
}

absl::StatusOr<bool> TrainingRun::BeginOnDevice(const TrainingBatch* batch) {
  const auto begin = [&] {
    if (told_ == absl::InfinitePast()) told_ = SteadyNow();
    return learner_->BeginStep(*device_, step_ + 1, batch);
  };
  absl::Status begun = begin();
  while (!begun.ok()) {
    if (IsDeviceLost(begun)) return begun;
    VRP_RETURN_IF_ERROR(Settle());
    device_.reset();  // its memory is for those that come
    if (!absl::IsResourceExhausted(begun) || !TakeFewerAtOnce()) {
      LeaveToHost(begun);
      return false;
    }
    begun = MakeSteps();
    if (begun.ok()) begun = begin();
  }
  return true;
}

void TrainingRun::LeaveToHost(const absl::Status& why) {
  // Steps part by part need less, and find out themselves how many instances there is memory for.
  if (absl::IsResourceExhausted(why)) micro_batch_ = 0;
  loader_.reset();  // its batches are not divided
  observer_.OnLog(
      Concat("step ", step_ + 1, ": from here on part by part: ", FromAbsl(why.message())));
}

absl::Status TrainingRun::TellWholeSteps() {
  const std::vector<WholeStepReport> reports = device_->TakeReports();
  if (reports.empty()) return absl::OkStatus();
  const absl::Time now = SteadyNow();
  const double seconds = absl::ToDoubleSeconds(now - std::exchange(told_, now));
  const double each = seconds / static_cast<double>(reports.size());
  for (const WholeStepReport& report : reports) {
    VRP_RETURN_IF_ERROR(
        CheckPassDifference(report.pass_difference, precision_ == Precision::kBf16));
    if (report.stuck > 0) {
      return absl::FailedPreconditionError(
          Concat("step ", report.step, ": ", report.stuck,
                 " tours have customers that cannot be served, or labels that are not allowed"));
    }
    const bool overflowed = precision_ == Precision::kFp16 && !std::isfinite(report.gradient_norm);
    VRP_RETURN_IF_ERROR(Conclude({.loss = report.loss,
                                  .cost = report.cost,
                                  .accuracy = report.accuracy,
                                  .pass_difference = report.pass_difference,
                                  .overflowed = overflowed},
                                 {.step = report.step,
                                  .instances = report.instances,
                                  .gradient_norm = report.gradient_norm,
                                  .seconds = each,
                                  .sound = report.applied}));
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::Settle() {
  if (device_ == nullptr || settled_step_ == step_) return absl::OkStatus();
  const RunClock::Scope clocked(clock_, RunPhase::kSteps);
  WholeStepsState state = HostState();
  VRP_RETURN_IF_ERROR(device_->Save(state));
  settled_step_ = step_;
  adamw_->set_steps(state.updates);
  if (learner_->average() != nullptr) *learner_->average() = state.average;
  const absl::Status told = TellWholeSteps();
  told_ = absl::InfinitePast();  // what comes now is no step's time
  return told;
}

}  // namespace vrp
