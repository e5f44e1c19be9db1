#include "core/habits/usual_routes.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/assignment.h"
#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"

namespace vrp {
namespace {

// Bounds the time of an assignment, which grows with the cube.
constexpr size_t kMaxAssignedRoutes = 300;

bool HasFrozenStops(const Instance& instance, int32_t type) {
  return std::ranges::any_of(
      instance.frozen(), [&](const FrozenRoute& frozen) { return frozen.vehicle_type == type; });
}

// Returns the type without what may differ between interchangeable ones.
VehicleType WithoutName(VehicleType type) {
  type.id.clear();
  type.count = 0;
  return type;
}

RoutePlaces RoutePlacesOf(const Instance& instance, const PlannedRoute& route) {
  RoutePlaces places = {.depot = instance.position(VehicleOf(instance, route).depot)};
  places.stops.reserve(route.customers.size());
  for (const NodeIndex node : route.customers) {
    if (!instance.is_depot(node)) places.stops.push_back(instance.position(node));
  }
  return places;
}

// The vehicles of a group of interchangeable types, and the plan's routes of these.
struct Group {
  std::vector<int32_t> types = {};      // by vehicle
  std::vector<size_t> routes = {};      // indices of the plan
  std::vector<double> log_likely = {};  // [routes, vehicles]
};

Group GroupOf(const Instance& instance, const RouteHabits& habits,
              std::span<const int32_t> group_of, int32_t number, const Plan& plan) {
  Group group;
  for (size_t r = 0; r < plan.size(); ++r) {
    const bool member = group_of[static_cast<size_t>(plan[r].vehicle_type)] == number;
    if (member && !plan[r].customers.empty()) group.routes.push_back(r);
  }
  if (group.routes.size() > kMaxAssignedRoutes) return {};
  std::vector<int32_t> drivers;
  for (size_t type = 0; type < group_of.size(); ++type) {
    if (group_of[type] != number) continue;
    const VehicleType& vehicle = instance.vehicles()[type];
    const size_t most = group.routes.size();
    const size_t count = vehicle.count == 0 ? most : std::min<size_t>(vehicle.count, most);
    group.types.insert(group.types.end(), count, static_cast<int32_t>(type));
    drivers.insert(drivers.end(), count, habits.DriverOf(vehicle.id));
  }
  for (const size_t r : group.routes) {
    const std::vector<double> logs = habits.DriverLogLikelihoods(RoutePlacesOf(instance, plan[r]));
    for (const int32_t driver : drivers) {
      group.log_likely.push_back(logs[static_cast<size_t>(driver)]);
    }
  }
  return group;
}

// Gives the group's routes to its drivers. Returns how many routes changed their vehicle type.
int32_t AssignDrivers(const Group& group, Plan& plan) {
  const std::vector<int32_t> vehicle_of =
      BestAssignment(group.log_likely, group.routes.size(), group.types.size());
  int32_t moved = 0;
  for (size_t i = 0; i < group.routes.size(); ++i) {
    int32_t& type = plan[group.routes[i]].vehicle_type;
    const int32_t best = group.types[static_cast<size_t>(vehicle_of[i])];
    moved += type != best ? 1 : 0;
    type = best;
  }
  return moved;
}

bool MayTurn(const Instance& instance, const PlannedRoute& route) {
  const VehicleType& type = VehicleOf(instance, route);
  if (route.customers.size() < 2 || type.open_end || type.end() != type.depot) return false;
  if (HasFrozenStops(instance, route.vehicle_type)) return false;
  return std::ranges::none_of(route.customers,
                              [&](NodeIndex node) { return instance.is_depot(node); });
}

// Turns route `r` of the plan, whose value is `value`, if that is usual and worth it.
bool TurnRoute(const Instance& instance, const RouteHabits& habits, double odds_cost, size_t r,
               Plan& plan, PlanValue& value) {
  PlannedRoute& route = plan[r];
  if (!MayTurn(instance, route)) return false;
  const VehicleType& type = VehicleOf(instance, route);
  const double odds =
      habits.DirectionLogOdds(RoutePlacesOf(instance, route), habits.DriverOf(type.id));
  if (odds >= 0) return false;
  std::ranges::reverse(route.customers);
  const PlanValue turned = ValueOf(instance, plan);
  if (turned.cost - value.cost <= -odds * odds_cost &&
      RoutesAreFeasible(CheckPlan(instance, plan))) {
    value = turned;
    return true;
  }
  std::ranges::reverse(route.customers);
  return false;
}

}  // namespace

std::vector<int32_t> InterchangeableDrivers(const Instance& instance, const RouteHabits& habits) {
  const auto types = static_cast<int32_t>(instance.vehicles().size());
  std::vector<int32_t> group_of(static_cast<size_t>(types), -1);
  std::vector<std::pair<VehicleType, std::vector<int32_t>>> groups;
  for (int32_t t = 0; t < types; ++t) {
    const VehicleType& type = instance.vehicles()[static_cast<size_t>(t)];
    if (habits.DriverOf(type.id) < 0 || HasFrozenStops(instance, t)) continue;
    VehicleType bare = WithoutName(type);
    const auto same = std::ranges::find(
        groups, bare, [](const auto& group) -> const VehicleType& { return group.first; });
    if (same == groups.end()) {
      groups.emplace_back(std::move(bare), std::vector<int32_t>{t});
    } else {
      same->second.push_back(t);
    }
  }
  for (size_t number = 0; number < groups.size(); ++number) {
    const std::vector<int32_t>& members = groups[number].second;
    if (members.size() < 2) continue;
    for (const int32_t t : members) group_of[static_cast<size_t>(t)] = static_cast<int32_t>(number);
  }
  return group_of;
}

UsualRoutes WithUsualRoutes(const Instance& instance, const RouteHabits& habits, double odds_cost,
                            const Plan& plan, const StopCondition& stop) {
  UsualRoutes usual = {.plan = plan};
  if (!habits.any() || !instance.has_positions()) return usual;
  if (!RoutesAreFeasible(CheckPlan(instance, plan))) return usual;
  const std::vector<int32_t> group_of = InterchangeableDrivers(instance, habits);
  const int32_t groups = group_of.empty() ? 0 : std::ranges::max(group_of) + 1;
  for (int32_t number = 0; number < groups && !stop.ShouldStop(); ++number) {
    const Group group = GroupOf(instance, habits, group_of, number, plan);
    if (!group.routes.empty()) usual.moved += AssignDrivers(group, usual.plan);
  }
  // Rules between routes may forbid what no vehicle forbids.
  if (usual.moved > 0 && !RoutesAreFeasible(CheckPlan(instance, usual.plan))) {
    usual = {.plan = plan};
  }
  PlanValue value = ValueOf(instance, usual.plan);
  for (size_t r = 0; r < usual.plan.size() && !stop.ShouldStop(); ++r) {
    usual.turned += TurnRoute(instance, habits, odds_cost, r, usual.plan, value) ? 1 : 0;
  }
  return usual;
}

}  // namespace vrp
