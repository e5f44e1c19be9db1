#include "tests/kernels/plain_decoder.h"

#include <cmath>
#include <limits>

#include "core/base/random.h"

namespace vrp {

template <typename T>
RandomNodes<T>::RandomNodes(const DecoderShape& shape, const RoutingProblem& problem, uint64_t seed)
    : stride_(shape.hidden + 7) {
  const auto rows = static_cast<size_t>(problem.nodes * stride_);
  const auto hidden = static_cast<size_t>(shape.hidden);
  for (const size_t size :
       {rows, rows, rows, rows, rows, hidden, hidden, hidden * kContextShares}) {
    CounterRandom random(seed, arrays_.size());
    arrays_.push_back({});
    for (size_t i = 0; i < size; ++i) {
      arrays_.back().push_back(static_cast<T>(3 * random.UniformDouble() - 1.5));
    }
  }
}

template <typename T>
DecoderNodes<const T> RandomNodes<T>::view() const {
  const auto& a = arrays_;
  return {.stride = stride_,
          .keys = a[0].data(),
          .values = a[1].data(),
          .logit_keys = a[2].data(),
          .queries = a[3].data(),
          .first_queries = a[4].data(),
          .base_query = a[5].data(),
          .start_query = a[6].data(),
          .shares_weight = a[7].data()};
}

template <typename T>
DecoderNodes<T> RandomNodes<T>::mutable_view() {
  auto& a = arrays_;
  return {.stride = stride_,
          .keys = a[0].data(),
          .values = a[1].data(),
          .logit_keys = a[2].data(),
          .queries = a[3].data(),
          .first_queries = a[4].data(),
          .base_query = a[5].data(),
          .start_query = a[6].data(),
          .shares_weight = a[7].data()};
}

template <typename T>
void RandomNodes<T>::Clear() {
  for (std::vector<T>& array : arrays_) array.assign(array.size(), T{0});
}

template class RandomNodes<float>;
template class RandomNodes<double>;

namespace {

std::vector<double> PlainQuery(const DecoderShape& shape, const StepRules& rules,
                               const DecoderNodes<const double>& nodes, const RouteState& state) {
  std::vector<double> shares(kContextShares);
  WriteShares(rules, state, shares.data());
  std::vector<double> query(static_cast<size_t>(shape.hidden));
  for (int32_t h = 0; h < shape.hidden; ++h) {
    if (rules.problem.tsp && state.first < 0) {
      query[h] = nodes.start_query[h];
      continue;
    }
    query[h] = nodes.base_query[h] + nodes.queries[state.current * nodes.stride + h];
    if (rules.problem.tsp) query[h] += nodes.first_queries[state.first * nodes.stride + h];
    for (int32_t k = 0; k < kContextShares; ++k) {
      query[h] += shares[k] * nodes.shares_weight[k * shape.hidden + h];
    }
  }
  return query;
}

// Replaces scores by the logarithms of their softmax.
void Normalise(std::vector<double>& scores) {
  double sum = 0;
  for (const double score : scores) sum += std::exp(score);
  for (double& score : scores) score -= std::log(sum);
}

}  // namespace

std::vector<double> PlainLogLikelihoods(const DecoderShape& shape, const StepRules& rules,
                                        const DecoderNodes<const double>& nodes,
                                        const RouteState& state,
                                        const std::vector<uint8_t>& visited) {
  const int32_t count = rules.problem.nodes;
  const int32_t head = shape.hidden / shape.heads;
  const std::vector<double> query = PlainQuery(shape, rules, nodes, state);
  const auto masked = [&](int32_t n, double score) {
    return IsAllowed(rules, state, visited.data(), n) ? score
                                                      : -std::numeric_limits<double>::infinity();
  };
  std::vector<double> glimpse(query.size());
  std::vector<double> scores(static_cast<size_t>(count));
  for (int32_t m = 0; m < shape.heads; ++m) {
    for (int32_t n = 0; n < count; ++n) {
      double score = 0;
      for (int32_t d = m * head; d < (m + 1) * head; ++d) {
        score += query[d] * nodes.keys[n * nodes.stride + d];
      }
      scores[n] = masked(n, score / std::sqrt(head));
    }
    Normalise(scores);
    for (int32_t n = 0; n < count; ++n) {
      for (int32_t d = m * head; d < (m + 1) * head; ++d) {
        glimpse[d] += std::exp(scores[n]) * nodes.values[n * nodes.stride + d];
      }
    }
  }
  for (int32_t n = 0; n < count; ++n) {
    double score = 0;
    for (int32_t h = 0; h < shape.hidden; ++h) {
      score += glimpse[h] * nodes.logit_keys[n * nodes.stride + h];
    }
    scores[n] = masked(n, shape.clip * std::tanh(score / std::sqrt(shape.hidden)));
  }
  Normalise(scores);
  return scores;
}

}  // namespace vrp
