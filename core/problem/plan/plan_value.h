// Computes costs of plans and compares plans.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/plan/plan.h"
#include "core/problem/plan/schedule.h"

namespace vrp {

// Measures of a route, from which costs are computed.
struct RouteFigures {
  double distance = 0;  // unrounded sum
  double duration = 0;
  double late_cost = 0;
  double work = 0;     // service and setup time, loading at depots included
  double driving = 0;  // travel time; computed only if it has a cost
};

// The parts of a plan's cost, whose sum is the cost.
struct CostSplit {
  double distance = 0;
  double duration = 0;  // costs of durations, and of service, setup and travel times
  double fixed = 0;
  double overtime = 0;
  double late = 0;
  double prizes = 0;   // lost prizes
  double balance = 0;  // cost of the spread between routes

  Cost total() const { return distance + duration + fixed + overtime + late + prizes + balance; }
};

// Customers that no route serves. A group of alternatives counts only if no customer of the group
// is served.
struct UnservedCustomers {
  std::vector<NodeIndex> customers = {};  // in ascending order
  // Sum of 1 + priority over customers without a prize. A group counts with its largest weight.
  double weight = 0;
  // Lost prizes. A group counts with the difference between its largest prize and the served one.
  double prizes = 0;
};

// The value by which plans compare, lexicographically. Less is better.
struct PlanValue {
  double left_out = 0;  // UnservedCustomers::weight
  int64_t routes = 0;   // non-empty routes; 0 unless the objective counts vehicles
  Cost cost = 0;        // cost by the objective, including lateness, lost prizes and the spread

  auto operator<=>(const PlanValue&) const = default;
};

// In all functions below, the node numbers and vehicle types of `plan` must be in range. The plan
// may be infeasible.

// Returns the customers that `plan` does not serve.
UnservedCustomers FindUnserved(const Instance& instance, const Plan& plan);
// Returns the parts of the cost. `figures` has one entry for each non-empty route, in order.
CostSplit SplitCost(const Instance& instance, const Plan& plan,
                    const std::vector<RouteFigures>& figures, double lost_prizes);
// Returns the value by which `plan` compares with other plans.
PlanValue ValueOf(const Instance& instance, const Plan& plan);
// Returns the spread that the instance balances (core/problem/instance/balance.h); 0 without
// balance.
double SpreadOf(const Instance& instance, const Plan& plan);
// Whether the spread of `plan` keeps its limit, apart from rounding.
bool KeepsSpread(const Instance& instance, const Plan& plan);
// Returns ValueOf(...).cost.
Cost PlanCost(const Instance& instance, const Plan& plan);

// Returns the unrounded length of a route; 0 for an empty route.
double RouteDistance(const Instance& instance, const PlannedRoute& route);
// Returns the service and setup times of a non-empty route, loading at depots included.
double RouteWork(const Instance& instance, const PlannedRoute& route);
// Returns the travel time of a non-empty route. `times` are those of its stops; they may be empty
// unless the vehicle's travel times depend on the departure.
double RouteDriving(const Instance& instance, const PlannedRoute& route,
                    std::span<const StopTimes> times);

}  // namespace vrp
