// Time as an argument, so that tests can hold it still.
#pragma once

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/base/steady_time.h"

namespace vrp {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // To be shown and stored; it jumps when somebody sets the machine's clock.
  virtual absl::Time Now() const = 0;
  // For durations: see steady_time.h.
  virtual absl::Time SteadyNow() const = 0;
};

class SystemClock final : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
  absl::Time SteadyNow() const override { return vrp::SteadyNow(); }
};

}  // namespace vrp
