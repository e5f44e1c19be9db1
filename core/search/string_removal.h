// Which strings of visits to take out of routes: the draws of SISR's ruin (Christiaens and Vanden
// Berghe 2020, "Slack induction by string removals for vehicle routing problems").
#pragma once

#include <cstdint>

#include "core/search/fast_random.h"

namespace vrp {

struct StringSizes {
  int32_t longest = 1;  // visits
  int32_t strings = 1;  // routes to take one from
};
// `served` customers are in `routes` routes; both at least 1.
StringSizes DrawStringSizes(FastRandom& random, double served, int32_t routes);

// Of a route, by positions from 1 on: `first` visits from `begin` on go, the next `kept` stay, then
// `rest` go.
struct RemovedString {
  int32_t begin = 1;
  int32_t first = 1;
  int32_t kept = 0;
  int32_t rest = 0;
};
// One that lies around position `at` of a route with `visits`.
RemovedString DrawString(FastRandom& random, int32_t visits, int32_t at, int32_t longest);

}  // namespace vrp
