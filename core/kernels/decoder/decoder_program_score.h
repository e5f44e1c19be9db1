// Attention, logits and choice of a step as programs for a group of threads.
#pragma once

#include "core/kernels/decoder/decoder_program.h"

namespace vrp {

// Returns element h of the unscaled query at node `current` of a tour that began with node `first`,
// -1 if it has no first node.
template <typename T>
VRP_DEVICE T QueryAt(const DecoderTask<T>& task, int32_t current, int32_t first, const T* shares,
                     int32_t h) {
  const DecoderNodes<const T>& nodes = task.nodes;
  if (task.rules->problem.tsp && first < 0) return nodes.start_query[h];
  T sum = nodes.base_query[h] + nodes.queries[current * nodes.stride + h];
  if (first >= 0) sum += nodes.first_queries[first * nodes.stride + h];
  if (nodes.shares_weight == nullptr) return sum;
  for (int32_t k = 0; k < kContextShares; ++k) {
    sum += nodes.shares_weight[k * task.hidden + h] * shares[k];
  }
  return sum;
}

// Returns the dot product of x and y over head m. Neighbouring threads `i` read heads in the same
// banks of shared memory, so each begins its sum at a different element to avoid bank conflicts.
template <typename T>
VRP_DEVICE T DotOf(const DecoderTask<T>& task, const T* x, const T* y, int32_t m, int32_t i) {
  constexpr int32_t kBanks = 32;
  x += m * task.head;
  y += m * task.head;
  int32_t h = i * task.head / kBanks % task.head;
  T sum = 0;
  for (int32_t left = task.head; left > 0; --left) {
    sum += x[h] * y[h];
    h = h + 1 == task.head ? 0 : h + 1;
  }
  return sum;
}

// Computes query, weights and glimpse of the step at scratch.step.
template <typename Group, typename T>
VRP_DEVICE void Attend(const Group& group, const DecoderTask<T>& task,
                       const DecoderScratch<T>& scratch) {
  const int32_t count = task.size();
  const RouteState& state = scratch.step->state;
  group.Each(task.hidden, [&](int32_t h) {
    scratch.query[h] =
        QueryAt(task, state.current, state.first, scratch.step->shares, h) * task.query_scale;
  });
  group.Each(count * task.heads, [&](int32_t i) {
    const int32_t n = i / task.heads;  // neighbouring threads read neighbouring parts of a row
    const int32_t m = i % task.heads;
    const T* const key = task.nodes.keys + n * task.row_stride;
    scratch.weights[m * count + n] = scratch.allowed[n] == 0
                                         ? -std::numeric_limits<T>::infinity()
                                         : DotOf<T>(task, scratch.query, key, m, i);
  });
  group.Rows(task.heads, [&](const auto& lanes, int32_t m) {
    T* const weights = scratch.weights + m * count;
    const T largest = lanes.template Max<T>(count, [&](int32_t n) { return weights[n]; });
    const T sum = lanes.template Sum<T>(
        count, [&](int32_t n) { return weights[n] = std::exp(weights[n] - largest); });
    lanes.Each(count, [&](int32_t n) { weights[n] /= sum; });
  });
  group.Each(task.hidden, [&](int32_t h) {
    const T* const weights = scratch.weights + h / task.head * count;
    T sum = 0;
    for (int32_t n = 0; n < count; ++n) {
      sum += weights[n] * task.nodes.values[n * task.row_stride + h];
    }
    scratch.glimpse[h] = sum;
  });
}

// Computes scratch.tanhs. Computes the parts of each product before their sums, so that no thread
// waits for others of its row. Every thread then has a tanh to compute.
template <typename Group, typename T>
VRP_DEVICE void WriteTanhs(const Group& group, const DecoderTask<T>& task,
                           const DecoderScratch<T>& scratch) {
  Attend(group, task, scratch);
  const int32_t count = task.size();
  group.Each(count * task.heads, [&](int32_t i) {
    const int32_t n = i / task.heads;
    const int32_t m = i % task.heads;
    if (scratch.allowed[n] == 0) return;
    const T* const key = task.nodes.logit_keys + n * task.row_stride;
    scratch.partials[m * count + n] = DotOf<T>(task, scratch.glimpse, key, m, i);
  });
  group.Each(count, [&](int32_t n) {
    T dot = 0;
    for (int32_t m = 0; m < task.heads && scratch.allowed[n] != 0; ++m) {
      dot += scratch.partials[m * count + n];
    }
    scratch.tanhs[n] = std::tanh(dot * task.logit_scale);
  });
}

// Computes scratch.tanhs and exps, and the step's largest logit, total and likeliest node. Warps
// overload this function (warp_decoder.cuh).
template <typename Group, typename T>
VRP_DEVICE void ScoreStep(const Group& group, const DecoderTask<T>& task,
                          const DecoderScratch<T>& scratch) {
  WriteTanhs(group, task, scratch);
  group.Rows(1, [&](const auto& lanes, int32_t) {
    constexpr T kForbidden = -std::numeric_limits<T>::infinity();
    const auto logit = [&](int32_t n) {
      return scratch.allowed[n] == 0 ? kForbidden : task.clip * scratch.tanhs[n];
    };
    const T largest = lanes.template Max<T>(task.size(), logit);
    const int32_t likeliest =
        lanes.First(task.size(), [&](int32_t n) { return logit(n) == largest; });
    const T total = lanes.template Sum<T>(
        task.size(), [&](int32_t n) { return scratch.exps[n] = std::exp(logit(n) - largest); });
    lanes.Once([&] {
      scratch.step->largest = largest;
      scratch.step->likeliest = likeliest;
      scratch.step->total = total;
    });
  });
}

// Returns the node that `uniform` draws (see StepChoice). All lanes call it.
template <typename Lanes, typename T>
VRP_DEVICE int32_t DrawNode(const Lanes& lanes, const DecoderTask<T>& task,
                            const DecoderScratch<T>& scratch, double uniform,
                            T inverse_temperature) {
  const auto weight = [&](int32_t n) {
    if (inverse_temperature == 1 || scratch.allowed[n] == 0) return scratch.exps[n];
    return std::exp((task.clip * scratch.tanhs[n] - scratch.step->largest) * inverse_temperature);
  };
  const T total =
      inverse_temperature == 1 ? scratch.step->total : lanes.template Sum<T>(task.size(), weight);
  return lanes.template Draw<T>(task.size(), weight,
                                static_cast<T>(uniform * static_cast<double>(total)));
}

template <typename T>
VRP_DEVICE T LogLikelihoodOf(const DecoderTask<T>& task, const DecoderScratch<T>& scratch,
                             int32_t node) {
  return task.clip * scratch.tanhs[node] - scratch.step->largest - std::log(scratch.step->total);
}

}  // namespace vrp
