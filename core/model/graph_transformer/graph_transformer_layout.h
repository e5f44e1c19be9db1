// The parameters of a graph transformer: names, shapes and offsets. Needs no torch.
//
// Weights are [out, in], as in torch.nn.Linear. H = hidden, F = feed_forward, M = heads,
// E = kEdgeFeatures, I = number of a node's inputs:
//   embed.node.{weight [H, I], bias}                  every node but a depot
//   embed.depot.{weight [H, I], bias}
//   encoder.layers.K.qkv.{weight [3H, H], bias}       queries, keys, values; each by heads
//   encoder.layers.K.out.{weight [H, H], bias}
//   encoder.layers.K.edge.weight [M, E]               with edge_bias
//   encoder.layers.K.{norm1, norm2}.{scale, shift}    and mean, variance with frozen_batch
//   encoder.layers.K.feed1.{weight [F, H], bias}, feed2.{weight [H, F], bias}
//   decoder.project.weight [3H, H]                    glimpse keys, glimpse values, logit keys
//   decoder.graph.weight [H, H]                       of the nodes' mean
//   decoder.last.weight [H, H]                        of the node where the vehicle is
//   decoder.first.weight [H, H]                       of the node where a TSP's tour began
//   decoder.placeholder [2H]                          replaces both before a TSP's first choice
//   decoder.shares.weight [kContextShares, H]         [in, out], of remaining resources
//   decoder.out.weight [H, H]                         of the glimpse
#pragma once

#include <string>
#include <vector>

#include "core/kernels/encoder/encoder.h"
#include "core/model/graph_transformer/graph_transformer_options.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

ParameterLayout GraphTransformerLayout(const GraphTransformerOptions& options);

// Returns the offsets of each layer's parameters.
std::vector<EncoderLayerOffsets> EncoderOffsets(const GraphTransformerOptions& options,
                                                const ParameterLayout& layout);
EncoderShape EncoderShapeOf(const GraphTransformerOptions& options);

}  // namespace vrp
