// Rollouts of a network in plain operators that stay on the device. Between two of its steps, one
// launch applies the choices and writes the next observation
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

// Steps between two polls of whether a trajectory is still active, on a device.
inline constexpr int32_t kPollEverySteps = 8;

struct SequenceRolloutJob {
  const TorchNetwork* network = nullptr;
  TorchDecoder* decoder = nullptr;   // of the encoded batch
  const StepRules* rules = nullptr;  // [B], on the device
  int32_t instances = 0;             // B
  int64_t nodes = 0;                 // N
  at::TensorOptions options;         // the device, and the type of the network's inputs
  BatchRolloutRequest request;       // greedy or sampled
  // Steps between two polls of whether a trajectory is still active; if none is, the rollout ends.
  int32_t poll_every = 1;
  // The stream of the work. Captured work polls on the device, and nothing waits. Null: the host
  // polls and waits.
  StepStream* stream = nullptr;
  StopCondition stop = {};  // polled as well
  CpuPool* pool = nullptr;
};

// T: the request's max_steps or, if the host polls, the steps taken.
struct SequenceRollout {
  at::Tensor choices;          // [B, P, T] int32, -1 after a trajectory's end
  at::Tensor lengths;          // [B * P] int32: number of choices
  at::Tensor costs;            // [B * P] double: sums of distances, see MetricSum
  at::Tensor ends;             // [B * P] int32: TrajectoryEnd
  at::Tensor log_likelihoods;  // [B * P] double, of the network's own choices
  at::Tensor agreements;       // [B * P] int32: own choices that were the likeliest
};

// Decodes without gradients and restarts the decoder.
absl::StatusOr<SequenceRollout> RollOutSequence(const SequenceRolloutJob& job);

}  // namespace vrp
