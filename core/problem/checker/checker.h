// Checks plans independently. The checker shares no cost, time or load code with any solver, except
// CapacityWithRounding.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"
#include "core/problem/plan/plan_value.h"

namespace vrp {

// The rule that a plan violates.
enum class ViolationKind {
  kUnknownNode,  // a number that belongs to no customer
  kUnknownVehicle,
  kMissingCustomer,  // or a group of alternatives without a served customer
  kDuplicateCustomer,
  kCapacity,
  kTimeWindow,
  kDuration,
  kDistance,       // a route above its length limit
  kBackhaulOrder,  // a delivery after a backhaul of the same trip
  kFleetSize,      // more routes than vehicles
  kTourCount,      // a TSP without exactly one tour
  kSkill,
  kMaxStops,
  kMaxWaiting,
  kShift,         // a route that ends after the shift
  kReload,        // a reload at a wrong position or depot, or too many reloads
  kShipment,      // a shipment that is incomplete, in two routes, or delivered before its pickup
  kAlternatives,  // more than one customer of a group
  kBreak,         // a break that cannot be taken in time, or breaks too many to check
  kCostMismatch,  // the claimed cost differs from the plan's
  kFrozenStops,   // frozen stops with which no route begins
  kLifo,          // a shipment delivered before one that was picked up later
  kCompartments,  // loads of a trip that do not fit in the compartments
  kBalance,       // routes that differ by more than the limit
  kSameRoute,     // customers on several routes that must share one
  kDifferentRoutes,
  kMaxPerRoute,
  kInOrder,
  kDrivingBreak,  // a break after driving that cannot be taken in time
  kMaxDriving,
  kMaxWork,
};
// The names of the kinds, in their order.
inline constexpr std::array kViolationNames = std::to_array<std::string_view>({"unknown_node",
                                                                               "unknown_vehicle",
                                                                               "missing_customer",
                                                                               "duplicate_customer",
                                                                               "capacity",
                                                                               "time_window",
                                                                               "duration",
                                                                               "distance",
                                                                               "backhaul_order",
                                                                               "fleet_size",
                                                                               "tour_count",
                                                                               "skill",
                                                                               "max_stops",
                                                                               "max_waiting",
                                                                               "shift",
                                                                               "reload",
                                                                               "shipment",
                                                                               "alternatives",
                                                                               "break",
                                                                               "cost_mismatch",
                                                                               "frozen_stops",
                                                                               "lifo",
                                                                               "compartments",
                                                                               "balance",
                                                                               "same_route",
                                                                               "different_routes",
                                                                               "max_per_route",
                                                                               "in_order",
                                                                               "driving_break",
                                                                               "max_driving",
                                                                               "max_work"});
static_assert(kViolationNames.size() == static_cast<size_t>(ViolationKind::kMaxWork) + 1);
constexpr std::string_view ViolationName(ViolationKind kind) {
  return kViolationNames[static_cast<size_t>(kind)];
}

// A violation of one rule.
struct Violation {
  ViolationKind kind = ViolationKind::kUnknownNode;
  int32_t route = -1;        // index into the plan; -1: the whole plan
  NodeIndex node = -1;       // -1: no node
  double amount = 0;         // the excess: load over capacity, lateness, surplus vehicles
  std::string message = {};  // "routes[2]: load 31 exceeds vehicle capacity 30"
};

// The checker's findings on a plan.
struct CheckReport {
  bool feasible = false;  // whether there is no violation
  Cost cost = 0;          // recomputed from the instance's data
  double left_out = 0;    // UnservedCustomers::weight, recomputed
  std::vector<Violation> violations = {};
  // Recomputed figures of each route of the plan; zeros for a route without a valid visit. If the
  // objective or a limit depends on durations, each duration is the smallest that does not delay
  // the route's end.
  std::vector<RouteFigures> routes = {};
};

// Whether every route is feasible. The plan may leave customers out.
bool RoutesAreFeasible(const CheckReport& report);

// Returns the largest feasible load: `capacity` plus a tolerance for sums of fractional demands.
double CapacityWithRounding(double capacity);

// Reports every violation: first those of single routes in the order of the plan, then those of the
// whole plan. Reports a break that cannot be taken only if the route without its breaks is in time.
// With a distance objective, `claimed_cost` may differ by half a unit of the metric. Otherwise, and
// with the exact metric, it may differ by half a unit of its last decimal, or by 1e-6 of the cost.
// For a cost below 1, the latter bound is 1e-6. Times may differ by 1e-6 of the span of all
// windows, shifts and breaks that have an end, and at least by 1e-6.
CheckReport CheckPlan(const Instance& instance, const Plan& plan,
                      std::optional<Cost> claimed_cost = std::nullopt);

}  // namespace vrp
