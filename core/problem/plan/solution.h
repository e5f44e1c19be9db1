// Builds solutions: plans with their times, loads and costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/compartment_use.h"
#include "core/problem/plan/plan.h"
#include "core/problem/plan/plan_value.h"
#include "core/problem/plan/schedule.h"

namespace vrp {

// A visit, with times in the unit of the instance.
struct Stop {
  NodeIndex node = 0;
  double arrival = 0;
  double start = 0;  // start of setup and service, after any wait and break at the stop
  double departure = 0;
  std::vector<double> load = {};  // [K] on board at departure
};

// A route with its times and loads.
struct Route {
  int32_t vehicle_type = 0;
  // Stops including the depots at both ends, without the end depot if the end is open. A depot
  // between customers is a reload.
  std::vector<Stop> stops = {};
  std::vector<BreakTime> breaks = {};
  double distance = 0;
  double duration = 0;            // from the departure from the start to RouteSchedule::end
  std::vector<double> load = {};  // [K] total delivered from the depot
  // The compartments in use, by trip. Empty without compartments, and for trips that do not fit.
  std::vector<CompartmentUse> compartments = {};
};

// A customer that no route serves, and the reason; empty if unknown.
struct Unserved {
  NodeIndex customer = 0;
  std::string reason = {};
};

// A plan with its times, loads and costs.
struct Solution {
  std::vector<Route> routes = {};     // without empty routes
  Cost cost = 0;                      // cost by the objective: PlanValue::cost
  CostSplit split = {};               // the parts of `cost`
  double distance = 0;                // total of all routes, in the instance's metric
  double duration = 0;                // total of all routes
  std::optional<double> spread = {};  // between routes; only if the instance has a balance
  std::vector<Unserved> unserved = {};
};

// Computes times (RouteScheduler), loads and cost (PlanValue). Skips empty routes. Customers that
// no route visits are `unserved` without a reason, unless another customer of their group is
// visited. Returns kInvalidArgument for a node number or vehicle type out of range, and for a
// depot at which the vehicle may not reload. Does not check feasibility.
absl::StatusOr<Solution> MakeSolution(const Instance& instance, const Plan& plan);

// Returns the plan of a solution of `instance`.
Plan PlanOf(const Instance& instance, const Solution& solution);
// Returns the contribution of each route to the cost. Lost prizes and the spread
// belong to no route.
std::vector<Cost> RouteCosts(const Instance& instance, const Solution& solution);

}  // namespace vrp
