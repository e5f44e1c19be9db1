// Helpers that run a decoder's passes with memory for the outputs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/decoder/attention_decoder.h"

namespace vrp {

// Outputs of a rollout, with their memory.
template <typename T>
struct Decoded {
  Decoded(const RoutingProblem& problem, int32_t trajectories)
      : max_steps(MaxTourSteps(problem)),
        choices(static_cast<size_t>(max_steps) * trajectories, 99),
        lengths(static_cast<size_t>(trajectories)),
        costs(lengths.size()),
        log_likelihoods(lengths.size()),
        agreements(lengths.size()) {}

  DecodeResult<T> view() {
    return {max_steps,    choices.data(),         lengths.data(),
            costs.data(), log_likelihoods.data(), agreements.data()};
  }
  std::vector<int32_t> Choices(int32_t p) const {
    const auto begin = choices.begin() + int64_t{p} * max_steps;
    return {begin, begin + lengths[p]};
  }

  int32_t max_steps;
  DecodeStatus status = DecodeStatus::kDone;
  std::vector<int32_t> choices;
  std::vector<int32_t> lengths;
  std::vector<double> costs;
  std::vector<double> log_likelihoods;
  std::vector<int32_t> agreements;
};

template <typename T>
Decoded<T> RunRollout(const AttentionDecoder<T>& decoder, const RoutingProblem& problem,
                      const DecoderNodes<const T>& nodes, const DecodeRequest& request) {
  Decoded<T> decoded(problem, request.trajectories);
  std::vector<T> scratch(static_cast<size_t>(decoder.ScratchSize(problem, request.trajectories)),
                         T{77});
  decoded.status = decoder.Rollout(problem, nodes, request, decoded.view(), scratch.data());
  return decoded;
}

template <typename T>
struct SecondPassOptions {
  bool distinct_starts = false;
  double label_smoothing = 0;
  std::vector<double> weights = {};
  DecoderNodes<T> gradient = {};
};

template <typename T>
std::vector<double> Score(const AttentionDecoder<T>& decoder, const RoutingProblem& problem,
                          const DecoderNodes<const T>& nodes, const Decoded<T>& decoded,
                          const SecondPassOptions<T>& options) {
  const auto trajectories = static_cast<int32_t>(decoded.lengths.size());
  std::vector<double> log_likelihoods(decoded.lengths.size(), 99);
  std::vector<T> scratch(static_cast<size_t>(decoder.ScratchSize(problem, trajectories)), T{77});
  const SecondPassRequest<T> request = {.trajectories = trajectories,
                                        .distinct_starts = options.distinct_starts,
                                        .label_smoothing = options.label_smoothing,
                                        .max_steps = decoded.max_steps,
                                        .choices = decoded.choices.data(),
                                        .weights = options.weights.data()};
  decoder.SecondPass(problem, nodes, request, log_likelihoods.data(), options.gradient,
                     scratch.data());
  return log_likelihoods;
}

inline std::vector<double> TestWeights(int32_t count) {
  std::vector<double> weights;
  for (int32_t p = 0; p < count; ++p) weights.push_back(0.3 + 0.2 * p - 0.05 * p * p);
  return weights;
}

}  // namespace vrp
