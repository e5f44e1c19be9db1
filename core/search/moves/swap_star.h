// SWAP*: two customers change routes, each to the best place there.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/stop.h"
#include "core/search/route/plain_penalised_routes.h"

namespace vrp {

// Vidal 2022, "Hybrid genetic search for the CVRP: open-source implementation and SWAP*
// neighborhood". The three best places of a customer in a route are kept until the route changes.
// Without windows only. Not thread-safe; `routes` must outlive it.
class SwapStar {
 public:
  explicit SwapStar(PlainPenalisedRoutes& routes);

  // Tests the pairs of near routes that changed since their last test and since the count
  // `settled`; counts applied moves in `moves`. Returns what they add to distance and penalties.
  double Improve(int64_t settled, int64_t& moves, const StopCondition& stop);

 private:
  struct Place {
    double cost;
    NodeIndex after;  // 0: the start of the route
  };
  struct Places {
    int64_t when = -1;  // the route's `changed` when these were found
    std::array<Place, 3> best;
  };
  struct Move {
    double cost = 0;
    NodeIndex u = 0, v = 0;  // 0: none
    NodeIndex after_u = 0, after_v = 0;
  };

  void FindNearRoutes(int64_t settled);
  double TryPair(int32_t first, int32_t second, int64_t& moves);
  const Places& PlacesOf(NodeIndex customer, int32_t route);
  // The cheapest place for `customer` in `route` once `without` has left it.
  Place CheapestWithout(NodeIndex customer, int32_t route, NodeIndex without);
  void ConsiderSwaps(int32_t first, int32_t second, Move& best);
  void ConsiderRelocations(int32_t from, int32_t to, bool is_first, Move& best);
  void Apply(int32_t first, int32_t second, const Move& move, int64_t when);
  void Compose(int32_t route, NodeIndex without, NodeIndex with, NodeIndex after,
               std::vector<NodeIndex>& nodes) const;

  static constexpr int32_t kNear = 10;

  PlainPenalisedRoutes& routes_;
  const Problem& problem_;
  std::vector<NodeIndex> customers_;
  std::vector<Places> places_;    // [N, R]
  std::vector<int64_t> tested_;   // [R, R]
  std::vector<double> removal_;   // [N]: what leaving the route adds
  std::vector<int64_t> near_in_;  // [R, R]: the round in which the two were found near
  int64_t round_ = 0;
  std::vector<std::pair<int32_t, int32_t>> pairs_;
  std::vector<NodeIndex> scratch_[2];
};

}  // namespace vrp
