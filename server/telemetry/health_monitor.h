// Looks once a second whether new work may be sent here.
#pragma once

#include <functional>
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

// A queue that was full at every look for ten seconds, and a state folder that cannot be written
// (tried every ten seconds), make the daemon not ready; both mend themselves. Thread-safe.
class HealthMonitor {
 public:
  struct Options {
    Readiness* readiness = nullptr;  // both outlive the monitor
    const WorkPool* solve_pool = nullptr;
    std::string state_dir;
    std::function<void(bool ready)> on_ready;  // told at first, then of each change
    absl::Duration interval = absl::Seconds(1);
  };
  explicit HealthMonitor(Options options);
  // After the look that is under way.
  ~HealthMonitor();
  HealthMonitor(const HealthMonitor&) = delete;
  HealthMonitor& operator=(const HealthMonitor&) = delete;

  // One look; the thread of the monitor does nothing else.
  void Look(absl::Time now = SteadyNow());

 private:
  void LookAtQueue(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LookAtStateFolder(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetReason(const std::string& reason, bool holds);

  const Options options_;
  absl::Mutex mutex_;
  StopSignal stopping_;
  absl::Time full_since_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  absl::Time next_probe_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  bool told_ ABSL_GUARDED_BY(mutex_) = false;
  bool ready_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace vrp
