#include "core/train/data/instance_bounds.h"

#include <algorithm>

namespace vrp {

InstanceBounds GeneratedBounds(const ProblemConfig& problem) {
  const auto tsp = std::count(problem.kinds.begin(), problem.kinds.end(), ProblemKind::kTsp);
  const bool cities = tsp == std::ssize(problem.kinds);
  const int32_t customers = problem.customers.high;
  return {.nodes = cities ? customers : customers + 1, .starts = problem.customers, .tsp = tsp > 0};
}

void InstanceBounds::Add(const InstanceData& data) {
  const int32_t own_nodes = NodeCount(data);
  const bool cities = data.kind == ProblemKind::kTsp;
  const int32_t own_starts = cities ? own_nodes : own_nodes - 1;
  starts = {.low = nodes == 0 ? own_starts : std::min(starts.low, own_starts),
            .high = std::max(starts.high, own_starts)};
  nodes = std::max(nodes, own_nodes);
  tsp = tsp || cities;
  matrices = matrices || !data.distance_matrix.empty() || !data.duration_matrix.empty();
}

}  // namespace vrp
