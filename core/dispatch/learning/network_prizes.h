// Prizes by a small network.
#pragma once

#include <memory>
#include <utility>

#include "core/dispatch/learning/features.h"
#include "core/dispatch/learning/prize_network.h"
#include "core/dispatch/prize_model.h"

namespace vrp {

// Computes features, then prizes by a network.
class NetworkPrizes : public PrizeModel {
 public:
  // `options.decision` is ignored: that of the call is used.
  NetworkPrizes(DispatchSite site, std::shared_ptr<const RequestSampler> sampler,
                PrizeNetwork network, const FeatureOptions& options)
      : distance_(site.mean_distance()),
        features_(std::move(site), std::move(sampler)),
        network_(std::move(network)),
        options_(options) {}
  absl::StatusOr<std::vector<double>> Prizes(const DispatchState& state,
                                             const DecisionOptions& options) const override;

 private:
  const double distance_;
  const FeatureMaker features_;
  const PrizeNetwork network_;
  const FeatureOptions options_;
};

}  // namespace vrp
