// A member of the population: a plan, feasible or not, by value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/plan/solution.h"
#include "core/search/route/penalised_routes.h"
#include "core/search/route/route_store.h"

namespace vrp {

struct Individual {
  std::vector<NodeIndex> customers;  // route by route, without the vehicles' ends
  std::vector<int32_t> ends;         // per route: where it ends in `customers`
  std::vector<int32_t> types;        // per route: the vehicle
  // [N]; an end of the vehicle is a depot, also where it is open. Itself: nobody serves it.
  std::vector<NodeIndex> previous, next;
  double cost = 0;          // lost prizes included
  LimitExcess excess = {};  // a RouteStore's `load`: the weight of required units left out
  bool feasible = false;

  int32_t num_routes() const { return static_cast<int32_t>(ends.size()); }
  std::span<const NodeIndex> Route(int32_t index) const {
    const int32_t begin = index == 0 ? 0 : ends[index - 1];
    return std::span(customers).subspan(begin, ends[index] - begin);
  }
  double Cost(const Penalties& penalties) const { return cost + penalties * excess; }
};

// The routes that are not empty, ordered around the depot where there are positions: neighbours in
// the order are then neighbours in the plane.
Individual MakeIndividual(const PenalisedRoutes& routes);
// The routes in the order of their slots, so that frozen ones come first. It is feasible if it
// leaves out no required unit; its cost includes the weight of its routes.
Individual MakeIndividual(const RouteStore& routes);
Plan ToPlan(const Problem& problem, const Individual& individual);

// The share of edges of `a` that `b` lacks, by customers ("broken pairs"); 0 .. 1. The first
// `depots` nodes are no customers.
double BrokenPairs(const Individual& a, const Individual& b, NodeIndex depots = 1);

}  // namespace vrp
