// A plan (which customers, in which order) and the solution computed from it (times, loads, cost).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance.h"

namespace vrp {

struct PlannedRoute {
  int32_t vehicle_type = 0;               // index into Instance::vehicles(); 0 for a TSP
  std::vector<NodeIndex> customers = {};  // in visiting order, without the depot

  bool operator==(const PlannedRoute&) const = default;
};
using Plan = std::vector<PlannedRoute>;

// One visit. Times are the instance's; `load` is what is on board when the vehicle leaves.
struct Stop {
  NodeIndex node = 0;
  double arrival = 0;
  double start = 0;  // of service: arrival, or the window's opening after a wait
  double departure = 0;
  double load = 0;
};

struct Route {
  int32_t vehicle_type = 0;
  std::vector<Stop> stops = {};  // the depot at both ends; of an open end: at the start only
  double distance = 0;
  double duration = 0;  // from leaving the depot until being back, or served where the end is open
  double load = 0;      // all that is delivered
};

struct Unserved {
  NodeIndex customer = 0;
  std::string reason = {};
};

struct Solution {
  std::vector<Route> routes = {};  // none is empty
  Cost cost = 0;                   // total distance in the instance's metric
  double duration = 0;
  std::vector<Unserved> unserved = {};
};

// Total distance of `plan` in the instance's metric. The plan's node numbers must be in range.
Cost PlanCost(const Instance& instance, const Plan& plan);

// Times and loads of each stop, starting as late as causes no waiting before the first customer,
// but never before the depot opens (0 without windows). Where the vehicle's duration is limited,
// the route starts as late as does not delay its end (Savelsbergh 1992, forward time slack), which
// makes the duration least. Empty routes are left out; customers that no route visits are
// `unserved` without a reason. kInvalidArgument for a node number or vehicle type out of range.
// Feasibility is the checker's business.
absl::StatusOr<Solution> MakeSolution(const Instance& instance, const Plan& plan);

}  // namespace vrp
