// What there is the time for.
#pragma once

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/base/stop.h"

namespace vrp {

// Of work that is worth nothing unless it is finished in a share of the time that there is. Begins
// when it is made; one thread. `stop` must outlive it.
class Pace {
 public:
  Pace(const StopCondition& stop, double share, int64_t steps)
      : stop_(stop), steps_(steps), end_(begun_ + share * (stop.deadline() - begun_)) {}

  // After `done` of the steps: whether to stop, or whether the rest would at this pace take well
  // longer.
  bool Hopeless(int64_t done) const {
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
