// Prizes by a network.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/dispatch/learning/features.h"
#include "core/dispatch/learning/prize_network.h"
#include "core/dispatch/prize_model.h"

namespace vrp {

// A network whose output is shifted.
struct ShiftedNetwork {
  std::shared_ptr<const PrizeNetwork> network;
  float shift = 0;  // in units of the site's mean distance
};

// Computes features, then prizes by a network.
class NetworkPrizes : public PrizeModel {
 public:
  // `options.decision` is ignored: that of the call is used. `options.pairs` is ignored: the
  // network determines it. `features` is of the site of `mean_distance`. Several networks may share
  // it.
  NetworkPrizes(std::shared_ptr<const FeatureMaker> features, double mean_distance,
                ShiftedNetwork network, const FeatureOptions& options)
      : features_(std::move(features)),
        distance_(mean_distance),
        network_(std::move(network)),
        options_(options) {}
  NetworkPrizes(const DispatchSite& site, std::shared_ptr<const RequestSampler> sampler,
                ShiftedNetwork network, const FeatureOptions& options)
      : NetworkPrizes(std::make_shared<FeatureMaker>(site, std::move(sampler)),
                      site.mean_distance(), std::move(network), options) {}
  absl::StatusOr<std::vector<double>> Prizes(const DispatchState& state,
                                             const DecisionOptions& options) const override;

 private:
  const std::shared_ptr<const FeatureMaker> features_;
  const double distance_;  // unit of the network's output
  const ShiftedNetwork network_;
  const FeatureOptions options_;
};

}  // namespace vrp
