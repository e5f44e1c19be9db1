#include "core/kernels/forced_decoding/forced_decoding.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>

#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/device/device_stream.h"
#include "core/model/torch/forced_decoding.h"
#include "core/model/torch/rollout.h"

namespace vrp {
namespace {

uint8_t* Bytes(const at::Tensor& tensor) {
  return reinterpret_cast<uint8_t*>(tensor.mutable_data_ptr<bool>());
}

template <typename T>
ForcedDecodingResult<T> ResultIn(const ForcedSteps& to) {
  const StepInputs& inputs = to.steps.inputs;
  return {.steps = {.current = inputs.current.mutable_data_ptr<int64_t>(),
                    .first = inputs.first.mutable_data_ptr<int64_t>(),
                    .begins = Bytes(inputs.begins),
                    .shares = inputs.shares.mutable_data_ptr<T>(),
                    .forbidden = Bytes(inputs.forbidden),
                    .features =
                        inputs.dynamic.defined() ? inputs.dynamic.mutable_data_ptr<T>() : nullptr},
          .uniforms = to.uniforms.mutable_data_ptr<double>(),
          .lengths = to.lengths.mutable_data_ptr<int32_t>(),
          .costs = to.costs.mutable_data_ptr<double>(),
          .ends = reinterpret_cast<TrajectoryEnd*>(to.ends.mutable_data_ptr<int32_t>())};
}

// Returns uninitialised results of the job's shapes.
ForcedSteps Empty(const ForcedDecodingJob& job) {
  const int64_t count = job.choices.size(0);
  const int64_t queries = job.choices.size(1) * job.choices.size(2);
  const at::TensorOptions options = job.choices.options();
  const auto make = [&](at::IntArrayRef shape, at::ScalarType type) {
    return at::empty(shape, options.dtype(type));
  };
  const ObservationKind kind = job.network->observation_kind();
  ForcedSteps to;
  StepInputs& inputs = to.steps.inputs;
  inputs.current = make({count, queries}, at::kLong);
  inputs.first = make({count, queries}, at::kLong);
  inputs.begins = make({count, queries}, at::kBool);
  inputs.shares = make({count, queries, ObservedShares(kind)}, job.type);
  inputs.forbidden = make({count, queries, job.nodes}, at::kBool);
  if (const int64_t features = ObservedFeatures(kind); features > 0) {
    inputs.dynamic = make({count, queries, job.nodes, features}, job.type);
  }
  const int64_t rows = count * job.choices.size(1);
  to.uniforms = make({count, queries}, at::kDouble);
  to.lengths = make({rows}, at::kInt);
  to.costs = make({rows}, at::kDouble);
  to.ends = make({rows}, at::kInt);
  return to;
}

// Returns the inputs of one step, [B, P, ...].
StepInputs StepAt(const StepInputs& inputs, int64_t trajectories, int64_t t) {
  const auto at_step = [&](const at::Tensor& column) {
    if (!column.defined()) return column;
    return column.unflatten(1, {trajectories, -1}).select(2, t);
  };
  return {.current = at_step(inputs.current),
          .first = at_step(inputs.first),
          .begins = at_step(inputs.begins),
          .shares = at_step(inputs.shares),
          .forbidden = at_step(inputs.forbidden),
          .dynamic = at_step(inputs.dynamic),
          .gates = at_step(inputs.gates),
          .bias = at_step(inputs.bias)};
}

}  // namespace

absl::StatusOr<ForcedSteps> ForceDecode(const ForcedDecodingJob& job) {
  const c10::NoGradGuard no_gradients;
  const c10::DeviceGuard guard(job.choices.device());
  ForcedSteps to = Empty(job);
  const ObservationLayout layout = {.kind = job.network->observation_kind(),
                                    .nodes = static_cast<int32_t>(job.nodes)};
  const at::Tensor trajectory_scratch =
      at::empty({to.lengths.numel() * TrajectoryScratchBytes(layout)},
                job.choices.options().dtype(at::kByte));
  const ForcedDecodingRequest request = {
      .layout = layout,
      .instances = static_cast<int32_t>(job.choices.size(0)),
      .trajectories = static_cast<int32_t>(job.choices.size(1)),
      .max_steps = static_cast<int32_t>(job.choices.size(2)),
      .rules = job.rules,
      .choices = job.choices.const_data_ptr<int32_t>(),
      .trajectory_scratch = trajectory_scratch.mutable_data_ptr<uint8_t>(),
      .seed = job.seed,
      .stream = job.stream,
      .steps = job.steps,
      .first_trajectory = job.first_trajectory};
  const at::Device device = job.choices.device();
  if (!device.is_cpu()) {
    VRP_RETURN_IF_ERROR(
        ForceDecodeOnCuda(request, ResultIn<float>(to), CurrentStream(device.index())));
  } else if (job.type == at::kDouble) {
    ForceDecodeOnCpu(request, ResultIn<double>(to), job.pool);
  } else {
    ForceDecodeOnCpu(request, ResultIn<float>(to), job.pool);
  }
  const at::Tensor choices = job.choices.flatten(1, 2);
  const at::Tensor step = at::arange(job.choices.size(2), job.choices.options());
  const at::Tensor taken = step.unsqueeze(0) < to.lengths.unsqueeze(1);  // [B * P, T]
  to.steps.actions = at::clamp_min(choices, 0).to(at::kLong);
  to.steps.counted = taken.view(choices.sizes());
  return to;
}

absl::StatusOr<at::Tensor> ReadOwnChoices(const OwnChoices& job) {
  const c10::NoGradGuard no_gradients;
  const int64_t steps = job.own.size(1) / job.trajectories;
  job.decoder->Start(job.trajectories);
  const StepInputs prepared = job.decoder->Prepare(job.inputs);
  std::vector<at::Tensor> read;
  at::Tensor likeliest;
  for (int64_t t = 0; t < steps; ++t) {
    VRP_RETURN_IF_ERROR(StopStatus(job.stop.Check()));
    StepInputs step = StepAt(prepared, job.trajectories, t);
    if (t > 0) {
      const at::Tensor own = job.own.unflatten(1, {job.trajectories, -1}).select(2, t);
      step.current = at::where(own, likeliest, step.current);
    }
    read.push_back(step.current);
    if (t + 1 == steps) break;
    likeliest = at::argmax(job.decoder->Step(step), -1);
  }
  return at::stack(read, 2).flatten(1, 2);
}

}  // namespace vrp
