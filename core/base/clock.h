// A clock that callers pass in, so that tests can control the time.
#pragma once

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/base/steady_time.h"

namespace vrp {

// A source of the current time. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // Returns wall time, for display and storage. Wall time jumps when an administrator sets the
  // machine's clock.
  virtual absl::Time Now() const = 0;
  // Returns monotonic time, for durations and deadlines (steady_time.h).
  virtual absl::Time SteadyNow() const = 0;
};

// The clock of this machine.
class SystemClock final : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
  absl::Time SteadyNow() const override { return vrp::SteadyNow(); }
};

}  // namespace vrp
