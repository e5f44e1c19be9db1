// Steps of a decoder scored side by side: a vector's lanes are steps, so that a softmax over the
// nodes needs no sum across lanes, and every product's right side is [*, columns] with its rows one
// after the other. See vec.h for who may include this.
//
// Every sum here runs in the order in which attention_decoder_row.h runs it.
#pragma once

#include "core/kernels/simd/attention_decoder_kernels.h"
#include "core/kernels/simd/attention_decoder_query.h"
#include "core/kernels/simd/attention_decoder_transpose.h"
#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/math.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Of steps in a block. double serves tests, and is not worth the code.
template <typename T>
inline constexpr int64_t kMaxVectors = sizeof(T) == 4 ? 3 : 1;

// With kVectors = 3 and 8 rows 24 of 32 registers hold sums, 3 a row of B, and 8 + 3 loads feed 24
// multiplications.
template <int64_t kVectors>
inline constexpr int64_t kRowsAtOnce =
    VRP_SIMD_BYTES == 64 ? (kVectors == 3 ? 8 : 12) : (kVectors == 3 ? 4 : 12 / kVectors);

// [rows, kVectors * lanes] = a [rows, inner] b [inner, kVectors * lanes].
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

// The block's intermediate results; C columns are steps.
template <typename T>
struct BlockMemory {
  T* queries;         // [C, width], scaled by 1 / sqrt(head)
  T* query_columns;   // [width, C]
  T* masks;           // [N, C]
  T* weights;         // [M or 1, N, C]: exp of the attention scores, less their largest
  T* inverse_sums;    // [M, C] of these
  T* glimpses;        // [width, C]
  T* tanhs;           // [N, C] of the logits before clipping
  T* exps;            // [N, C]: exp of the logits less their largest
  T* inverse_totals;  // [C] of these
  // Of the gradient alone.
  T* logit_gradient;    // [N, C]
  T* glimpse_gradient;  // [width, C], divided by the attention's sums
  T* score_gradient;    // [N, C] of one head
  T* query_gradient;    // [width, C]
  T* rows;              // [C, width]
  T* more_rows;         // [C, width]
  int64_t size = 0;     // of all that
};

template <typename T>
inline BlockMemory<T> LayOut(const DecoderSizes& sizes, bool gradient, T* scratch) {
  const int64_t columns = sizes.block;
  const int64_t by_node = (sizes.nodes + 1) * columns;
  const int64_t by_channel = sizes.width * columns;
  BlockMemory<T> memory{};
  const auto take = [&](int64_t size) {
    T* const taken = scratch == nullptr ? nullptr : scratch + memory.size;
    memory.size += (size + 15) / 16 * 16;
    return taken;
  };
  memory.queries = take(by_channel);
  memory.query_columns = take(by_channel);
  memory.masks = take(sizes.padded_nodes * columns);
  memory.weights = take(by_node * (gradient ? sizes.heads : 1));
  memory.inverse_sums = take(sizes.heads * columns);
  memory.glimpses = take(by_channel);
  memory.tanhs = take(by_node);
  memory.exps = take(by_node);
  memory.inverse_totals = take(columns);
  if (!gradient) return memory;
  memory.logit_gradient = take(by_node);
  memory.glimpse_gradient = take(by_channel);
  memory.score_gradient = take(by_node);
  memory.query_gradient = take(by_channel);
  memory.rows = take(by_channel);
  memory.more_rows = take(by_channel);
  return memory;
}

// Replaces scores [N, C] by their exponentials less the largest, and writes one over their sums
// [C].
template <int64_t kVectors, typename T>
inline void ExponentialsOfColumns(int64_t nodes, T* scores, T* inverse_sums) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  for (int64_t v = 0; v < kVectors; ++v) {
    T* const column = scores + v * kLanes<T>;
    Vec<T> largest[2] = {Load<T>(column), Load<T>(column)};
    int64_t n = 1;
    for (; n + 2 <= nodes; n += 2) {
      largest[0] = Max<T>(largest[0], Load<T>(column + n * kColumns));
      largest[1] = Max<T>(largest[1], Load<T>(column + (n + 1) * kColumns));
    }
    if (n < nodes) largest[0] = Max<T>(largest[0], Load<T>(column + n * kColumns));
    const Vec<T> most = Max<T>(largest[0], largest[1]);
    for (n = 0; n < nodes; ++n) {
      Store<T>(column + n * kColumns, Exp<T>(Load<T>(column + n * kColumns) - most));
    }
    Store<T>(inverse_sums + v * kLanes<T>,
             static_cast<T>(1) / SumOverRows<kColumns, T>(column, nodes));
  }
}

// Attention of all steps: weights (of every head where they are kept) and glimpses.
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

// Queries, attention and tanh of the logits.
template <int64_t kVectors, typename T>
inline void ScoreColumns(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                         const PackedNodes<T>& packed, const DecoderSteps<T>& steps,
                         const BlockMemory<T>& memory, bool keep) {
  constexpr int64_t kColumns = kVectors * kLanes<T>;
  for (int64_t r = 0; r < steps.count; ++r) {
    WriteQuery<T>(sizes, nodes, steps, r, memory.queries + r * sizes.width);
  }
  // Columns without a step repeat the last one; nobody reads what comes of them.
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

// Of one vector of steps: the likeliest nodes, and exps and one over their sum. Returns what is to
// be subtracted from a logit to make it a log-likelihood: first the largest, then the sum's
// logarithm.
template <typename T>
struct LogSum {
  Vec<T> largest;
  Vec<T> log_sum;
};
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

// The first node at which the running sum of exps (to the power of 1 / temperature) exceeds the
// uniform number's share of the whole: one draw from the distribution for each step of the vector.
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
    if (node == sizes.nodes) {  // the product above was rounded up to the whole
      while (exps[--node * kColumns + i] <= 0) {
      }
    }
    drawn[i] = static_cast<int32_t>(node);
  }
}

// Choices and log-likelihoods of `steps`, which are scored.
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
