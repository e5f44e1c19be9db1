// Forced decoding on the device: the decoder's inputs along given choices. The functions
// do not synchronise with the device. This header needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/kernels/routing/routing_rules.h"
#include "core/model/torch/network.h"

namespace vrp {

// The input of ForceDecode: choices of P trajectories of up to T steps for each of B instances.
struct ForcedDecodingJob {
  const TorchNetwork* network = nullptr;
  const StepRules* rules = nullptr;  // [B], on the device
  at::Tensor choices;                // [B, P, T] int32, -1 after the end
  int64_t nodes = 0;                 // N
  at::ScalarType type = at::kFloat;  // type of the decoder's inputs
  // Counters of draws, as in ForcedDecodingRequest.
  uint64_t seed = 1;
  uint64_t stream = 0;
  const int64_t* steps = nullptr;
  int64_t first_trajectory = 0;
  CpuPool* pool = nullptr;
};

// The results of ForceDecode, with Q = P * T as in network.h.
struct ForcedSteps {
  TakenSteps steps;
  at::Tensor uniforms;  // [B, Q] double, for OwnChoices::own
  at::Tensor lengths;   // [B * P] int32
  at::Tensor costs;     // [B * P] double
  at::Tensor ends;      // [B * P] int32: TrajectoryEnd
};

// Applies job.choices by the routing rules and returns the decoder's inputs at each step. `ends` is
// kForbidden for trajectories with a choice that is missing or not allowed.
absl::StatusOr<ForcedSteps> ForceDecode(const ForcedDecodingJob& job);

// The input of ReadOwnChoices.
struct OwnChoices {
  TorchDecoder* decoder = nullptr;
  const StepInputs& inputs;  // inputs of all steps
  at::Tensor own;            // [B, Q] bool: whether the step reads the network's own choice
  int64_t trajectories = 1;  // P
  StopCondition stop = {};   // polled between steps
};

// Returns the node that the decoder reads at each step, [B, Q], for scheduled sampling (Bengio et
// al. 2015). At steps with `own`, the node is the likeliest choice of the step before. Computes no
// gradients and restarts the decoder.
absl::StatusOr<at::Tensor> ReadOwnChoices(const OwnChoices& job);

}  // namespace vrp
