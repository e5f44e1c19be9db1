#include "core/model/torch/captured_steps_base.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <tuple>

#include "core/base/status_macros.h"
#include "core/model/torch/guard.h"

namespace vrp {

int32_t PaddedTo(int32_t count, int32_t limit, int32_t multiple) {
  const int32_t all = kMaxPaddedWidths * multiple;
  const int32_t step = (limit + all - 1) / all * multiple;
  return count >= limit ? limit : std::min(limit, (count + step - 1) / step * step);
}

CapturedStepsBase::CapturedStepsBase(const CapturedStepsRequest& request,
                                     const CapturedStepsParts& parts,
                                     std::unique_ptr<StepStream> stream)
    : request_(request),
      parts_(parts),
      device_(parts.parameters->options().device()),
      optimiser_(*parts.parameters, parts.host->layout(),
                 {.adamw = request.adamw,
                  .clip = request.gradient_clip,
                  .average_decay = request.weight_average,
                  .learning_rates = request.learning_rates},
                 parts.scaler),
      stream_(std::move(stream)),
      reports_(stream_.get(), request.report_every, device_) {}

CapturedStepsBase::~CapturedStepsBase() {
  // Running work still uses the memory. A lost device does not, so the error does not matter.
  static_cast<void>(GuardTorch([this] { return stream_->Wait(); }));
}

absl::Status CapturedStepsBase::Load(const CapturedStepsState& state) {
  return GuardTorch([&]() -> absl::Status {
    VRP_RETURN_IF_ERROR(stream_->Wait());
    parts_.parameters->Upload();
    optimiser_.Load(state);
    LoadOwn(state);
    steps_ = state.steps;
    reports_.Begin(steps_);
    return absl::OkStatus();
  });
}

absl::Status CapturedStepsBase::WaitForReportSlot() {
  return GuardTorch([this] { return reports_.WaitForReportSlot(steps_ + 1); });
}

absl::Status CapturedStepsBase::Save(CapturedStepsState& state) {
  return GuardTorch([&]() -> absl::Status {
    VRP_RETURN_IF_ERROR(stream_->Wait());
    VRP_RETURN_IF_ERROR(reports_.Finish(steps_));
    parts_.parameters->Download();
    optimiser_.Save(state);
    SaveOwn(state);
    return absl::OkStatus();
  });
}

absl::Status CapturedStepsBase::Use(int32_t nodes, const StepLabels* labels, int32_t trajectories) {
  StepBatchShape shape = {.instances = request_.instances,
                          .nodes = PaddedTo(nodes, request_.nodes, kNodesMultiple),
                          .columns = parts_.network->inputs().form.columns(),
                          .tsp = request_.tsp,
                          .matrices = request_.matrices,
                          .labels = request_.labels,
                          .allow_smaller = request_.labels};
  if (labels != nullptr) {
    const auto longest = static_cast<int32_t>(MaxChoices(*labels));
    shape.steps = PaddedTo(std::max(1, longest), shape.MaxSteps(), kLengthMultiple);
  }
  const std::tuple key(shape.nodes, shape.steps, trajectories);
  if (captures_.size() == kMaxCaptures && !captures_.contains(key)) {
    VRP_RETURN_IF_ERROR(DropOldest());
  }
  current_ = &captures_.try_emplace(key, shape, device_, trajectories).first->second;
  current_->used = steps_ + 1;
  return absl::OkStatus();
}

absl::Status CapturedStepsBase::DropOldest() {
  VRP_RETURN_IF_ERROR(stream_->Wait());
  const auto oldest =
      std::min_element(captures_.begin(), captures_.end(),
                       [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
  captures_.erase(oldest);
  return absl::OkStatus();
}

absl::Status CapturedStepsBase::StartStep(const StepWork& step) {
  const c10::DeviceGuard guard(device_);
  VRP_RETURN_IF_ERROR(WaitForReportSlot());
  const bool all = request_.trajectories == 0;
  const NetworkBatch* const host_batch = step.batch;
  VRP_RETURN_IF_ERROR(Use(host_batch == nullptr ? request_.nodes : host_batch->longest(),
                          step.labels, all ? MaxStarts(*host_batch) : request_.trajectories));
  if (host_batch != nullptr) {
    VRP_RETURN_IF_ERROR(stream_->Run([&] { return batch().Upload(*host_batch, step.labels); }));
  }
  VRP_RETURN_IF_ERROR(Launch(step));
  return reports_.OnStepQueued(++steps_);
}

// Runs the first step of a kind and shape without a graph, because torch prepares much on first use
// that must not be captured. Captures the second one and replays it from then on.
absl::Status CapturedStepsBase::Launch(const StepWork& step) {
  StepCapture& now = *current_;
  if (step.alone || now.prepared != step.kind) {
    now.prepared.reset();
    if (now.graph != nullptr) VRP_RETURN_IF_ERROR(stream_->Wait());
    now.graph.reset();
    VRP_RETURN_IF_ERROR(RunFirst(step));
    now.prepared = step.kind;
    return absl::OkStatus();
  }
  if (now.graph == nullptr) {
    VRP_ASSIGN_OR_RETURN(now.graph, stream_->Capture(step.work));
  }
  return now.graph->Replay();
}

absl::Status CapturedStepsBase::RunFirst(const StepWork& step) {
  const absl::Status done = GuardTorch([&] { return stream_->Run(step.first); });
  if (!absl::IsResourceExhausted(done)) return done;
  VRP_ASSIGN_OR_RETURN(const bool dropped, DropGraphs());
  if (!dropped) return done;
  if (!device_.is_cpu()) at::accelerator::emptyCache();
  return stream_->Run(step.first);
}

absl::StatusOr<bool> CapturedStepsBase::DropGraphs() {
  bool dropped = false;
  for (auto& [shape, capture] : captures_) {
    if (capture.graph == nullptr) continue;
    if (!dropped) VRP_RETURN_IF_ERROR(stream_->Wait());
    capture.graph.reset();
    dropped = true;
  }
  return dropped;
}

absl::Status CapturedStepsBase::Finish(const at::Tensor& loss, StepReports::Row row) {
  const c10::NoGradGuard no_gradients;
  VRP_RETURN_IF_ERROR(optimiser_.Step(loss));
  row.loss = loss;
  row.norm = optimiser_.Norm();
  row.applied = optimiser_.Applied();
  reports_.Write(optimiser_.Steps(), row);
  return absl::OkStatus();
}

}  // namespace vrp
