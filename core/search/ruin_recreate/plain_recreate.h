// Greedy insertion of missing customers.
#pragma once

#include <vector>

#include "core/search/model/fast_random.h"
#include "core/search/route/plain_route_store.h"
#include "core/search/ruin_recreate/insertion_order.h"

namespace vrp {

// The recreate half of SISR (Christiaens and Vanden Berghe 2020, "Slack induction by string
// removals for vehicle routing problems"). Not thread-safe; `routes` and `random` must outlive it.
class PlainRecreate {
 public:
  // Each place that would be the best so far is overlooked with this probability ("blink").
  PlainRecreate(PlainRouteStore& routes, FastRandom& random, double blink)
      : routes_(routes), problem_(routes.problem()), random_(random), blink_(blink) {}

  // Inserts `customers` and all absent ones in an order drawn by lot; those without a feasible
  // place become (stay) absent.
  void InsertAll(std::vector<NodeIndex> customers);
  // Inserts in the given order; returns those without a place.
  std::vector<NodeIndex> InsertInOrder(std::span<const NodeIndex> customers);

 private:
  // Up to this many nodes every place is looked at; above it those beside related customers.
  static constexpr int32_t kScanAllNodes = 400;
  static constexpr int32_t kRelatedLooked = 40;

  PlainInsertionPlace Find(NodeIndex customer);
  void Scan(NodeIndex customer, PlainInsertionPlace& best);
  void ScanRoute(NodeIndex customer, int32_t index, PlainInsertionPlace& best);
  // After the visits at [begin, end): elsewhere a customer is in time on no way, however short.
  struct Places {
    int32_t begin = 0;
    int32_t end = 0;
  };
  Places PlacesInTime(NodeIndex customer, const PlainRoute& route) const;
  void LookBesideRelated(NodeIndex customer, PlainInsertionPlace& best);
  void Consider(NodeIndex customer, PlainInsertionPlace place, PlainInsertionPlace& best);
  bool Blinks() { return blink_ > 0 && random_.Unit() < blink_; }

  PlainRouteStore& routes_;
  const Problem& problem_;
  FastRandom& random_;
  const double blink_;
  InsertionSorter sorter_;
};

// Makes absent customers of `routes` fit where they fit, the largest demand first, without
// randomness.
void InsertAbsent(PlainRouteStore& routes);

}  // namespace vrp
