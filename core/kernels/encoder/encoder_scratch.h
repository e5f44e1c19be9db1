// Scratch of the encoder's passes. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention_edges.h"
#include "core/kernels/encoder/encoder.h"
#include "core/kernels/encoder/encoder_layout.h"
#include "core/kernels/simd/memory.h"
#include "core/kernels/simd/panels.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Returns the number of nodes of the largest instance.
inline int64_t MaxNodes(const int32_t* first_rows, int64_t instances) {
  int64_t max_nodes = 0;
  for (int64_t b = 0; b < instances; ++b) {
    const int64_t nodes = first_rows[b + 1] - first_rows[b];
    if (nodes > max_nodes) max_nodes = nodes;
  }
  return max_nodes;
}

// Number of rows that pass forward through the feed-forward network together, so that its inner
// activations stay in the L2 cache.
inline constexpr int64_t kFeedRows = 96;
// Number of inner channels that the backward pass handles together for all rows, so that they and
// their weights' gradients stay in the L2 cache.
inline constexpr int64_t kFeedColumns = 128;

// Scratch of both encoders' forward pass, for R rows. `attention_size` is that of `attention`.
template <typename P>
struct ForwardScratch {
  using T = typename P::Element;
  View<T> x;     // [R, H]: input of the layer, or the residual stream
  View<T> y;     // [R, H]: after a norm
  View<T> feed;  // [kFeedRows, F]
  T* attention;
  T* work;

  ForwardScratch(const EncoderShape& s, int64_t rows, int64_t attention_size, Memory<T>& memory) {
    x = TakePanels(rows, s.hidden, memory);
    y = TakePanels(rows, s.hidden, memory);
    feed = TakePanels(kFeedRows, s.feed_forward, memory);
    attention = memory.Take(attention_size);
    const int64_t widest = s.feed_forward > s.hidden ? s.feed_forward : s.hidden;
    work = memory.Take(P::WorkSize(rows, widest));
  }
};

// Scratch of both encoders' backward pass, for R rows.
template <typename P>
struct BackwardScratch {
  using T = typename P::Element;
  View<T> dx;          // [R, H]: w.r.t. the current rows, or the residual stream
  View<T> dy;          // [R, H]: w.r.t. the rows after a norm
  View<T> d_attended;  // [R, H]
  View<T> d_qkv;       // [R, 3H]
  View<T> d_feed;      // [R, kFeedColumns]
  T* sums;             // sums of a matrix's columns
  T* d_edge_weights;   // [M, padded E, lanes]: sums of a layer
  T* attention;
  T* work;

  BackwardScratch(const EncoderShape& s, int64_t rows, int64_t attention_size, Memory<T>& memory) {
    const int64_t h = s.hidden;
    dx = TakePanels(rows, h, memory);
    dy = TakePanels(rows, h, memory);
    d_attended = TakePanels(rows, h, memory);
    d_qkv = TakePanels(rows, 3 * h, memory);
    d_feed = TakePanels(rows, kFeedColumns, memory);
    sums = memory.Take(3 * h + kFeedColumns);
    d_edge_weights = memory.Take(s.heads * PaddedFeatures(s.edge_features) * kLanes<T>);
    attention = memory.Take(attention_size);
    work = memory.Take(P::WorkSize(rows, 4 * h + kFeedColumns));
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
