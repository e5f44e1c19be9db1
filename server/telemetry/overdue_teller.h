// Looks once a second whether any work hangs, from the first phase of a start on.
#pragma once

#include <thread>

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/base/stop_signal.h"
#include "server/support/metrics.h"
#include "server/telemetry/watchdog.h"

namespace vrp {

// Tells what the watchdog finds by a warning each, and counts it. Thread-safe.
class OverdueTeller {
 public:
  struct Options {
    Watchdog* watchdog = nullptr;  // both outlive the teller
    Metrics* metrics = nullptr;    // null: it only warns
    absl::Duration interval = absl::Seconds(1);
  };
  explicit OverdueTeller(const Options& options);
  // After the look that is under way.
  ~OverdueTeller();
  OverdueTeller(const OverdueTeller&) = delete;
  OverdueTeller& operator=(const OverdueTeller&) = delete;

  // One look; the thread of the teller does nothing else.
  void Look(absl::Time now = SteadyNow());

 private:
  const Options options_;
  StopSignal stopping_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace vrp
