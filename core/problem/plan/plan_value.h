// What a plan is worth: the one home of how plans compare.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "core/problem/plan/plan.h"
#include "core/problem/plan/schedule.h"

namespace vrp {

// What a route comes to, whatever the objective.
struct RouteFigures {
  double distance = 0;  // unrounded sum
  double duration = 0;
  double late_cost = 0;
};

// The parts of a plan's cost, in its unit; they sum to it.
struct CostSplit {
  double distance = 0;
  double duration = 0;
  double fixed = 0;
  double overtime = 0;
  double late = 0;
  double prizes = 0;  // lost

  Cost total() const { return distance + duration + fixed + overtime + late + prizes; }
};

// Customers in no route that are missed: of a group of which one is served, none is.
struct LeftOut {
  std::vector<NodeIndex> customers = {};  // in ascending order
  // Of those without a prize: the sum of 1 + priority, of a group the largest of its members'.
  double weight = 0;
  double prizes = 0;  // of the others, a group's once
};

// Plans compare as this does; less is better.
struct PlanValue {
  double left_out = 0;  // LeftOut::weight
  int64_t routes = 0;   // used; 0 unless the objective counts vehicles
  Cost cost = 0;        // of the objective, with lateness and lost prizes

  auto operator<=>(const PlanValue&) const = default;
};

// The numbers of `plan` must be in range throughout; whether it is feasible is the checker's
// business.
LeftOut LeftOutOf(const Instance& instance, const Plan& plan);
// `figures`: of each route of the plan that is not empty, in order.
CostSplit SplitCost(const Instance& instance, const Plan& plan,
                  const std::vector<RouteFigures>& figures, double lost_prizes);
PlanValue ValueOf(const Instance& instance, const Plan& plan);
// ValueOf(...).cost.
Cost PlanCost(const Instance& instance, const Plan& plan);

// Unrounded sum over one route; 0 for an empty one.
double RouteDistance(const Instance& instance, const PlannedRoute& route);

}  // namespace vrp
