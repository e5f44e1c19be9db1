// Whether there is time for a piece of work.
#pragma once

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/base/stop.h"

namespace vrp {

// Estimates whether work that is useless unless finished will end within a share of the time left.
// The work begins at construction. Not thread-safe. `stop` must outlive it.
class DeadlineMonitor {
 public:
  DeadlineMonitor(const StopCondition& stop, double share, int64_t steps)
      : stop_(stop), steps_(steps), end_(begun_ + share * (stop.deadline() - begun_)) {}

  // Returns whether, after `done` of the steps, the stop holds or the rest would take well longer
  // at the rate so far.
  bool WillMiss(int64_t done) const {
    if (end_ == absl::InfiniteFuture()) return stop_.ShouldStop();
    const absl::Time now = SteadyNow();
    const absl::Duration rest = (now - begun_) * (static_cast<double>(steps_ - done) / done);
    return stop_.ShouldStop() || rest > kPatience * (end_ - now);
  }

 private:
  static constexpr double kPatience = 1.5;  // the first steps are the slowest

  const StopCondition& stop_;
  const int64_t steps_;
  const absl::Time begun_ = SteadyNow();
  const absl::Time end_;
};

// Whether there is the time for a matrix of distances between so many nodes and to make use of it:
// without one fewer neighbours are looked at, in the plane.
inline bool WorthAMatrix(const StopCondition& stop, int64_t nodes) {
  constexpr absl::Duration kEntry = absl::Nanoseconds(6);
  constexpr double kWorthwhile = 8;
  return stop.deadline() == absl::InfiniteFuture() ||
         stop.deadline() - SteadyNow() >= kWorthwhile * static_cast<double>(nodes * nodes) * kEntry;
}

}  // namespace vrp
