// Tours of a sequence model that never leave the device: between two of the network's steps one
// launch takes what it chose and writes what it reads next (core/kernels/advance_program.h).
// Nothing here waits for the device. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/kernels/decoder_program_rollout.h"
#include "core/kernels/routing_rules.h"
#include "core/model/torch_network.h"

namespace vrp {

struct SequenceRolloutJob {
  const TorchNetwork* network = nullptr;
  TorchDecoder* decoder = nullptr;   // of the encoded batch, in float32
  const StepRules* rules = nullptr;  // [B], on the device
  int32_t instances = 0;             // B
  int32_t nodes = 0;                 // N
  at::TensorOptions options;         // the device
  BatchRolloutRequest request;       // greedy or sampled; all of its max_steps are taken
};

struct SequenceRollout {
  at::Tensor choices;          // [B, P, T] int32, -1 from where a trajectory moves no more
  at::Tensor log_likelihoods;  // [B * P] double, of the network's own choices
};

// Without gradients; restarts the decoder.
absl::StatusOr<SequenceRollout> RollOutSequence(const SequenceRolloutJob& job);

}  // namespace vrp
