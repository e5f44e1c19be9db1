// Greedy insertion into routes that may break limits.
#pragma once

#include <cstdint>
#include <vector>

#include "core/search/model/fast_random.h"
#include "core/search/route/penalised_routes.h"
#include "core/search/ruin_recreate/insertion_order.h"

namespace vrp {

// The recreate half of SISR (Christiaens and Vanden Berghe 2020) where limits may be broken at a
// penalty. Not thread-safe; `routes` and `random` must outlive it.
class PenalisedRecreate {
 public:
  PenalisedRecreate(PenalisedRoutes& routes, FastRandom& random)
      : routes_(routes), problem_(routes.problem()), random_(random) {}

  // Inserts all where they cost least, in an order drawn by lot. Some vehicle may serve each.
  void Insert(std::vector<NodeIndex>& customers);

 private:
  struct Place {
    double added = Problem::kNever;
    int32_t slot = -1;
    int32_t after = 0;
  };
  Place Find(NodeIndex customer);
  void LookBesideRelated(NodeIndex customer, Place& best);
  void Scan(int32_t slot, NodeIndex customer, Place& best);
  // Judges the place behind position `after`; `least` is LeastAdded of the route.
  void Consider(int32_t slot, NodeIndex customer, double least, int32_t after, Place& best);
  // Returns a bound on what the customer adds to the route besides the edges.
  double LeastAdded(int32_t slot, NodeIndex customer) const;

  PenalisedRoutes& routes_;
  const Problem& problem_;
  FastRandom& random_;
  InsertionSorter sorter_;
  std::vector<NodeIndex> filled_;
};

}  // namespace vrp
