// Choices that are given, on the device: what a network reads along them. Nothing here waits for
// the device. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/kernels/routing/routing_rules.h"
#include "core/model/torch/network.h"

namespace vrp {

struct ForcedDecodingJob {
  const TorchNetwork* network = nullptr;
  const StepRules* rules = nullptr;  // [B], on the device
  at::Tensor choices;                // [B, P, T] int32, -1 after the end
  int64_t nodes = 0;                 // N
  at::ScalarType type = at::kFloat;  // of what the network reads
  // As in ForcedDecodingRequest.
  uint64_t seed = 1;
  uint64_t stream = 0;
  const int64_t* steps = nullptr;
  int64_t first_trajectory = 0;
  CpuPool* pool = nullptr;
};

struct ForcedSteps {
  TakenSteps steps;
  at::Tensor draws;    // [B, Q] double: decides what the decoder reads
  at::Tensor lengths;  // [B * P] int32
  at::Tensor costs;    // [B * P] double
  at::Tensor ends;     // [B * P] int32: TrajectoryEnd
};

absl::StatusOr<ForcedSteps> FollowForcedChoices(const ForcedDecodingJob& job);

struct OwnChoices {
  TorchDecoder* decoder = nullptr;
  const StepInputs& inputs;  // of all steps
  at::Tensor own;            // [B, Q] bool: reads what it would have chosen itself
  int64_t trajectories = 1;  // P
  StopCondition stop = {};   // polled between steps
};

// Scheduled sampling (Bengio et al. 2015): where the vehicle is as the decoder reads it [B, Q],
// which at steps that are its own is the choice that it finds likeliest at the one before. Without
// gradients; restarts the decoder.
absl::StatusOr<at::Tensor> ReadOwnChoices(const OwnChoices& job);

}  // namespace vrp
