// Places the breaks of a route whose customers may be served late at a cost.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/problem/plan/timed_stop.h"

namespace vrp {

// A labelling algorithm for shortest paths with resources (Irnich and Desaulniers 2005). A state is
// a stop and the number of breaks taken. Each state has the non-dominated pairs of start time and
// cost of lateness so far. Run takes O(stops * breaks^3 * labels * log(labels)), and LatestStart
// O(stops * breaks^2 * labels * (breaks + labels * log(labels))). There are usually few labels. If
// a route needs too much work, its breaks count as impossible. Not thread-safe, because it owns
// scratch memory.
class LateBreaks {
 public:
  // The input of Run. `stops` are the start (whose opening is ignored), the visits, and the end
  // unless it is open. Both spans must outlive the calls that follow Run.
  struct Route {
    std::span<const TimedStop> stops = {};
    std::span<const Break> breaks = {};
    double last_by = kNoLimit;  // latest start of the last stop, so that it ends within the shift
    double tolerance = 0;       // allowed lateness for a hard window, a break and the last stop
    double rounding = 0;        // times that differ by less count as equal
    size_t most_work = 0;       // limit on label extensions, for Run and LatestStart each
  };
  // The result of Run.
  struct Outcome {
    double late_cost = 0;  // the smallest possible, up to the rounding of costs
    double last = 0;       // the earliest start of the last stop at such a cost
  };
  // The start of a stop.
  struct Step {
    double begin = 0;
    size_t taken = 0;  // breaks taken before the stop begins
  };

  // Returns the number of label extensions that a search may spend on a route. All of them together
  // take some milliseconds, several times as long as a route with hard windows. Schedulers and the
  // checker may spend more, so that they accept every route that a search accepts.
  static size_t MaxWork(size_t stops, size_t breaks);

  // Runs the route from `start`. Returns nullopt if breaks, hard windows and last_by exclude one
  // another, or if this check takes too much work.
  std::optional<Outcome> Run(const Route& route, double start);
  // Returns the latest start that worsens neither part of the last Run's outcome beyond rounding,
  // no earlier than that Run's start. Returns nullopt if this takes too much work. Requires a Run
  // with an outcome.
  std::optional<double> LatestStart();
  // Returns the start of each stop and the number of breaks taken before it. Requires a Run with an
  // outcome.
  std::vector<Step> Steps() const;

 private:
  // A partial route up to a stop.
  struct Label {
    double begin = 0;
    double cost = 0;    // cost of lateness up to and including this stop
    size_t before = 0;  // predecessor's index in labels_
  };
  // A label of the backward pass: the latest start of a stop, given the cost of lateness from this
  // stop on.
  struct BackwardLabel {
    double begin = 0;
    double cost = 0;
  };

  size_t columns() const { return route_.breaks.size() + 1; }
  std::span<const Label> LabelsAt(size_t stop, size_t taken) const {
    const size_t state = stop * columns() + taken;
    return std::span<const Label>(labels_).subspan(first_[state],
                                                   first_[state + 1] - first_[state]);
  }
  std::vector<BackwardLabel>& BackwardAt(size_t stop, size_t taken) {
    return backward_[stop * columns() + taken];
  }

  // Adds the labels of a state. Returns false if this takes too much work.
  bool Extend(size_t stop, size_t taken);
  // Removes dominated labels of the last state, which begin at `begin_of_state`. Keeps late ones of
  // equal cost.
  void RemoveDominated(const TimedStop& visit, size_t begin_of_state);
  // Deducts `work`. Returns false if less work is left.
  bool Spend(size_t work);
  // Chooses the best label of the last stop with all breaks taken. Returns false if there is no
  // such label.
  bool ChooseLast();
  // Adds the backward labels of a state. Returns false if this takes too much work.
  bool ExtendBackward(size_t stop, size_t taken);
  // Adds backward labels of a stop that begins by `bound`, where the stops after it cost `cost`.
  void AddBackward(size_t stop, size_t taken, double bound, double cost);
  static void RemoveDominatedBackward(std::vector<BackwardLabel>& labels);
  // Calls `take(leave, cost)` for each backward label of the next stop that a departure can reach,
  // with the latest such departure.
  template <typename Take>
  void ForEachDeparture(size_t stop, size_t taken, Take take);

  Route route_;
  std::vector<Label> labels_;  // by stop, then by breaks taken
  std::vector<size_t> first_;  // [stops * columns + 1]: the first label of each state
  std::vector<std::vector<BackwardLabel>> backward_;  // by state: stop * columns + breaks taken
  double cost_rounding_ = 0;  // costs of lateness that differ by no more count as equal
  size_t chosen_ = 0;         // index of the chosen label of the last stop in labels_
  double budget_ = 0;         // limit on the chosen cost: the smallest cost plus cost_rounding_
  size_t work_left_ = 0;
};

}  // namespace vrp
