#include "core/train/run/run_clock.h"

#include <utility>

#include "core/base/steady_time.h"

namespace vrp {

RunClock::RunClock(const CpuPool& pool)
    : pool_(pool),
      begun_(SteadyNow()),
      phase_start_(begun_),
      extra_since_(pool.extra_thread_seconds()) {}

double RunClock::ThreadSeconds() const {
  return absl::ToDoubleSeconds(SteadyNow() - begun_) + pool_.extra_thread_seconds();
}

RunPhase RunClock::Switch(RunPhase next) {
  const absl::Time now = SteadyNow();
  const double extra = pool_.extra_thread_seconds();
  const double wall = absl::ToDoubleSeconds(now - phase_start_);
  RunPhaseTime& time = Of(current_);
  time.wall_seconds += wall;
  time.thread_seconds += wall + extra - extra_since_;
  phase_start_ = now;
  extra_since_ = extra;
  return std::exchange(current_, next);
}

const RunPhaseTimes& RunClock::Read() {
  Switch(current_);
  return times_;
}

}  // namespace vrp
