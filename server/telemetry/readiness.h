// Whether new work may be sent here, which is not the same as being alive.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// Thread-safe.
class Readiness {
 public:
  // `reason` as "draining": why no work should be sent, as long as it holds. Returns whether that
  // changed anything.
  bool Set(const std::string& reason, bool holds) {
    absl::MutexLock lock(&mutex_);
    return holds ? reasons_.insert(reason).second : reasons_.erase(reason) > 0;
  }
  // Empty: it is ready.
  std::vector<std::string> reasons() const {
    absl::MutexLock lock(&mutex_);
    return {reasons_.begin(), reasons_.end()};
  }

 private:
  mutable absl::Mutex mutex_;
  std::set<std::string> reasons_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
