// Greedy costs of a network on given instances. Needs torch.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/model/network_input.h"
#include "core/model/pointer_network.h"

namespace vrp {

// One cost an instance, in the instance's unit; decoded in parts of bounded size. Errors as
// RunRollout.
absl::StatusOr<std::vector<double>> GreedyCosts(const PointerNetwork& network,
                                                const std::vector<NetworkInput>& inputs,
                                                const StopCondition& stop);

double Mean(const std::vector<double>& values);  // 0 for none

}  // namespace vrp
