#include "core/model/dispatch/dispatch_parameters.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {

ParameterLayout DispatchLayout(const std::vector<int32_t>& hidden) {
  std::vector<ParameterShape> shapes;
  int64_t inputs = kDispatchFeatureCount;
  for (size_t layer = 0; layer <= hidden.size(); ++layer) {
    const int64_t outputs = layer < hidden.size() ? hidden[layer] : 1;
    const std::string name = Concat("layers.", layer);
    shapes.push_back({.name = name + ".weight", .shape = {outputs, inputs}});
    shapes.push_back({.name = name + ".bias", .shape = {outputs}});
    inputs = outputs;
  }
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
  std::copy_n(values.begin(), weights, network.mutable_weights().begin());
  DispatchFeatures means;
  DispatchFeatures deviations;
  std::copy_n(values.subspan(weights).begin(), means.size(), means.begin());
  std::copy_n(values.subspan(weights + means.size()).begin(), deviations.size(),
              deviations.begin());
  network.SetNormalisation(means, deviations);
}

absl::StatusOr<PrizeNetwork> ShiftedNetwork(const std::vector<int32_t>& hidden,
                                            std::span<const float> values) {
  VRP_ASSIGN_OR_RETURN(PrizeNetwork network, PrizeNetwork::Create(hidden, 0));
  CopyToNetwork(values, network);
  network.mutable_weights().back() += values.back();
  return network;
}

}  // namespace vrp
