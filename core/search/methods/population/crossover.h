// Children of two individuals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/methods/population/individual.h"
#include "core/search/model/fast_random.h"
#include "core/search/route/penalised_routes.h"

namespace vrp {

// Routes of a child, without depots. Those that are settled were taken from a parent as they are.
struct Offspring {
  struct Route {
    int32_t type = 0;
    std::vector<NodeIndex> customers = {};
    bool is_settled = false;
    double load = 0;  // in the first dimension
  };
  std::vector<Route> routes;
};

// Ordered crossover (Oliver et al. 1987) of the giant tours: a part of `a`, the rest in the order
// of `b`. To be cut by SplitTour. Both have the same customers.
std::vector<NodeIndex> CrossTours(const Individual& a, const Individual& b, FastRandom& random);

// Selective route exchange (Nagata, Braysy and Dullaert 2010, "A penalty-based edge assembly
// memetic algorithm for the vehicle routing problem with time windows"): some routes of `a` that
// are near one another give way to those of `b` that serve most of the same units; who is then
// served twice stays in a route of `a` or of `b`, as the lot decides. Frozen routes, which are the
// first, stay. Not thread-safe.
class RouteExchange {
 public:
  RouteExchange(const Problem& problem, FastRandom& random) : problem_(problem), random_(random) {}

  // Returns routes that serve no unit twice, those of `a` first, but may leave some out or use more
  // vehicles of a type than there are.
  Offspring Cross(const Individual& a, const Individual& b);

 private:
  void SelectFrom(const Individual& a);
  void SelectLike(const Individual& b);
  void Mark(std::span<const NodeIndex> route, std::vector<char>& units) const;
  bool IsMarked(const std::vector<char>& units, NodeIndex node) const {
    return !problem_.is_depot(node) && units[problem_.UnitOf(node)] != 0;
  }

  const Problem& problem_;
  FastRandom& random_;
  std::vector<int32_t> route_of_;      // [N] in `a`; -1: in none
  std::vector<char> in_a_, in_b_;      // by unit: served by a selected route
  std::vector<char> from_a_, from_b_;  // per route: selected
};

// The exchange among plans that break limits. Who is not served is inserted where it costs least.
// Routes keep their vehicles while there are enough of the type.
class PenalisedExchange {
 public:
  // `routes` says what vehicles there are, and what they cost and may serve; it must outlive this.
  PenalisedExchange(const PenalisedRoutes& routes, FastRandom& random);

  Offspring Cross(const Individual& a, const Individual& b);

 private:
  // Adds a route; not where no vehicle is left that may drive it.
  void Add(Offspring::Route route);
  void InsertMissing();
  void Insert(NodeIndex customer);
  bool HasVehicle(int32_t type) const { return used_[type] < routes_.CountOf(type); }

  const PenalisedRoutes& routes_;
  const Problem& problem_;
  FastRandom& random_;
  RouteExchange exchange_;
  std::vector<char> is_served_;  // [N] by the child
  std::vector<int32_t> used_;    // by type, by the child
  Offspring child_;
};

}  // namespace vrp
