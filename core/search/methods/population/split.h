// Cuts a giant tour into routes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/route/penalised_routes.h"

namespace vrp {

// Cuts `tour` (customers, each once) so that costs and penalties of excess load are least. Returns
// the ends of the routes in `tour`, no more than `routes` has, which must be alike() (Prins 2004;
// Vidal 2016, "Split algorithm in O(n) for the capacitated vehicle routing problem", whose limit of
// 1.5 capacities a route is kept). Windows do not count. Empty when there is no such cut.
std::vector<int32_t> SplitTour(const PenalisedRoutes& routes, std::span<const NodeIndex> tour);

}  // namespace vrp
