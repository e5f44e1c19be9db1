// A first plan that keeps a limit on the spread between routes.
#pragma once

#include <optional>

#include "core/search/route/route_store.h"

namespace vrp {

// Removes units from `routes` until the spread keeps its limit: it gives up the routes with the
// smallest measures and trims those with the largest, by the choice that leaves the least weight
// out. Returns nothing if frozen stops prevent that.
std::optional<RouteStore> WithinSpread(const RouteStore& routes);

}  // namespace vrp
