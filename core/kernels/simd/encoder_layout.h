// Where the encoder's kernels keep what: packed weights, what Forward saves for Backward, and
// scratch. See vec.h for who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder.h"
#include "core/kernels/simd/attention_parts.h"
#include "core/kernels/simd/memory.h"
#include "core/kernels/simd/norm.h"
#include "core/kernels/simd/weight_gradient.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// One layer's weights: for products with rows from the left, [in, out] in panels, forward and back.
template <typename T>
struct PackedLayer {
  T *qkv, *out, *feed1, *feed2;
  T *qkv_back, *out_back, *feed1_back, *feed2_back;
  T *qkv_bias, *out_bias, *feed1_bias, *feed2_bias;
  T* edge_weights;
  NormParameters<T> norm1, norm2;

  PackedLayer(const EncoderShape& s, Memory<T>& memory) {
    const int64_t h = s.hidden;
    const int64_t f = s.feed_forward;
    qkv = memory.Take(3 * h * h);
    out = memory.Take(h * h);
    feed1 = memory.Take(h * f);
    feed2 = memory.Take(h * f);
    qkv_back = memory.Take(3 * h * h);
    out_back = memory.Take(h * h);
    feed1_back = memory.Take(h * f);
    feed2_back = memory.Take(h * f);
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

// What one layer leaves for its backward pass. R rows, B instances.
template <typename T>
struct SavedLayer {
  T* qkv;          // [R, 3H]
  T* attended;     // [R, H]
  T* normalised1;  // [R, H]
  T* feed;         // [R, F], after the ReLU; null: not kept
  T* normalised2;  // [R, H]
  T* log_sums;     // [M, R]
  T* root1;        // [B, H]
  T* root2;        // [B, H]

  SavedLayer(const EncoderShape& s, int64_t rows, int64_t instances, bool keep, Memory<T>& memory) {
    const int64_t h = s.hidden;
    qkv = memory.Take(rows * 3 * h);
    attended = memory.Take(rows * h);
    normalised1 = memory.Take(rows * h);
    feed = keep ? memory.Take(rows * s.feed_forward) : nullptr;
    normalised2 = memory.Take(rows * h);
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

// Rows that go through the feed-forward network together, so that its inner activations stay in the
// second-level cache.
inline constexpr int64_t kFeedRows = 96;

template <typename T>
struct ForwardScratch {
  T* input;    // [R, H]: the layer's
  T* between;  // [R, H]: after the first norm
  T* feed;     // [kFeedRows, F]
  T* attention;

  ForwardScratch(const EncoderShape& s, int64_t rows, int64_t longest, Memory<T>& memory) {
    input = memory.Take(rows * s.hidden);
    between = memory.Take(rows * s.hidden);
    feed = memory.Take(kFeedRows * s.feed_forward);
    attention =
        memory.Take(AttentionScratch<T>::Size({longest, s.hidden, s.heads, s.edge_features}));
  }
};

template <typename T>
struct BackwardScratch {
  T* gradient;    // [R, H]: by the rows at hand
  T* d_attended;  // [R, H]
  T* d_qkv;       // [R, 3H]
  T* d_feed;      // [kGradientRows, F]
  T* weights;     // of AddWeightGradient
  T* attention;

  BackwardScratch(const EncoderShape& s, int64_t rows, int64_t longest, Memory<T>& memory) {
    const int64_t h = s.hidden;
    const int64_t f = s.feed_forward;
    gradient = memory.Take(rows * h);
    d_attended = memory.Take(rows * h);
    d_qkv = memory.Take(rows * 3 * h);
    d_feed = memory.Take(kGradientRows * f);
    const int64_t sizes[] = {WeightGradientScratch<T>(3 * h, h), WeightGradientScratch<T>(f, h),
                             WeightGradientScratch<T>(h, f)};
    int64_t most = 0;
    for (const int64_t size : sizes) most = size > most ? size : most;
    weights = memory.Take(most);
    attention =
        memory.Take(AttentionScratch<T>::Size({longest, s.hidden, s.heads, s.edge_features}));
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
