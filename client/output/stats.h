// What a daemon does, from its figures at one time or at two.
#pragma once

#include <optional>
#include <string>

#include "client/output/json.h"
#include "vrp/v1/system_service.pb.h"

namespace vrp::client {

// What happened between two answers, or since the daemon began where there is only one.
class StatsInterval {
 public:
  // `device_loss` as in ServerInfo.
  explicit StatsInterval(v1::ServerStats now, std::optional<v1::ServerStats> before = std::nullopt,
                         std::string device_loss = "");

  const v1::ServerStats& now() const { return now_; }
  double seconds() const { return seconds_; }
  const std::string& device_loss() const { return device_loss_; }
  bool since_start() const { return !before_.has_value(); }

  // Of one RPC.
  struct Rpc {
    std::string name;  // "SolverService/Solve"
    double per_second = 0;
    int64_t failed = 0;  // in the interval, with any code but OK
    int64_t total = 0;   // since the daemon began
    int64_t in_flight = 0;
    // Seconds; NaN where there was none.
    double median = 0;
    double p99 = 0;
  };
  // The busiest first.
  std::vector<Rpc> Rpcs() const;
  // Of all RPCs together.
  Rpc Total() const;
  // Seconds that work waited in the queue.
  double QueueWaitP99(const v1::QueueStats& queue) const;
  // Cores that were busy for the daemon.
  double BusyCores() const;

 private:
  const v1::RpcStats* Before(const std::string& rpc) const;

  const v1::ServerStats now_;
  const std::optional<v1::ServerStats> before_;
  const std::string device_loss_;
  double seconds_ = 0;
};

// The value below which the share `quantile` of what was counted lies, interpolated within its
// bucket; beyond the last finite bound that bound. NaN where nothing was counted.
double QuantileOf(const v1::DurationHistogram& histogram, double quantile);

// A page; each line ends with a line break.
std::string StatsText(const StatsInterval& stats, const std::string& remote);
// The same in one line.
std::string StatsLine(const StatsInterval& stats);
Json StatsJson(const StatsInterval& stats);

}  // namespace vrp::client
