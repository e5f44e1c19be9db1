// The plain way to the gradient: step by step, with autograd through every step. For tests.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/model/policy/policy_engine.h"
#include "core/model/torch/network.h"
#include "core/model/torch/parameters.h"

namespace vrp::test {

struct SequentialRequest {
  const TorchNetwork& network;
  TorchParameters& parameters;
  const NetworkBatch& batch;
  const Trajectories& trajectories;
  bool distinct_starts = false;
  double label_smoothing = 0;
};

// Log-likelihoods of the trajectories [B * P]. The gradient of sum(weights * log-likelihoods)
// stands in parameters.gradient().
std::vector<double> SequentialGradient(const SequentialRequest& request,
                                       const std::vector<double>& weights);

}  // namespace vrp::test
