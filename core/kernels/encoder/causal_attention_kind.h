// The causal attention that goes with a kind of products. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_attention.h"
#include "core/kernels/encoder/causal_attention_backward.h"
#if defined(VRP_SIMD_TILES)
#include "core/kernels/encoder/tile_attention.h"
#include "core/kernels/encoder/tile_attention_backward.h"
#include "core/kernels/simd/memory.h"
#include "core/kernels/simd/tile_products.h"
#endif

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Attention with operands of the element type. `memory` has ScratchSize elements for a shape of at
// least as many nodes. The calls' scratch is not set.
template <typename P>
struct CausalAttention {
  using T = typename P::Element;

  static int64_t ScratchSize(const AttentionShape& s) { return AttentionScratch<T>::Size(s); }
  static void Forward(AttentionCall<T> c, T* memory, View<T> out) {
    c.scratch = AttentionScratch<T>(c.shape, memory);
    CausalAttentionForward<T>(c, out);
  }
  static void Backward(AttentionCall<T> c, T* memory, const CausalAttentionGradient<T>& gradient) {
    c.scratch = AttentionScratch<T>(c.shape, memory);
    CausalAttentionBackward<T>(c, gradient);
  }
};

#if defined(VRP_SIMD_TILES)
// Attention in bf16 with tiles.
template <>
struct CausalAttention<TileProducts> {
  static int64_t ScratchSize(const AttentionShape& s) {
    Memory<float> memory(nullptr);
    TileScratch(s, memory);
    return memory.size();
  }
  static void Forward(AttentionCall<float> c, float* memory, View<float> out) {
    TileAttentionForward(c, Take(c, memory), out);
  }
  static void Backward(AttentionCall<float> c, float* memory,
                       const CausalAttentionGradient<float>& gradient) {
    TileAttentionBackward(c, Take(c, memory), gradient);
  }

 private:
  static TileScratch Take(AttentionCall<float>& c, float* memory) {
    Memory<float> pieces(memory);
    const TileScratch tiles(c.shape, pieces);
    c.scratch = AttentionScratch<float>(TileScratch::PlainShape(c.shape), tiles.plain);
    return tiles;
  }
};
#endif

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
