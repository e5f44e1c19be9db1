// Routes that may break capacity and windows at a penalty: what the population search improves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/instance/instance.h"
#include "core/search/model/problem.h"
#include "core/search/route/penalty_control.h"
#include "core/search/route/time_segment.h"

namespace vrp {

// Not thread-safe. `problem` must outlive it and have a matrix.
class PlainPenalisedRoutes {
 public:
  struct Visit {
    NodeIndex previous = 0;  // 0: the depot
    NodeIndex next = 0;
    int32_t route = -1;  // -1: in no route
    int32_t position = 0;
    double load = 0;    // from the route's start to here, this visit included
    double turned = 0;  // what that part costs more the other way round
    double into = 0;    // the distance from the previous
    double out = 0;     // and to the next
  };
  struct Route {
    std::vector<NodeIndex> nodes;  // the depot at both ends
    double load = 0;
    double distance = 0;
    double turned = 0;
    double warp = 0;
    double penalty = 0;
    int64_t changed = 0;  // when it was set, by the moves' count
  };

  PlainPenalisedRoutes(const Problem& problem, int32_t num_routes);

  // Starts from `num_routes` empty routes; customers are in none.
  void Clear();
  void SetPenalties(const Penalties& penalties);
  // `nodes` has the depot at both ends; its customers come from this route or from routes that are
  // set next. `when` is what Route::changed becomes.
  void SetRoute(int32_t index, std::span<const NodeIndex> nodes, int64_t when);

  // Sets `changed` of the routes that are not feasible.
  void MarkInfeasible(int64_t when);

  const Problem& problem() const { return *problem_; }
  const Penalties& penalties() const { return penalties_; }
  int32_t num_routes() const { return static_cast<int32_t>(routes_.size()); }
  const Route& route(int32_t index) const { return routes_[index]; }
  const Visit& visit(NodeIndex customer) const { return visits_[customer]; }
  // An empty route; -1: none.
  int32_t EmptyRoute() const;

  double Distance(NodeIndex from, NodeIndex to) const {
    return distances_[static_cast<int64_t>(from) * size_ + to];
  }
  bool Overloaded(double load) const { return !problem_->Fits(load); }
  double LoadPenalty(double load) const { return problem_->ExcessLoad(load) * penalties_.load; }
  double WarpPenalty(double warp) const { return warp * penalties_.time; }

  // Windows only. The lateness of the route up to `before`, then `middle`, then the route from
  // `after` on.
  double WarpOf(NodeIndex before, std::span<const NodeIndex> middle, NodeIndex after) const;

  double distance() const { return distance_; }
  double Excess() const;  // load beyond the capacities
  double Warp() const;
  // No excess, no lateness beyond what rounding makes.
  bool Feasible() const;
  // distance + penalties
  double PenalisedCost() const;

 private:
  void Measure(Route& route, int32_t index);
  void MeasureTimes(Route& route);

  const Problem* problem_;
  const double* distances_;  // [N, N]
  int64_t size_;
  Penalties penalties_;
  std::vector<Route> routes_;
  std::vector<Visit> visits_;  // [N]; [0] stays as it is
  // [N], windows only: from the depot to a node, from it to the depot, and it alone; node 0 is the
  // depot at the end in question.
  std::vector<TimeSegment> before_, after_, alone_;
  double distance_ = 0;
};

}  // namespace vrp
