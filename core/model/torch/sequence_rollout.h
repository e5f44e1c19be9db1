// Tours of a network in plain operators that never leave the device: between two of its steps one
// launch takes what it chose and writes what it reads next
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

// Steps between two looks at whether a trajectory still moves, on a device that is not the host's.
inline constexpr int32_t kPollEverySteps = 8;

struct SequenceRolloutJob {
  const TorchNetwork* network = nullptr;
  TorchDecoder* decoder = nullptr;   // of the encoded batch
  const StepRules* rules = nullptr;  // [B], on the device
  int32_t instances = 0;             // B
  int64_t nodes = 0;                 // N
  at::TensorOptions options;         // the device, and the type that the network reads
  BatchRolloutRequest request;       // greedy or sampled
  // Steps between two looks at whether a trajectory still moves; the rest is left out where none
  // does.
  int32_t poll_every = 1;
  // Whose work this is: what is recorded looks by itself, and nothing waits for the device. Null:
  // the host looks, which waits.
  StepStream* stream = nullptr;
  StopCondition stop = {};  // polled between looks
  CpuPool* pool = nullptr;
};

// T: the request's max_steps, or, where the host looks, the steps that were taken.
struct SequenceRollout {
  at::Tensor choices;          // [B, P, T] int32, -1 from where a trajectory moves no more
  at::Tensor lengths;          // [B * P] int32: choices
  at::Tensor costs;            // [B * P] double: sums of distances, see MetricSum
  at::Tensor ends;             // [B * P] int32: TrajectoryEnd
  at::Tensor log_likelihoods;  // [B * P] double, of the network's own choices
  at::Tensor agreements;       // [B * P] int32: own choices that were the likeliest
};

// Without gradients; restarts the decoder.
absl::StatusOr<SequenceRollout> RollOutSequence(const SequenceRolloutJob& job);

}  // namespace vrp
