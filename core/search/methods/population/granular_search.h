// Descent of the population search: moves between near customers, and SWAP*.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/search/model/fast_random.h"
#include "core/search/moves/swap_star.h"
#include "core/search/route/plain_penalised_routes.h"

namespace vrp {

// The local search of HGS-CVRP (Vidal 2022) on flat arrays: relocate, exchange, 2-opt, 2-opt* and
// SWAP*, each judged in constant time by distance first and, where that can pay, by penalties.
// Pairs of routes that have not changed since a customer's last test are skipped. Not thread-safe;
// `routes` and `random` must outlive it.
class GranularSearch {
 public:
  GranularSearch(PlainPenalisedRoutes& routes, FastRandom& random);

  // To be called before other routes are loaded. Routes that are then set with the count returned
  // are taken to be at a local optimum among themselves, those with one more are not.
  int64_t Restart();
  // Until no move improves; false when `stop` came first.
  bool Descend(const StopCondition& stop);
  // After a descent, under higher penalties: looks at what is not feasible and what lies beside it.
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
  // Who is moved: a customer u where it is. It and the nodes around may be the depot, 0.
  struct Mover {
    NodeIndex u, previous, next, after_next;
    int32_t route, position;
    double load;                // of the route
    double into, out;           // distances from the previous and to the next
    double out_next;            // from the next to the one after it
    double spared, spared_two;  // what the route is shorter without u, and without u and the next
  };
  // Where to: behind v, or in its place. v may be the depot, 0.
  struct Target {
    NodeIndex v, next;
    int32_t route, position;
    double load;
    double out;    // the distance from v to the next
    double limit;  // moves that add this much distance or more cannot pay
  };
  // The distance that moves add which join v and u; infinite where there is no such move.
  struct Joined {
    double one, two, turned;     // u, u and the next, or these two turned, go behind v
    double tails, turned_tails;  // the latter without what turning adds to asymmetric routes
    double Least() const;
  };
  // And those that set u, or u and the next, in v's place, and v, or v and the next, in theirs.
  struct Swapped {
    double one, two, pairs;
    double Least() const;
  };

  bool Sweep(bool with_empty, const StopCondition& stop, bool& improved);
  bool TestNeighbours(NodeIndex u);
  Mover MoverOf(NodeIndex u) const;
  Target TargetOf(const Mover& mover, NodeIndex v, int32_t route) const;
  Joined Join(const Mover& mover, const Target& target) const;
  Swapped Swap(const Mover& mover, const Target& target) const;
  bool TryBeside(const Mover& mover, NodeIndex v, int32_t route);
  bool TryBehind(const Mover& mover, const Target& target);
  bool TryRelocate(const Mover& mover, const Target& target, const Joined& added);
  bool TryTails(const Mover& mover, const Target& target, double added);
  bool TryTurnedTails(const Mover& mover, const Target& target, double added);
  bool TryTwoOpt(const Mover& mover, const Target& target, double added);
  bool TryExchange(const Mover& mover, const Target& target);
  bool TryEmptyRoute(NodeIndex u);
  // target.limit less the penalties of the loads once `shift` has come to u's route from v's.
  double LimitAfter(const Mover& mover, const Target& target, double shift) const {
    if (mover.route == target.route) return target.limit;
    return target.limit - routes_.LoadPenalty(mover.load + shift) -
           routes_.LoadPenalty(target.load - shift);
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

  PlainPenalisedRoutes& routes_;
  FastRandom& random_;
  const Problem& problem_;
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
