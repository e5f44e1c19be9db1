#include "core/search/fewer_routes.h"

#include <algorithm>
#include <utility>

#include "core/problem/checker.h"
#include "core/problem/plan_value.h"

namespace vrp {
namespace {

constexpr size_t kMostRoutes = 200;
// Costs that differ by less are the same, relative.
constexpr double kRounding = 1e-12;

bool Starts(const Instance& instance, const PlannedRoute& route) {
  return std::any_of(
      instance.frozen().begin(), instance.frozen().end(),
      [&](const FrozenRoute& frozen) { return frozen.vehicle_type == route.vehicle_type; });
}

// Whether one vehicle that drives `joined` does as well as two that drive `a` and `b`.
bool JoinsFreely(const Instance& instance, const PlannedRoute& a, const PlannedRoute& b,
                 const PlannedRoute& joined) {
  const double apart = RouteDistance(instance, a) + RouteDistance(instance, b);
  if (RouteDistance(instance, joined) > apart * (1 + kRounding)) return false;
  if (!BreaksNoRule(CheckPlan(instance, {joined}))) return false;
  const double before = PlanCost(instance, {a, b});
  return PlanCost(instance, {joined}) <= before + kRounding * std::max(1.0, before);
}

}  // namespace

Plan WithFewerRoutes(const Instance& instance, Plan plan) {
  if (plan.size() > kMostRoutes) return plan;
  for (size_t first = 0; first < plan.size(); ++first) {
    for (size_t second = plan.size() - 1; second > first; --second) {
      const PlannedRoute& a = plan[first];
      const PlannedRoute& b = plan[second];
      if (a.vehicle_type != b.vehicle_type || Starts(instance, a)) continue;
      PlannedRoute joined = a;
      joined.customers.insert(joined.customers.end(), b.customers.begin(), b.customers.end());
      if (!JoinsFreely(instance, a, b, joined)) continue;
      plan[first] = std::move(joined);
      plan.erase(plan.begin() + static_cast<std::ptrdiff_t>(second));
    }
  }
  return plan;
}

}  // namespace vrp
