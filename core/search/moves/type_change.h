// Changes of the vehicle types of routes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/model/fast_random.h"
#include "core/search/route/route_store.h"

namespace vrp {

// Frozen routes keep theirs. Not thread-safe; `routes` and `random` must outlive it.
class TypeChange {
 public:
  TypeChange(RouteStore& routes, FastRandom& random) : routes_(routes), random_(random) {}

  // Gives the route another type drawn by lot, where one with a vehicle left can drive it.
  void Shake(int32_t slot);
  // Gives each route the cheapest type that has a vehicle left, or swaps types with another route
  // where that is cheaper.
  void Improve(std::span<const int32_t> slots);

 private:
  static constexpr int32_t kLooked = 16;

  void ImproveAlone(int32_t slot);
  void ImproveBySwap(int32_t slot);
  // The route as that type would drive it, in retyped_.
  RouteValue Retyped(int32_t slot, int32_t type);
  void SetType(int32_t slot, int32_t type);

  RouteStore& routes_;
  FastRandom& random_;
  std::vector<NodeIndex> retyped_;
};

}  // namespace vrp
