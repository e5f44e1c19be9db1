// Tours of a batch, decoded by a torch network; what is allowed is decided on the host. Needs
// torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/policy_engine.h"
#include "core/model/torch_batch.h"
#include "core/model/torch_network.h"
#include "core/model/torch_steps.h"

namespace vrp {

struct TorchRollout {
  Trajectories trajectories;
  // The choices were given and the network has not been asked: no log-likelihoods, no agreements.
  bool blind = false;
  // Where recorded: all steps, on the device, Q = P * T (T fastest).
  StepInputs inputs;
  at::Tensor actions;  // [B, Q] int64
  at::Tensor counted;  // [B, Q] bool: the choice was the network's to make
};

struct TorchRolloutJob {
  const TorchNetwork* network = nullptr;
  TorchDecoder* decoder = nullptr;
  const NetworkBatch* batch = nullptr;
  int32_t first = 0;  // instances first .. first + count - 1 of the batch are encoded
  int32_t count = 0;
  const RolloutRequest* request = nullptr;
  bool record = false;
  at::TensorOptions options;
};

// Without gradients. As PolicyEngine::Run; kInvalidArgument names a choice to follow that is not
// allowed.
absl::StatusOr<TorchRollout> RunTorchRollout(const TorchRolloutJob& job, Transfers& transfers);

// Log-probabilities of the recorded choices.
struct ReplayTerms {
  at::Tensor chosen;    // [B, P * T]: log-probability of each choice; 0 where it does not count
  at::Tensor smoothed;  // [B, P * T]: (1 - s) of it and s of the mean of all nodes allowed
  at::Tensor agrees;    // [B, P * T] bool: the choice was the likeliest and counts
};
ReplayTerms Replay(const TorchDecoder& decoder, const TorchRollout& rollout,
                   double label_smoothing);

}  // namespace vrp
