// Which units to take out before they are put back better.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/model/fast_random.h"
#include "core/search/route/route_store.h"
#include "core/search/ruin_recreate/string_removal.h"

namespace vrp {

// Adjacent string removal of SISR (Christiaens and Vanden Berghe 2020), and now and then a whole
// route. Both ends of a shipment go together, and often all customers that must share a route;
// what is frozen stays. Not thread-safe; `routes` and `random` must outlive it.
class Ruin {
 public:
  Ruin(RouteStore& routes, FastRandom& random);

  // Takes out strings of routes near a random customer; `beside_absent`: near an absent one, where
  // there is one that is required. Returns the units, valid until the next call.
  std::span<const int32_t> Remove(bool beside_absent);
  // Likewise of up to `count` routes, wherever they are; where units are absent, the first is of a
  // vehicle that may serve one of them, around whom it worked.
  std::span<const int32_t> RemoveSomeRoutes(int32_t count);
  // The customer around whom the last Remove worked.
  NodeIndex seed() const { return seed_; }

 private:
  void Begin();
  NodeIndex DrawSeed(bool beside_absent);
  int32_t RandomVisit(int32_t slot);  // a position
  // Returns a served customer that must share a route with an absent one, or that one itself.
  NodeIndex BesideGroup(NodeIndex absent);
  void TakeOutString(int32_t slot, const RemovedString& string);
  void TakeOut(int32_t slot, int32_t begin, int32_t count);
  void MarkRoute(int32_t slot);
  void MarkRange(const SearchRoute& route, int32_t begin, int32_t end);
  void MarkUnit(NodeIndex customer);
  void MarkAlone(NodeIndex customer);
  void TakeOutMarked();
  void TakeOutMarked(int32_t slot);
  void KeepMarked(int32_t slot);
  void DropNeedlessReloads(int32_t slot);

  RouteStore& routes_;
  FastRandom& random_;
  const bool any_leaves_;  // each visit may leave its route alone
  bool whole_groups_ = false;
  NodeIndex seed_ = 0;
  std::vector<char> marked_;  // [N]
  std::vector<int32_t> removed_;
  std::vector<int32_t> ruined_;
  std::vector<NodeIndex> left_;
};

}  // namespace vrp
