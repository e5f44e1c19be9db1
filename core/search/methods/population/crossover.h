// Children of two individuals.
#pragma once

#include <vector>

#include "core/search/methods/population/individual.h"
#include "core/search/model/fast_random.h"
#include "core/search/model/problem.h"

namespace vrp {

// Routes of a child, without depots. Those that are settled were taken from a parent as they are.
struct Offspring {
  std::vector<std::vector<NodeIndex>> routes;
  std::vector<char> is_settled;
};

// Ordered crossover (Oliver et al. 1987) of the giant tours: a part of `a`, the rest in the order
// of `b`. To be cut by SplitTour.
std::vector<NodeIndex> CrossTours(const Individual& a, const Individual& b, FastRandom& random);

// Selective route exchange (Nagata, Braysy and Dullaert 2010, "A penalty-based edge assembly
// memetic algorithm for the vehicle routing problem with time windows"): some routes of `a` that
// are near one another give way to those of `b` that serve most of the same customers; who is then
// served twice stays in a route of `a` or of `b`, as the lot decides, and who is not served is
// inserted where it costs least.
class RouteExchange {
 public:
  RouteExchange(const Problem& problem, FastRandom& random);

  // At most `max_routes` routes.
  Offspring Cross(const Individual& a, const Individual& b, const Penalties& penalties,
                  int32_t max_routes);

 private:
  void SelectFrom(const Individual& a);
  void SelectLike(const Individual& b);
  void Assemble(const Individual& a, const Individual& b, int32_t max_routes);
  void InsertMissing(const Penalties& penalties, int32_t max_routes);
  void Insert(NodeIndex customer, const Penalties& penalties, bool may_open);

  const Problem& problem_;
  FastRandom& random_;
  std::vector<int32_t> route_of_;      // [N] in `a`
  std::vector<char> in_a_, in_b_;      // [N]: served by a selected route
  std::vector<char> is_served_;        // [N] by the child
  std::vector<char> from_a_, from_b_;  // per route: selected
  Offspring child_;
  std::vector<double> loads_;
};

}  // namespace vrp
