// The attention decoder in plain loops and double, the reference of the kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/decoder/attention_decoder.h"
#include "core/kernels/routing/routing_step.h"

namespace vrp {

// Random projections of an instance's nodes, with padded rows.
template <typename T>
class RandomNodes {
 public:
  RandomNodes(const DecoderShape& shape, const RoutingProblem& problem, uint64_t seed);

  // Returns the arrays in the order of DecoderNodes' fields.
  std::vector<std::vector<T>>& arrays() { return arrays_; }
  const std::vector<std::vector<T>>& arrays() const { return arrays_; }
  DecoderNodes<const T> view() const;
  DecoderNodes<T> mutable_view();
  void Clear();

 private:
  int64_t stride_ = 0;
  std::vector<std::vector<T>> arrays_;
};

// Returns each node's log-likelihood at a step; -inf for forbidden nodes.
std::vector<double> PlainLogLikelihoods(const DecoderShape& shape, const StepRules& rules,
                                        const DecoderNodes<const double>& nodes,
                                        const RouteState& state,
                                        const std::vector<uint8_t>& visited);

struct PlainTrajectory {
  std::vector<int32_t> choices;
  double log_likelihood = 0;  // with label smoothing, the sum of the smoothed terms
  double cost = 0;
  int32_t agreements = 0;
};

// Rolls out a tour. choose(t, log_likelihoods) returns the next node. With `first_is_given`, the
// first choice counts neither in log_likelihood nor in agreements.
template <typename Choose>
PlainTrajectory PlainRollout(const DecoderShape& shape, const RoutingProblem& problem,
                             const DecoderNodes<const double>& nodes, bool first_is_given,
                             double label_smoothing, const Choose& choose) {
  const StepRules rules = MakeStepRules(problem);
  std::vector<uint8_t> visited(static_cast<size_t>(problem.nodes));
  RouteState state = BeginTrajectory(rules, visited.data());
  PlainTrajectory trajectory;
  for (int32_t t = 0; !IsDone(state); ++t) {
    const std::vector<double> scores = PlainLogLikelihoods(shape, rules, nodes, state, visited);
    const int32_t choice = choose(t, scores);
    if (t > 0 || !first_is_given) {
      int32_t likeliest = 0;
      double sum = 0;
      int32_t allowed = 0;
      for (int32_t n = 0; n < problem.nodes; ++n) {
        if (!IsAllowed(rules, state, visited.data(), n)) continue;
        if (!IsAllowed(rules, state, visited.data(), likeliest) || scores[n] > scores[likeliest]) {
          likeliest = n;
        }
        sum += scores[n];
        ++allowed;
      }
      trajectory.agreements += choice == likeliest ? 1 : 0;
      trajectory.log_likelihood +=
          (1 - label_smoothing) * scores[choice] + label_smoothing * sum / allowed;
    }
    trajectory.choices.push_back(choice);
    Take(rules, choice, state, visited.data());
  }
  trajectory.cost = MetricSum(problem.metric, state.cost);
  return trajectory;
}

}  // namespace vrp
