// The sizes of a graph transformer, as configurations and model cards give them. No torch here.
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

// Each size has a limit above and is at least 1, a width at least kWidthMultiple.
struct GraphTransformerOptions {
  int32_t hidden = 128;        // a multiple of kWidthMultiple
  int32_t heads = 8;           // divides hidden
  int32_t feed_forward = 512;  // a multiple of kWidthMultiple
  int32_t layers = 3;
  NormKind norm = NormKind::kInstance;
  bool edge_bias = true;   // attention is biased by the distances, which may be a given matrix
  double logit_clip = 10;  // kMinLogitClip .. kMaxLogitClip
  // Its inputs of a node, see network_inputs.h; none: the usual ones.
  std::vector<std::string> inputs = {};

  bool operator==(const GraphTransformerOptions&) const = default;
};

// "instance", "frozen_batch".
std::string_view NormName(NormKind norm);

// {"hidden": 128, "heads": 8, "feed_forward": 512, "layers": 3, "norm": "instance",
//  "edge_bias": true, "logit_clip": 10}; where `inputs` are not the usual ones, also "inputs"
std::string WriteGraphTransformerOptions(const GraphTransformerOptions& options);
// kInvalidArgument names the key that is missing, unknown or out of range.
absl::StatusOr<GraphTransformerOptions> ParseGraphTransformerOptions(std::string_view json,
                                                                     std::string_view name);
// What is wrong with `options`, or OK: `hidden: got 100, wanted a multiple of 16`.
absl::Status CheckGraphTransformerOptions(const GraphTransformerOptions& options);

}  // namespace vrp
