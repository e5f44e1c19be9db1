// At which of their nodes units with alternatives are visited.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/route/route_store.h"

namespace vrp {

// All of a route at once: recreation chooses a unit's node for the neighbours that it finds. Not
// thread-safe; `routes` must outlive it.
class Alternatives {
 public:
  explicit Alternatives(RouteStore& routes);

  bool has_any() const { return has_any_; }  // or there is nothing to do
  // The routes `slots` keep the order of their units and visit each at the node that makes the
  // route the cheapest by distance, driving and prizes (a shortest path through layers: Fischetti,
  // Salazar González and Toth 1997, "A branch-and-cut algorithm for the symmetric generalized
  // traveling salesman problem"), where loads and times allow that and it costs less. A route takes
  // O(units * alternatives^2).
  void Improve(std::span<const int32_t> slots);

 private:
  // A node of a layer, with the cheapest way to it.
  struct Choice {
    NodeIndex node = 0;
    double way = 0;
    int32_t before = -1;  // in choices_
  };

  void ImproveOne(int32_t slot);
  void AddLayer(const SearchRoute& route, int32_t position);
  void AddChoice(const Vehicle& vehicle, NodeIndex node, int32_t first);

  RouteStore& routes_;
  const Problem& problem_;
  const bool has_any_;
  std::vector<Choice> choices_;  // layer by layer
  int32_t layer_ = 0;            // where the last one begins
  std::vector<NodeIndex> chosen_;
};

}  // namespace vrp
