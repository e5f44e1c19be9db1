// Gradient of a block of decoder steps that attention_decoder_block.h has scored. Differentiates
// softmax and clipping, logit keys, and attention, one head at a time. vec.h states who may include
// this.
#pragma once

#include "core/kernels/decoder/attention_decoder_block.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Writes the gradient with respect to the logits before tanh, [N, C]. With label smoothing,
// replaces the log-likelihoods of the choices by those of the smoothed terms.
template <int64_t kColumns, typename T>
inline void LogitGradientOfColumn(const DecoderSizes& sizes, const DecoderSteps<T>& steps,
                                  const BlockMemory<T>& memory, int64_t column) {
  const T clip = static_cast<T>(sizes.clip);
  const T smoothing = steps.label_smoothing;
  Vec<T> weight = {};
  Vec<T> share = {};  // label of each allowed node due to smoothing
  IntVec<T> choice = {};
  for (int64_t i = 0; i < kLanes<T> && column + i < steps.count; ++i) {
    weight[i] = steps.weights[column + i];
    share[i] = smoothing / static_cast<T>(steps.allowed[column + i]);
    choice[i] = steps.choices[column + i];
  }
  const T factor = clip * static_cast<T>(1 / __builtin_sqrt(static_cast<double>(sizes.hidden)));
  const Vec<T> inverse_total = Load<T>(memory.inverse_totals + column);
  Vec<T> sum = {};
  for (int64_t n = 0; n < sizes.nodes; ++n) {
    const int64_t at = n * kColumns + column;
    const Vec<T> tanh = Load<T>(memory.tanhs + at);
    const IntVec<T> allowed = Load<T>(memory.masks + at) == 0;
    const IntVec<T> chosen = choice == static_cast<typename IntegerOf<T>::type>(n);
    Vec<T> wanted = allowed ? share : Vec<T>{};
    sum += wanted * tanh;
    wanted += chosen ? Broadcast<T>(1 - smoothing) : Vec<T>{};
    const Vec<T> by_logit = weight * (wanted - Load<T>(memory.exps + at) * inverse_total);
    Store<T>(memory.logit_gradient + at, by_logit * (factor - factor * (tanh * tanh)));
  }
  if (smoothing == 0) return;
  for (int64_t i = 0; i < kLanes<T> && column + i < steps.count; ++i) {
    T& term = steps.log_likelihoods[column + i];
    const int64_t at = steps.choices[column + i] * kColumns + column + i;
    const T log_sum = clip * memory.tanhs[at] - term;
    term = (1 - smoothing) * term + (clip * sum[i] - smoothing * log_sum);
  }
}

// Writes the gradient with respect to the glimpses, [width, C], divided by the attention's sums.
template <int64_t kVectors, typename T>
inline void GlimpseGradient(const DecoderSizes& sizes, const PackedNodes<T>& packed,
                            const BlockMemory<T>& memory) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  for (int64_t m = 0; m < sizes.heads; ++m) {
    const T* const inverse_sums = memory.inverse_sums + m * kColumns;
    T* const to = memory.glimpse_gradient + m * sizes.padded_head * kColumns;
    MultiplyColumns<kVectors, T>(
        {packed.logit_keys + m * sizes.padded_head, 1, sizes.row}, memory.logit_gradient,
        sizes.padded_head,
        sizes.nodes, [=](int64_t i, int64_t j, Vec<T> value) __attribute__((always_inline)) {
          Store<T>(to + i * kColumns + j, value * Load<T>(inverse_sums + j));
        });
  }
}

