// The kinds of networks that predict prizes, and their sizes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/learning/prize_network.h"
#include "core/model/dispatch/prize_transformer.h"

namespace vrp {

// Sizes of a PrizeMlp.
struct PrizeMlpOptions {
  std::vector<int32_t> hidden = {};  // widths of the hidden layers; empty: a linear model

  bool operator==(const PrizeMlpOptions&) const = default;
};

using PrizeNetworkOptions = std::variant<PrizeMlpOptions, PrizeTransformerOptions>;

// Names of the kinds of networks, in configurations and model cards.
inline constexpr std::string_view kMlpEncoder = "mlp";
inline constexpr std::string_view kLinearEncoder = "linear";
inline constexpr std::string_view kTransformerEncoder = "graph_transformer";

// Returns the name of the kind.
std::string_view EncoderName(const PrizeNetworkOptions& options);
// Returns the kind and its sizes, for people: "mlp, hidden layers [16, 16]".
std::string EncoderText(const PrizeNetworkOptions& options);
// Returns the names of the features that the network reads, those of pairs last.
std::vector<std::string> InputFeatures(const PrizeNetworkOptions& options);
// Creates a network with random weights. Returns the errors of PrizeMlp::Create and
// PrizeTransformer::Create.
absl::StatusOr<std::unique_ptr<PrizeNetwork>> MakePrizeNetwork(const PrizeNetworkOptions& options,
                                                               uint64_t seed);

}  // namespace vrp
