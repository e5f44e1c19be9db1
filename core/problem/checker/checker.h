// The independent judge of plans: shares no cost, time or load code with any solver.
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
  kUnknownNode,  // a number that is no customer
  kUnknownVehicle,
  kMissingCustomer,  // or none of a group of alternatives
  kDuplicateCustomer,
  kCapacity,
  kTimeWindow,
  kDuration,
  kDistance,       // a route longer than its vehicle may drive
  kBackhaulOrder,  // a delivery after a pickup
  kFleetSize,      // more routes than vehicles
  kTourCount,      // a TSP with other than one tour
  kSkill,
  kMaxStops,
  kShift,         // ends after it
  kReload,        // at a wrong place, or too often
  kShipment,      // half of one, in two routes, or delivered before it is picked up
  kAlternatives,  // more than one customer of a group
  kBreak,         // one that cannot be taken in time
  kCostMismatch,  // the claimed cost is not the plan's
  kFrozenStops,   // no route begins with them
};
std::string_view ViolationName(ViolationKind kind);  // "capacity", "time_window", ...

struct Violation {
  ViolationKind kind = ViolationKind::kUnknownNode;
  int32_t route = -1;        // index into the plan; -1: the plan as a whole
  NodeIndex node = -1;       // -1: none in particular
  double amount = 0;         // by how much: units over capacity, time too late, vehicles too many
  std::string message = {};  // "routes[2]: load 31 exceeds vehicle capacity 30"
};

struct CheckReport {
  bool feasible = false;  // no violation
  Cost cost = 0;          // recomputed from the instance's raw data
  double left_out = 0;    // recomputed: LeftOut::weight
  std::vector<Violation> violations = {};
  // Recomputed, of each route of the plan (zeros for an empty one). Durations are the least that
  // do not delay the end, where anything depends on them.
  std::vector<RouteFigures> routes = {};
};

// Whether nothing is wrong with the plan but that it leaves customers out.
bool RoutesAreFeasible(const CheckReport& report);

// Returns the load up to which a route is feasible: room for the rounding of fractional demands.
double CapacityWithRounding(double capacity);

// Reports every violation, in the plan's order. `claimed_cost` is compared within half a unit of
// the metric where the objective is distance (relative 1e-6 for the exact metric and for all other
// costs). Times are compared within 1e-6 of the span of all windows that end.
CheckReport CheckPlan(const Instance& instance, const Plan& plan,
                      std::optional<Cost> claimed_cost = std::nullopt);

}  // namespace vrp
