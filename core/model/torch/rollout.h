// Tours of a batch, decoded by a torch network step by step, or along choices that are given.
// Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/policy/policy_engine.h"
#include "core/model/torch/batch.h"
#include "core/model/torch/network.h"

namespace vrp {

struct TorchRollout {
  // Where choices were given: without log-likelihoods and agreements.
  Trajectories trajectories;
  TakenSteps steps;  // where recorded
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

// Without gradients. As PolicyEngine::Run; kForced is always recorded; kInvalidArgument names a
// choice to follow that is not allowed.
absl::StatusOr<TorchRollout> RunTorchRollout(const TorchRolloutJob& job, Transfers& transfers);

// Where trajectories have to begin: their first choices are not the network's.
void LeaveOutStarts(const TakenSteps& steps, int64_t trajectories);

// Log-probabilities of the recorded choices.
struct ReplayTerms {
  at::Tensor chosen;    // [B, P * T]: log-probability of each choice; 0 where it does not count
  at::Tensor smoothed;  // [B, P * T]: (1 - s) of it and s of the mean of all nodes allowed
  at::Tensor agrees;    // [B, P * T] bool: the choice was the likeliest and counts
};
ReplayTerms Replay(const TorchDecoder& decoder, const TakenSteps& steps, int64_t trajectories,
                   double label_smoothing);

// Logits of a network gone wrong (not a number) count as equal, so that masks hold whatever the
// weights. Double, since chances are summed.
at::Tensor Sound(const at::Tensor& logits, const at::Tensor& forbidden);

// What decides a step's choices besides the logits, [B, P] each.
struct ChoiceInputs {
  at::Tensor given;        // int64: the choice that is made for the network; -1: none
  at::Tensor uniforms;     // double, that choices are drawn with; undefined: the likeliest
  double temperature = 1;  // of what is drawn
};
struct ChosenNodes {
  at::Tensor nodes;              // [B, P] int64
  at::Tensor log_probabilities;  // [B, P] double, at temperature 1
  at::Tensor likeliest;          // [B, P] bool: the node is
};
// By logits [B, P, N] of Sound, whose every row allows a node.
ChosenNodes ChooseNodes(const at::Tensor& logits, const ChoiceInputs& inputs);

}  // namespace vrp
