// The facts of the graph transformer: its entry in the registry (core/model/architectures.h), its
// sizes in configurations and model cards, and its parameters. Needs no torch.
//
// Weights are [out, in], as in torch.nn.Linear. H = hidden, I = number of a node's inputs:
//   embed.node.{weight [H, I], bias}                  every node but a depot
//   embed.depot.{weight [H, I], bias}
//   encoder.layers.K...                               as encoder_parameters.h describes
//   decoder.project.weight [3H, H]                    glimpse keys, glimpse values, logit keys
//   decoder.graph.weight [H, H]                       of the nodes' mean
//   decoder.last.weight [H, H]                        of the node where the vehicle is
//   decoder.first.weight [H, H]                       of the node where a TSP's tour began
//   decoder.placeholder [2H]                          replaces both before a TSP's first choice
//   decoder.shares.weight [kContextShares, H]         [in, out], of the step's context shares
//   decoder.out.weight [H, H]                         of the glimpse
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/kernels/encoder/encoder.h"
#include "core/model/policy/architecture.h"
#include "core/model/policy/network_limits.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

const Architecture& GraphTransformerArchitecture();

// Largest sizes of a network.
inline constexpr int32_t kMaxTransformerHidden = 1024;
inline constexpr int32_t kMaxTransformerHeads = 64;
inline constexpr int32_t kMaxTransformerFeedForward = 8192;
inline constexpr int32_t kMaxTransformerLayers = 24;

// Sizes of the network, at most the limits above. Heads and layers are at least 1, and widths are
// positive multiples of kWidthMultiple.
struct GraphTransformerOptions {
  int32_t hidden = 128;        // a multiple of kWidthMultiple
  int32_t heads = 8;           // divides hidden
  int32_t feed_forward = 512;  // a multiple of kWidthMultiple
  int32_t layers = 3;
  NormKind norm = NormKind::kInstance;
  bool edge_bias = true;                 // whether distances, given or computed, bias attention
  double logit_clip = 10;                // kMinLogitClip .. kMaxLogitClip
  std::vector<std::string> inputs = {};  // inputs of a node (network_inputs.h); empty: the defaults

  bool operator==(const GraphTransformerOptions&) const = default;
};

// Returns "instance" or "frozen_batch".
std::string_view NormName(NormKind norm);

// Returns {"hidden": 128, "heads": 8, "feed_forward": 512, "layers": 3, "norm": "instance",
//  "edge_bias": true, "logit_clip": 10.0}, and "inputs" unless options.inputs is empty.
std::string WriteGraphTransformerOptions(const GraphTransformerOptions& options);
// Parses sizes. Returns the errors of ReadNetworkSizes (core/model/policy/network_sizes.h).
absl::StatusOr<GraphTransformerOptions> ParseGraphTransformerOptions(std::string_view json,
                                                                     std::string_view name);

ParameterLayout GraphTransformerLayout(const GraphTransformerOptions& options);

EncoderShape EncoderShapeOf(const GraphTransformerOptions& options);

}  // namespace vrp
