// Greedy insertion of missing units.
#pragma once

#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/search/model/fast_random.h"
#include "core/search/ruin_recreate/detour_insertion.h"
#include "core/search/ruin_recreate/group_insertion.h"
#include "core/search/ruin_recreate/insertion.h"
#include "core/search/ruin_recreate/insertion_order.h"

namespace vrp {

// Whether an insertion takes less than a microsecond or so: nothing has to be simulated.
bool RecreatesFast(const Problem& problem);

// The recreate half of SISR (Christiaens and Vanden Berghe 2020), with a policy drawn anew each
// time. Not thread-safe; `routes`, `random` and `stop` must outlive it.
class Recreate {
 public:
  Recreate(RouteStore& routes, FastRandom& random, const StopCondition& stop);

  // Sets the most that a required unit may cost, for each weight of 1; 0: no limit.
  void SetUnservedPenalty(double unserved_penalty) { unserved_penalty_ = unserved_penalty; }
  // Inserts `removed` and some of the absent, rather those near `seed`, in an order drawn by lot;
  // what has no feasible place, or costs more than its prize, is absent then. `seed` is a customer.
  void InsertSome(std::span<const int32_t> removed, NodeIndex seed);
  // Likewise the bulkiest first, give or take a factor, each into the vehicle that has the least
  // room left for it (best-fit decreasing), whatever that costs.
  void Pack(std::span<const int32_t> removed, NodeIndex seed);
  // Which units go first: those far from the depot, whose routes take up others on their way, or
  // the bulkiest, for which there may be no room later.
  enum class First { kFar, kBulky };
  // Inserts all absent units without randomness; optional ones where they cost at most `worth`
  // times their prize. Past the stop what is left stays absent.
  void InsertAbsent(double worth, First first = First::kFar);

 private:
  static constexpr int32_t kMostRetried = 12;  // absent units

  void Gather(std::span<const int32_t> removed, NodeIndex seed);
  void Order();
  void OrderBy(InsertionOrder order);
  // Returns the bulk of its first node, and of all that must share its route.
  double BulkOf(int32_t unit) const;
  void GatherGroups(std::span<const int32_t> removed);
  void InsertGathered(double worth);
  double Limit(const Unit& unit, double worth) const;

  RouteStore& routes_;
  const Problem& problem_;
  FastRandom& random_;
  const StopCondition& stop_;
  Insertion insertion_;
  DetourInsertion detours_;
  GroupInsertion groups_;
  std::vector<int32_t> gathered_, kept_absent_;
  std::vector<char> is_kept_;  // [units]
  InsertionSorter sorter_;
  const int32_t poll_;       // insertions between looks at the clock
  const bool has_optional_;  // there are units with prizes
  int32_t until_poll_ = 0;
  double unserved_penalty_ = 0;
};

}  // namespace vrp
