#include "tests/testing/enumeration.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"

namespace vrp::test {
namespace {

constexpr int kMaxEnumeratedCustomers = 6;

class Enumeration {
 public:
  explicit Enumeration(const Instance& instance)
      : instance_(instance),
        unfrozen_(*Freeze(instance, {})),
        types_(static_cast<int>(instance.vehicles().size())) {}

  EnumerationResult Run() {
    const unsigned all = (1u << instance_.num_customers()) - 1;
    routes_.resize((all + 1) * types_);
    for (unsigned set = 1; set <= all; ++set) {
      for (int type = 0; type < types_; ++type) routes_[set * types_ + type] = BestRoute(set, type);
    }
    // Starts with the empty plan, which is infeasible if stops are frozen.
    best_ = {ValueOf(instance_, {}), {}};
    if (!instance_.frozen().empty()) best_.value.left_out = std::numeric_limits<double>::infinity();
    Plan plan;
    Split(all, plan);
    return best_;
  }

 private:
  // Returns the cheapest feasible route that serves `set`, if one exists.
  std::optional<PlannedRoute> BestRoute(unsigned set, int type) const {
    PlannedRoute route{.vehicle_type = type};
    for (int i = 0; i < instance_.num_customers(); ++i) {
      if ((set >> i & 1) != 0) route.customers.push_back(instance_.num_depots() + i);
    }
    std::optional<PlannedRoute> best;
    double best_cost = std::numeric_limits<double>::infinity();
    do {
      const bool unloads = instance_.vehicles()[type].MayUnloadFirst();
      TryWithReloads(route, unloads ? 0 : 1, best, best_cost);
    } while (std::next_permutation(route.customers.begin(), route.customers.end()));
    return best;
  }

  // Returns whether the route visits no frozen stops or begins with the frozen stops that it
  // visits.
  bool KeepsFrozenStops(const PlannedRoute& route) const {
    return std::ranges::all_of(instance_.frozen(), [&](const FrozenRoute& frozen) {
      if (route.vehicle_type == frozen.vehicle_type &&
          route.customers.size() >= frozen.visits.size() &&
          std::equal(frozen.visits.begin(), frozen.visits.end(), route.customers.begin())) {
        return true;
      }
      return std::ranges::none_of(frozen.visits, [&](NodeIndex node) {
        return !instance_.is_depot(node) && std::ranges::count(route.customers, node) > 0;
      });
    });
  }

  // Tries `route`, then all ways to insert reloads at position `first` and after.
  void TryWithReloads(const PlannedRoute& route, size_t first, std::optional<PlannedRoute>& best,
                      double& best_cost) const {
    const double cost = PlanCost(instance_, {route});
    if (cost < best_cost && KeepsFrozenStops(route) &&
        RoutesAreFeasible(CheckPlan(unfrozen_, {route}))) {
      best = route;
      best_cost = cost;
    }
    const VehicleType& vehicle = instance_.vehicles()[route.vehicle_type];
    const auto reloads = std::count_if(route.customers.begin(), route.customers.end(),
                                       [&](NodeIndex node) { return instance_.is_depot(node); });
    if (reloads >= vehicle.max_reloads) return;
    for (NodeIndex depot = 0; depot < instance_.num_depots(); ++depot) {
      if (!vehicle.MayReloadAt(depot)) continue;
      for (size_t at = first; at < route.customers.size(); ++at) {
        PlannedRoute with_reload = route;
        with_reload.customers.insert(
            with_reload.customers.begin() + static_cast<std::ptrdiff_t>(at), depot);
        TryWithReloads(with_reload, at + 2, best, best_cost);
      }
    }
  }

  // Completes `plan` in every way with customers of `remaining`.
  void Split(unsigned remaining, Plan& plan) {
    if (remaining == 0) {
      const PlanValue value = ValueOf(instance_, plan);
      if (value < best_.value && RoutesAreFeasible(CheckPlan(instance_, plan)))
        best_ = {value, plan};
      return;
    }
    const unsigned lowest = remaining & -remaining;
    Split(remaining & ~lowest, plan);  // leaves the lowest-numbered customer unserved
    for (unsigned set = remaining; set > 0; set = (set - 1) & remaining) {
      if ((set & lowest) == 0) continue;
      for (int type = 0; type < types_; ++type) {
        const auto& route = routes_[set * types_ + type];
        if (!route.has_value()) continue;
        plan.push_back(*route);
        Split(remaining & ~set, plan);
        plan.pop_back();
      }
    }
  }

  const Instance& instance_;
  const Instance unfrozen_;  // the instance without frozen stops
  const int types_;
  std::vector<std::optional<PlannedRoute>> routes_;  // [sets, types]
  EnumerationResult best_;
};

}  // namespace

EnumerationResult EnumerateAll(const Instance& instance) {
  if (instance.num_customers() > kMaxEnumeratedCustomers) {
    std::fprintf(stderr, "EnumerateAll: got %d customers, wanted at most %d\n",
                 instance.num_customers(), kMaxEnumeratedCustomers);
    std::abort();
  }
  return Enumeration(instance).Run();
}

}  // namespace vrp::test
