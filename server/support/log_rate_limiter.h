// Limits the rate of log lines that any client can provoke.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace vrp {

// A rate limiter. Thread-safe.
class LogRateLimiter {
 public:
  explicit LogRateLimiter(absl::Duration interval) : interval_(interval) {}

  // Returns nullopt if a line at `now` must be suppressed. Otherwise returns the number of lines
  // suppressed since the last written line.
  std::optional<int64_t> Pass(absl::Time now) {
    absl::MutexLock lock(&mutex_);
    if (now < last_ + interval_ && now >= last_) {
      ++suppressed_;
      return std::nullopt;
    }
    last_ = now;
    return std::exchange(suppressed_, 0);
  }

 private:
  const absl::Duration interval_;
  absl::Mutex mutex_;
  absl::Time last_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  int64_t suppressed_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace vrp
