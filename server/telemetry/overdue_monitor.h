// Checks periodically, once a second by default, for overdue work, including startup phases and
// restores.
#pragma once

#include <thread>

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/base/stop_signal.h"
#include "server/support/metrics.h"
#include "server/telemetry/watchdog.h"

namespace vrp {

// A monitor that logs and counts the overdue work that the watchdog finds. Thread-safe.
class OverdueMonitor {
 public:
  struct Options {
    Watchdog* watchdog = nullptr;  // both outlive the monitor
    Metrics* metrics = nullptr;    // optional
    absl::Duration interval = absl::Seconds(1);
  };
  explicit OverdueMonitor(const Options& options);
  // Blocks until the current Poll has returned.
  ~OverdueMonitor();
  OverdueMonitor(const OverdueMonitor&) = delete;
  OverdueMonitor& operator=(const OverdueMonitor&) = delete;

  // Checks all work once. The monitor's thread calls Poll at each interval.
  void Poll(absl::Time now = SteadyNow());

 private:
  const Options options_;
  StopSignal stopping_;
  std::thread thread_;  // last, because it uses the other members
};

}  // namespace vrp
