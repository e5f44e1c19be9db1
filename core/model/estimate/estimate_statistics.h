// Statistics of a training's instances and errors, which a model has beside the network's weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/estimate/estimate_features.h"
#include "core/model/estimate/estimate_network.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// Global features that do not depend on times, by which layouts are compared: the first ones.
inline constexpr int32_t kLayoutFeatures = 14;
// Coefficients of a correction of log(cost): 1 and log(customers), without and with windows.
inline constexpr int32_t kCorrections = 4;

// Normalisations, the known layouts, and the corrections of a validation.
struct EstimateStatistics {
  using Globals = std::array<float, kEstimateGlobalCount>;

  Globals means = {};
  Globals deviations = {};
  // Range of each feature in the training.
  Globals low = {};
  Globals high = {};
  // Inverse of the Cholesky factor of the covariance of the normalised layout features, row-major.
  std::array<float, size_t{kLayoutFeatures}* kLayoutFeatures> factor = {};
  float layout_limit = 0;                            // the largest distance that counts as known
  std::array<float, 2> target_means = {};            // of the logarithms for costs and routes
  std::array<float, 2> target_deviations = {};       // likewise
  std::array<float, kCorrections> corrections = {};  // subtracted from log(cost)
  std::array<float, 2> interval_factors = {};        // of the scales of costs and routes

  // Returns the features less their means, by their deviations, at most 6 in size.
  Globals Normalised(const Globals& globals) const;
  // Returns the distance of a layout to those of the training (Mahalanobis, by the root of the
  // number of features), from normalised features.
  double LayoutDistance(const Globals& normalised) const;
  // Returns the correction for a problem.
  double Correction(double customers, bool timed) const;
};

// Returns the layout of a model on disk: the parameters of the network, then, frozen, the
// statistics.
ParameterLayout EstimateLayout(const EstimateNetworkOptions& options);
// Copies the statistics to and from the end of `values`, which has such a layout.
void PutStatistics(const EstimateStatistics& statistics, std::span<float> values);
EstimateStatistics GetStatistics(std::span<const float> values);

}  // namespace vrp
