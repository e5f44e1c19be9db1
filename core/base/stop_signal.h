// A signal that ends waiting and periodic threads.
#pragma once

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/steady_cond_var.h"

namespace vrp {

// A one-shot signal. Thread-safe.
class StopSignal {
 public:
  void Set() {
    {
      absl::MutexLock lock(&mutex_);
      set_ = true;
    }
    changed_.NotifyAll();
  }
  bool IsSet() const {
    absl::MutexLock lock(&mutex_);
    return set_;
  }
  // Blocks until the signal is set, at most for `timeout`. Returns whether the signal is set.
  bool WaitFor(absl::Duration timeout) const {
    absl::MutexLock lock(&mutex_);
    return changed_.WaitFor(&mutex_, timeout, [this] {
      mutex_.AssertHeld();
      return set_;
    });
  }

 private:
  mutable absl::Mutex mutex_;
  mutable SteadyCondVar changed_;
  bool set_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace vrp
