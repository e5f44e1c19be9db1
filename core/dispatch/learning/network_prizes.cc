#include "core/dispatch/learning/network_prizes.h"

#include <algorithm>

#include "core/base/status_macros.h"

namespace vrp {

absl::StatusOr<std::vector<double>> NetworkPrizes::Prizes(const DispatchState& state,
                                                          const DecisionOptions& options) const {
  FeatureOptions with_time = options_;
  with_time.decision = options;
  VRP_ASSIGN_OR_RETURN(const std::vector<DispatchFeatures> features,
                       features_->Of(state, with_time));
  std::vector<double> prizes;
  prizes.reserve(features.size());
  for (const DispatchFeatures& row : features) {
    prizes.push_back(std::max(0.0, network_.Predict(row) * distance_));
  }
  return prizes;
}

}  // namespace vrp
