// The price at which a search may exceed the limit on the spread between routes.
#pragma once

#include "core/search/route/route_store.h"

namespace vrp {

// A price per unit of excess that rises while plans exceed the limit and falls while they keep it,
// so that the search works on both sides of the limit. It is 0 without a limit. Not thread-safe.
class SpreadPrice {
 public:
  // The first price is what `routes` cost per unit of the measure.
  explicit SpreadPrice(const RouteStore& routes);

  double value() const { return value_; }
  // Adapts the price to the current plan, which may leave required units out. Returns whether there
  // is a limit.
  bool Record(bool keeps_limit, bool is_complete);

 private:
  double value_ = 0;
  double least_ = 0;
};

}  // namespace vrp
