// Time as an argument, so that tests can hold it still.
#pragma once

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace vrp {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
};

}  // namespace vrp
