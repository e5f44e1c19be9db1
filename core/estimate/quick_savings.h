// A plan by savings in microseconds, from which estimates begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/estimate/subproblem.h"

namespace vrp {

// Slacks of loads, which are sums of rounded shares, and of scaled times.
inline constexpr float kQuickLoadSlack = 1e-5F;
inline constexpr float kQuickTimeSlack = 1e-4F;

// The memory and the routes of the savings method (Clarke and Wright 1964, parallel version) on a
// Subproblem. Unlike MergeRoutes of core/search/build, it sorts savings into buckets, knows plain
// problems only, begins with neighbours, and reuses its memory, because an estimate has less than a
// millisecond. With
// windows, routes keep their directions and their times (segments as in Vidal et al. 2013), and
// savings lose a part of the waiting that a leg cannot avoid. Not thread-safe.
class QuickSavings {
 public:
  // Plans `problem`. Routes keep capacity and, if problem.timed(), times.
  void Plan(const Subproblem& problem);
  // Plans the problem of the last call of Plan in another way: `shape` weighs the leg in a saving
  // (Gaskell 1967, Yellow 1970). Above 1, routes are rounder.
  void PlanAgain(const Subproblem& problem, float shape);

  // Returns the cost, in units of problem.scale().
  double cost() const { return cost_; }
  int32_t routes() const { return routes_; }
  double waiting() const { return waiting_; }  // total of all routes
  // The share of the legs between neighbours that windows forbid.
  double forbidden() const { return forbidden_; }
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
  // Returns the savings of a leg that are considered, a value of at most 0, or kForbidden.
  float Saving(const Subproblem& problem, int32_t i, int32_t j) const;
  // Finds the legs between neighbours, each in one direction.
  void FindShortLegs(const Subproblem& problem);
  // Returns the length up to which a customer has as many legs as it has neighbours, on average.
  float ShortRadius(const Subproblem& problem);
  // Finds the legs between ends of routes.
  void FindEndLegs(const Subproblem& problem);
  void SortLegs(const Subproblem& problem, std::span<const Leg> legs);
  void MergeAll(const Subproblem& problem, std::span<const Leg> legs);
  void Merge(const Subproblem& problem, Leg leg);
  void MergeTimed(const Subproblem& problem, Leg leg);
  void Link(int32_t i, int32_t j);
  void Reverse(int32_t end);

  float shape_ = 1;
  double cost_ = 0, waiting_ = 0, forbidden_ = 0;
  int32_t routes_ = 0;
  std::vector<int32_t> previous_, next_, parent_, size_, first_, last_;
  std::vector<float> load_, savings_;
  std::vector<Segment> segments_;
  std::vector<int32_t> counts_;
  std::vector<int32_t> ends_;
  std::vector<int32_t> lengths_;
  size_t short_count_ = 0;  // used entries of short_, which never shrinks
  std::vector<Leg> short_, between_ends_, unsorted_, legs_;
};

}  // namespace vrp
