// A clock that tests set manually.
#pragma once

#include <algorithm>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/clock.h"

namespace vrp::test {

// A clock that stands still between Advance calls. Thread-safe.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(absl::Time now = absl::FromUnixSeconds(1'800'000'000)) : now_(now) {}

  absl::Time Now() const override {
    absl::MutexLock lock(&mu_);
    return now_;
  }
  absl::Time SteadyNow() const override {
    absl::MutexLock lock(&mu_);
    return steady_;
  }
  // Moves the clock. A negative duration sets back its time, but not its steady time.
  void Advance(absl::Duration duration) {
    absl::MutexLock lock(&mu_);
    now_ += duration;
    steady_ += std::max(duration, absl::ZeroDuration());
  }

 private:
  mutable absl::Mutex mu_;
  absl::Time now_ ABSL_GUARDED_BY(mu_);
  absl::Time steady_ ABSL_GUARDED_BY(mu_) = now_;
};

}  // namespace vrp::test
