// Latencies of many requests and what is said of them.
#pragma once

#include <vector>

#include "absl/time/time.h"

namespace vrp::client {

// Not thread-safe. Keeps each of them: 8 bytes a request.
class Latencies {
 public:
  void Add(absl::Duration latency) { seconds_.push_back(absl::ToDoubleSeconds(latency)); }

  bool empty() const { return seconds_.empty(); }
  // Of none: 0.
  absl::Duration Mean() const;
  // The least that at least `share` of them (0 to 1) do not exceed (nearest rank). Of none: 0.
  absl::Duration Percentile(double share) const;

 private:
  std::vector<double> seconds_;
};

}  // namespace vrp::client
