// Where the breaks of a route go whose customers may be served late at a cost.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/problem/plan/timed_stop.h"

namespace vrp {

// By labels, as of shortest paths with resources (Irnich and Desaulniers 2005): at each stop, by
// the number of breaks taken, all pairs of a time and the cost of lateness so far of which none is
// both later and dearer than another. O(stops * breaks^3 * labels * log(labels)). Labels are few,
// but where each customer is waited for, and is late after each break, there is one for each of
// them: a route that takes too much work counts as one whose breaks cannot be taken.
// Keeps scratch space: not thread-safe.
class LateBreaks {
 public:
  // `stops`: the start (its window's opening is not looked at), the visits, and the end unless that
  // is open. Both must outlive the calls that follow Run.
  struct Route {
    std::span<const TimedStop> stops = {};
    std::span<const Break> breaks = {};
    double last_by = kNoLimit;  // by when the last stop starts: the shift closes
    double tolerance = 0;       // how late a hard window, a break or the last stop may be
    double rounding = 0;        // times that differ by less are the same
    size_t most_work = 0;       // labels that are tried on from stop to stop, at most
  };
  struct Outcome {
    double late_cost = 0;  // the least that there is
    double last = 0;       // the soonest start of the last stop with that
  };
  struct Step {
    double begin = 0;
    size_t taken = 0;  // breaks before it begins
  };

  // What a search may spend on a route: some milliseconds, and in any case several times what hard
  // windows take. Others take twice as much and more, so that they can tell what a search can.
  static size_t MostWork(size_t stops, size_t breaks);

  // Leaves at `start`. nullopt: the breaks, the hard windows and last_by do not go together, or
  // to tell whether they do is too much work.
  std::optional<Outcome> Run(const Route& route, double start);
  // After a Run that has an outcome: the latest time to leave, from that run's start on, that is
  // worse in neither of its parts. nullopt: too much work.
  std::optional<double> LatestStart();
  // After a Run that has an outcome: each stop's start.
  std::vector<Step> Steps() const;

 private:
  struct Label {
    double begin = 0;
    double cost = 0;    // of lateness, this stop's included
    size_t before = 0;  // index into labels_
  };
  // From a stop on: the latest start for that cost of lateness.
  struct Rest {
    double begin = 0;
    double cost = 0;
  };

  size_t columns() const { return route_.breaks.size() + 1; }
  std::span<const Label> LabelsAt(size_t stop, size_t taken) const {
    const size_t state = stop * columns() + taken;
    return std::span<const Label>(labels_).subspan(first_[state],
                                                   first_[state + 1] - first_[state]);
  }
  std::vector<Rest>& RestAt(size_t stop, size_t taken) { return rest_[stop * columns() + taken]; }

  // False: too much work.
  bool Reach(size_t stop, size_t taken);
  // Drops those of the last state's labels that others make needless.
  void Thin(const TimedStop& visit, size_t begin_of_state);
  // False where so much is not left.
  bool Spend(size_t work);
  // Of the last stop's labels with all breaks taken.
  bool ChooseLast();
  // Fills the state's rests from those of the stop after it. False: too much work.
  bool Retreat(size_t stop, size_t taken);
  // The stop begins by `bound`, and the stops after it cost `cost`.
  void AddRests(size_t stop, size_t taken, double bound, double cost);
  static void ThinRests(std::vector<Rest>& rests);
  // Calls `take(leave, cost)` for each rest that may follow: the latest time to leave for it.
  template <typename Take>
  void ForEachDeparture(size_t stop, size_t taken, Take take);

  Route route_;
  std::vector<Label> labels_;  // by stop, then by breaks taken
  std::vector<size_t> first_;  // [stops * columns + 1]: where each state's labels begin
  std::vector<std::vector<Rest>> rest_;
  double cost_rounding_ = 0;  // costs of lateness that differ by no more are the same
  size_t chosen_ = 0;
  double budget_ = 0;  // the chosen cost, with room for rounding
  size_t work_left_ = 0;
};

}  // namespace vrp
