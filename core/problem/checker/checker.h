// Checks plans independently: shares no cost, time or load code with any solver.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"
#include "core/problem/plan/plan_value.h"

namespace vrp {

enum class ViolationKind {
  kUnknownNode,  // the number of no customer
  kUnknownVehicle,
  kMissingCustomer,  // or a group of alternatives without a served customer
  kDuplicateCustomer,
  kCapacity,
  kTimeWindow,
  kDuration,
  kDistance,       // a route beyond its length limit
  kBackhaulOrder,  // a delivery after a pickup
  kFleetSize,      // more routes than vehicles
  kTourCount,      // a TSP without exactly one tour
  kSkill,
  kMaxStops,
  kShift,         // a route that ends after the shift
  kReload,        // at a wrong position, or too often
  kShipment,      // incomplete, in two routes, or delivered before its pickup
  kAlternatives,  // more than one customer of a group
  kBreak,         // a break that cannot be taken in time
  kCostMismatch,  // the claimed cost differs from the plan's
  kFrozenStops,   // that no route begins with
};
// Returns "capacity", "time_window", ...
std::string_view ViolationName(ViolationKind kind);

struct Violation {
  ViolationKind kind = ViolationKind::kUnknownNode;
  int32_t route = -1;        // index into the plan; -1: the whole plan
  NodeIndex node = -1;       // -1: no node
  double amount = 0;         // of the excess: load over capacity, lateness, surplus vehicles
  std::string message = {};  // "routes[2]: load 31 exceeds vehicle capacity 30"
};

struct CheckReport {
  bool feasible = false;  // whether there is no violation
  Cost cost = 0;          // recomputed from the instance's data
  double left_out = 0;    // LeftOut::weight, recomputed
  std::vector<Violation> violations = {};
  // Recomputed, for each route of the plan; zeros for an empty one. Durations are minimal without
  // delaying the end, if the objective or a limit depends on them.
  std::vector<RouteFigures> routes = {};
};

// Whether every route is feasible. The plan may leave customers out.
bool RoutesAreFeasible(const CheckReport& report);

// Returns the largest feasible load: `capacity` plus a tolerance for sums of fractional demands.
double CapacityWithRounding(double capacity);

// Reports every violation, in the order of the plan. `claimed_cost` may differ by half a unit of
// the metric with a distance objective, else by a relative 1e-6 (also with the exact metric). Times
// may differ by 1e-6 of the span of all windows that have an end.
CheckReport CheckPlan(const Instance& instance, const Plan& plan,
                      std::optional<Cost> claimed_cost = std::nullopt);

}  // namespace vrp
