// The layout of the causal encoder's saved values. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/encoder.h"
#include "core/kernels/encoder/encoder_layout.h"
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

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
