// Descent of the population search: moves between near customers, and SWAP*.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/search/fast_random.h"
#include "core/search/population/penalised_routes.h"
#include "core/search/population/swap_star.h"

namespace vrp {

// The local search of HGS-CVRP (Vidal 2022) on flat arrays: relocate, exchange, 2-opt, 2-opt* and
// SWAP*, each judged in constant time by distance first and, where that can pay, by penalties.
// Pairs of routes that have not changed since a customer's last test are skipped. Not thread-safe;
// `routes` and `random` must outlive it.
class GranularSearch {
 public:
  GranularSearch(PenalisedRoutes& routes, FastRandom& random);

  // To be called before other routes are loaded. Routes that are then set with the count returned
  // are taken to be at a local optimum among themselves, those with one more are not.
  int64_t Restart();
  // Until no move improves; false when `stop` came first.
  bool Descend(const StopCondition& stop);
  // After a descent, under higher prices: looks at what is not feasible and what lies beside it.
  bool Repair(const StopCondition& stop);

  // Moves since the start, and what those since Restart added to distance and penalties by their
  // own reckoning.
  int64_t moves() const { return moves_; }
  double added() const { return added_; }

  // `count` visits from position `begin` of a route on; count 0: the place before `begin`.
  struct Range {
    int32_t route = 0;
    int32_t begin = 0;
    int32_t count = 0;
  };

 private:
  // What the moves of a pair (u, v) share. v and the nodes around may be the depot, 0.
  struct Pair {
    NodeIndex u, before_u, after_u;
    NodeIndex v, after_v;
    int32_t route_u, route_v;
    int32_t at_u, at_v;     // positions
    double load_u, load_v;  // of the routes
    double limit;           // moves that add this much distance or more cannot pay
  };

  bool Sweep(bool with_empty, const StopCondition& stop, bool& improved);
  bool TestNeighbours(NodeIndex u);
  bool TryPlaceAfter(NodeIndex u, NodeIndex v, int32_t route_v);
  bool TryRelocate(const Pair& pair);
  bool TryTails(const Pair& pair);
  bool TryTurnedTails(const Pair& pair);
  bool TryTwoOpt(const Pair& pair);
  bool TryExchange(const Pair& pair);
  bool TryEmptyRoute(NodeIndex u);
  Pair MakePair(NodeIndex u, NodeIndex v, int32_t route_v) const;
  // pair.limit less the penalties of the loads once `shift` has come to u's route from v's.
  double LimitAfter(const Pair& pair, double shift) const {
    if (pair.route_u == pair.route_v) return pair.limit;
    return pair.limit - routes_.LoadPenalty(pair.load_u + shift) -
           routes_.LoadPenalty(pair.load_v - shift);
  }

  // Exchanges two ranges of different routes, or of one; the first may come turned. Accepts when
  // the added distance and penalties are below zero.
  bool Exchange(Range first, bool turned, Range second, double added);
  bool ExchangeBetween(Range first, std::span<const NodeIndex> moved, Range second, double added);
  bool ExchangeWithin(Range first, std::span<const NodeIndex> moved, Range second, double added);
  // Sets a route to scratch_[0] when that pays.
  bool SetWithin(int32_t route, double added);
  double Distance(NodeIndex a, NodeIndex b) const { return routes_.Distance(a, b); }

  static constexpr int32_t kNeighbours = 12;

  PenalisedRoutes& routes_;
  FastRandom& random_;
  const SearchProblem& problem_;
  const double epsilon_;
  SwapStar swap_star_;
  std::vector<NodeIndex> near_;        // [N, kNeighbours], -1 where there are fewer
  std::vector<NodeIndex> order_;       // all customers that can be served
  std::vector<int64_t> tested_;        // per customer: the count of moves at its last test
  std::vector<int64_t> tested_alone_;  // the same of the move to an empty route
  int64_t moves_ = 0;                  // counts on from one descent to the next
  double added_ = 0;
  int64_t settled_ = 0;  // what Restart returned
  std::vector<NodeIndex> scratch_[2];
};

}  // namespace vrp
