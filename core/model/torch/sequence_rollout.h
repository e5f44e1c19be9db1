// Rollouts of a network in plain operators that stay on the device. Between two steps of the
// network, one launch applies the choices and writes the next observation
// (core/kernels/forced_decoding/advance_program.h). Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/device/step_stream.h"
#include "core/kernels/decoder/decoder_program_rollout.h"
#include "core/kernels/routing/routing_rules.h"
#include "core/model/torch/network.h"

namespace vrp {

// Number of steps between two polls, on a device, of whether a trajectory is still active.
inline constexpr int32_t kPollEverySteps = 8;

// The input of RollOutSequence.
struct SequenceRolloutJob {
  const TorchNetwork* network = nullptr;
  TorchDecoder* decoder = nullptr;   // decoder of the encoded batch
  const StepRules* rules = nullptr;  // [B], on the device
  int32_t instances = 0;             // B
  int64_t nodes = 0;                 // N
  at::TensorOptions options;         // the device, and the type of the network's inputs
  BatchRolloutRequest request;       // greedy or sampled
  // Number of steps between two polls of whether a trajectory is still active. If none is, the
  // rollout ends.
  int32_t poll_every = 1;
  // The stream of the work. Captured work polls on the device, and the host does not wait. Null:
  // the host polls and waits.
  StepStream* stream = nullptr;
  StopCondition stop = {};  // also polled
  CpuPool* pool = nullptr;
};

// Results of a rollout. T is the request's max_steps or, if the host polls, the number of steps
// taken.
struct SequenceRollout {
  at::Tensor choices;          // [B, P, T] int32, -1 after a trajectory's end
  at::Tensor lengths;          // [B * P] int32: number of choices
  at::Tensor costs;            // [B * P] double: sums of distances, see MetricSum
  at::Tensor ends;             // [B * P] int32: TrajectoryEnd
  at::Tensor log_likelihoods;  // [B * P] double, of the network's own choices
  at::Tensor agreements;       // [B * P] int32: own choices that were the likeliest
};

// Decodes without gradients. Restarts the decoder.
absl::StatusOr<SequenceRollout> RollOutSequence(const SequenceRolloutJob& job);

}  // namespace vrp
