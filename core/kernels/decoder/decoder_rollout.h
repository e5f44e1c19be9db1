// The request and the results of a batch's rollout. Includes only headers that CUDA sources can
// include.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/decoder_nodes.h"
#include "core/kernels/routing/routing_visit.h"
#include "core/kernels/support/group.h"

namespace vrp {

// DecodeRequest for a whole batch.
struct BatchRolloutRequest {
  StepChoice choice = StepChoice::kGreedy;
  int32_t trajectories = 1;      // P, of each instance
  bool distinct_starts = false;  // whether first choices are given, as in DecodeRequest
  double temperature = 1;
  uint64_t seed = 1;
  uint64_t stream = 0;
  const int64_t* steps = nullptr;  // if set, the stream is `stream` + *steps
  int64_t first_trajectory = 0;    // number of the first instance's trajectory 0 in the counters
  int32_t max_steps = 0;           // T: at least the number of steps of any trajectory
  const int32_t* forced_choices = nullptr;  // kForced: [B, P, T], -1 after the end
};

// Outputs, [B, P, ...] each. Programs get those of one trajectory from At().
struct BatchRolloutResult {
  int32_t* choices = nullptr;  // [T]; -1 after the end
  int32_t* lengths = nullptr;
  double* costs = nullptr;            // sums of distances, see MetricSum
  double* log_likelihoods = nullptr;  // sums over the steps that the network scored
  int32_t* agreements = nullptr;
  TrajectoryEnd* ends = nullptr;

  VRP_DEVICE BatchRolloutResult At(int64_t trajectory, int32_t max_steps) const {
    return {choices + trajectory * max_steps, lengths + trajectory,    costs + trajectory,
            log_likelihoods + trajectory,     agreements + trajectory, ends + trajectory};
  }
};

}  // namespace vrp
