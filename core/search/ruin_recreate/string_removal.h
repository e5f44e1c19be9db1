// Which strings of visits to take out of routes: the draws of SISR's ruin (Christiaens and Vanden
// Berghe 2020, "Slack induction by string removals for vehicle routing problems").
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/search/model/fast_random.h"

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

// Calls remove(slot, string) for the routes of `seed` and of customers near it, each once, at most
// sizes.strings times. `ruined` receives their slots.
template <typename Routes, typename RemoveFn>
void RemoveStrings(const Routes& routes, FastRandom& random, int32_t seed, const StringSizes& sizes,
                   std::vector<int32_t>& ruined, RemoveFn remove) {
  ruined.clear();
  const auto remove_at = [&](int32_t customer) {
    const int32_t slot = routes.RouteOf(customer);
    if (slot < 0 || std::find(ruined.begin(), ruined.end(), slot) != ruined.end()) return;
    ruined.push_back(slot);
    const auto visits = static_cast<int32_t>(routes.route(slot).nodes.size()) - 2;
    remove(slot, DrawString(random, visits, routes.PositionOf(customer), sizes.longest));
  };
  remove_at(seed);
  for (const int32_t near : routes.problem().Near(seed)) {
    if (std::ssize(ruined) >= sizes.strings) break;
    remove_at(near);
  }
}

}  // namespace vrp
