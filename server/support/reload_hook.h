// Holds the function that SIGHUP runs while the daemon exists.
#pragma once

#include <functional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// A replaceable function. Thread-safe.
class ReloadHook {
 public:
  // Replaces the function. Blocks until a running Run has returned. If `reload` is null, later Runs
  // do nothing.
  void Set(std::function<void()> reload) {
    absl::MutexLock lock(&mutex_);
    reload_ = std::move(reload);
  }
  void Run() {
    absl::MutexLock lock(&mutex_);
    if (reload_ != nullptr) reload_();
  }

 private:
  absl::Mutex mutex_;
  std::function<void()> reload_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
