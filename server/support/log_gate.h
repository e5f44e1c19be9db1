// A line of the log that anybody can provoke is written now and then only.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace vrp {

// Thread-safe.
class LogGate {
 public:
  explicit LogGate(absl::Duration least) : least_(least) {}

  // Whether to write a line at `now`: how many were held back since the last one. Nothing: hold it
  // back.
  std::optional<int64_t> Pass(absl::Time now) {
    absl::MutexLock lock(&mutex_);
    if (now < last_ + least_ && now >= last_) {
      ++held_back_;
      return std::nullopt;
    }
    last_ = now;
    return std::exchange(held_back_, 0);
  }

 private:
  const absl::Duration least_;
  absl::Mutex mutex_;
  absl::Time last_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  int64_t held_back_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace vrp
