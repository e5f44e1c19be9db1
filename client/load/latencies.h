// Computes the mean and quantiles of many requests' latencies.
#pragma once

#include <vector>

#include "absl/time/time.h"

namespace vrp::client {

// A collection of latencies that takes 8 bytes per request. Not thread-safe.
class Latencies {
 public:
  void Add(absl::Duration latency) { seconds_.push_back(absl::ToDoubleSeconds(latency)); }

  bool empty() const { return seconds_.empty(); }
  // Returns the mean; 0 if there are no latencies.
  absl::Duration Mean() const;
  // Returns the nearest-rank `quantile`, which is in [0, 1]; 0 if there are no latencies.
  absl::Duration Quantile(double quantile) const;

 private:
  std::vector<double> seconds_;
};

}  // namespace vrp::client
