// The population search from first plans to the stop.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/problem.h"
#include "core/search/model/search_options.h"

namespace vrp {

// Up to this many nodes a population is worth any budget without windows.
inline constexpr int32_t kMostPopulationNodes = 500;
// Up to this many it is worth budgets from so much per customer on. (Measured: at 120 ms per
// customer 0.2 to 0.4 % cheaper with 500 and 1,000 customers, at 60 ms 0.2 % dearer with 1,000.)
inline constexpr int32_t kMostLargePopulationNodes = 1'100;
inline constexpr absl::Duration kLargePopulationPerCustomer = absl::Milliseconds(100);
inline constexpr int64_t kLargePopulationIterations = 25'000;

// With windows there have to be fewer customers, and so much time for each: an individual takes
// longer, and ruin and recreate goes before.
inline constexpr int32_t kMostTimedPopulationNodes = 126;
inline constexpr absl::Duration kTimedPopulationPerCustomer = absl::Milliseconds(18);

// With features there has to be so much time for each. (Measured: at 20 ms 0.6 % cheaper with 100
// and 200 customers of several depots, unlike fleets or skills, at 10 ms 0.1 % dearer with 300.)
inline constexpr absl::Duration kFeaturePopulationPerCustomer = absl::Milliseconds(20);
// And so much for each unit, up to so many nodes, where no plan may break limits, and shipments or
// fewest vehicles are asked for. (Measured at 190 to 330 ms: Li and Lim's instances with 200
// customers 0.2 to 1.6 % cheaper, shipments with 300 customers 0.6 %, with 100 customers 0.1 %
// dearer. Alternatives, backhauls, pickups, releases, reloads and soft windows cost the same on
// average, and at 40 to 80 ms up to 0.5 % more, shipments 1.5 %.)
inline constexpr int32_t kMostRecreatedPopulationNodes = 501;
inline constexpr absl::Duration kRecreatedPopulationPerUnit = absl::Milliseconds(150);

// Whether the population search knows the problem and its size, and is worth its time: with windows
// or features by the time left, never by a number of iterations.
bool PopulationFits(const Problem& problem, const SearchOptions& options);
// Returns whether a PenalisedPopulation knows the problem: a plain one, or one that CanPenalise,
// whose objective is not the number of vehicles, and where each customer is a unit that some
// vehicle can serve alone. (Alternatives change places in no move there, and a route's cost must
// not outweigh all others.)
bool KnowsPenalisedPopulation(const Problem& problem);

// Each of options.threads threads runs a population, a RecreatedPopulation where no penalised one
// knows the problem; they exchange their best plans.
//
// `plans` leave out nobody who is required and can be served, the best first; there is one at
// least. Calls `on_improvement` at most once in some milliseconds, and with the last improvement
// before it returns.
SearchResult RunPopulations(const Problem& problem, const std::vector<Plan>& plans,
                            const SearchOptions& options, FastRandom& random,
                            ImprovementFn on_improvement);

}  // namespace vrp
