// Scores of several decoder steps at once. A vector's lanes are steps, so that a softmax over the
// nodes needs no sum across lanes. The right side of every product is [*, columns] with contiguous
// rows. vec.h states who may include this.
//
// All sums run in the same order as in attention_decoder_row.h.
#pragma once

#include "core/kernels/decoder/attention_decoder_block_memory.h"
#include "core/kernels/decoder/attention_decoder_kernels.h"
#include "core/kernels/decoder/attention_decoder_query.h"
#include "core/kernels/decoder/attention_decoder_transpose.h"
#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/math.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Maximum number of vectors of steps in a block. Only tests use double, so more than one vector is
// not worth its code.
template <typename T>
inline constexpr int64_t kMaxVectors = sizeof(T) == 4 ? 3 : 1;

// Number of rows of a product's tile. With kVectors = 3 and 8 rows, 24 of 32 registers hold sums
// and 3 hold a row of B. Then 8 + 3 loads feed 24 multiplications.
template <int64_t kVectors>
inline constexpr int64_t kRowsAtOnce =
    VRP_SIMD_BYTES == 64 ? (kVectors == 3 ? 8 : 12) : (kVectors == 3 ? 4 : 12 / kVectors);

// Computes a [rows, inner] * b [inner, kVectors * lanes] -> [rows, kVectors * lanes].
template <int64_t kVectors, typename T, typename Epilogue>
inline void MultiplyColumns(MatrixA<T> a, const T* b, int64_t rows, int64_t inner,
                            const Epilogue& epilogue) {
  constexpr int64_t kRows = kRowsAtOnce<kVectors>;
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  int64_t i = 0;
  for (; i + kRows <= rows; i += kRows) {
    Block<T, kRows, kVectors>(a, b, kColumns, inner, i, 0, epilogue);
  }
  LastRows<T, kRows - 1, kVectors>(a, b, kColumns, inner, i, rows - i, 0, epilogue);
}

// Replaces scores [N, C] by exp(score - maximum) and writes the inverses of their sums [C].
template <int64_t kVectors, typename T>
inline void ExponentialsOfColumns(int64_t nodes, T* scores, T* inverse_sums) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  for (int64_t v = 0; v < kVectors; ++v) {
    T* const column = scores + v * kLanes<T>;
    Vec<T> largest[4];
#pragma GCC unroll 4
    for (int64_t i = 0; i < 4; ++i) largest[i] = Load<T>(column);
    int64_t n = 1;
    for (; n + 4 <= nodes; n += 4) {
#pragma GCC unroll 4
      for (int64_t i = 0; i < 4; ++i) {
        largest[i] = Max<T>(largest[i], Load<T>(column + (n + i) * kColumns));
      }
    }
    for (; n < nodes; ++n) largest[0] = Max<T>(largest[0], Load<T>(column + n * kColumns));
    const Vec<T> maximum = Max<T>(Max<T>(largest[0], largest[1]), Max<T>(largest[2], largest[3]));
    for (n = 0; n < nodes; ++n) {
      Store<T>(column + n * kColumns, Exp<T>(Load<T>(column + n * kColumns) - maximum));
    }
    Store<T>(inverse_sums + v * kLanes<T>,
             static_cast<T>(1) / SumOverRows<kColumns, T>(column, nodes));
  }
}

// Computes the attention of all steps: its weights and the glimpses. Keeps every head's weights if
// `keep` is set.
template <int64_t kVectors, typename T>
inline void AttendColumns(const DecoderSizes& sizes, const PackedNodes<T>& packed,
                          const BlockMemory<T>& memory, bool keep) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  const int64_t head = sizes.padded_head;
  for (int64_t m = 0; m < sizes.heads; ++m) {
    T* const weights = memory.weights + (keep ? m * sizes.nodes * kColumns : 0);
    T* const inverse_sums = memory.inverse_sums + m * kColumns;
    const T* const masks = memory.masks;
    MultiplyColumns<kVectors, T>(
        {packed.keys + m * head, sizes.row, 1}, memory.query_columns + m * head * kColumns,
        sizes.nodes, head, [=](int64_t i, int64_t j, Vec<T> value) __attribute__((always_inline)) {
          Store<T>(weights + i * kColumns + j, value + Load<T>(masks + i * kColumns + j));
        });
    ExponentialsOfColumns<kVectors, T>(sizes.nodes, weights, inverse_sums);
    T* const glimpses = memory.glimpses + m * head * kColumns;
    MultiplyColumns<kVectors, T>(
        {packed.values + m * head, 1, sizes.row}, weights, head,
        sizes.nodes, [=](int64_t i, int64_t j, Vec<T> value) __attribute__((always_inline)) {
          Store<T>(glimpses + i * kColumns + j, value * Load<T>(inverse_sums + j));
        });
  }
}

// Computes queries, attention and the tanh of the logits.
template <int64_t kVectors, typename T>
inline void ScoreColumns(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                         const PackedNodes<T>& packed, const DecoderSteps<T>& steps,
                         const BlockMemory<T>& memory, bool keep) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  for (int64_t r = 0; r < steps.count; ++r) {
    WriteQuery<T>(sizes, nodes, steps, r, memory.queries + r * sizes.width);
  }
  // Columns without a step repeat the last step; their results are not used.
  const int64_t last = steps.count - 1;
  TransposeRows<kVectors, T>(memory.queries, sizes.width, last, sizes.width, memory.query_columns);
  TransposeRows<kVectors, T>(steps.masks, sizes.padded_nodes, last, sizes.padded_nodes,
                             memory.masks);
  AttendColumns<kVectors, T>(sizes, packed, memory, keep);
  const T scale = static_cast<T>(1 / __builtin_sqrt(static_cast<double>(sizes.hidden)));
  T* const tanhs = memory.tanhs;
  MultiplyColumns<kVectors, T>(
      {packed.logit_keys, sizes.row, 1}, memory.glimpses, sizes.nodes,
      sizes.width, [=](int64_t i, int64_t j, Vec<T> value) __attribute__((always_inline)) {
        Store<T>(tanhs + i * kColumns + j, Tanh<T>(value * scale));
      });
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
