// The parameters of an attention encoder (core/kernels/encoder/encoder.h) in a flat layout. Needs
// no torch.
//
// Weights are [out, in], as in torch.nn.Linear. H = hidden, F = feed_forward, M = heads, E =
// edge_features:
//   encoder.layers.K.qkv.{weight [3H, H], bias}       queries, keys, values; each by heads
//   encoder.layers.K.out.{weight [H, H], bias}
//   encoder.layers.K.edge.weight [M, E]               unless E is 0
//   encoder.layers.K.{norm1, norm2}.{scale, shift}    and mean, variance with kFrozenBatch
//   encoder.layers.K.feed1.{weight [F, H], bias}, feed2.{weight [H, F], bias}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/kernels/encoder/encoder.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// Returns a weight [out, in] and a bias [out] with torch.nn.Linear's initialisation: uniform within
// 1 / sqrt(in).
ParameterShape LinearWeight(std::string name, int64_t out, int64_t in);
ParameterShape LinearBias(std::string name, int64_t out, int64_t in);

// Returns the parameters of all layers. Norms begin as the identity.
std::vector<ParameterShape> EncoderParameters(const EncoderShape& shape);

// Returns the offsets of each layer's parameters in `layout`, which must have them.
std::vector<EncoderLayerOffsets> EncoderOffsets(const EncoderShape& shape,
                                                const ParameterLayout& layout);

}  // namespace vrp
