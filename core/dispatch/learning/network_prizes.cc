#include "core/dispatch/learning/network_prizes.h"

#include <algorithm>

#include "core/base/status_macros.h"

namespace vrp {

absl::StatusOr<std::vector<double>> NetworkPrizes::Prizes(const DispatchState& state,
                                                          const DecisionOptions& options) const {
  FeatureOptions with_time = options_;
  with_time.decision = options;
  with_time.pairs = network_.network->ReadsPairs();
  VRP_ASSIGN_OR_RETURN(const DecisionFeatures features, features_->Of(state, with_time));
  std::vector<double> prizes;
  prizes.reserve(features.requests.size());
  for (const float output : network_.network->Predict(features)) {
    prizes.push_back(std::max(0.0, (output + network_.shift) * distance_));
  }
  return prizes;
}

}  // namespace vrp
