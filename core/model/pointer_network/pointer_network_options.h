// The sizes of a pointer network in configurations and model cards. Needs no torch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/policy/network_limits.h"

namespace vrp {

inline constexpr int32_t kMaxHidden = 2048;
inline constexpr int32_t kMaxLayers = 8;
inline constexpr double kMaxDropout = 0.9;

struct PointerNetworkOptions {
  int32_t hidden = 256;    // kWidthMultiple .. kMaxHidden, a multiple of kWidthMultiple
  int32_t layers = 2;      // 1 .. kMaxLayers, in the encoder and in the decoder
  double dropout = 0.2;    // 0 .. kMaxDropout, between the LSTMs' layers, in supervised training
  double logit_clip = 10;  // kMinLogitClip .. kMaxLogitClip
  std::vector<std::string> inputs = {};  // inputs of a node (network_inputs.h); empty: the defaults

  bool operator==(const PointerNetworkOptions&) const = default;
};

// Returns {"hidden": 256, "layers": 2, "dropout": 0.2, "logit_clip": 10.0}, and "inputs" unless
// they are the defaults.
std::string WritePointerNetworkOptions(const PointerNetworkOptions& options);
// Parses sizes. Returns the errors of ReadNetworkSizes (core/model/policy/network_sizes.h).
absl::StatusOr<PointerNetworkOptions> ParsePointerNetworkOptions(std::string_view json,
                                                                 std::string_view name);

}  // namespace vrp
