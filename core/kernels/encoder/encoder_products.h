// The kind of products of the encoders' instruction set. vec.h states who may include this.
#pragma once

#if defined(VRP_SIMD_TILES)
#include "core/kernels/simd/tile_products.h"
#elif defined(VRP_SIMD_BF16)
#include "core/kernels/simd/bf16_products.h"
#else
#include "core/kernels/simd/plain_products.h"
#endif

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Those in bf16 are for float only.
#if defined(VRP_SIMD_TILES)
template <typename T>
using EncoderProducts = TileProducts;
#elif defined(VRP_SIMD_BF16)
template <typename T>
using EncoderProducts = Bf16Products;
#else
template <typename T>
using EncoderProducts = PlainProducts<T>;
#endif

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
