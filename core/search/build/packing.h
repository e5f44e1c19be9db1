// Plans for when there is no time at all.
#pragma once

#include "core/search/route/route_store.h"

namespace vrp {

// Appends absent units, one after the other, to the last route that took one, or opens another;
// what does not fit at once stays absent. Takes some milliseconds at most.
void PackAbsent(RouteStore& routes);

}  // namespace vrp
