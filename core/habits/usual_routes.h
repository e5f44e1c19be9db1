// Gives the routes of a plan to the drivers who know their areas, and drives them the usual way.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/stop.h"
#include "core/habits/route_habits.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// Returns a number for each vehicle type; types with the same number are interchangeable: all known
// drivers, without frozen stops, and alike in all but id and count. -1: like no other.
std::vector<int32_t> InterchangeableDrivers(const Instance& instance, const RouteHabits& habits);

// A plan whose routes are as usual.
struct UsualRoutes {
  Plan plan = {};
  int32_t moved = 0;   // routes that another driver got
  int32_t turned = 0;  // routes that are driven backwards
};

// Returns `plan` with its routes given to other interchangeable drivers, such that the drivers
// together are the likeliest for the areas of their stops; then with each route backwards of which
// that is likelier, if it is feasible and costs at most `odds_cost` times the log odds more. The
// cost is otherwise the same. Routes with frozen stops, and those with reloads, an open end or
// another end than start, are not turned.
//
// Returns the plan as it is without positions, if `plan` breaks a limit, or once `stop` holds.
// Groups with more than 300 routes keep their drivers.
UsualRoutes WithUsualRoutes(const Instance& instance, const RouteHabits& habits, double odds_cost,
                            const Plan& plan, const StopCondition& stop);

}  // namespace vrp
