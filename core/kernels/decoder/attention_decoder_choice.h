// Choices and log-likelihoods of a block of decoder steps, scored by attention_decoder_block.h.
// vec.h states who may include this.
#pragma once

#include "core/kernels/decoder/attention_decoder_block_memory.h"
#include "core/kernels/decoder/attention_decoder_transpose.h"
#include "core/kernels/simd/math.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// The terms subtracted from a logit to get its log-likelihood: first the largest logit, then the
// logarithm of the sum.
template <typename T>
struct LogSum {
  Vec<T> largest;
  Vec<T> log_sum;
};
// Computes the exps of a vector of steps and their inverse totals. Writes each step's likeliest
// node.
template <int64_t kColumns, typename T>
inline LogSum<T> LikelihoodsOfColumn(const DecoderSizes& sizes, const BlockMemory<T>& memory,
                                     int64_t column, int32_t* likeliest) {
  const Vec<T> clip = Broadcast<T>(static_cast<T>(sizes.clip));
  const auto logit = [&](int64_t n) __attribute__((always_inline)) {
    const int64_t at = n * kColumns + column;
    return clip * Load<T>(memory.tanhs + at) + Load<T>(memory.masks + at);
  };
  Vec<T> largest = logit(0);
  IntVec<T> index = {};
  for (int64_t n = 1; n < sizes.nodes; ++n) {
    const Vec<T> value = logit(n);
    const IntVec<T> larger = value > largest;
    largest = larger ? value : largest;
    index = larger ? IntVec<T>{} + static_cast<typename IntegerOf<T>::type>(n) : index;
  }
  T* const exps = memory.exps + column;
  for (int64_t n = 0; n < sizes.nodes; ++n) {
    Store<T>(exps + n * kColumns, Exp<T>(logit(n) - largest));
  }
  const Vec<T> total = SumOverRows<kColumns, T>(exps, sizes.nodes);
  Store<T>(memory.inverse_totals + column, static_cast<T>(1) / total);
  for (int64_t i = 0; i < kLanes<T>; ++i) likeliest[i] = static_cast<int32_t>(index[i]);
  return {largest, Log<T>(total)};
}

// Draws a node for each step of the vector. Chooses the first node at which the running sum of exps
// (to the power of 1 / temperature) exceeds the uniform number times the total.
template <int64_t kColumns, typename T>
inline void DrawColumn(const DecoderSizes& sizes, const DecoderSteps<T>& steps,
                       const BlockMemory<T>& memory, int64_t column, Vec<T> largest,
                       int32_t* drawn) {
  const Vec<T> clip = Broadcast<T>(static_cast<T>(sizes.clip));
  T* const exps = memory.exps + column;
  Vec<T> total = {};
  for (int64_t n = 0; n < sizes.nodes; ++n) {
    if (steps.inverse_temperature != 1) {
      const int64_t at = n * kColumns + column;
      const Vec<T> logit = clip * Load<T>(memory.tanhs + at) + Load<T>(memory.masks + at);
      Store<T>(exps + n * kColumns, Exp<T>((logit - largest) * steps.inverse_temperature));
    }
    total += Load<T>(exps + n * kColumns);
  }
  Vec<T> target = {};
  for (int64_t i = 0; i < kLanes<T> && column + i < steps.count; ++i) {
    target[i] = static_cast<T>(steps.uniforms[column + i] * static_cast<double>(total[i]));
  }
  Vec<T> sum = {};
  IntVec<T> passed = {};
  for (int64_t n = 0; n < sizes.nodes; ++n) {
    sum += Load<T>(exps + n * kColumns);
    passed -= sum <= target;
  }
  for (int64_t i = 0; i < kLanes<T>; ++i) {
    int64_t node = passed[i];
    if (node == sizes.nodes) {  // rounding made the target equal to the total
      while (exps[--node * kColumns + i] <= 0) {
      }
    }
    drawn[i] = static_cast<int32_t>(node);
  }
}

// Writes a row of all nodes' log-likelihoods for each step of a vector. Overwrites the exps.
template <int64_t kColumns, typename T>
inline void ScoresOfColumn(const DecoderSizes& sizes, const DecoderSteps<T>& steps,
                           const BlockMemory<T>& memory, int64_t column, const LogSum<T>& sums) {
  const Vec<T> clip = Broadcast<T>(static_cast<T>(sizes.clip));
  T* const values = memory.exps + column;
  for (int64_t n = 0; n < sizes.nodes; ++n) {
    const int64_t at = n * kColumns + column;
    const Vec<T> logit = clip * Load<T>(memory.tanhs + at) + Load<T>(memory.masks + at);
    Store<T>(values + n * kColumns, (logit - sums.largest) - sums.log_sum);
  }
  T* const scores = steps.scores + column * sizes.padded_nodes;
  for (int64_t n = 0; n < sizes.nodes; n += kLanes<T>) {
    TransposeTile<T>(values + n * kColumns, kColumns, sizes.nodes - 1 - n, scores + n,
                     sizes.padded_nodes);
  }
}

// Writes choices and log-likelihoods of the scored `steps`.
template <int64_t kVectors, typename T>
inline void ChooseColumns(const DecoderSizes& sizes, const DecoderSteps<T>& steps,
                          const BlockMemory<T>& memory) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  const T clip = static_cast<T>(sizes.clip);
  for (int64_t column = 0; column < steps.count; column += kLanes<T>) {
    int32_t likeliest[kLanes<T>];
    int32_t drawn[kLanes<T>];
    const LogSum<T> sums = LikelihoodsOfColumn<kColumns, T>(sizes, memory, column, likeliest);
    if (steps.choices[column] == kDrawn) {
      DrawColumn<kColumns, T>(sizes, steps, memory, column, sums.largest, drawn);
    }
    if (steps.scores != nullptr) ScoresOfColumn<kColumns, T>(sizes, steps, memory, column, sums);
    for (int64_t i = 0; i < kLanes<T> && column + i < steps.count; ++i) {
      const int64_t r = column + i;
      int32_t& choice = steps.choices[r];
      if (choice == kLikeliest) choice = likeliest[i];
      if (choice == kDrawn) choice = drawn[i];
      steps.likeliest[r] = likeliest[i];
      const int64_t at = choice * kColumns + r;
      const T logit = clip * memory.tanhs[at] + memory.masks[at];
      steps.log_likelihoods[r] = (logit - sums.largest[i]) - sums.log_sum[i];
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
