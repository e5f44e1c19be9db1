// Beam search over a network's choices. Needs torch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/model/pointer_network.h"
#include "core/model/rollout.h"

namespace vrp {

struct BeamOptions {
  int64_t width = 1;
  StopCondition stop;  // polled at each step
};

// The `width` most likely partial plans of each instance are kept at every step; fewer where there
// are not as many. The first of them always goes on with its most likely choice, so that the greedy
// plan is among the answers whatever its likelihood: state b * width. Others may be unfinished
// copies with a likelihood of -inf. Errors as RunRollout.
absl::StatusOr<Rollout> RunBeamSearch(const PointerNetwork& network, const EncodedNodes& encoded,
                                      std::span<const NetworkInput> inputs,
                                      const BeamOptions& options);

}  // namespace vrp
