// Counts the requests to the services of road networks.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/support/metric_group.h"

namespace vrp {

// Names of the metric families; comments list the labels.
inline constexpr char kRoadRequestsFamily[] = "vrp_road_requests_total";            // network, code
inline constexpr char kRoadDurationFamily[] = "vrp_road_request_duration_seconds";  // network
inline constexpr char kRoadCacheFamily[] = "vrp_road_cache_lookups_total";  // network, result

// The metrics of all road networks. Thread-safe.
class RoadMetrics {
 public:
  // Records one try of a request, which may have failed.
  void RecordTry(const std::string& network, absl::Duration duration, const absl::Status& status);
  void RecordLookup(const std::string& network, bool hit);
  void AppendTo(std::vector<MetricFamily>& families) const;

 private:
  MetricGroup<Counter> requests_{kRoadRequestsFamily,
                                 "Requests to the services of road networks, each try counted."};
  MetricGroup<Histogram> durations_{kRoadDurationFamily,
                                    "Time of one try of a request to a road network's service."};
  MetricGroup<Counter> lookups_{kRoadCacheFamily,
                                "Cache lookups of road network matrices by result."};
};

}  // namespace vrp
