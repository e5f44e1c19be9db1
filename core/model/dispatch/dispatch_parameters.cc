#include "core/model/dispatch/dispatch_parameters.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace vrp {

namespace {

std::vector<ParameterShape> MlpParameters(const PrizeMlpOptions& options) {
  std::vector<ParameterShape> shapes;
  int64_t inputs = kDispatchFeatureCount;
  for (size_t layer = 0; layer <= options.hidden.size(); ++layer) {
    const int64_t outputs = layer < options.hidden.size() ? options.hidden[layer] : 1;
    const std::string name = Concat("layers.", layer);
    shapes.push_back({.name = name + ".weight", .shape = {outputs, inputs}});
    shapes.push_back({.name = name + ".bias", .shape = {outputs}});
    inputs = outputs;
  }
  return shapes;
}

std::vector<ParameterShape> NetworkParameters(const PrizeNetworkOptions& options) {
  if (const auto* const mlp = std::get_if<PrizeMlpOptions>(&options)) return MlpParameters(*mlp);
  return PrizeTransformerParameters(std::get<PrizeTransformerOptions>(options));
}

}  // namespace

ParameterLayout DispatchLayout(const PrizeNetworkOptions& options) {
  std::vector<ParameterShape> shapes = NetworkParameters(options);
  const auto features = static_cast<int64_t>(kDispatchFeatureCount);
  shapes.push_back({.name = std::string(kDispatchMeans), .shape = {features}, .frozen = true});
  shapes.push_back({.name = std::string(kDispatchDeviations), .shape = {features}, .frozen = true});
  shapes.push_back({.name = std::string(kDispatchShift), .shape = {1}, .frozen = true});
  return ParameterLayout(std::move(shapes));
}

void CopyFromNetwork(const PrizeNetwork& network, std::span<float> values) {
  auto at = std::copy(network.weights().begin(), network.weights().end(), values.begin());
  at = std::copy(network.means().begin(), network.means().end(), at);
  std::copy(network.deviations().begin(), network.deviations().end(), at);
}

void CopyToNetwork(std::span<const float> values, PrizeNetwork& network) {
  const size_t weights = network.weights().size();
  network.SetWeights(values.first(weights));
  DispatchFeatures means;
  DispatchFeatures deviations;
  std::copy_n(values.subspan(weights).begin(), means.size(), means.begin());
  std::copy_n(values.subspan(weights + means.size()).begin(), deviations.size(),
              deviations.begin());
  network.SetNormalisation(means, deviations);
}

}  // namespace vrp
