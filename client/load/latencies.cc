#include "client/load/latencies.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vrp::client {

absl::Duration Latencies::Mean() const {
  if (empty()) return absl::ZeroDuration();
  return absl::Seconds(std::accumulate(seconds_.begin(), seconds_.end(), 0.0) /
                       static_cast<double>(seconds_.size()));
}

absl::Duration Latencies::Quantile(double quantile) const {
  if (empty()) return absl::ZeroDuration();
  const auto count = static_cast<double>(seconds_.size());
  const double rank = std::clamp(std::ceil(quantile * count), 1.0, count);
  std::vector<double> ordered = seconds_;
  const auto at = ordered.begin() + static_cast<int64_t>(rank) - 1;
  std::nth_element(ordered.begin(), at, ordered.end());
  return absl::Seconds(*at);
}

}  // namespace vrp::client
