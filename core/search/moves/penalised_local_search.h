// Descent on routes that may break limits: moves between near customers, and SWAP*.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/search/model/fast_random.h"
#include "core/search/moves/swap_star.h"
#include "core/search/route/penalised_routes.h"

namespace vrp {

// The local search of HGS-CVRP (Vidal 2022) for vehicles of all types: relocate, exchange, 2-opt,
// 2-opt* and SWAP*, and customers with prizes that come in or are left out. Each move is judged in
// constant time: by its edges first, then by the loads, then by all that it makes dearer. Pairs of
// routes that have not changed since a customer's last test are skipped. Not thread-safe; `routes`
// and `random` must outlive it.
class PenalisedLocalSearch {
 public:
  PenalisedLocalSearch(PenalisedRoutes& routes, FastRandom& random);

  // To be called before other routes are loaded. Routes that are then set with the count returned
  // are taken to be at a local optimum among themselves, those with one more are not.
  int64_t Restart();
  // Until no move improves; false when `stop` came first.
  bool Descend(const StopCondition& stop);
  // After a descent, under higher penalties: looks at what is not feasible and what lies beside it.
  bool Repair(const StopCondition& stop);
  // Until no move of a customer improves whose route has changed since that count.
  void DescendFrom(int64_t change);

  // What the moves since Restart added to costs and penalties by their own reckoning.
  double added() const { return added_; }

 private:
  // Who is moved: a customer u where it is. The nodes around may be the vehicle's ends.
  struct Mover {
    NodeIndex u, previous, next, after_next;
    int32_t route, position;
    double load;                // of the route
    double into, out;           // costs of the edges from the previous and to the next
    double out_next;            // from the next to the one after it
    double spared, spared_two;  // what the edges cost less without u, and without u and the next
  };
  // Where to: behind v, or in its place. v may be the vehicle's start.
  struct Target {
    NodeIndex v, next;
    int32_t route, position;
    double load;
    double out;    // cost of the edge from v to the next
    double limit;  // moves whose edges add this much or more cannot pay
  };
  // What the edges of moves that join v and u add; infinite where there is no such move.
  struct Joined {
    double one, two, turned;     // u, u and the next, or these two turned, go behind v
    double tails, turned_tails;  // the latter without what turning adds where all are alike
    double Least() const;
  };
  // And of those that set u, or u and the next, in v's place, and v, or v and the next, in theirs.
  struct Swapped {
    double one, two, pairs;
    double Least() const;
  };
  // `count` visits from position `begin` of a route on; count 0: the place before `begin`.
  struct Range {
    int32_t route = 0;
    int32_t begin = 0;
    int32_t count = 0;
  };

  // Those with a parameter have a form that is faster where the routes are alike().
  template <bool kAlike>
  bool Sweep(std::span<const NodeIndex> order, bool with_empty, const StopCondition& stop,
             bool& improved);
  template <bool kAlike>
  bool TestNeighbours(NodeIndex u);
  template <bool kAlike>
  Mover MoverOf(NodeIndex u) const;
  template <bool kAlike>
  Target TargetOf(const Mover& mover, NodeIndex v, int32_t route) const;
  template <bool kAlike>
  Joined Join(const Mover& mover, const Target& target) const;
  template <bool kAlike>
  Swapped Swap(const Mover& mover, const Target& target) const;
  template <bool kAlike>
  bool TryBeside(const Mover& mover, NodeIndex v, int32_t route);
  template <bool kAlike>
  bool TryBehind(const Mover& mover, const Target& target);
  template <bool kAlike>
  bool TryExchange(const Mover& mover, const Target& target);
  template <bool kAlike>
  bool TryEmptyRoute(NodeIndex u);
  bool TryRelocate(const Mover& mover, const Target& target, const Joined& added);
  bool TryTails(const Mover& mover, const Target& target, double added);
  bool TryTurnedTails(const Mover& mover, const Target& target, double added);
  bool TryTwoOpt(const Mover& mover, const Target& target, double added);
  // For unlike vehicles.
  double TailsAdded(const Mover& mover, const Target& target) const;
  double TurnedTailsAdded(const Mover& mover, const Target& target) const;
  double TurningAdded(const Mover& mover, const Target& target) const;
  // For customers with prizes.
  bool TryServe(NodeIndex u);
  bool TryLeaveOut(NodeIndex u);

  // target.limit less the penalties of the loads once `shift` has come to u's route from v's.
  double LimitAfter(const Mover& mover, const Target& target, double shift) const {
    if (mover.route == target.route) return target.limit;
    return target.limit - routes_.LoadPenalty(routes_.route(mover.route), mover.load + shift) -
           routes_.LoadPenalty(routes_.route(target.route), target.load - shift);
  }
  // Exchanges two ranges of different routes, or of one; the first may come turned. `added` is what
  // the edges add. Accepts when costs and penalties fall.
  bool Exchange(Range first, bool turned, Range second, double added);
  bool ExchangeWithin(Range first, std::span<const NodeIndex> moved, Range second, double added);
  bool SetBoth(const PenalisedRoutes::Parts& first, const PenalisedRoutes::Parts& second,
               double added);
  void Compose(const PenalisedRoutes::Parts& parts, std::vector<NodeIndex>& nodes) const;
  // Sets routes to scratch_ when that pays.
  bool SetWithin(int32_t route, double added);
  bool SetComposed(int32_t first, int32_t second, double added);
  PenalisedRoutes::Parts Whole(int32_t slot, std::span<const NodeIndex> nodes) const;
  template <bool kAlike>
  double Edge(int32_t route, NodeIndex from, NodeIndex to) const {
    return kAlike ? costs_[from * stride_ + to] : routes_.Edge(route, from, to);
  }

  static constexpr int32_t kNeighbours = 12;

  PenalisedRoutes& routes_;
  FastRandom& random_;
  const double* const costs_;  // of the first type's edges
  const int64_t stride_;
  const double epsilon_;
  SwapStar swap_star_;
  std::vector<NodeIndex> near_;        // [N, kNeighbours], -1 where there are fewer
  std::vector<NodeIndex> order_;       // all customers that can be served
  std::vector<NodeIndex> changed_;     // those of DescendFrom
  std::vector<int64_t> tested_;        // per customer: the count of changes at its last test
  std::vector<int64_t> tested_alone_;  // the same of the move to an empty route
  double added_ = 0;
  int64_t settled_ = 0;  // what Restart returned
  std::vector<NodeIndex> scratch_[2];
};

}  // namespace vrp
