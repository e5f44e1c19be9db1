// Which customers to take out before they are put back better.
#pragma once

#include <cstdint>
#include <vector>

#include "core/search/model/fast_random.h"
#include "core/search/route/plain_route_store.h"

namespace vrp {

// Adjacent string removal of SISR (Christiaens and Vanden Berghe 2020), now and then of a whole
// route. Not thread-safe; `routes`
// and `random` must outlive it.
class PlainRuin {
 public:
  PlainRuin(PlainRouteStore& routes, FastRandom& random) : routes_(routes), random_(random) {}

  // Takes strings out of routes near a random customer (near an absent one, where there is one), or
  // the whole route of that customer. Returns who was taken out.
  std::vector<NodeIndex> Remove();

 private:
  void TakeOut(int32_t route, int32_t begin, int32_t count);

  PlainRouteStore& routes_;
  FastRandom& random_;
  std::vector<NodeIndex> removed_;
  std::vector<int32_t> ruined_;
};

}  // namespace vrp
