// The road networks of the daemon.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "server/config/road_network_options.h"
#include "server/roads/http_client.h"
#include "server/roads/road_cache.h"
#include "server/roads/road_metrics.h"
#include "server/roads/road_service.h"
#include "server/roads/road_source.h"
#include "server/support/log_rate_limiter.h"
#include "server/support/metric_family.h"

namespace vrp {

// A source that asks the configured services, in blocks and in parallel, and keeps their matrices.
// Logs failures. Thread-safe.
class RoadNetworks final : public RoadSource {
 public:
  struct Options {
    std::vector<RoadNetworkOptions> networks;
    size_t cache_bytes = 0;
    const Clock* clock = nullptr;                          // outlives the source
    absl::Duration first_pause = absl::Milliseconds(100);  // before the second try of a request
  };
  // Calls no service. Returns kInternal if https needs CA certificates that cannot be read.
  static absl::StatusOr<std::unique_ptr<RoadNetworks>> Create(Options options);

  absl::StatusOr<std::shared_ptr<const RoadMatrices>> Matrices(std::string_view network,
                                                               const std::vector<RoadPlace>& places,
                                                               const StopCondition& stop) override;
  absl::StatusOr<std::vector<std::vector<RoadLine>>> Lines(
      std::string_view network, const std::vector<std::vector<RoadPlace>>& routes,
      const StopCondition& stop) override;

  // Appends the metrics of all networks, unless there are none.
  void AppendMetrics(std::vector<MetricFamily>& families) const { metrics_.AppendTo(families); }

 private:
  struct Network {
    RoadNetworkOptions options;
    std::unique_ptr<const RoadService> service;
    std::unique_ptr<HttpClient> client;
    LogRateLimiter log_limiter{absl::Seconds(1)};
  };

  explicit RoadNetworks(const Options& options);
  absl::StatusOr<Network*> Find(std::string_view name) const;
  absl::StatusOr<std::shared_ptr<const RoadMatrices>> Fetch(Network& network,
                                                            const std::vector<RoadPlace>& places,
                                                            const StopCondition& stop) const;
  absl::StatusOr<std::vector<std::vector<RoadLine>>> FetchLines(
      Network& network, const std::vector<std::vector<RoadPlace>>& routes,
      const StopCondition& stop) const;
  // Returns a service's error with the network and its URL. Logs errors at most once a second.
  // Returns kCancelled unchanged and does not log it.
  absl::Status Named(Network& network, const absl::Status& error) const;

  const Clock* const clock_;
  RoadCache cache_;
  RoadMetrics metrics_;
  std::vector<std::unique_ptr<Network>> networks_;
};

}  // namespace vrp
