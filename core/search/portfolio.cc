#include "core/search/portfolio.h"

#include <algorithm>
#include <cstdint>

#include "core/search/methods/penalised/penalised_search.h"
#include "core/search/methods/population/population_run.h"
#include "core/search/methods/regions/region_search.h"
#include "core/search/model/fleet_bounds.h"
#include "core/search/route/penalised_routes.h"

namespace vrp {
namespace {

// Shares before a population. Of plain problems, up to so many customers it alone searches: it is
// better from the first milliseconds on. With more, individuals take long, and the share grows by
// one with kGrowth customers. (Measured with features: 0.1 costs 0.5 % more, 200 customers, 4 s.)
constexpr double kPopulationOnly = 300;
constexpr double kGrowth = 200;
constexpr double kMostBeforePopulation = 0.5;
constexpr double kBeforeTimedPopulation = 0.3;
constexpr double kBeforeFeaturePopulation = 0.4;
// Where moves are judged slowly, up to so many nodes. (Measured: MDVRPTW of 361 to 481 nodes cost
// 0.9 % more at 5 s.)
constexpr int32_t kMostJudgedSlowly = 300;
// Units, with features. (Measured at 10 s with several depots or sites and windows: 882 to 960
// customers cost 0.7 to 4 % less by regions, 600 to 788 from 0.1 % less to 2.3 % more.)
constexpr int32_t kRegionsFrom = 850;
// The fleet's load, as a share of what it can load, up to which a population improves plans rather
// than penalised search. (Measured at 1 s: with unlike vehicles or depots up to 2 % cheaper, but 3
// % dearer where the loads fill the fleet, and 0.3 % with 300 customers and windows.)
constexpr double kMostFilled = 0.9;

// Share of a reduction of the fleet before annealing that balances routes.
constexpr double kReducedWithBalance = 0.2;

double ShareBeforePopulation(const Problem& problem) {
  if (!problem.plain()) return kBeforeFeaturePopulation;
  if (problem.timed()) return kBeforeTimedPopulation;
  return std::clamp((problem.num_servable() - kPopulationOnly) / kGrowth, 0.0,
                    kMostBeforePopulation);
}

// Where vehicles drive unlike ways, as from several depots, moves between them are judged slowly.
bool JudgesSlowly(const Problem& problem) {
  const Vehicle& first = problem.vehicle(0);
  return !std::all_of(problem.vehicles().begin(), problem.vehicles().end(),
                      [&](const Vehicle& other) { return DriveAlike(first, other); });
}

// Whether a search among plans that break limits improves complete `routes`: if each unit is
// required, and a route is worth no more than it costs.
bool PenalisedFits(const RouteStore& routes) {
  const Problem& problem = routes.problem();
  if (problem.plain() || problem.route_weight() > 0 || !CanPenalise(problem)) return false;
  if (problem.size() > kMostJudgedSlowly && JudgesSlowly(problem)) return false;
  return std::all_of(routes.servable().begin(), routes.servable().end(),
                     [&](int32_t u) { return problem.unit(u).required(); });
}

// Returns whether a population takes the place of penalised search where PenalisedFits.
bool ImprovesByPopulation(const Problem& problem) {
  return !problem.timed() && FleetFilled(problem) <= kMostFilled &&
         KnowsPenalisedPopulation(problem);
}

bool RegionsFit(const Problem& problem, const SearchOptions& options) {
  const Instance& instance = problem.instance();
  if (problem.detours().needed() || instance.kind() == ProblemKind::kTsp) return false;
  if (options.threads > 1) return true;
  if (!RegionsPay(problem.units(), options.stop)) return false;
  if (problem.plain()) return problem.timed() || problem.size() > kMostPopulationNodes;
  return !instance.data().prizes.empty() || problem.units() >= kRegionsFrom;
}

}  // namespace

std::vector<Stage> StagesToComplete(const RouteStore& routes, const SearchOptions& options) {
  const Problem& problem = routes.problem();
  if (routes.balance().active()) return {};
  if (routes.missing_weight() == 0 || FleetFilled(problem) > 1) return {};
  if (CanPenalise(problem)) {
    return {{Method::kAnnealedCompletion, 0.1}, {Method::kPenalisedCompletion, 0.4}};
  }
  // AnnealPenalised is slower. (Measured at 2 s, 96 customers with pickups or breaks, fleets 97 %
  // full: shares of 0.1 and 0.4 cost 1 % more.)
  if (PenalisedSearchKnows(problem)) {
    return {{Method::kAnnealedCompletion, 0.3}, {Method::kPenalisedCompletion, 0.3}};
  }
  if (RegionsFit(problem, options)) return {{Method::kAnnealedCompletion}};
  return {};
}

std::vector<Stage> StagesToImprove(const RouteStore& routes, const SearchOptions& options) {
  const Problem& problem = routes.problem();
  if (routes.missing_weight() > 0) return {{Method::kAnnealing}};
  // Regions and penalised routes are judged apart from the others, but a spread is of all.
  if (routes.balance().active()) {
    const double reduced = problem.route_weight() > 0 ? kReducedWithBalance : 0;
    return {{Method::kFleetReduction, reduced}, {Method::kAnnealing}};
  }
  const bool regions = RegionsFit(problem, options);
  const bool population = PopulationFits(problem, options) && (problem.plain() || !regions);
  const bool penalised = PenalisedFits(routes);
  const Method improver =
      penalised && ImprovesByPopulation(problem) ? Method::kPopulation : Method::kPenalised;
  const double before = ShareBeforePopulation(problem);
  const double reduced = problem.route_weight() > 0 ? 0.3 : 0;
  if (population && problem.size() > kMostPopulationNodes) {
    return {{Method::kRegions, before}, {Method::kPopulation}};
  }
  if (population && improver == Method::kPopulation) return {{Method::kPopulation}};
  if (population && penalised) return {{Method::kPenalised, before}, {Method::kPopulation}};
  if (population) {
    return {
        {Method::kFleetReduction, reduced}, {Method::kAnnealing, before}, {Method::kPopulation}};
  }
  if (regions) return {{Method::kFleetReduction, reduced}, {Method::kRegions}};
  if (penalised) return {{improver, 0.5}, {Method::kAnnealing}};
  return {{Method::kFleetReduction, reduced}, {Method::kAnnealing}};
}

bool SearchesTogether(const Instance& instance, const StopCondition& stop) {
  const bool is_for_population =
      IsPlain(instance) && !instance.has_windows() && instance.num_nodes() <= kMostPopulationNodes;
  return instance.kind() != ProblemKind::kTsp && !is_for_population &&
         !instance.data().balance.has_value() && RegionsPay(instance.num_customers(), stop);
}

}  // namespace vrp
