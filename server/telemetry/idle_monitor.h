// Detects that the daemon is unused, so that the program can end.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/base/stop_signal.h"
#include "server/support/metrics.h"

namespace vrp {

// A monitor that reports once that the daemon was idle for a time. An idle daemon has no calls, and
// no waiting or running jobs. Open connections without calls do not count. Thread-safe.
class IdleMonitor {
 public:
  struct Options {
    absl::Duration limit;              // time without calls and jobs after which on_idle is called
    const Metrics* metrics = nullptr;  // outlives the monitor
    // Whether a job waits or runs. Called only if there was no call for `limit`; may block on the
    // disk.
    std::function<bool()> has_jobs;
    std::function<void()> on_idle;  // called once
    absl::Duration interval = absl::Seconds(1);
  };
  explicit IdleMonitor(Options options);
  // Blocks until the current Poll has returned.
  ~IdleMonitor();
  IdleMonitor(const IdleMonitor&) = delete;
  IdleMonitor& operator=(const IdleMonitor&) = delete;

  // Checks once. The monitor's thread calls Poll at each interval.
  void Poll(absl::Time now = SteadyNow());

 private:
  // Whether a call began since the last Poll, or is in flight.
  bool SawCalls() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  absl::Mutex mutex_;
  StopSignal stopping_;
  int64_t begun_ ABSL_GUARDED_BY(mutex_) = 0;  // calls that had begun at the last Poll
  absl::Time idle_since_ ABSL_GUARDED_BY(mutex_) = SteadyNow();
  bool reported_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last, because it uses the other members
};

}  // namespace vrp
