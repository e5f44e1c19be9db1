// Batches of instances taken step by step from their depots to complete plans. Needs torch.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/base/stop_status.h"
#include "core/model/network_input.h"
#include "core/model/pointer_network.h"
#include "core/model/routing_state.h"

namespace vrp {

enum class Choice { kGreedy, kSample, kFollow };

struct RolloutOptions {
  Choice choice = Choice::kGreedy;
  int64_t trajectories = 1;  // P
  double temperature = 1;
  // kSample draws by counters: (seed, stream, b * P + p, t).
  uint64_t seed = 1;
  uint64_t stream = 0;
  // kFollow: the choices of each instance (P is 1).
  std::span<const std::vector<int32_t>> choices;
  // kFollow: the chance that the decoder reads the node chosen at the step before, and not the one
  // that the network would have chosen itself (scheduled sampling, Bengio et al. 2015). Masks,
  // loads and times always follow the choices, so that each of them stays possible.
  double teacher_forcing = 1;
  bool record = false;  // keep what Replay needs
  StopCondition stop;   // polled at each step
};

// Trajectory r is b * P + p.
struct Rollout {
  std::vector<RoutingState> states;     // [B * P], all done
  std::vector<double> log_likelihoods;  // [B * P]
  int64_t steps = 0;                    // T: of the longest
  // Where recorded; T fastest, padded with waits at the depot. On the network's device.
  StepInputs inputs;   // Q = P * T
  at::Tensor actions;  // [B, P * T] int64
  at::Tensor active;   // [B, P * T]: 1 for choices, 0 for padding
};

// kDeadlineExceeded, kCancelled; kFailedPrecondition names a customer that cannot be reached any
// more
// (`instances[b]: ...`).
absl::StatusOr<Rollout> RunRollout(const PointerNetwork& network, const EncodedNodes& encoded,
                                   std::span<const NetworkInput> inputs,
                                   const RolloutOptions& options);

// Log-probabilities of the recorded choices, [B, P * T]; 0 where padded.
at::Tensor ReplayLogProbabilities(const PointerNetwork& network, const EncodedNodes& encoded,
                                  const Rollout& rollout, bool dropout = false);

}  // namespace vrp
