// Computes a daemon's activity from one or two readings of its statistics.
#pragma once

#include <optional>
#include <string>

#include "client/output/json.h"
#include "vrp/v1/system_service.pb.h"

namespace vrp::client {

// The interval between two readings, or from the daemon's start to a single reading.
class StatsInterval {
 public:
  // Creates the interval. `device_loss` is ServerInfo's field.
  explicit StatsInterval(v1::ServerStats now, std::optional<v1::ServerStats> before = std::nullopt,
                         std::string device_loss = "");

  const v1::ServerStats& now() const { return now_; }
  double seconds() const { return seconds_; }
  const std::string& device_loss() const { return device_loss_; }
  bool since_start() const { return !before_.has_value(); }

  // The calls of one RPC.
  struct Rpc {
    std::string name;  // such as "SolverService/Solve"
    double per_second = 0;
    int64_t failed = 0;  // calls in the interval that ended with an error
    int64_t total = 0;   // number of calls since the daemon's start
    int64_t in_flight = 0;
    // Latencies in seconds of the calls that ended in the interval; NaN if there were none.
    double median = 0;
    double p99 = 0;
  };
  // Returns all RPCs, the busiest first.
  std::vector<Rpc> Rpcs() const;
  // Returns the sums over all RPCs, and the quantiles of all their latencies.
  Rpc Total() const;
  // Returns the 99th percentile of the queue's waiting time, in seconds; NaN if no request left the
  // queue in the interval.
  double QueueWaitP99(const v1::QueueStats& queue) const;
  // Returns the mean number of cores that the daemon kept busy.
  double BusyCores() const;

 private:
  const v1::RpcStats* PreviousStats(const std::string& rpc) const;

  const v1::ServerStats now_;
  const std::optional<v1::ServerStats> before_;
  const std::string device_loss_;
  double seconds_ = 0;
};

// Returns a quantile in seconds, interpolated within its bucket. Returns at most the last finite
// bound, and NaN for an empty histogram.
double QuantileOf(const v1::DurationHistogram& histogram, double quantile);

// Returns a page of text. Each line ends with a line break.
std::string StatsText(const StatsInterval& stats, const std::string& remote);
// Returns the statistics in one line.
std::string StatsLine(const StatsInterval& stats);
Json StatsJson(const StatsInterval& stats);

}  // namespace vrp::client
