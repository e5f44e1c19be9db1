// The independent judge of plans: shares no cost, time or load code with any solver.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/instance.h"
#include "core/problem/solution.h"

namespace vrp {

enum class ViolationKind {
  kUnknownNode,  // a number that is no customer
  kUnknownVehicle,
  kMissingCustomer,
  kDuplicateCustomer,
  kCapacity,
  kTimeWindow,
  kDuration,
  kDistance,       // a route longer than its vehicle may drive
  kBackhaulOrder,  // a delivery after a pickup
  kFleetSize,      // more routes than vehicles
  kTourCount,      // a TSP with other than one tour
  kCostMismatch,   // the claimed cost is not the plan's
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
  std::vector<Violation> violations = {};
};

// Reports every violation, in the plan's order. `claimed_cost` is compared within half a unit of
// the metric (relative 1e-6 for the exact metric). Times are compared within 1e-6 of the horizon's
// scale.
CheckReport CheckPlan(const Instance& instance, const Plan& plan,
                      std::optional<Cost> claimed_cost = std::nullopt);

}  // namespace vrp
