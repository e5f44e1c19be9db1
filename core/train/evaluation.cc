#include "core/train/evaluation.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "core/base/status_macros.h"
#include "core/model/rollout.h"

namespace vrp {

absl::StatusOr<std::vector<double>> GreedyCosts(const PointerNetwork& network,
                                                const std::vector<NetworkInput>& inputs,
                                                const StopCondition& stop) {
  constexpr size_t kPart = 512;
  const c10::NoGradGuard no_gradients;
  std::vector<double> costs;
  for (size_t first = 0; first < inputs.size(); first += kPart) {
    const std::span<const NetworkInput> part =
        std::span(inputs).subspan(first, std::min(kPart, inputs.size() - first));
    const EncodedNodes encoded = network.Encode(MakeNodeBatch(part, network.tensor_options()));
    VRP_ASSIGN_OR_RETURN(const Rollout rollout,
                         RunRollout(network, encoded, part, {.choices = {}, .stop = stop}));
    for (const RoutingState& state : rollout.states) costs.push_back(state.distance());
  }
  return costs;
}

double Mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace vrp
