// Fewer routes, for problems where these count before the cost.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/search/methods/fleet_reduction/ejection_fit.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/search_options.h"
#include "core/search/model/unit_conflicts.h"
#include "core/search/moves/type_change.h"
#include "core/search/route/route_store.h"
#include "core/search/ruin_recreate/insertion.h"

namespace vrp {

// Guided ejection search (Nagata and Bräysy 2009, "A powerful route minimization heuristic for the
// vehicle routing problem with time windows"; Nagata and Kobayashi 2010, "Guided ejection search
// for the pickup and delivery problem with time windows"). Takes away one route at a time and
// places its units in the others. A unit without a feasible place takes the place of those units
// that were the easiest to place so far; random feasible moves follow. Optional units may be left
// out on the way. Not thread-safe.
class FleetReduction {
 public:
  // `routes` and `random` must outlive this.
  FleetReduction(RouteStore& routes, FastRandom& random);

  // Runs until the loads allow no fewer routes, or options.stop or options.max_iterations end it.
  // `routes`, which serves every required unit, then holds the plan with the fewest routes that was
  // found, and its number of routes as the limit. Calls `on_fewer` with each such plan in `routes`.
  // Returns the number of iterations, one for each search for a place.
  int64_t Run(const SearchOptions& options, absl::FunctionRef<void()> on_fewer);

 private:
  static constexpr int64_t kUnknown = INT64_MAX;

  struct Kept {
    int32_t type = 0;
    std::vector<NodeIndex> nodes = {};
  };
  // Units that leave a route so that another one fits in.
  struct Ejection {
    int64_t failures = kUnknown;  // sum over the units
    int32_t slot = -1;
    std::vector<int32_t> units = {};
    std::vector<NodeIndex> nodes = {};  // of the route afterwards
  };

  bool Over() const;
  void Keep();
  void RestoreKept();
  bool RemoveRoute();
  void PlaceOne();
  // Replaces the units of the best ejection by `unit`. Returns false if there is none.
  bool Eject(int32_t unit);
  void LookInRoute(int32_t unit, int32_t slot);
  // Tries every ejection of the units chosen so far and `more` of the candidates from `from` on.
  void Extend(int32_t unit, int32_t slot, size_t from, int32_t more, int64_t failures);
  void Try(int32_t unit, int32_t slot, int64_t failures);
  bool HasRoom(const SearchRoute& route, int32_t unit) const;
  void Perturb();
  void Move(int32_t unit, NodeIndex beside);
  void Exchange(int32_t unit, int32_t other);

  // Whether the unit must share a route with customers that another one than `slot` serves.
  bool BelongsElsewhere(int32_t unit, int32_t slot) const;
  // Whether the unit must share a route with others.
  bool IsGrouped(int32_t unit) const;
  // Returns the route of a unit that may leave it; else -1.
  int32_t SlotOf(int32_t unit) const;
  void ListUnits(const SearchRoute& route);
  // Measures `route` without the units in leaving_ as `left`. Returns false if it is not feasible.
  bool Without(const SearchRoute& route, SearchRoute& left);

  RouteStore& routes_;
  const Problem& problem_;
  FastRandom& random_;
  Insertion insertion_;
  TypeChange types_;
  UnitConflicts conflicts_;
  EjectionFit fit_;
  const SearchOptions* options_ = nullptr;
  int64_t iterations_ = 0;

  std::vector<Kept> kept_;  // by slot
  std::vector<int32_t> kept_absent_;
  std::vector<int32_t> pool_;  // units without a place; the last one is next
  std::vector<int32_t> dropped_;
  std::vector<int64_t> failures_;  // by unit: how often it had no place; optional ones: 0
  std::vector<char> leaving_;      // by unit
  Ejection best_;
  int32_t tries_left_ = 0;  // in the route that is looked at
  std::vector<int32_t> units_, chosen_, slots_;
  std::vector<std::pair<int64_t, int32_t>> candidates_;  // failures, unit
  SearchRoute left_, other_left_;
  std::vector<NodeIndex> pair_;
};

}  // namespace vrp
