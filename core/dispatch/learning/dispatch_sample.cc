#include "core/dispatch/learning/dispatch_sample.h"

#include <cstddef>
#include <utility>

#include "core/dispatch/simulation.h"

namespace vrp {

std::vector<DispatchSample> SamplesOf(const DispatchDay& day, const HindsightPlan& hindsight) {
  std::vector<std::vector<const PlannedRoute*>> routes(day.departures.size());
  for (const PlannedRoute& route : hindsight.plan) {
    routes[DecisionOf(day, route)].push_back(&route);
  }
  std::vector<DispatchSample> samples;
  std::vector<bool> served(day.requests.size());
  std::vector<int32_t> index(day.requests.size());
  for (size_t k = 0; k + 1 < day.departures.size(); ++k) {
    DispatchSample& sample = samples.emplace_back();
    WaitingState waiting = StateAt(day, static_cast<int32_t>(k), served);
    const std::vector<int32_t>& numbers = waiting.numbers;
    sample.state = std::move(waiting.state);
    sample.leaves.assign(numbers.size(), false);
    for (size_t i = 0; i < numbers.size(); ++i) index[numbers[i]] = static_cast<int32_t>(i);
    for (const PlannedRoute* route : routes[k]) {
      PlannedRoute& added = sample.routes.emplace_back(*route);
      for (NodeIndex& request : added.customers) {
        served[request] = true;
        request = index[request];
        sample.leaves[request] = true;
      }
    }
  }
  return samples;
}

}  // namespace vrp
