// A plan by savings in microseconds, from which estimates begin.
#pragma once

#include <cstdint>
#include <vector>

#include "core/estimate/subproblem.h"

namespace vrp {

// The memory and the routes of the savings method (Clarke and Wright 1964, parallel version) on a
// Subproblem. Unlike MergeRoutes of core/search/build, it sorts savings into buckets, knows plain
// problems only and reuses its memory, because an estimate has less than a millisecond. With
// windows, routes keep their directions and their times (segments as in Vidal et al. 2013), and
// savings lose a part of the waiting that a leg cannot avoid. Not thread-safe.
class QuickSavings {
 public:
  // Plans `problem`. Routes keep capacity and, if problem.timed(), times.
  void Plan(const Subproblem& problem);

  // Returns the cost, in units of problem.scale().
  double cost() const { return cost_; }
  int32_t routes() const { return routes_; }
  double waiting() const { return waiting_; }  // total of all routes
  // The neighbours of a customer in its route; 0 is the depot.
  int32_t previous(int32_t i) const { return previous_[i]; }
  int32_t next(int32_t i) const { return next_[i]; }
  // The load of a customer's route, as a share of the capacity, and its number of customers.
  float route_load(int32_t i) { return load_[Root(i)]; }
  int32_t route_size(int32_t i) { return size_[Root(i)]; }

 private:
  struct Leg {
    int32_t from, to;
  };
  // The time of a part of a route: least duration and, for a start without further waiting, the
  // earliest and latest start.
  struct Segment {
    float duration, earliest, latest;
  };

  int32_t Root(int32_t i);
  void Reset(const Subproblem& problem);
  // Returns the savings of a leg that are considered, or a value of at most 0.
  float Saving(const Subproblem& problem, int32_t i, int32_t j) const;
  void SortLegs(const Subproblem& problem);
  void Merge(const Subproblem& problem, Leg leg);
  void MergeTimed(const Subproblem& problem, Leg leg);
  void Link(int32_t i, int32_t j);
  void Reverse(int32_t end);

  double cost_ = 0, waiting_ = 0;
  int32_t routes_ = 0;
  std::vector<int32_t> previous_, next_, parent_, size_, first_, last_;
  std::vector<float> load_, savings_;
  std::vector<Segment> segments_;
  std::vector<int32_t> counts_;
  std::vector<Leg> unsorted_, legs_;
};

}  // namespace vrp
