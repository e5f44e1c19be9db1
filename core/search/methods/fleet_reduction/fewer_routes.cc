#include "core/search/methods/fleet_reduction/fewer_routes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"

namespace vrp {
namespace {

constexpr size_t kMostRoutes = 200;
// Largest relative difference of equal costs, and of equal distances and loads.
constexpr double kCostRounding = 1e-12;
constexpr double kLooseRounding = 1e-9;

// Concatenates the routes of one plan.
class Concatenation {
 public:
  Concatenation(const Instance& instance, Plan plan) : instance_(instance), plan_(std::move(plan)) {
    for (const PlannedRoute& route : plan_) loads_.push_back(LoadsOf(route));
  }

  // Tries both orders of the two routes. The longer one takes the place of `first`, and `second`
  // is gone.
  bool Join(size_t first, size_t second) {
    if (plan_[first].vehicle_type != plan_[second].vehicle_type || !LoadsFit(first, second)) {
      return false;
    }
    for (const auto& [a, b] : {std::pair(first, second), std::pair(second, first)}) {
      PlannedRoute joined = plan_[a];
      joined.customers.insert(joined.customers.end(), plan_[b].customers.begin(),
                              plan_[b].customers.end());
      if (!CanConcatenate(plan_[a], plan_[b], joined)) continue;
      plan_[first] = std::move(joined);
      plan_.erase(plan_.begin() + static_cast<std::ptrdiff_t>(second));
      for (size_t k = 0; k < loads_[first].size(); ++k) loads_[first][k] += loads_[second][k];
      loads_.erase(loads_.begin() + static_cast<std::ptrdiff_t>(second));
      return true;
    }
    return false;
  }

  bool HasFrozenRoute(size_t route) const {
    return std::any_of(
        instance_.frozen().begin(), instance_.frozen().end(),
        [&](const FrozenRoute& frozen) { return frozen.vehicle_type == VehicleTypeOf(route); });
  }

  const Plan& plan() const { return plan_; }

 private:
  int32_t VehicleTypeOf(size_t route) const { return plan_[route].vehicle_type; }
  const VehicleType* VehicleOf(const PlannedRoute& route) const {
    return instance_.vehicles().empty() ? nullptr : &instance_.vehicles()[route.vehicle_type];
  }

  // Returns the deliveries from the depot, then the pickups for it, by load dimension.
  std::vector<double> LoadsOf(const PlannedRoute& route) const {
    const int32_t dimensions = instance_.load_dimensions();
    std::vector<double> loads(2 * static_cast<size_t>(dimensions), 0.0);
    for (const NodeIndex node : route.customers) {
      if (node < instance_.num_depots()) continue;
      for (int32_t k = 0; k < dimensions; ++k) {
        double* const sums = &loads[2 * static_cast<size_t>(k)];
        sums[0] += instance_.demand(node, k);
        sums[1] += instance_.pickup(node, k) + instance_.backhaul(node, k);
      }
    }
    return loads;
  }

  // Whether one vehicle may carry the loads of both; one that may reload always may.
  bool LoadsFit(size_t first, size_t second) const {
    const VehicleType* const vehicle = VehicleOf(plan_[first]);
    if (vehicle == nullptr || vehicle->max_reloads > 0) return true;
    for (size_t i = 0; i < loads_[first].size(); ++i) {
      const size_t k = i / 2;
      const double capacity = k == 0 ? vehicle->capacity
                              : vehicle->further_capacities.empty()
                                  ? kNoLimit
                                  : vehicle->further_capacities[k - 1];
      const double load = loads_[first][i] + loads_[second][i];
      if (load > capacity + kLooseRounding * load) return false;
    }
    return true;
  }

  // Whether the way from the end of `a` to the start of `b` is no longer than by the depots.
  bool EndsAreNear(const PlannedRoute& a, const PlannedRoute& b) const {
    const NodeIndex last = a.customers.back();
    const NodeIndex first = b.customers.front();
    const VehicleType* const vehicle = VehicleOf(a);
    if (vehicle == nullptr) return true;
    const double home = vehicle->open_end ? 0 : instance_.Distance(*vehicle, last, vehicle->end());
    const double apart = home + instance_.Distance(*vehicle, vehicle->depot, first);
    return instance_.Distance(*vehicle, last, first) <= apart * (1 + kLooseRounding);
  }

  // Whether one vehicle that drives `joined` does as well as two that drive `a` and `b`.
  bool CanConcatenate(const PlannedRoute& a, const PlannedRoute& b,
                      const PlannedRoute& joined) const {
    if (a.customers.empty() || b.customers.empty() || !EndsAreNear(a, b)) return false;
    if (!RoutesAreFeasible(CheckPlan(instance_, {joined}))) return false;
    const double before = PlanCost(instance_, {a, b});
    return PlanCost(instance_, {joined}) <= before * (1 + kCostRounding);
  }

  const Instance& instance_;
  Plan plan_;
  std::vector<std::vector<double>> loads_;  // [routes][2 x dimensions]
};

}  // namespace

Plan WithFewerRoutes(const Instance& instance, Plan plan, const StopCondition& stop) {
  if (plan.size() < 2 || plan.size() > kMostRoutes) return plan;
  Concatenation routes(instance, std::move(plan));
  for (size_t first = 0; first < routes.plan().size(); ++first) {
    if (routes.HasFrozenRoute(first)) continue;
    for (size_t second = routes.plan().size() - 1; second > first; --second) {
      if (stop.ShouldStop()) return routes.plan();
      routes.Join(first, second);
    }
  }
  return routes.plan();
}

}  // namespace vrp
