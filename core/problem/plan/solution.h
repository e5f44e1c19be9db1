// The solution computed from a plan: times, loads, cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"
#include "core/problem/plan/plan_value.h"
#include "core/problem/plan/schedule.h"

namespace vrp {

// One visit. Times are the instance's; `load` is what is on board when the vehicle leaves, [K].
struct Stop {
  NodeIndex node = 0;
  double arrival = 0;
  double start = 0;  // of setup and service: arrival, or a window's opening after a wait
  double departure = 0;
  std::vector<double> load = {};
};

struct Route {
  int32_t vehicle_type = 0;
  // The depot at both ends, of an open end at the start only; a depot in between is a reload.
  std::vector<Stop> stops = {};
  std::vector<BreakTime> breaks = {};
  double distance = 0;
  double duration = 0;  // from leaving the depot until being back, or served where the end is open
  std::vector<double> load = {};  // [K] all that is delivered from the depot
};

struct Unserved {
  NodeIndex customer = 0;
  std::string reason = {};
};

struct Solution {
  std::vector<Route> routes = {};  // none is empty
  Cost cost = 0;                   // of the objective: PlanValue::cost
  CostSplit split = {};            // what it is made of
  double distance = 0;             // of all routes, in the instance's metric
  double duration = 0;             // of all routes
  std::vector<Unserved> unserved = {};
};

// Times (RouteScheduler), loads and cost (PlanValue). Empty routes are left out; customers that no
// route visits are `unserved` without a reason, unless another of their group is visited.
// kInvalidArgument for a node number or vehicle type out of range, and for a depot other than the
// vehicle's own where it may reload. Feasibility is the checker's business.
absl::StatusOr<Solution> MakeSolution(const Instance& instance, const Plan& plan);

// The plan of a solution of `instance`.
Plan PlanOf(const Instance& instance, const Solution& solution);
// What each route adds to the cost; lost prizes are of none.
std::vector<Cost> RouteCosts(const Instance& instance, const Solution& solution);

}  // namespace vrp
