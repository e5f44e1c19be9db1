#include "core/search/portfolio.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/search/methods/population/population_run.h"
#include "core/search/methods/regions/region_search.h"
#include "core/search/model/detours.h"
#include "core/search/model/fleet_bounds.h"
#include "core/search/route/penalised_routes.h"

namespace vrp {
namespace {

// Up to this many customers a population alone searches; the share of ruin and recreate grows with
// the customers beyond by one in kGrowth, up to kMostAnnealed of the budget.
constexpr double kPopulationOnly = 300;
constexpr double kGrowth = 200;
constexpr double kMostAnnealed = 0.5;
// The share of ruin and recreate where there are windows.
constexpr double kAnnealedTimed = 0.3;
// Where moves are judged slowly, up to so many nodes. (Measured: MDVRPTW of 361 to 481 nodes cost
// 0.9 % more at 5 s.)
constexpr int32_t kMostJudgedSlowly = 300;
constexpr int32_t kRegionsFrom = 1000;  // units
// The fleet's load, as a share of what it can load, up to which a population improves plans.
constexpr double kMostFilled = 0.9;

// Where vehicles drive unlike ways, as from several depots, moves between them are judged slowly.
bool JudgesSlowly(const Problem& problem) {
  const Vehicle& first = problem.vehicle(0);
  return !std::all_of(problem.vehicles().begin(), problem.vehicles().end(),
                      [&](const Vehicle& other) { return DriveAlike(first, other); });
}

}  // namespace

bool FleetTooSmall(const Instance& instance) {
  double capacity = 0;
  for (const VehicleType& vehicle : instance.vehicles()) {
    if (vehicle.count == 0 || vehicle.max_reloads > 0) return false;
    capacity += vehicle.capacity * vehicle.count;
  }
  std::vector<char> counts(instance.num_nodes(), 1);
  for (const std::vector<NodeIndex>& group : instance.data().alternative_groups) {
    for (const NodeIndex node : group) counts[node] = 0;
  }
  const std::vector<double>& prizes = instance.data().prizes;
  double demand = 0;
  for (NodeIndex node = 0; node < instance.num_nodes(); ++node) {
    const bool required = counts[node] && (prizes.empty() || prizes[node] == kNoLimit);
    if (required) demand += instance.demand(node);
  }
  return !instance.vehicles().empty() && demand > capacity;
}

bool SearchesByRegions(const Instance& instance, const SearchOptions& options) {
  if (instance.kind() == ProblemKind::kTsp || FleetTooSmall(instance) ||
      !RegionsPay(instance.num_customers(), options.stop)) {
    return false;
  }
  const bool is_for_population =
      IsPlain(instance) && !instance.has_windows() && instance.num_nodes() <= kMostPopulationNodes;
  if (is_for_population) return false;
  return options.needs_detours.has_value() ? !*options.needs_detours
                                           : !NeedsDetours(instance, options.stop);
}

bool SearchesByRegions(const RouteStore& routes, const SearchOptions& options) {
  const Problem& problem = routes.problem();
  if (problem.detours().needed()) return false;
  if (options.threads > 1) return true;
  const bool has_prizes = !problem.instance().data().prizes.empty();
  return routes.missing_weight() == 0 && (has_prizes || problem.units() >= kRegionsFrom) &&
         RegionsPay(problem.units(), options.stop);
}

double AnnealedShare(const Problem& problem) {
  if (problem.timed()) return kAnnealedTimed;
  return std::clamp((problem.num_servable() - kPopulationOnly) / kGrowth, 0.0, kMostAnnealed);
}

bool PenalisesByPopulation(const Problem& problem) {
  return !problem.timed() && FleetFilled(problem) <= kMostFilled &&
         KnowsPenalisedPopulation(problem);
}

bool MayImprovePenalised(const RouteStore& routes) {
  const Problem& problem = routes.problem();
  const bool all_required = std::all_of(routes.servable().begin(), routes.servable().end(),
                                        [&](int32_t u) { return problem.unit(u).required(); });
  if (problem.size() > kMostJudgedSlowly && JudgesSlowly(problem)) return false;
  return all_required && routes.missing_weight() == 0 && problem.route_weight() == 0 &&
         CanPenalise(problem);
}

}  // namespace vrp
