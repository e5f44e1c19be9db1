// A reference gradient for tests, computed step by step, with autograd through every step.
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
  // Whether the first choices are given, so that they count as no decision.
  bool distinct_starts = false;
  double label_smoothing = 0;
};

// Returns the log-likelihoods of the trajectories [B * P], smoothed if label_smoothing is above 0
// and without the first choices if distinct_starts. Leaves the gradient of sum(weights *
// log-likelihoods) in parameters.gradient().
std::vector<double> SequentialGradient(const SequentialRequest& request,
                                       const std::vector<double>& weights);

}  // namespace vrp::test
