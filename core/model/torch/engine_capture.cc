// Captured steps and captured rollouts of a TorchEngine.
#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/kernels/instances/instance_task.h"
#include "core/model/torch/engine.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/label_steps.h"
#include "core/model/torch/reinforce_steps.h"

namespace vrp {
namespace {

// Largest numbers of parts in a captured step and, for a sequence model, of rollout steps over all
// parts. A graph holds all their launches, some hundred for each. Capturing a larger graph would
// block the device for long.
constexpr int32_t kMaxCapturedParts = 64;
constexpr int64_t kMaxCapturedSteps = 2048;

absl::Status CheckGraph(const CapturedStepsRequest& request, bool recurrent) {
  if (request.parts > kMaxCapturedParts) {
    return absl::UnimplementedError(
        Concat("parts: got ", request.parts, ", wanted at most ", kMaxCapturedParts));
  }
  const StepBatchShape shape = {.nodes = request.nodes, .tsp = request.tsp};
  const int64_t steps = int64_t{request.parts} * shape.MaxSteps();
  if (recurrent && !request.labels && steps > kMaxCapturedSteps) {
    return absl::UnimplementedError(Concat("parts: got ", request.parts, " with up to ", steps,
                                           " steps of the network in all, wanted at most ",
                                           kMaxCapturedSteps));
  }
  return absl::OkStatus();
}

std::unique_ptr<StepStream> StreamOn(at::Device device, const EngineOptions& options,
                                     Priority priority) {
  if (options.step_stream != nullptr) return options.step_stream();
  return device.is_cuda() ? MakeCudaStepStream(device.index(), priority) : nullptr;
}

}  // namespace

bool TorchEngine::can_capture_steps() const {
  return options_.step_stream != nullptr || tensors_.options().device().is_cuda();
}

std::unique_ptr<CapturedRollouts> TorchEngine::MakeCapturedRollouts() const {
  const at::Device device = tensors_.options().device();
  const bool fused = options_.fused && !network_->recurrent();
  if (!can_capture_steps() || !fused || tensors_.flat().scalar_type() != at::kFloat) return nullptr;
  return std::make_unique<CapturedRollouts>(
      CapturedRolloutsParts{
          .network = network_.get(), .parameters = &tensors_, .options = options_},
      [device, options = options_] { return StreamOn(device, options, Priority::kSolving); });
}

absl::Status TorchEngine::CheckCapture(const CapturedStepsRequest& request) const {
  if (!options_.fused && !network_->recurrent()) {
    return absl::UnimplementedError("engine options: captured steps need fused passes");
  }
  if (tensors_.flat().scalar_type() != at::kFloat) {
    return absl::UnimplementedError(Concat("parameters: got ",
                                           c10::toString(tensors_.flat().scalar_type()),
                                           ", wanted float32 for captured steps"));
  }
  if (request.drawn.has_value() && batch_form().order != NodeOrder::kAsGiven) {
    return absl::UnimplementedError(
        "drawn: the network reads nodes by angle, and the device does not sort drawn nodes");
  }
  if (request.drawn.has_value() && !batch_form().own_columns.empty()) {
    return absl::UnimplementedError(
        "drawn: the network reads feature columns, which drawn instances do not have");
  }
  if (request.drawn.has_value() && MaxNodes(*request.drawn) > request.nodes) {
    return absl::InvalidArgumentError(Concat("drawn: got instances of up to ",
                                             MaxNodes(*request.drawn), " nodes, wanted at most ",
                                             request.nodes));
  }
  if (request.drawn.has_value() && request.trajectories < 1) {
    return absl::InvalidArgumentError(Concat("trajectories: got ", request.trajectories,
                                             ", wanted 1 or more if the device draws instances"));
  }
  if (request.parts < 1 || request.parts > std::max(1, request.instances)) {
    return absl::InvalidArgumentError(Concat("parts: got ", request.parts, ", wanted 1 to ",
                                             request.instances, ", the number of instances"));
  }
  return CheckGraph(request, network_->recurrent());
}

absl::StatusOr<std::unique_ptr<CapturedSteps>> TorchEngine::MakeCapturedSteps(
    const CapturedStepsRequest& request) {
  VRP_RETURN_IF_ERROR(CheckCapture(request));
  const auto* const baseline = dynamic_cast<const TorchEngine*>(request.baseline);
  if (request.baseline != nullptr && baseline == nullptr) {
    return absl::InvalidArgumentError(
        "baseline: got an engine without LibTorch, wanted one with LibTorch");
  }
  std::unique_ptr<CapturedSteps> steps;
  const absl::Status status = GuardTorch([&]() -> absl::Status {
    std::unique_ptr<StepStream> stream =
        StreamOn(tensors_.options().device(), options_, Priority::kTraining);
    if (stream == nullptr) {
      return absl::UnimplementedError("captured steps: this device has no streams");
    }
    tensors_.TrackGradient();
    // Frees memory that earlier steps may have cached. cuBLAS, cuDNN and graphs allocate outside
    // torch's allocator.
    if (!tensors_.options().device().is_cpu()) at::accelerator::emptyCache();
    CapturedStepsParts parts = {.network = network_.get(),
                                .host = &host_,
                                .parameters = &tensors_,
                                .baseline = baseline == nullptr ? nullptr : &baseline->tensors_,
                                .scaler = scaler_.has_value() ? &*scaler_ : nullptr,
                                .options = options_};
    parts.options.precision = PrecisionOf(request.bf16);
    steps = request.labels ? MakeLabelSteps(request, parts, std::move(stream))
                           : MakeReinforceSteps(request, parts, std::move(stream));
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return steps;
}

}  // namespace vrp
