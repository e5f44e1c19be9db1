// Checks once a second whether clients may send new work.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/base/stop_signal.h"
#include "server/support/work_pool.h"
#include "server/telemetry/readiness.h"

namespace vrp {

// A monitor that makes the daemon not ready in two cases. In the first, the solve queue was full at
// every poll for ten seconds. In the second, the monitor cannot write a file in the state folder.
// It tries to write one every ten seconds. Thread-safe.
class HealthMonitor {
 public:
  struct Options {
    Readiness* readiness = nullptr;  // both outlive the monitor
    const WorkPool* solve_pool = nullptr;
    std::string state_dir;
    std::function<void(bool ready)> on_ready;  // called by the first Poll and at each change
    absl::Duration interval = absl::Seconds(1);
  };
  explicit HealthMonitor(Options options);
  // Blocks until the current Poll has returned.
  ~HealthMonitor();
  HealthMonitor(const HealthMonitor&) = delete;
  HealthMonitor& operator=(const HealthMonitor&) = delete;

  // Checks the queue, and the state folder if ten seconds have passed since its last check. The
  // monitor's thread calls Poll at each interval.
  void Poll(absl::Time now = SteadyNow());

 private:
  void CheckQueue(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CheckStateFolder(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetReason(const std::string& reason, bool holds);

  const Options options_;
  absl::Mutex mutex_;
  StopSignal stopping_;
  absl::Time full_since_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  absl::Time next_probe_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::optional<bool> reported_ ABSL_GUARDED_BY(mutex_);  // the last value given to on_ready
  std::thread thread_;                                    // last, because it uses the other members
};

}  // namespace vrp