// Writes the gradient with respect to the scores of head m, [N, C]: weights * (values . glimpse
// gradient - mean). The mean is the dot product of the glimpse and its gradient (Dao et al. 2022,
// FlashAttention).
template <int64_t kVectors, typename T>
inline void ScoreGradient(const DecoderSizes& sizes, const PackedNodes<T>& packed,
                          const BlockMemory<T>& memory, int64_t m) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  const int64_t begin = m * sizes.padded_head;
  const T* const weights = memory.weights + m * sizes.nodes * kColumns;
  const T* const glimpses = memory.glimpses + begin * kColumns;
  const T* const gradient = memory.glimpse_gradient + begin * kColumns;
  T means[kColumns];
  for (int64_t j = 0; j < kColumns; j += kLanes<T>) {
    Vec<T> mean = {};
    for (int64_t d = 0; d < sizes.padded_head; ++d) {
      mean += Load<T>(glimpses + d * kColumns + j) * Load<T>(gradient + d * kColumns + j);
    }
    Store<T>(means + j, mean);
  }
  T* const to = memory.score_gradient;
  const T* const mean = means;
  MultiplyColumns<kVectors, T>(
      {packed.values + begin, sizes.row, 1}, gradient, sizes.nodes,
      sizes.padded_head, [=](int64_t i, int64_t j, Vec<T> value) __attribute__((always_inline)) {
        const int64_t at = i * kColumns + j;
        Store<T>(to + at, Load<T>(weights + at) * (value - Load<T>(mean + j)));
      });
}

// Adds the gradient with respect to the nodes' keys and values to `sum`. Writes the gradient with
// respect to the queries [width, C]. memory.transposed must hold the transposed glimpse gradient.
template <int64_t kVectors, typename T>
inline void AttentionGradient(const DecoderSizes& sizes, const PackedNodes<T>& packed,
                              const BlockMemory<T>& memory, int64_t steps,
                              const PackedNodes<T>& sum) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  const T* const d_glimpse_rows = memory.transposed;
  for (int64_t m = 0; m < sizes.heads; ++m) {
    const int64_t begin = m * sizes.padded_head;
    ScoreGradient<kVectors, T>(sizes, packed, memory, m);
    const T* const weights = memory.weights + m * sizes.nodes * kColumns;
    Multiply<T>({weights, kColumns, 1}, {d_glimpse_rows + begin, sizes.width, false}, sizes.nodes,
                steps, sizes.padded_head, AddTo<T>{sum.values + begin, sizes.row});
    Multiply<T>({memory.score_gradient, kColumns, 1}, {memory.queries + begin, sizes.width, false},
                sizes.nodes, steps, sizes.padded_head, AddTo<T>{sum.keys + begin, sizes.row});
    MultiplyColumns<kVectors, T>({packed.keys + begin, 1, sizes.row}, memory.score_gradient,
                                 sizes.padded_head, sizes.nodes,
                                 StoreTo<T>{memory.query_gradient + begin * kColumns, kColumns});
  }
}

// Adds the gradient of a block, whose logit gradient is already in `memory`.
template <int64_t kVectors, typename T>
inline void AddBlockGradient(const DecoderSizes& sizes, const PackedNodes<T>& packed,
                             const DecoderSteps<T>& steps, const BlockMemory<T>& memory,
                             const PackedNodes<T>& sum, const DecoderNodes<T>& gradient) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  TransposeColumns<kVectors, T>(memory.glimpses, sizes.width, memory.glimpse_rows);
  Multiply<T>({memory.logit_gradient, kColumns, 1}, {memory.glimpse_rows, sizes.width, false},
              sizes.nodes, steps.count, sizes.width, AddTo<T>{sum.logit_keys, sizes.row});
  GlimpseGradient<kVectors, T>(sizes, packed, memory);
  TransposeColumns<kVectors, T>(memory.glimpse_gradient, sizes.width, memory.transposed);
  AttentionGradient<kVectors, T>(sizes, packed, memory, steps.count, sum);
  TransposeColumns<kVectors, T>(memory.query_gradient, sizes.width, memory.transposed);
  for (int64_t r = 0; r < steps.count; ++r) {
    AddQueryGradient<T>(sizes, steps, r, memory.transposed + r * sizes.width, gradient);
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
