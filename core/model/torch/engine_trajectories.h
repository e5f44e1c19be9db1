// Helpers of TorchEngine for requests and their trajectories. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include "absl/status/status.h"
#include "core/model/policy/policy_engine.h"
#include "core/model/torch/batch.h"
#include "core/model/torch/rollout.h"

namespace vrp {

// Returns kInvalidArgument if the request does not fit `batch`, and kUnimplemented for a beam
// search.
absl::Status CheckTorchRequest(const NetworkBatch& batch, const RolloutRequest& request);

// Appends the trajectories of the next instances.
void AppendTrajectories(const Trajectories& part, Trajectories& to);

// Returns the sums of `terms` [B, P * T] over each trajectory's steps, [B * P] on the same device.
at::Tensor SumSteps(const at::Tensor& terms, const Trajectories& trajectories);

// Fills in log-likelihoods and agreements of forced choices from the second pass.
void FillForced(const ReplayTerms& terms, Transfers& transfers, Trajectories& trajectories);

}  // namespace vrp
