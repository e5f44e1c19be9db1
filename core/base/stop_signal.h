// Tells threads that wait, or do something now and then, that they have to end.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "absl/time/time.h"

namespace vrp {

// Thread-safe. Not by Abseil's locks: their waits end by the machine's clock, and last an hour
// longer when it is set back by one.
class StopSignal {
 public:
  void Set() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      set_ = true;
    }
    changed_.notify_all();
  }
  bool IsSet() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return set_;
  }
  // Blocks until it is set, at most `timeout`; returns whether it is.
  bool WaitFor(absl::Duration timeout) const {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, absl::ToChronoNanoseconds(std::min(timeout, kLongest)),
                             [this] { return set_; });
  }

 private:
  static constexpr absl::Duration kLongest = absl::Hours(24 * 365);  // added to now, it must fit

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool set_ = false;
};

}  // namespace vrp
