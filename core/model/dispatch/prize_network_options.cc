#include "core/model/dispatch/prize_network_options.h"

#include "absl/strings/str_join.h"
#include "core/base/text.h"
#include "core/dispatch/learning/prize_mlp.h"

namespace vrp {

std::string_view EncoderName(const PrizeNetworkOptions& options) {
  const auto* const mlp = std::get_if<PrizeMlpOptions>(&options);
  if (mlp == nullptr) return kTransformerEncoder;
  return mlp->hidden.empty() ? kLinearEncoder : kMlpEncoder;
}

std::string EncoderText(const PrizeNetworkOptions& options) {
  const std::string_view name = EncoderName(options);
  if (const auto* const mlp = std::get_if<PrizeMlpOptions>(&options)) {
    if (mlp->hidden.empty()) return std::string(name);
    return Concat(name, ", hidden layers [", absl::StrJoin(mlp->hidden, ", "), "]");
  }
  const auto& sizes = std::get<PrizeTransformerOptions>(options);
  return Concat(name, ", width ", sizes.width, ", layers ", sizes.layers, ", heads ", sizes.heads);
}

std::vector<std::string> InputFeatures(const PrizeNetworkOptions& options) {
  std::vector<std::string> names(kDispatchFeatures.begin(), kDispatchFeatures.end());
  if (std::holds_alternative<PrizeTransformerOptions>(options)) {
    names.insert(names.end(), kDispatchPairFeatures.begin(), kDispatchPairFeatures.end());
  }
  return names;
}

absl::StatusOr<std::unique_ptr<PrizeNetwork>> MakePrizeNetwork(const PrizeNetworkOptions& options,
                                                               uint64_t seed) {
  if (const auto* const mlp = std::get_if<PrizeMlpOptions>(&options)) {
    return PrizeMlp::Create(mlp->hidden, seed);
  }
  return PrizeTransformer::Create(std::get<PrizeTransformerOptions>(options), seed);
}

}  // namespace vrp
