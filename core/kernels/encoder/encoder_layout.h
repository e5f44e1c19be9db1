// Layouts of the encoder's packed weights and of the values that Forward saves for Backward. vec.h
// states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention_edges.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/encoder.h"
#include "core/kernels/encoder/norm.h"
#include "core/kernels/simd/memory.h"
#include "core/kernels/simd/panels.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// One layer's weights, [in, out] in panels, for products forward and backward. `P` is the kind of
// products (plain_products.h).
template <typename P>
struct PackedLayer {
  using T = typename P::Element;
  T *qkv, *out, *feed1, *feed2;
  T *qkv_back, *out_back, *feed1_back, *feed2_back;
  T *qkv_bias, *out_bias, *feed1_bias, *feed2_bias;
  T* edge_weights;  // [M, padded E], times log2(e)
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
    edge_weights = memory.Take(s.heads * PaddedFeatures(s.edge_features));
    norm1 = TakeNorm(s, memory);
    norm2 = TakeNorm(s, memory);
  }

 private:
  static NormParameters<T> TakeNorm(const EncoderShape& s, Memory<T>& memory) {
    NormParameters<T> norm{memory.Take(s.hidden), memory.Take(s.hidden), nullptr, nullptr};
    if (s.norm == NormKind::kFrozenBatch) {
      norm.mean = memory.Take(s.hidden);
      norm.inverse_std = memory.Take(s.hidden);
    }
    return norm;
  }
};

// Takes memory for a matrix in panels.
template <typename T>
View<T> TakePanels(int64_t rows, int64_t columns, Memory<T>& memory) {
  return InPanels(memory.Take(SizeInPanels<T>(rows, columns)), rows);
}

// Values that one layer saves for its backward pass, for R rows of B instances.
template <typename T>
struct SavedLayer {
  View<T> qkv;          // [R, 3H]
  View<T> attended;     // [R, H]
  View<T> normalised1;  // [R, H]
  View<T> feed;         // [R, F], after the ReLU; null data: not saved
  View<T> normalised2;  // [R, H]
  T* softmax;           // see AttentionCall
  T* inverse_std1;      // [B, H]
  T* inverse_std2;      // [B, H]

  SavedLayer(const EncoderShape& s, int64_t rows, int64_t instances, bool keep, Memory<T>& memory) {
    const int64_t h = s.hidden;
    qkv = TakePanels(rows, 3 * h, memory);
    attended = TakePanels(rows, h, memory);
    normalised1 = TakePanels(rows, h, memory);
    feed = keep ? TakePanels(rows, s.feed_forward, memory) : View<T>{};
    normalised2 = TakePanels(rows, h, memory);
    softmax = memory.Take(AttentionCall<T>::SoftmaxSize(rows, instances, s.heads));
    inverse_std1 = memory.Take(instances * h);
    inverse_std2 = memory.Take(instances * h);
  }
};

// Takes memory for the instances' edges in attention's layout, one instance after the other.
template <typename T>
T* TakeEdges(const EncoderShape& s, const int32_t* first_rows, int64_t instances,
             Memory<T>& memory) {
  int64_t size = 0;
  for (int64_t b = 0; b < instances && s.edge_features > 0; ++b) {
    size += PackedEdgesSize<T>(s.edge_features, first_rows[b + 1] - first_rows[b]);
  }
  return memory.Take(size);
}

// Values that a group saves for the backward pass, besides the layers' values.
template <typename T>
struct SavedGroup {
  T* edges;
  View<T> input;  // [R, H]: of the first layer

  SavedGroup(const EncoderShape& s, const int32_t* first_rows, int64_t instances,
             Memory<T>& memory) {
    edges = TakeEdges(s, first_rows, instances, memory);
    input = TakePanels(first_rows[instances], s.hidden, memory);
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
