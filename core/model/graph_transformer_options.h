// The sizes of a graph transformer, as configurations and model cards give them. No torch here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/kernels/encoder.h"

namespace vrp {

struct GraphTransformerOptions {
  int32_t hidden = 128;        // 16 .. 1024, a multiple of 16
  int32_t heads = 8;           // 1 .. 64, divides hidden
  int32_t feed_forward = 512;  // 16 .. 8192, a multiple of 16
  int32_t layers = 3;          // 1 .. 24
  NormKind norm = NormKind::kInstance;
  bool edge_bias = true;   // attention is biased by the distances, which may be a given matrix
  double logit_clip = 10;  // above 0, up to 100
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
