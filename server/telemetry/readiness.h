// Records whether the daemon is ready for new work. A daemon can be alive but not ready.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// The readiness of a daemon. Thread-safe.
class Readiness {
 public:
  // Adds `reason`, such as "draining", if `holds`, and removes it otherwise. While there is a
  // reason, no work should be sent. Returns whether the set of reasons changed.
  bool Set(const std::string& reason, bool holds) {
    absl::MutexLock lock(&mutex_);
    return holds ? reasons_.insert(reason).second : reasons_.erase(reason) > 0;
  }
  // Returns all reasons; empty if the daemon is ready.
  std::vector<std::string> reasons() const {
    absl::MutexLock lock(&mutex_);
    return {reasons_.begin(), reasons_.end()};
  }

 private:
  mutable absl::Mutex mutex_;
  std::set<std::string> reasons_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
