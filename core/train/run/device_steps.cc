#include "core/train/run/device_steps.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"
#include "core/model/policy/batch_parts.h"
#include "core/train/data/instance_source.h"
#include "core/train/learners/learner_parts.h"
#include "core/train/optimiser/learning_rate.h"

namespace vrp {
namespace {

// Returns the distribution of the instances that the device draws. Returns kUnimplemented if the
// steps learn from labels, the network reads nodes in a particular order, or DeviceDistribution
// refuses the problem.
absl::StatusOr<UniformInstances> Drawn(const CapturedStepsRequest& steps,
                                       const PolicyEngine& engine, const ProblemConfig& problem) {
  if (steps.labels) return absl::UnimplementedError("the instances have labels");
  if (engine.batch_form().order == NodeOrder::kAsGiven) return DeviceDistribution(problem);
  return absl::UnimplementedError("the network reads nodes in a particular order");
}

std::vector<double> LearningRates(const RunContext& context) {
  std::vector<double> rates;
  const int64_t steps = std::max<int64_t>(1, context.Steps());
  rates.reserve(static_cast<size_t>(steps));
  for (int64_t step = 0; step < steps; ++step)
    rates.push_back(LearningRateAt(context.config, step));
  return rates;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DeviceSteps>> DeviceSteps::Create(const StepResources& resources,
                                                                 int64_t steps_done) {
  const RunContext& context = resources.context;
  if (!resources.network.engine().can_capture_steps()) return std::unique_ptr<DeviceSteps>();
  std::unique_ptr<DeviceSteps> made(new DeviceSteps(resources));
  absl::Status status = made->Request();
  if (status.ok()) status = made->Capture(steps_done);
  if (status.ok()) {
    const CapturedStepsRequest& request = made->request_;
    context.observer.OnLog(Concat("steps: captured on the device",
                                  request.parts > 1 ? Concat(" in ", request.parts, " parts") : "",
                                  ", reported every ", request.report_every));
    context.observer.OnLog(request.drawn.has_value()
                               ? "instances: drawn on the device"
                               : Concat("instances: drawn on the host: ",
                                        FromAbsl(made->host_draw_reason_.message())));
    return made;
  }
  if (IsDeviceLost(status)) return status;
  if (context.request.device.kind == DeviceKind::kCuda) {
    context.observer.OnLog(Concat("steps: on the host: ", FromAbsl(status.message())));
  }
  return std::unique_ptr<DeviceSteps>();
}

absl::Status DeviceSteps::Request() {
  const TrainingConfig& config = resources_.context.config;
  VRP_ASSIGN_OR_RETURN(request_, resources_.learner.RequestCapturedSteps());
  request_.adamw = resources_.network.optimiser_options();
  request_.gradient_clip = config.gradient_clip;
  request_.learning_rates = LearningRates(resources_.context);
  const absl::StatusOr<UniformInstances> drawn =
      Drawn(request_, resources_.network.engine(), config.problem);
  if (drawn.ok()) request_.drawn = *drawn;
  host_draw_reason_ = drawn.status();
  return absl::OkStatus();
}

absl::Status DeviceSteps::Capture(int64_t steps_done) {
  const int32_t micro_batch = resources_.micro_batch.instances();
  if (micro_batch > 0) {
    request_.parts = std::max(request_.parts, PartsOfAtMost(micro_batch, request_.instances));
  }
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<CapturedSteps> made,
                       resources_.network.engine().MakeCapturedSteps(request_));
  CapturedStepsState state = resources_.network.CapturedState();
  state.steps = steps_done;
  const MovingAverage* const average = resources_.learner.average();
  if (average != nullptr) state.average = *average;
  VRP_RETURN_IF_ERROR(made->Load(state));
  begun_step_ = settled_step_ = steps_done;
  steps_ = std::move(made);
  return absl::OkStatus();
}

absl::StatusOr<bool> DeviceSteps::Begin(int64_t step) {
  std::optional<TrainingBatch> batch;
  if (!request_.drawn.has_value()) {
    VRP_ASSIGN_OR_RETURN(batch, resources_.feed.Next(step - 1, 1));
  }
  VRP_ASSIGN_OR_RETURN(const bool begun, BeginOn(step, batch.has_value() ? &*batch : nullptr));
  if (!begun) return false;
  begun_step_ = step;
  const int64_t bytes = steps_->batch_bytes();
  resources_.reporter.AddCopies(bytes > 0 ? 1 : 0, bytes, steps_->matrix_bytes());
  VRP_RETURN_IF_ERROR(ReportEnded());
  return true;
}

absl::StatusOr<bool> DeviceSteps::BeginOn(int64_t step, const TrainingBatch* batch) {
  const auto begin = [&] {
    if (reported_ == absl::InfinitePast()) reported_ = SteadyNow();
    return resources_.learner.BeginStep(*steps_, step, batch);
  };
  absl::Status begun = begin();
  while (!begun.ok()) {
    if (IsDeviceLost(begun)) return begun;
    VRP_RETURN_IF_ERROR(Settle());
    steps_.reset();  // frees its memory for the steps that are made next
    if (!absl::IsResourceExhausted(begun) || !resources_.micro_batch.Halve(step)) {
      LeaveToHost(step, begun);
      return false;
    }
    begun = Capture(step - 1);
    if (begun.ok()) begun = begin();
  }
  return true;
}

void DeviceSteps::LeaveToHost(int64_t step, const absl::Status& reason) {
  // The host's steps need less memory and find out themselves how many instances fit.
  if (absl::IsResourceExhausted(reason)) resources_.micro_batch.Reset();
  resources_.feed.Restart();  // its batches are not divided into parts
  resources_.context.observer.OnLog(
      Concat("step ", step, ": on the host from here on: ", FromAbsl(reason.message())));
}

absl::Status DeviceSteps::ReportEnded() {
  const std::vector<CapturedStepReport> reports = steps_->TakeReports();
  if (reports.empty()) return absl::OkStatus();
  const absl::Time now = SteadyNow();
  const double seconds = absl::ToDoubleSeconds(now - std::exchange(reported_, now));
  for (const CapturedStepReport& report : reports) {
    VRP_RETURN_IF_ERROR(EndStep(report, seconds / static_cast<double>(reports.size())));
  }
  return absl::OkStatus();
}

absl::Status DeviceSteps::EndStep(const CapturedStepReport& report, double seconds) {
  const Precision precision = resources_.network.precision();
  VRP_RETURN_IF_ERROR(CheckPassDifference(report.pass_difference, precision == Precision::kBf16));
  if (report.stuck > 0) {
    return absl::FailedPreconditionError(
        Concat("step ", report.step, ": ", report.stuck,
               " tours have customers that cannot be served, or labels that are not allowed; "
               "correct the instances or the labels"));
  }
  const bool overflowed = precision == Precision::kFp16 && !std::isfinite(report.gradient_norm);
  return resources_.reporter.EndStep({.loss = report.loss,
                                      .cost = report.cost,
                                      .accuracy = report.accuracy,
                                      .pass_difference = report.pass_difference,
                                      .overflowed = overflowed},
                                     {.step = report.step,
                                      .instances = report.instances,
                                      .gradient_norm = report.gradient_norm,
                                      .seconds = seconds,
                                      .applied = report.applied});
}

absl::Status DeviceSteps::Settle() {
  if (steps_ == nullptr || settled_step_ == begun_step_) return absl::OkStatus();
  const RunClock::Scope clocked(resources_.context.clock, RunPhase::kSteps);
  CapturedStepsState state = resources_.network.CapturedState();
  VRP_RETURN_IF_ERROR(steps_->Save(state));
  settled_step_ = begun_step_;
  resources_.network.set_updates(state.updates);
  if (resources_.learner.average() != nullptr) *resources_.learner.average() = state.average;
  const absl::Status reported = ReportEnded();
  reported_ = absl::InfinitePast();  // the time from here on belongs to no step
  return reported;
}

}  // namespace vrp
