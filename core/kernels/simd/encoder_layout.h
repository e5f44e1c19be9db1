// Where the encoder's kernels keep what: packed weights, what Forward saves for Backward, and
// scratch. See vec.h for who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder.h"
#include "core/kernels/simd/attention_parts.h"
#include "core/kernels/simd/memory.h"
#include "core/kernels/simd/norm.h"
#include "core/kernels/simd/panels.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// One layer's weights: for products with rows from the left, [in, out] in panels, forward and back.
// P: the kind of products (plain_products.h).
template <typename P>
struct PackedLayer {
  using T = typename P::Element;
  T *qkv, *out, *feed1, *feed2;
  T *qkv_back, *out_back, *feed1_back, *feed2_back;
  T *qkv_bias, *out_bias, *feed1_bias, *feed2_bias;
  T* edge_weights;
  NormParameters<T> norm1, norm2;

  PackedLayer(const EncoderShape& s, Memory<T>& memory) {
    const int64_t h = s.hidden;
    const int64_t f = s.feed_forward;
    qkv = memory.Take(P::PackedSize(h, 3 * h));
    out = memory.Take(P::PackedSize(h, h));
    feed1 = memory.Take(P::PackedSize(h, f));
    feed2 = memory.Take(P::PackedSize(f, h));
    qkv_back = memory.Take(P::PackedSize(3 * h, h));
    out_back = memory.Take(P::PackedSize(h, h));
    feed1_back = memory.Take(P::PackedSize(f, h));
    feed2_back = memory.Take(P::PackedSize(h, f));
    qkv_bias = memory.Take(3 * h);
    out_bias = memory.Take(h);
    feed1_bias = memory.Take(f);
    feed2_bias = memory.Take(h);
    edge_weights = memory.Take(int64_t{s.heads} * s.edge_features);
    norm1 = TakeNorm(s, memory);
    norm2 = TakeNorm(s, memory);
  }

 private:
  static NormParameters<T> TakeNorm(const EncoderShape& s, Memory<T>& memory) {
    NormParameters<T> norm{memory.Take(s.hidden), memory.Take(s.hidden), nullptr, nullptr};
    if (s.norm == NormKind::kFrozenBatch) {
      norm.mean = memory.Take(s.hidden);
      norm.root = memory.Take(s.hidden);
    }
    return norm;
  }
};

template <typename T>
View<T> TakePanels(int64_t rows, int64_t columns, Memory<T>& memory) {
  return InPanels(memory.Take(SizeInPanels<T>(rows, columns)), rows);
}

// What one layer leaves for its backward pass. R rows, B instances.
template <typename T>
struct SavedLayer {
  View<T> qkv;          // [R, 3H]
  View<T> attended;     // [R, H]
  View<T> normalised1;  // [R, H]
  View<T> feed;         // [R, F], after the ReLU; data null: not kept
  View<T> normalised2;  // [R, H]
  T* log_sums;          // [M, R]
  T* root1;             // [B, H]
  T* root2;             // [B, H]

  SavedLayer(const EncoderShape& s, int64_t rows, int64_t instances, bool keep, Memory<T>& memory) {
    const int64_t h = s.hidden;
    qkv = TakePanels(rows, 3 * h, memory);
    attended = TakePanels(rows, h, memory);
    normalised1 = TakePanels(rows, h, memory);
    feed = keep ? TakePanels(rows, s.feed_forward, memory) : View<T>{};
    normalised2 = TakePanels(rows, h, memory);
    log_sums = memory.Take(rows * s.heads);
    root1 = memory.Take(instances * h);
    root2 = memory.Take(instances * h);
  }
};

inline int64_t LongestOf(const int32_t* first_rows, int64_t instances) {
  int64_t longest = 0;
  for (int64_t b = 0; b < instances; ++b) {
    const int64_t nodes = first_rows[b + 1] - first_rows[b];
    if (nodes > longest) longest = nodes;
  }
  return longest;
}

// Forward: rows that go through the feed-forward network together, so that its inner activations
// stay in the second-level cache.
inline constexpr int64_t kFeedRows = 96;
// Backward: its inner channels that go together, for all rows, so that these and the gradients of
// their weights do.
inline constexpr int64_t kFeedColumns = 128;

template <typename P>
struct ForwardScratch {
  using T = typename P::Element;
  View<T> input;    // [R, H]: the layer's
  View<T> between;  // [R, H]: after the first norm
  View<T> feed;     // [kFeedRows, F]
  T* attention;
  T* work;

  ForwardScratch(const EncoderShape& s, int64_t rows, int64_t longest, Memory<T>& memory) {
    input = TakePanels(rows, s.hidden, memory);
    between = TakePanels(rows, s.hidden, memory);
    feed = TakePanels(kFeedRows, s.feed_forward, memory);
    attention =
        memory.Take(AttentionScratch<T>::Size({longest, s.hidden, s.heads, s.edge_features}));
    const int64_t widest = s.feed_forward > s.hidden ? s.feed_forward : s.hidden;
    work = memory.Take(P::WorkSize(rows, widest));
  }
};

template <typename P>
struct BackwardScratch {
  using T = typename P::Element;
  View<T> gradient;    // [R, H]: by the rows at hand
  View<T> d_between;   // [R, H]: by those after the first norm
  View<T> d_attended;  // [R, H]
  View<T> d_qkv;       // [R, 3H]
  View<T> d_feed;      // [R, kFeedColumns]
  T* sums;             // of a matrix's columns
  T* attention;
  T* work;

  BackwardScratch(const EncoderShape& s, int64_t rows, int64_t longest, Memory<T>& memory) {
    const int64_t h = s.hidden;
    gradient = TakePanels(rows, h, memory);
    d_between = TakePanels(rows, h, memory);
    d_attended = TakePanels(rows, h, memory);
    d_qkv = TakePanels(rows, 3 * h, memory);
    d_feed = TakePanels(rows, kFeedColumns, memory);
    sums = memory.Take(3 * h + kFeedColumns);
    attention = memory.Take(AttentionScratch<T>::Size({longest, h, s.heads, s.edge_features}));
    work = memory.Take(P::WorkSize(rows, 4 * h + kFeedColumns));
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
