#include "core/model/torch_recorded_steps.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/model/torch_guard.h"

namespace vrp {

int32_t WidthOf(int32_t nodes, int32_t most) {
  constexpr int32_t kMultiple = 16;
  const int32_t step = (most + kMostWidths * kMultiple - 1) / (kMostWidths * kMultiple) * kMultiple;
  return nodes >= most ? most : std::min(most, (nodes + step - 1) / step * step);
}

RecordedSteps::RecordedSteps(const WholeStepsRequest& request, const WholeStepsParts& parts,
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
      reports_(stream_.get(), request.report_every, device_),
      current_(&RecordingOf(request.nodes)) {}

RecordedSteps::~RecordedSteps() {
  // What runs still uses the memory. A device that does not answer uses none.
  static_cast<void>(GuardTorch([this] { return stream_->Wait(); }));
}

absl::Status RecordedSteps::Load(const WholeStepsState& state) {
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

absl::Status RecordedSteps::WaitForRoom() {
  return GuardTorch([this] { return reports_.WaitForRoom(steps_ + 1); });
}

absl::Status RecordedSteps::Save(WholeStepsState& state) {
  return GuardTorch([&]() -> absl::Status {
    VRP_RETURN_IF_ERROR(stream_->Wait());
    VRP_RETURN_IF_ERROR(reports_.Finish(steps_));
    parts_.parameters->Download();
    optimiser_.Save(state);
    SaveOwn(state);
    return absl::OkStatus();
  });
}

RecordedSteps::Recording& RecordedSteps::RecordingOf(int32_t nodes) {
  const StepBatchShape shape = {.instances = request_.instances,
                                .nodes = WidthOf(nodes, request_.nodes),
                                .tsp = request_.tsp,
                                .matrices = request_.matrices,
                                .labels = request_.labels,
                                .fewer = request_.labels};
  return recordings_.try_emplace(shape.nodes, shape, device_).first->second;
}

absl::Status RecordedSteps::Take(const StepWork& step) {
  const c10::DeviceGuard guard(device_);
  VRP_RETURN_IF_ERROR(WaitForRoom());
  if (step.batch != nullptr) {
    current_ = &RecordingOf(step.batch->longest());
    VRP_RETURN_IF_ERROR(stream_->Run([&] { return batch().Upload(*step.batch, step.labels); }));
  }
  VRP_RETURN_IF_ERROR(Launch(step));
  return reports_.StepBegun(++steps_);
}

// The first step of a kind and width runs by itself, for torch prepares much at its first use that
// must not be recorded; the second one is recorded, and replayed from then on.
absl::Status RecordedSteps::Launch(const StepWork& step) {
  Recording& now = *current_;
  if (step.alone || now.prepared != step.kind) {
    VRP_RETURN_IF_ERROR(DropGraph());
    VRP_RETURN_IF_ERROR(stream_->Run(step.first));
    now.prepared = step.kind;
    return absl::OkStatus();
  }
  if (now.graph == nullptr) {
    VRP_ASSIGN_OR_RETURN(now.graph, stream_->Capture(step.work));
  }
  return now.graph->Replay();
}

absl::Status RecordedSteps::DropGraph() {
  current_->prepared.reset();
  if (current_->graph == nullptr) return absl::OkStatus();
  const absl::Status waited = stream_->Wait();
  current_->graph.reset();
  return waited;
}

absl::Status RecordedSteps::Finish(const at::Tensor& loss, StepReports::Row row) {
  const c10::NoGradGuard no_gradients;
  VRP_RETURN_IF_ERROR(optimiser_.Step(loss));
  row.loss = loss;
  row.norm = optimiser_.Norm();
  row.applied = optimiser_.Applied();
  reports_.Write(optimiser_.Steps(), row);
  return absl::OkStatus();
}

}  // namespace vrp
