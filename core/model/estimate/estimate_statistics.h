// Statistics of a training's instances and errors, which a model has beside the network's weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/estimate/added_customer.h"
#include "core/estimate/estimate_features.h"
#include "core/model/estimate/estimate_network.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// Global features that do not depend on times, by which layouts are compared: the first ones.
inline constexpr int32_t kLayoutFeatures = kEstimateLayoutGlobals;
// Coefficients of a correction of log(cost): 1 and log(customers), without and with windows.
inline constexpr int32_t kCorrections = 4;

// The distribution of the features of a training: their mean and, row-major, the inverse of the
// Cholesky factor of their covariance.
template <size_t kSize>
struct KnownRegion {
  std::array<float, kSize> means = {};
  std::array<float, kSize* kSize> factor = {};
  float limit = 0;  // the largest distance that counts as known

  // Returns the distance of the first features of `values` to those of the training (Mahalanobis,
  // by the root of their number).
  double Distance(std::span<const float> values) const;
};

// Normalisations, the known layouts and times, and the corrections of a validation.
struct EstimateStatistics {
  using Globals = std::array<float, kEstimateGlobalCount>;

  Globals means = {};
  Globals deviations = {};
  // Regions of normalised features: of the layout, and of all features if there are times.
  KnownRegion<kLayoutFeatures> layouts = {};
  KnownRegion<kEstimateGlobalCount> times = {};
  std::array<float, 2> target_means = {};            // of the logarithms for costs and routes
  std::array<float, 2> target_deviations = {};       // likewise
  std::array<float, kCorrections> corrections = {};  // subtracted from log(cost)
  std::array<float, 2> interval_factors = {};        // of the scales of costs and routes
  // Weights of the features of an added customer, without and with times, for what it adds to the
  // cost, in units of the quick plan's cost per customer.
  std::array<float, 2 * size_t{kAddedFeatureCount}> added = {};

  // Returns the features less their means, by their deviations, at most 6 in size.
  Globals Normalised(const Globals& globals) const;
  // Returns what a customer adds to the cost, in the unit of its features.
  double AddedCost(const AddedCustomer::Features& features, bool timed) const;
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
