// Choice and log-likelihood of a single decoder step, scored by attention_decoder_row.h. vec.h
// states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/attention_decoder_kernels.h"
#include "core/kernels/decoder/attention_decoder_transpose.h"
#include "core/kernels/simd/math.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Intermediate results of a single step.
template <typename T>
struct RowMemory {
  T* query;          // [width]
  T* weights;        // [M, padded_nodes]: exp(attention score - maximum)
  T* largest;        // [M]: largest score
  T* inverse_sums;   // [M]
  T* glimpse;        // [width]
  T* logits;         // [padded_nodes]
  int32_t* allowed;  // [<= N]: allowed nodes, ascending
  T* exps;           // [padded_nodes]
  int64_t size = 0;  // of all arrays, in elements
};

// Lays out the arrays in `scratch`, which is aligned to 64 bytes. If `scratch` is null, only
// computes the size.
template <typename T>
inline RowMemory<T> LayOutRow(const DecoderSizes& sizes, T* scratch) {
  RowMemory<T> memory{};
  const auto take = [&](int64_t size) {
    T* const taken = scratch == nullptr ? nullptr : scratch + memory.size;
    memory.size += (size + 15) / 16 * 16;
    return taken;
  };
  memory.query = take(sizes.width);
  memory.weights = take(sizes.heads * sizes.padded_nodes);
  memory.largest = take(sizes.heads);
  memory.inverse_sums = take(sizes.heads);
  memory.glimpse = take(sizes.width);
  memory.logits = take(sizes.padded_nodes);
  memory.exps = take(sizes.padded_nodes);
  memory.allowed = reinterpret_cast<int32_t*>(take(sizes.padded_nodes));
  return memory;
}

// Returns the first node at which the running sum of exps exceeds the uniform number times the
// total.
template <typename T>
inline int32_t DrawFromRow(int64_t nodes, const T* exps, double uniform) {
  T total = 0;
  for (int64_t n = 0; n < nodes; ++n) total += exps[n];
  const T target = static_cast<T>(uniform * static_cast<double>(total));
  T sum = 0;
  for (int64_t n = 0; n < nodes; ++n) {
    sum += exps[n];
    if (sum > target) return static_cast<int32_t>(n);
  }
  int64_t last = nodes - 1;
  while (exps[last] <= 0) --last;
  return static_cast<int32_t>(last);
}

// Writes the choice and log-likelihood of step r, computed from its logits.
template <typename T>
inline void ChooseFromLogits(const DecoderSizes& sizes, const DecoderSteps<T>& steps, int64_t r,
                             Vec<T> largest_lanes, const RowMemory<T>& memory) {
  const Vec<T> largest = MaxOverLanes<T>(largest_lanes);
  int32_t likeliest = 0;
  while (memory.logits[likeliest] != largest[0] && likeliest + 1 < sizes.nodes) ++likeliest;
  Vec<T> sum = {};
  for (int64_t j = 0; j < sizes.padded_nodes; j += kLanes<T>) {
    const Vec<T> value = Exp<T>(Load<T>(memory.logits + j) - largest);
    Store<T>(memory.exps + j, value);
    sum += value;
  }
  const T log_sum = Log<T>(Broadcast<T>(SumOverLanes<T>(sum)))[0];
  int32_t& choice = steps.choices[r];
  if (choice == kLikeliest) choice = likeliest;
  if (choice == kDrawn) {
    if (steps.inverse_temperature != 1) {
      for (int64_t j = 0; j < sizes.padded_nodes; j += kLanes<T>) {
        const Vec<T> difference = Load<T>(memory.logits + j) - largest;
        Store<T>(memory.exps + j, Exp<T>(difference * steps.inverse_temperature));
      }
    }
    choice = DrawFromRow<T>(sizes.nodes, memory.exps, steps.uniforms[r]);
  }
  if (steps.scores != nullptr) {
    T* const scores = steps.scores + r * sizes.padded_nodes;
    for (int64_t j = 0; j < sizes.padded_nodes; j += kLanes<T>) {
      Store<T>(scores + j, (Load<T>(memory.logits + j) - largest) - log_sum);
    }
  }
  steps.likeliest[r] = likeliest;
  steps.log_likelihoods[r] = (memory.logits[choice] - largest[0]) - log_sum;
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
