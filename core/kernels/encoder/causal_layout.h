// Layouts of the causal encoder's saved values and scratch. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_attention_kind.h"
#include "core/kernels/encoder/encoder.h"
#include "core/kernels/encoder/encoder_layout.h"
#include "core/kernels/encoder/encoder_scratch.h"
#include "core/kernels/simd/memory.h"
#include "core/kernels/simd/panels.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// A norm's values for its backward pass, for R rows.
template <typename T>
struct SavedRowNorm {
  View<T> normalised;  // [R, H]
  T* inverse_std;      // [R]

  SavedRowNorm(const EncoderShape& s, int64_t rows, Memory<T>& memory)
      : normalised(TakePanels(rows, int64_t{s.hidden}, memory)), inverse_std(memory.Take(rows)) {}
};

// Values that one layer saves for its backward pass, for R rows of B sequences.
template <typename T>
struct SavedCausalLayer {
  SavedRowNorm<T> norm1;
  SavedRowNorm<T> norm2;
  View<T> qkv;       // [R, 3H]
  View<T> attended;  // [R, H]
  View<T> feed;      // [R, F], after the ReLU; null data: not saved
  T* softmax;        // see AttentionCall

  SavedCausalLayer(const EncoderShape& s, int64_t rows, int64_t sequences, bool keep,
                   Memory<T>& memory)
      : norm1(s, rows, memory), norm2(s, rows, memory) {
    const int64_t h = s.hidden;
    qkv = TakePanels(rows, 3 * h, memory);
    attended = TakePanels(rows, h, memory);
    feed = keep ? TakePanels(rows, s.feed_forward, memory) : View<T>{};
    softmax = memory.Take(AttentionCall<T>::SoftmaxSize(rows, sequences, s.heads));
  }
};

// Scratch of the forward pass, for R rows.
template <typename P>
struct CausalForwardScratch {
  using T = typename P::Element;
  View<T> x;     // [R, H]: the residual stream
  View<T> y;     // [R, H]: after a norm
  View<T> feed;  // [kFeedRows, F]
  T* attention;
  T* work;

  CausalForwardScratch(const EncoderShape& s, int64_t rows, int64_t max_tokens, Memory<T>& memory) {
    const int64_t h = s.hidden;
    x = TakePanels(rows, h, memory);
    y = TakePanels(rows, h, memory);
    feed = TakePanels(kFeedRows, s.feed_forward, memory);
    attention = memory.Take(CausalAttention<P>::ScratchSize({max_tokens, h, s.heads, 0}));
    work = memory.Take(P::WorkSize(rows, s.feed_forward > h ? s.feed_forward : h));
  }
};

// Scratch of the backward pass, for R rows.
template <typename P>
struct CausalBackwardScratch {
  using T = typename P::Element;
  View<T> dx;          // [R, H]: w.r.t. the residual stream
  View<T> dy;          // [R, H]: w.r.t. the rows after a norm
  View<T> d_attended;  // [R, H]
  View<T> d_qkv;       // [R, 3H]
  View<T> d_feed;      // [R, kFeedColumns]
  T* sums;             // sums of a matrix's columns
  T* attention;
  T* work;

  CausalBackwardScratch(const EncoderShape& s, int64_t rows, int64_t max_tokens,
                        Memory<T>& memory) {
    const int64_t h = s.hidden;
    dx = TakePanels(rows, h, memory);
    dy = TakePanels(rows, h, memory);
    d_attended = TakePanels(rows, h, memory);
    d_qkv = TakePanels(rows, 3 * h, memory);
    d_feed = TakePanels(rows, kFeedColumns, memory);
    sums = memory.Take(3 * h + kFeedColumns);
    attention = memory.Take(CausalAttention<P>::ScratchSize({max_tokens, h, s.heads, 0}));
    work = memory.Take(P::WorkSize(rows, 4 * h + kFeedColumns));
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
