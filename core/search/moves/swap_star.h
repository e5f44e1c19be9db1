// SWAP*: two customers change routes, each to the best place there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/stop.h"
#include "core/search/route/penalised_routes.h"

namespace vrp {

// Vidal 2022, "Hybrid genetic search for the CVRP: open-source implementation and SWAP*
// neighborhood". The three best places of a customer in a route are kept until the route changes.
// Without windows only. Not thread-safe; `routes` must outlive it.
class SwapStar {
 public:
  // Moves that add `-rounding` or more do not pay.
  SwapStar(PenalisedRoutes& routes, double rounding);

  // Tests the pairs of near routes that changed since their last test and since the count
  // `settled`. Returns what the moves made add to costs and penalties.
  double Improve(int64_t settled, const StopCondition& stop);

 private:
  struct Place {
    double cost;
    NodeIndex after;  // a depot: the start of the route
  };
  struct Places {
    int64_t when = -1;  // the route's `changed` when these were found
    std::array<Place, 3> best;
  };
  struct Move {
    double cost = 0;
    NodeIndex u = -1, v = -1;  // -1: none
    NodeIndex after_u = -1, after_v = -1;
  };

  void FindNearRoutes(int64_t settled);
  double TryPair(int32_t first, int32_t second);
  const Places& PlacesOf(NodeIndex customer, int32_t route);
  // The cheapest place for `customer` in `route` once `without` has left it.
  Place CheapestWithout(NodeIndex customer, int32_t route, NodeIndex without);
  void ConsiderSwaps(int32_t first, int32_t second, Move& best);
  void ConsiderRelocations(int32_t from, int32_t to, bool is_first, Move& best);
  // Returns what the move adds; 0: it was not made.
  double Apply(int32_t first, int32_t second, const Move& move);
  // All that routes over the composed nodes cost more than now.
  double AddedBy(int32_t slot, std::span<const NodeIndex> nodes) const;
  void Compose(int32_t route, NodeIndex without, NodeIndex with, NodeIndex after,
               std::vector<NodeIndex>& nodes) const;

  static constexpr int32_t kNear = 10;

  PenalisedRoutes& routes_;
  const Problem& problem_;
  const double rounding_;
  std::vector<Places> places_;    // [N, R]
  std::vector<int64_t> tested_;   // [R, R]
  std::vector<double> removal_;   // [N]: what leaving the route adds
  std::vector<int64_t> near_in_;  // [R, R]: the round in which the two were found near
  int64_t round_ = 0;
  std::vector<std::pair<int32_t, int32_t>> pairs_;
  std::vector<NodeIndex> scratch_[2];
};

}  // namespace vrp
