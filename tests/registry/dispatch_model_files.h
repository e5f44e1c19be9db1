// Files of a small dispatch model for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/model/dispatch/dispatch_parameters.h"
#include "core/model/dispatch/dispatch_settings.h"
#include "tests/registry/fake_model.h"

namespace vrp::test {

inline const PrizeNetworkOptions kDispatchModelNetwork = PrizeMlpOptions{{3}};

// Writes a dispatch model whose network gives all requests the prize `prize`, in units of the
// site's mean distance, to `directory`, with a card that states `parameters` parameters; -1: the
// true number.
inline absl::Status WriteDispatchModel(const std::string& directory, float prize = 1,
                                       int64_t parameters = -1) {
  const DispatchSettings settings = {
      .network = kDispatchModelNetwork, .shift = prize, .sites = {"north"}, .days_per_site = 1};
  FlatParameters weights(DispatchLayout(settings.network), 4);
  const auto network = MakePrizeNetwork(settings.network, 1).value();
  network->SetWeights(std::vector<float>(network->weights().size()));
  CopyFromNetwork(*network, weights.values());
  weights.values().back() = prize;
  ModelCard card = ACard(weights.Save(), "");
  card.architecture = kDispatchArchitecture;
  card.architecture_json = WriteDispatchSettings(settings);
  card.input_features = {kDispatchFeatures.begin(), kDispatchFeatures.end()};
  card.parameters = parameters < 0 ? weights.size() : parameters;
  absl::Status status = AtomicWriteFile(Concat(directory, "/", kWeightsFile), weights.Save());
  status.Update(AtomicWriteFile(Concat(directory, "/", kCardFile), WriteModelCard(card)));
  return status;
}

}  // namespace vrp::test
