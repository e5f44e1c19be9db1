// Insertion of units that fit nowhere alone, along with others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/model/fast_random.h"
#include "core/search/ruin_recreate/insertion.h"

namespace vrp {

// Not thread-safe; `routes` and `random` must outlive it.
class DetourInsertion {
 public:
  DetourInsertion(RouteStore& routes, FastRandom& random);

  // Inserts one of the unit's detours (Detours) where it costs least, if that is below `limit`; the
  // others on it leave the routes that they are in. Where it has none, but a route may become
  // feasible by visiting more, tries it beside a near customer now and then. Returns whether. Some
  // of the absent units may be served then: used() holds from the first one on.
  bool Insert(int32_t unit, double limit);
  bool used() const { return used_; }

 private:
  bool InsertPair(int32_t unit, double limit);
  // For the sake of `unit`.
  bool InsertDetour(int32_t unit, std::span<const NodeIndex> detour, double limit);
  // Takes the detour's customers out of their routes, which `removed_` remembers. False, with
  // nothing changed: one of those routes cannot be without them.
  bool TakeOut(std::span<const NodeIndex> detour, double& saved);
  void PutBack();
  // Sets bound_. Returns false if customers of the detour must share different routes.
  bool ReadBound(std::span<const NodeIndex> detour);
  // With `ignores_fixed_cost` the limit is for the rest of what a new route costs.
  InsertionPlace Find(std::span<const NodeIndex> detour, double limit, bool ignores_fixed_cost);
  void ScanRoute(std::span<const NodeIndex> detour, int32_t slot, InsertionPlace& best);
  std::span<const NodeIndex> WithInserted(std::span<const NodeIndex> detour,
                                          const InsertionPlace& position);

  struct RemovedRoute {
    int32_t slot = 0;
    int32_t type = 0;
    std::vector<NodeIndex> nodes;
  };
  RouteStore& routes_;
  const Problem& problem_;
  FastRandom& random_;
  const double pair_rate_;  // share of the units that fit nowhere
  bool used_ = false;
  int32_t bound_ = -1;  // the only route for the detour in hand; -1: any
  std::vector<RemovedRoute> removed_;
  std::vector<NodeIndex> filled_;
};

}  // namespace vrp
