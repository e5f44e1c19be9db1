// Packing of the encoders' weights. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/encoder.h"
#include "core/kernels/encoder/encoder_layout.h"
#include "core/kernels/encoder/norm.h"
#include "core/kernels/simd/memory.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// `P` is the kind of products (plain_products.h).
template <typename P>
using ElementOf = typename P::Element;

// Returns the number of elements of all packed layers.
template <typename P>
inline int64_t PackedLayersSize(const EncoderShape& shape) {
  Memory<ElementOf<P>> memory(nullptr);
  for (int32_t l = 0; l < shape.layers; ++l) PackedLayer<P>(shape, memory);
  return memory.size();
}

template <typename T>
inline void CopyValues(const T* from, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i];
}

template <typename T>
inline void PackNorm(const T* scale, const T* shift, const T* mean, const T* variance,
                     int64_t hidden, const NormParameters<T>& to) {
  CopyValues(scale, hidden, const_cast<T*>(to.scale));
  CopyValues(shift, hidden, const_cast<T*>(to.shift));
  if (to.mean == nullptr) return;
  CopyValues(mean, hidden, const_cast<T*>(to.mean));
  for (int64_t i = 0; i < hidden; ++i) {
    const double deviation = __builtin_sqrt(static_cast<double>(variance[i]) + kNormEpsilon);
    const_cast<T*>(to.inverse_std)[i] = static_cast<T>(1 / deviation);
  }
}

template <typename T>
inline void PackEdgeWeights(const T* weights, const EncoderShape& s, T* to) {
  for (int64_t m = 0; m < s.heads; ++m) {
    for (int64_t e = 0; e < PaddedFeatures(s.edge_features); ++e) {
      const T weight = e < s.edge_features ? weights[m * s.edge_features + e] : T{0};
      *to++ = weight * static_cast<T>(kLog2OfE);
    }
  }
}

// Packs the weights of all layers.
template <typename P>
inline void PackLayers(const EncoderShape& s, const EncoderLayerOffsets* layers,
                       const ElementOf<P>* parameters, ElementOf<P>* packed) {
  Memory<ElementOf<P>> memory(packed);
  const int64_t h = s.hidden;
  const int64_t f = s.feed_forward;
  for (int32_t l = 0; l < s.layers; ++l) {
    const EncoderLayerOffsets& from = layers[l];
    const PackedLayer<P> to(s, memory);
    const ElementOf<P>* const p = parameters;
    P::Pack({p + from.qkv_weight, 1, h}, h, 3 * h, to.qkv);
    P::Pack({p + from.out_weight, 1, h}, h, h, to.out);
    P::Pack({p + from.feed1_weight, 1, h}, h, f, to.feed1);
    P::Pack({p + from.feed2_weight, 1, f}, f, h, to.feed2);
    P::Pack({p + from.qkv_weight, h, 1}, 3 * h, h, to.qkv_back);
    P::Pack({p + from.out_weight, h, 1}, h, h, to.out_back);
    P::Pack({p + from.feed1_weight, h, 1}, f, h, to.feed1_back);
    P::Pack({p + from.feed2_weight, f, 1}, h, f, to.feed2_back);
    CopyValues(p + from.qkv_bias, 3 * h, to.qkv_bias);
    CopyValues(p + from.out_bias, h, to.out_bias);
    CopyValues(p + from.feed1_bias, f, to.feed1_bias);
    CopyValues(p + from.feed2_bias, h, to.feed2_bias);
    PackEdgeWeights(p + from.edge_weight, s, to.edge_weights);
    PackNorm(p + from.norm1_scale, p + from.norm1_shift, p + from.norm1_mean,
             p + from.norm1_variance, h, to.norm1);
    PackNorm(p + from.norm2_scale, p + from.norm2_shift, p + from.norm2_mean,
             p + from.norm2_variance, h, to.norm2);
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
