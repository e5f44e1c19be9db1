// The facts of the LSTM pointer network: its entry in the registry (core/model/architectures.h),
// its sizes in configurations and model cards, and its parameters. Needs no torch.
//
// Weights are [out, in], as in torch.nn.Linear. H = hidden, L = layers, M = kPointerHeads,
// I = number of a node's inputs without is_visited:
//   embed.{weight [H, I], bias}
//   encoder.{weight_ih [4H, H], weight_hh [4H, H], bias_ih, bias_hh}_lK   gates input, forget,
//   decoder.{...}_lK                                                       candidate, output
//   start.{weight [2LH, H], bias}     of the nodes' mean; hidden states of all layers, then cells
//   context.weight [H, kPointerContext]
//   glimpse.{query, key, value, out}.weight [H, H]
//   glimpse.dynamic.weight [M, kPointerDynamic]
//   pointer.{query, key}.weight [H, H]
//   pointer.dynamic.{weight [kPointerDynamic, H], bias}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/policy/architecture.h"
#include "core/model/policy/network_limits.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

const Architecture& PointerArchitecture();

// Largest sizes and dropout of a network.
inline constexpr int32_t kMaxHidden = 2048;
inline constexpr int32_t kMaxLayers = 8;
inline constexpr double kMaxDropout = 0.9;

// Sizes and dropout of the network.
struct PointerNetworkOptions {
  int32_t hidden = 256;    // kWidthMultiple .. kMaxHidden, a multiple of kWidthMultiple
  int32_t layers = 2;      // 1 .. kMaxLayers, in the encoder and in the decoder
  double dropout = 0.2;    // 0 .. kMaxDropout, between the LSTMs' layers, in supervised training
  double logit_clip = 10;  // kMinLogitClip .. kMaxLogitClip
  std::vector<std::string> inputs = {};  // inputs of a node (network_inputs.h); empty: the defaults

  bool operator==(const PointerNetworkOptions&) const = default;
};

// Returns {"hidden": 256, "layers": 2, "dropout": 0.2, "logit_clip": 10.0}, and "inputs" unless
// options.inputs is empty.
std::string WritePointerNetworkOptions(const PointerNetworkOptions& options);
// Parses sizes. Returns the errors of ReadNetworkSizes (core/model/policy/network_sizes.h).
absl::StatusOr<PointerNetworkOptions> ParsePointerNetworkOptions(std::string_view json,
                                                                 std::string_view name);

// Number of heads of the glimpse.
inline constexpr int32_t kPointerHeads = 8;

ParameterLayout PointerLayout(const PointerNetworkOptions& options);

}  // namespace vrp
