#include "core/search/model/fleet_bounds.h"

#include <algorithm>
#include <cmath>

namespace vrp {
namespace {

// Of what has to be delivered, shipments aside.
double RequiredLoad(const Problem& problem, int32_t k) {
  double sum = 0;
  for (const Unit& unit : problem.all_units()) {
    if (!unit.required() || unit.kind != Unit::Kind::kSingle) continue;
    sum += problem.delivered(problem.NodesOf(unit).front())[k];
  }
  return sum;
}

// Returns how many customers of a rule that limits routes a plan serves if it serves all that it
// must and can.
double RequiredOf(const Problem& problem, int32_t limit) {
  const auto customers = problem.rules().CustomersOf(limit);
  return static_cast<double>(std::ranges::count_if(customers, [&](NodeIndex node) {
    const Unit& unit = problem.unit(problem.UnitOf(node));
    return unit.required() && unit.kind != Unit::Kind::kAlternatives &&
           problem.detours().reach(problem.UnitOf(node)) != Detours::Reach::kNever;
  }));
}

}  // namespace

double FleetFilled(const Problem& problem) {
  double filled = 0;
  for (int32_t k = 0; k < problem.dimensions(); ++k) {
    double room = 0;
    for (const Vehicle& vehicle : problem.vehicles()) {
      room += vehicle.capacity[k] * vehicle.count * (1.0 + vehicle.max_reloads);
    }
    const double load = RequiredLoad(problem, k);
    if (load > 0) filled = std::max(filled, load / room);
  }
  return filled;
}

int32_t FewestRoutes(const Problem& problem) {
  double fewest = std::max<double>(1, static_cast<double>(problem.frozen().size()));
  for (int32_t k = 0; k < problem.dimensions(); ++k) {
    double most = 0;
    for (const Vehicle& vehicle : problem.vehicles()) {
      most = std::max(most, vehicle.capacity[k] * (1.0 + vehicle.max_reloads));
    }
    if (most == 0) continue;  // what needs room in k is in no route
    fewest = std::max(fewest, std::ceil(RequiredLoad(problem, k) / most - 1e-9));
  }
  for (int32_t limit = 0; limit < problem.rules().limits(); ++limit) {
    fewest = std::max(fewest, std::ceil(RequiredOf(problem, limit) / problem.rules().max(limit)));
  }
  return static_cast<int32_t>(fewest);
}

bool FewerRoutesMayPay(const Problem& problem) {
  const bool paid = problem.route_weight() > 0 ||
                    std::any_of(problem.vehicles().begin(), problem.vehicles().end(),
                                [](const Vehicle& vehicle) { return vehicle.fixed > 0; });
  return paid || (!problem.timed() && !problem.has_reloads());
}

}  // namespace vrp
