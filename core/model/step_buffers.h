// The host's side of a step: what the states show, as tensors of one batch. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "core/model/network_input.h"
#include "core/model/pointer_network.h"
#include "core/model/routing_state.h"

namespace vrp {

class StepBuffers {
 public:
  StepBuffers(int64_t instances, int64_t trajectories, int64_t nodes);

  // Observes every state into fresh tensors. kFailedPrecondition names a customer that cannot be
  // served any more.
  absl::Status Observe(std::span<const RoutingState> states, std::span<const NetworkInput> inputs);
  // As the network takes them: on its device, in its type.
  StepInputs Inputs(at::TensorOptions options) const;
  const StepInputs& host() const { return host_; }

 private:
  StepInputs host_;
  int64_t trajectories_;
  int64_t nodes_;
};

// Log-probabilities of `logits` (masked: -inf) / temperature, in double. Logits of a network gone
// wrong (not a number) count as equal, so that masks hold whatever the weights.
void LogSoftmax(std::span<const float> logits, double temperature, std::span<double> to);

}  // namespace vrp
