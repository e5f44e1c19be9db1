// The learning rule of prizes: gradients of a Fenchel-Young loss by perturbation.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/dispatch/learning/dispatch_sample.h"
#include "core/dispatch/learning/features.h"
#include "core/dispatch/learning/prize_network.h"
#include "core/dispatch/site.h"

namespace vrp {

// A sample with its site and features.
struct PrizeSample {
  DispatchSite site;
  DispatchSample sample = {};
  DecisionFeatures features = {};
  // The last plan with the network's own prizes, from which the searches start.
  Plan plan = {};
};

struct PerturbationOptions {
  int32_t perturbations = 16;  // per sample
  double deviation = 0.3;      // of the normal perturbation, in units of the mean distance
  int64_t iterations = 500;    // of the search of each problem
  uint64_t seed = 1;           // of the perturbations
};

// The gradient of one step, and how far the network is from the labels.
struct PrizeGradient {
  std::vector<float> gradient = {};  // as PrizeNetwork::weights, mean over the samples
  // Mean share of the requests that may wait on which the perturbed decisions and the labels agree.
  double agreement = 0;
};

// Computes the gradient of the mean Fenchel-Young loss of the samples (Berthet et al. 2020; Baty et
// al. 2024, equation 12): the prizes are perturbed, each perturbed problem is planned by search,
// and the slope of a request's prize is its share of the plans that serve it less its label. The
// searches start from the plan of the prizes themselves, which improves PrizeSample::plan from step
// to step, so that few iterations suffice. Runs in parallel on `pool`; the result does not depend
// on its threads.
absl::StatusOr<PrizeGradient> ComputePrizeGradient(const PrizeNetwork& network,
                                                   const std::vector<PrizeSample*>& samples,
                                                   const PerturbationOptions& options,
                                                   CpuPool& pool);

// Sets the network's normalisation to the mean and deviation of each feature in the samples.
void Normalise(const std::vector<const PrizeSample*>& samples, PrizeNetwork& network);

}  // namespace vrp
