#include "tests/bench/decoder_subject.h"

#include <limits>

#include "core/kernels/routing/routing_step.h"

namespace vrp {

DecoderSubject::DecoderSubject(const DecoderCase& c)
    : nodes(c.customers + 1), trajectories(c.trajectories) {
  CounterRandom random(1, 5);
  for (int32_t n = 0; n < nodes; ++n) {
    x.push_back(random.UniformDouble());
    y.push_back(random.UniformDouble());
    demands.push_back(n == 0 ? 0 : static_cast<double>(random.UniformInt(1, 9)));
  }
  problem = {.nodes = nodes,
             .capacity = c.customers <= 10   ? 20.0
                         : c.customers <= 20 ? 30.0
                         : c.customers <= 50 ? 40.0
                                             : 50.0,
             .x = x.data(),
             .y = y.data(),
             .demands = demands.data()};
  if (c.windows) AddWindows(random);
  stride = 5 * shape.hidden;
  projections.resize(static_cast<size_t>((nodes + 2) * stride));
  for (float& value : projections) value = static_cast<float>(random.UniformDouble() - 0.5);
  gradients.resize(projections.size());
  max_steps = MaxTourSteps(problem);
  for (int32_t p = 0; p < trajectories; ++p) AddNearestNeighbourPlan(p);
}

void DecoderSubject::AddWindows(CounterRandom& random) {
  for (int32_t n = 0; n < nodes; ++n) {
    opens.push_back(n == 0 ? 0 : 3 * random.UniformDouble());
    closes.push_back(n == 0 ? 10 : opens.back() + 2);
  }
  problem.window_opens = opens.data();
  problem.window_closes = closes.data();
  problem.horizon = 10;
}

void DecoderSubject::AddNearestNeighbourPlan(int32_t p) {
  const StepRules rules = MakeStepRules(problem);
  std::vector<uint8_t> visited(static_cast<size_t>(nodes));
  std::vector<float> mask(visited.size());
  RouteState state = BeginTrajectory(rules, visited.data());
  std::vector<int32_t> plan;
  while (!IsDone(state)) {
    WriteMask(rules, state, visited.data(), mask.data());
    int32_t nearest = 0;
    double shortest = std::numeric_limits<double>::infinity();
    for (int32_t n = 1; n < nodes; ++n) {
      const double distance = LegDistance(problem, state.current, n);
      if (mask[n] != 0 || distance >= shortest) continue;
      nearest = n;
      shortest = distance;
    }
    if (plan.empty()) nearest = 1 + p % (nodes - 1);
    plan.push_back(nearest);
    Take(rules, nearest, state, visited.data());
  }
  steps += static_cast<int64_t>(plan.size());
  plan.resize(static_cast<size_t>(max_steps), -1);
  plans.insert(plans.end(), plan.begin(), plan.end());
}

}  // namespace vrp
