// What loads alone say of the fleet.
#pragma once

#include <cstdint>

#include "core/search/rich/rich_problem.h"

namespace vrp {

// Whether all vehicles together cannot load what is required.
bool FleetTooSmall(const RichProblem& problem);
// The routes that the loads of what is required need, at least, or that are frozen.
int32_t FewestRoutes(const RichProblem& problem);

}  // namespace vrp
