// A deterministic tour of an instance, made by the step function.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/routing/routing_step.h"

namespace vrp::test {

// Returns a tour that at each step visits the allowed node of index (salt + step) modulo the number
// of allowed nodes.
inline std::vector<int32_t> DeterministicTour(const StepRules& rules, int32_t salt) {
  std::vector<uint8_t> visited(static_cast<size_t>(rules.problem.nodes));
  RouteState state = BeginTrajectory(rules, visited.data());
  std::vector<int32_t> choices;
  while (!IsDone(state)) {
    std::vector<int32_t> allowed;
    for (int32_t n = 0; n < rules.problem.nodes; ++n) {
      if (IsAllowed(rules, state, visited.data(), n)) allowed.push_back(n);
    }
    const size_t next = static_cast<size_t>(salt) + choices.size();
    choices.push_back(allowed[next % allowed.size()]);
    Take(rules, choices.back(), state, visited.data());
  }
  return choices;
}

}  // namespace vrp::test
