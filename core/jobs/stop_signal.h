// Tells the threads of the job manager that the daemon stops.
#pragma once

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace vrp {

// Thread-safe.
class StopSignal {
 public:
  void Set() {
    absl::MutexLock lock(&mutex_);
    set_ = true;
  }
  bool IsSet() const {
    absl::MutexLock lock(&mutex_);
    return set_;
  }
  // Blocks until it is set, at most `timeout`; returns whether it is.
  bool WaitFor(absl::Duration timeout) const {
    absl::MutexLock lock(&mutex_);
    return mutex_.AwaitWithTimeout(absl::Condition(&set_), timeout);
  }

 private:
  mutable absl::Mutex mutex_;
  bool set_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace vrp
