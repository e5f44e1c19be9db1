// Steps that run on the device by themselves: the host begins them, hears later what they came to,
// and waits for them only where their weights are wanted: at a validation, a checkpoint, the end.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"
#include "core/train/instance_source.h"
#include "core/train/learner_parts.h"
#include "core/train/learning_rate.h"
#include "core/train/training_run.h"

namespace vrp {
namespace {

// The device draws nodes in no order.
absl::StatusOr<UniformInstances> Drawn(const WholeStepsRequest& steps, const PolicyEngine& engine,
                                       const ProblemConfig& problem) {
  if (steps.labels) return absl::UnimplementedError("they have labels");
  if (engine.node_order() == NodeOrder::kAsGiven) return DrawnByDevice(problem);
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
  if (request.ok() && micro_batch_ > 0) {
    request = absl::UnimplementedError("the device's memory did not suffice for whole batches");
  }
  absl::Status why = request.status();
  absl::Status why_not_drawn;
  if (request.ok()) {
    const absl::StatusOr<UniformInstances> drawn = Drawn(*request, *engine_, config_.problem);
    device_draws_ = drawn.ok();
    why_not_drawn = drawn.status();
    if (drawn.ok()) request->drawn = *drawn;
    request->adamw = adamw_->options();
    request->gradient_clip = config_.gradient_clip;
    request->learning_rates = LearningRates(config_);
    absl::StatusOr<std::unique_ptr<WholeSteps>> made = engine_->MakeWholeSteps(*request);
    why = made.status();
    if (made.ok()) device_ = *std::move(made);
  }
  if (device_ != nullptr) {
    observer_.OnLog(Concat("steps: whole ones on the device, told every ", request->report_every));
    observer_.OnLog(device_draws_
                        ? "instances: made on the device"
                        : Concat("instances: by the host: ", FromAbsl(why_not_drawn.message())));
    return LoadDevice();
  }
  if (IsDeviceLost(why)) return why;
  if (request_.device.kind == DeviceKind::kCuda) {
    observer_.OnLog(Concat("steps: part by part: ", FromAbsl(why.message())));
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::LoadDevice() {
  const MovingAverage* const average = learner_->average();
  settled_step_ = step_;
  WholeStepsState state = HostState();
  state.steps = step_;
  state.updates = adamw_->steps();
  if (average != nullptr) state.average = *average;
  return device_->Load(state);
}

WholeStepsState TrainingRun::HostState() {
  WholeStepsState state = {.mean = adamw_->mean(), .square = adamw_->square()};
  if (average_.has_value()) state.weight_average = average_->values();
  return state;
}

absl::StatusOr<bool> TrainingRun::DeviceStep(const TrainingBatch* batch) {
  if (told_ == absl::InfinitePast()) told_ = SteadyNow();
  const absl::Status begun = learner_->BeginStep(*device_, step_ + 1, batch);
  if (IsDeviceLost(begun)) return begun;
  if (!begun.ok()) {
    VRP_RETURN_IF_ERROR(Settle());
    device_.reset();
    observer_.OnLog(
        Concat("step ", step_ + 1, ": from here on part by part: ", FromAbsl(begun.message())));
    return false;
  }
  ++step_;
  totals_.copies += device_->batch_bytes() > 0 ? 1 : 0;
  totals_.copied_bytes += device_->batch_bytes();
  VRP_RETURN_IF_ERROR(TellWholeSteps());
  return true;
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
