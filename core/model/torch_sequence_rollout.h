// Tours of a network in plain operators that never leave the device: between two of its steps one
// launch takes what it chose and writes what it reads next (core/kernels/advance_program.h). Needs
// torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/kernels/decoder_program_rollout.h"
#include "core/kernels/routing_rules.h"
#include "core/model/torch_network.h"

namespace vrp {

struct SequenceRolloutJob {
  const TorchNetwork* network = nullptr;
  TorchDecoder* decoder = nullptr;   // of the encoded batch
  const StepRules* rules = nullptr;  // [B], on the device
  int32_t instances = 0;             // B
  int64_t nodes = 0;                 // N
  at::TensorOptions options;         // the device, and the type that the network reads
  BatchRolloutRequest request;       // greedy or sampled
  // How often the host asks whether a trajectory still moves, in steps. 0: never; then all of
  // max_steps are taken, and nothing waits for the device.
  int32_t look_every = 0;
  StopCondition stop = {};  // polled between steps
  CpuPool* pool = nullptr;
};

// T: the request's max_steps; where the host looked, steps behind the last end are left out.
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
