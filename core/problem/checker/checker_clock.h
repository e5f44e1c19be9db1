// The checker's clock: simulates a route from a start, and finds the latest good start by trying.
#pragma once

#include <optional>
#include <vector>

#include "core/problem/checker/checker_data.h"

namespace vrp {

// A stop that starts after its last window, however soft.
struct LateStop {
  size_t index = 0;  // into the path
  double ready = 0;
  TimeWindow window = {};
};

struct ClockReading {
  double start = 0;
  double end = 0;
  std::vector<LateStop> late = {};
  double late_cost = 0;                     // with breaks, where `late` tells nothing
  std::optional<size_t> missed_break = {};  // the first that cannot be taken; then none is
  // The breaks may go to so many places, each with its own lateness, that not all are tried; then
  // none is taken. A search takes no such route: it stops at a quarter of them.
  bool too_many_ways = false;
};

// `path`: the start depot, the visits, and the end depot unless the end is open. Latest: leaves as
// late as neither delays the end nor makes any stop later; else as soon as it can. Breaks are taken
// where lateness costs least, then where the end is soonest; then "later" means dearer. One thread.
class CheckerClock {
 public:
  CheckerClock(const CheckerData& data, const VehicleType& vehicle,
               const std::vector<NodeIndex>& path);

  ClockReading Read(bool latest) const;

 private:
  struct Stop {
    double travel = 0;
    double work = 0;
    std::vector<TimeWindow> windows;
  };
  // What one run shows: when each stop starts, and the end.
  struct Run {
    std::vector<double> begins;
    double end = 0;
    double late_cost = 0;  // with breaks only
  };

  Run Simulate(double start, double slack) const;
  // The end with the first `count` breaks taken; kNoLimit where that cannot be.
  double EndWithBreaks(double start, size_t count, double slack) const;
  // The end of a stop, and what the lateness until then costs.
  struct Way {
    double leaves = 0;
    double late_cost = 0;
  };
  // Of two, neither is both later and dearer.
  using Ways = std::vector<Way>;

  // All ways to the end with every break taken, and those of one leg from `from` on, by breaks
  // taken. None, and too_many_ways_, where they are too many.
  Ways WaysWithBreaks(double start, double slack) const;
  void AddWaysOn(size_t stop, size_t taken, const Way& from, double slack,
                 std::vector<Ways>& reached) const;
  // The least lateness, and the soonest end with that.
  std::optional<Way> BestWay(double start, double slack) const;
  bool HasSoftStop() const;
  // Costs of lateness closer than this are equal.
  double CostTolerance() const;
  // Whether leaving at `start` ends no later than `first`, and is nowhere later.
  bool AsGood(double start, const Run& first, size_t breaks) const;
  double LatestStart(const Run& first, size_t breaks) const;
  // Narrows what LatestStart looks between.
  void Guess(const Run& first, size_t breaks, double& good, double& bad) const;
  std::optional<size_t> MissedBreak() const;

  const VehicleType& vehicle_;
  const double tolerance_;
  std::vector<Stop> stops_;
  mutable std::vector<double> times_;  // EndWithBreaks's
  mutable std::vector<double> next_;
  mutable bool too_many_ways_ = false;
};

}  // namespace vrp
