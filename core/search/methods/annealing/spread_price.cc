#include "core/search/methods/annealing/spread_price.h"

#include <algorithm>

namespace vrp {
namespace {

// The price of one iteration follows these factors. They balance where four of five plans keep the
// limit.
constexpr double kRise = 1.002;
constexpr double kFall = 0.9995;
// The fall while units are left out: they come back only by plans that exceed the limit.
constexpr double kFastFall = 0.998;
// Bounds of the price, in first prices and in any unit.
constexpr double kLeast = 0.01;
constexpr double kMost = 1e15;

}  // namespace

SpreadPrice::SpreadPrice(const RouteStore& routes) {
  const BalanceTerm& balance = routes.balance();
  if (!balance.active() || !balance.limited()) return;
  double sum = 0;
  for (const SearchRoute& route : routes.routes()) {
    if (!route.empty()) sum += balance.MeasureOf(route);
  }
  value_ = sum > 0 && routes.cost() > 0 ? routes.cost() / sum : 1;
  least_ = kLeast * value_;
}

bool SpreadPrice::Record(bool keeps_limit, bool is_complete) {
  if (value_ == 0) return false;
  const double factor = !keeps_limit ? kRise : is_complete ? kFall : kFastFall;
  value_ = std::clamp(value_ * factor, least_, kMost);
  return true;
}

}  // namespace vrp
