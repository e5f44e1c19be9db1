// A clock that measures how long one thread spends in each phase of a step.
#pragma once

#include <chrono>

#include "core/model/policy/policy_engine.h"

namespace vrp {

// A clock of one thread's time per phase. Not thread-safe. `seconds` must outlive the clock.
class PhaseClock {
 public:
  explicit PhaseClock(PhaseSeconds& seconds) : seconds_(seconds), last_(Clock::now()) {}

  // Adds to `phase` the time since the last call, or since construction.
  void Spent(Phase phase) {
    const auto now = Clock::now();
    seconds_[static_cast<size_t>(phase)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;

  PhaseSeconds& seconds_;
  Clock::time_point last_;
};

}  // namespace vrp
