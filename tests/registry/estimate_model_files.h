// Files of a small estimate model for tests.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "core/model/estimate/estimate_model.h"
#include "tests/registry/fake_model.h"

namespace vrp::test {

// Writes an estimate model that answers the cost of the quick plan less 10 % to `directory`. It
// knows 2 to 20 customers. A customer adds `added` of the quick plan's cost per customer; 0: the
// model does not know.
inline absl::Status WriteEstimateModel(const std::string& directory, float added = 0) {
  const EstimateSettings settings = {.network = {.width = 16, .layers = 1, .heads = 2, .hidden = 4},
                                     .min_customers = 2,
                                     .max_customers = 20,
                                     .windows = 0.5,
                                     .instances = 1,
                                     .coverage = 0.9};
  EstimateStatistics statistics;
  statistics.deviations.fill(1);
  statistics.layouts.limit = 100;
  statistics.times.limit = 100;
  statistics.target_means = {-0.1F, 0};
  statistics.target_deviations = {0.01F, 0.1F};
  statistics.interval_factors = {2, 1};
  statistics.added[0] = statistics.added[kAddedFeatureCount] = added;
  FlatParameters weights(EstimateLayout(settings.network), 1);
  PutStatistics(statistics, weights.values());
  ModelCard card = ACard(weights.Save(), "");
  card.architecture = kEstimateArchitecture;
  card.architecture_json = WriteEstimateSettings(settings);
  card.input_features = EstimateInputFeatures();
  card.parameters = weights.size();
  absl::Status status = AtomicWriteFile(Concat(directory, "/", kWeightsFile), weights.Save());
  status.Update(AtomicWriteFile(Concat(directory, "/", kCardFile), WriteModelCard(card)));
  return status;
}

}  // namespace vrp::test
