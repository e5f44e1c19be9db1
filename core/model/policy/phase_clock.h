// Which phase of a step a thread's time was spent in.
#pragma once

#include <chrono>

#include "core/model/policy/policy_engine.h"

namespace vrp {

// Of one thread; `seconds` outlives it.
class PhaseClock {
 public:
  explicit PhaseClock(PhaseSeconds& seconds) : seconds_(seconds), last_(Clock::now()) {}

  // The time since the last call was spent in `phase`.
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
