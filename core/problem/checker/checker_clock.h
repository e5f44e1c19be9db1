// Computes the times of a route for the checker. By bisection, finds the latest start that neither
// delays the route's end nor increases lateness.
#pragma once

#include <optional>
#include <vector>

#include "core/problem/checker/checker_data.h"
#include "core/problem/checker/checker_driving.h"

namespace vrp {

// A stop that starts after its last window, which may be soft.
struct LateStop {
  size_t index = 0;  // index into the path
  double ready = 0;  // time at which the service starts
  TimeWindow window = {};
};

// The times of a route.
struct ClockReading {
  double start = 0;
  double end = 0;
  std::vector<LateStop> late = {};  // filled only if the times include no break
  double late_cost = 0;             // computed only if the times include breaks; else 0
  // The first break that cannot be taken. If there is one, the times are those without any break.
  std::optional<size_t> missed_break = {};
  // Whether the driver cannot take the breaks that driving_rules want. If so, the times are those
  // without any break.
  bool misses_driving_break = false;
  // Whether the breaks have too many possible positions among soft windows, or with driving_rules,
  // to try them all. If so, the times are those without any break. Searches give up at a quarter of
  // the limit (late_breaks.h) and schedules at half of it, so no solver returns such a route.
  bool too_many_labels = false;
  // The travel times of all legs. Computed only if a limit or a cost of the vehicle depends on it.
  double driving = 0;
};

// A clock that computes the times of one route. With `latest`, the route starts as late as possible
// without delaying its end or increasing lateness; else as early as possible. Breaks are placed to
// minimise the cost of lateness, then the end. With breaks, starts compare by their cost of
// lateness. If travel times depend on the departure, the driving decides between breaks after which
// a stop starts at the same time. Not thread-safe.
class CheckerClock {
 public:
  // `path` holds the start depot, the visits, and the end depot unless the end is open. `vehicle`
  // must outlive the clock.
  CheckerClock(const CheckerData& data, const VehicleType& vehicle,
               const std::vector<NodeIndex>& path);

  ClockReading Read(bool latest) const;

 private:
  // The result of one simulation.
  struct Run {
    std::vector<double> begins;  // start of service at each stop
    double end = 0;
    double late_cost = 0;  // computed only with breaks and soft windows
  };

  // Fills in CheckerStop::barred_breaks.
  void BarBreaks(const CheckerData& data, const std::vector<NodeIndex>& path);
  // Takes the next break on the way to a stop. `now` is the time before it and then after it, and
  // `remaining_travel` what is left of the leg. Returns false if the vehicle cannot take it there.
  bool TakeBreak(size_t stop, size_t index, double slack, double& now,
                 double& remaining_travel) const;
  Run Simulate(double start, double slack) const;
  // Returns the end of the route with the first `count` breaks taken; kNoLimit if that is
  // impossible.
  double EndWithBreaks(double start, size_t count, double slack) const;
  // A departure from a stop, with the cost of lateness up to the stop.
  using Label = CheckerEnd;
  // Labels of which none dominates another: no label is both as early and as cheap as another.
  using Labels = std::vector<Label>;

  // Returns the labels at the end with every break taken. If there are too many labels, returns
  // none and sets too_many_labels_.
  Labels LabelsWithBreaks(double start, double slack) const;
  // Extends `from` to `stop` and adds the labels to `reached`, which is indexed by breaks taken.
  void ExtendLabel(size_t stop, size_t taken, const Label& from, double slack,
                   std::vector<Labels>& reached) const;
  // Adds `label` to `labels` unless another label dominates it. Removes the labels that it
  // dominates.
  void AddLabel(const Label& label, Labels& labels) const;
  // Returns the label with the least cost of lateness and, among these, the earliest end.
  std::optional<Label> BestLabel(double start, double slack) const;
  // Returns the time that the route drives from `start`, with the first `breaks` breaks.
  double DrivingFrom(double start, size_t breaks, double slack) const;
  bool HasSoftStop() const;
  // Returns the largest cost of a unit of lateness.
  double MostLateCost() const;
  // Whether labels find the times, with `breaks` planned breaks.
  bool UsesLabels(size_t breaks) const { return by_rules_ || (breaks > 0 && HasSoftStop()); }
  // Returns the difference up to which costs of lateness count as equal.
  double CostTolerance() const;
  // Returns the end of `first`, with room for rounding if travel times depend on the departure.
  double AllowedEnd(const Run& first) const;
  // Whether a departure at `start` neither delays the end of `first` nor increases its lateness.
  bool DelaysNothing(double start, const Run& first, size_t breaks) const;
  double LatestStart(const Run& first, size_t breaks) const;
  // Narrows the interval between `latest_good` and `earliest_bad`, two starts.
  void NarrowByDelay(const Run& first, size_t breaks, double& latest_good,
                     double& earliest_bad) const;
  std::optional<size_t> MissedBreak() const;

  const VehicleType& vehicle_;
  const double tolerance_;
  std::vector<CheckerStop> stops_;
  bool timed_ = false;                 // whether travel times depend on the departure
  mutable std::vector<double> times_;  // scratch of EndWithBreaks
  mutable std::vector<double> next_;   // scratch of EndWithBreaks
  mutable bool too_many_labels_ = false;
  mutable bool by_rules_ = false;  // whether the times include the breaks of driving_rules
};

}  // namespace vrp
