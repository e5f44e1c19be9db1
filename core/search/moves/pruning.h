// Leaves out what is not worth its visit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/route/route_store.h"

namespace vrp {

// Of optional customers: what together is worth a detour may not be so once only some of it is
// left. Not thread-safe; `routes` must outlive it.
class Pruning {
 public:
  explicit Pruning(RouteStore& routes);

  bool has_optional() const { return has_optional_; }  // or there is nothing to do
  // From each of the routes `slots`, one by one, the customer whose visit costs most beyond the
  // prize.
  void Prune(std::span<const int32_t> slots);

 private:
  bool PruneOne(int32_t slot);
  // What the visit at that position costs beyond its prize, by its distance.
  double Waste(const SearchRoute& route, int32_t at) const;

  RouteStore& routes_;
  const Problem& problem_;
  const bool has_optional_;
  std::vector<NodeIndex> left_;
  std::vector<int32_t> pruned_;
};

}  // namespace vrp
