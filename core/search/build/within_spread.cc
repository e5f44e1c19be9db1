#include "core/search/build/within_spread.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace vrp {
namespace {

// At most so many different smallest measures are tried.
constexpr size_t kMostFloors = 12;

class SpreadLimiter {
 public:
  SpreadLimiter(const RouteStore& routes, double floor)
      : routes_(routes), balance_(routes_.balance()), floor_(floor) {}

  // Gives up routes below the floor and trims those too far above it.
  std::optional<RouteStore> Run(double max_spread) && {
    for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
      if (routes_.route(slot).empty()) continue;
      if (routes_.route(slot).fixed == 0 && balance_.MeasureOf(routes_.route(slot)) < floor_) {
        routes_.SetRoute(slot, routes_.route(slot).type, {});
        continue;
      }
      while (!routes_.route(slot).empty() &&
             balance_.MeasureOf(routes_.route(slot)) > floor_ + max_spread) {
        if (!RemoveOne(slot)) break;
      }
    }
    routes_.SetRestAbsent();
    if (balance_.Excess(routes_.MeasureSpread()) > 0) return std::nullopt;
    return std::move(routes_);
  }

 private:
  // Removes the unit that leaves the smallest measure from the floor on. Returns whether there is
  // such a unit.
  bool RemoveOne(int32_t slot) {
    const Problem& problem = routes_.problem();
    const SearchRoute& route = routes_.route(slot);
    const Vehicle& vehicle = problem.vehicle(route.type);
    double least = balance_.MeasureOf(route);
    std::vector<NodeIndex> kept;
    for (int32_t i = route.fixed + 1; i + 1 < route.size(); ++i) {
      if (problem.is_depot(route.nodes[i])) continue;
      const Unit& unit = problem.unit(problem.UnitOf(route.nodes[i]));
      if (unit.slot >= 0) continue;
      std::vector<NodeIndex> nodes = route.nodes;
      std::erase_if(nodes, [&](NodeIndex node) {
        return std::ranges::count(problem.NodesOf(unit), node) > 0;
      });
      DropEmptyTrips(problem, vehicle, nodes);
      if (nodes.size() <= 2) continue;
      const RouteValue value = routes_.evaluator().Evaluate(vehicle, nodes);
      if (!value.feasible) continue;
      const double measure = balance_.MeasureOf(nodes, value);
      if (measure < floor_ || measure >= least) continue;
      least = measure;
      kept = std::move(nodes);
    }
    if (kept.empty() && route.fixed > 0) return false;
    return routes_.SetRoute(slot, route.type, kept);
  }

  RouteStore routes_;
  const BalanceTerm& balance_;
  const double floor_;
};

// Returns the measures of routes, and 0, in ascending order; some of them if there are many.
std::vector<double> FloorsOf(const RouteStore& routes) {
  std::vector<double> all = {0};
  for (const SearchRoute& route : routes.routes()) {
    if (!route.empty()) all.push_back(routes.balance().MeasureOf(route));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() <= kMostFloors) return all;
  std::vector<double> some;
  for (size_t i = 0; i < kMostFloors; ++i) {
    some.push_back(all[i * (all.size() - 1) / (kMostFloors - 1)]);
  }
  return some;
}

}  // namespace

std::optional<RouteStore> WithinSpread(const RouteStore& routes) {
  const double max_spread = routes.problem().instance().data().balance->max_spread;
  std::optional<RouteStore> best;
  const auto rank = [](const RouteStore& some) {
    return std::pair(some.missing_weight(), some.cost() + some.balance_cost());
  };
  for (const double floor : FloorsOf(routes)) {
    std::optional<RouteStore> limited = SpreadLimiter(routes, floor).Run(max_spread);
    if (!limited.has_value()) continue;
    if (!best.has_value() || rank(*limited) < rank(*best)) best.emplace(*std::move(limited));
  }
  return best;
}

}  // namespace vrp
