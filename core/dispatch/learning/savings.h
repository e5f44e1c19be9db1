// Savings of pairs of requests.
#pragma once

#include "core/dispatch/request.h"
#include "core/dispatch/site.h"

namespace vrp {

// Returns by how much a route of both requests is shorter than two routes with one each, in the
// better of the two orders that keep the windows and return in time; 0 if no order does. The
// vehicle is of the site's first type and leaves at `departure` or at the later release.
double SavingOf(const DispatchSite& site, const DispatchRequest& a, const DispatchRequest& b,
                double departure);

}  // namespace vrp
