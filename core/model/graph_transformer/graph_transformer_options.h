// The sizes of a graph transformer in configurations and model cards. Needs no torch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/kernels/encoder/encoder.h"
#include "core/model/policy/network_limits.h"

namespace vrp {

inline constexpr int32_t kMaxTransformerHidden = 1024;
inline constexpr int32_t kMaxTransformerHeads = 64;
inline constexpr int32_t kMaxTransformerFeedForward = 8192;
inline constexpr int32_t kMaxTransformerLayers = 24;

// Sizes of the network, each from 1 to its limit above. Widths are multiples of kWidthMultiple.
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
//  "edge_bias": true, "logit_clip": 10.0}, and "inputs" unless they are the defaults.
std::string WriteGraphTransformerOptions(const GraphTransformerOptions& options);
// Parses sizes. Returns the errors of ReadNetworkSizes (core/model/policy/network_sizes.h).
absl::StatusOr<GraphTransformerOptions> ParseGraphTransformerOptions(std::string_view json,
                                                                     std::string_view name);
// Returns kInvalidArgument for the first value out of range: `sizes: architecture_json.hidden: got
// 100, wanted ...`.
absl::Status CheckGraphTransformerOptions(const GraphTransformerOptions& options);

}  // namespace vrp
