// Rollouts of a batch by a torch network, step by step or along forced choices. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/policy/policy_engine.h"
#include "core/model/torch/batch.h"
#include "core/model/torch/network.h"

namespace vrp {

// The results of RunTorchRollout.
struct TorchRollout {
  // The trajectories. With forced choices, they have neither log-likelihoods nor agreements.
  Trajectories trajectories;
  TakenSteps steps;  // empty unless TorchRolloutJob::record is set or choices are forced
};

// The input of RunTorchRollout.
struct TorchRolloutJob {
  const TorchNetwork* network = nullptr;
  TorchDecoder* decoder = nullptr;
  const NetworkBatch* batch = nullptr;
  int32_t first = 0;  // instances first .. first + count - 1 of the batch are encoded
  int32_t count = 0;
  const RolloutRequest* request = nullptr;
  bool record = false;  // whether to return the steps; kForced always returns them
  at::TensorOptions options;
};

// Decodes like PolicyEngine::Run, without gradients. Returns kInvalidArgument naming a forced
// choice that is not allowed.
absl::StatusOr<TorchRollout> RunTorchRollout(const TorchRolloutJob& job, Transfers& transfers);

// Excludes the first choices from `counted`, because with distinct starts the network does not make
// them.
void ExcludeStarts(const TakenSteps& steps, int64_t trajectories);

// Log-probabilities of the choices taken.
struct ReplayTerms {
  at::Tensor chosen;    // [B, P * T]: log-probability of each choice; 0 if it does not count
  at::Tensor smoothed;  // [B, P * T]: (1 - s) of `chosen` plus s of the mean over the allowed nodes
  at::Tensor agrees;    // [B, P * T] bool: whether the choice counts and was the likeliest
};
// Computes the terms of known `steps` in one pass. In grad mode, `chosen` and `smoothed` have
// gradients.
ReplayTerms Replay(const TorchDecoder& decoder, const TakenSteps& steps, int64_t trajectories,
                   double label_smoothing);

// Returns `logits` in double, because probabilities are summed, with -inf at forbidden nodes. Other
// logits that are not finite (a diverged network) become 0, so that masks always hold.
at::Tensor Sanitized(const at::Tensor& logits, const at::Tensor& forbidden);

// Inputs of a step's choices besides the logits, [B, P] each.
struct ChoiceInputs {
  at::Tensor given;        // int64: the forced choice; -1: none
  at::Tensor uniforms;     // double, for sampling; undefined: greedy
  double temperature = 1;  // temperature of sampling
};
// The results of ChooseNodes.
struct ChosenNodes {
  at::Tensor nodes;              // [B, P] int64
  at::Tensor log_probabilities;  // [B, P] double, at temperature 1
  at::Tensor likeliest;          // [B, P] bool: whether the node is the likeliest
};
// Chooses nodes by logits [B, P, N] from Sanitized; every row must allow a node.
ChosenNodes ChooseNodes(const at::Tensor& logits, const ChoiceInputs& inputs);

}  // namespace vrp
