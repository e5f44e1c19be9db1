// Descent to a local optimum: relocate, exchange, 2-opt and 2-opt* between neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/search/model/fast_random.h"
#include "core/search/route/plain_route_store.h"

namespace vrp {

// What the operators share. Each operator looks at moves that make `v` a neighbour of `u`, both in
// routes; it takes the first that shortens the plan and keeps it feasible, and returns whether it
// did.
struct MoveScratch {
  std::vector<NodeIndex> first, second;  // new contents of the routes that a move changes
};

// A run of visits in one route: positions begin .. end, both included.
struct Segment {
  int32_t route = 0;
  int32_t begin = 0;
  int32_t end = 0;
};

// Moves one to three customers that start or end at u, turned or not, next to v (Or 1976).
bool TryRelocate(PlainRouteStore& routes, MoveScratch& scratch, NodeIndex u, NodeIndex v);
// Exchanges one or two customers that start or end at u with one or two that follow or precede v.
bool TryExchange(PlainRouteStore& routes, MoveScratch& scratch, NodeIndex u, NodeIndex v);
// Turns the part of a route between u and v (Croes 1958).
bool TryTwoOpt(PlainRouteStore& routes, MoveScratch& scratch, NodeIndex u, NodeIndex v);
// Exchanges the ends of the routes of u and v (Potvin and Rousseau 1995); turns them too where that
// costs nothing.
bool TryTwoOptStar(PlainRouteStore& routes, MoveScratch& scratch, NodeIndex u, NodeIndex v);

// Sets the routes to the scratch contents when both are feasible; second < 0: one route only.
bool Apply(PlainRouteStore& routes, const MoveScratch& scratch, int32_t first, int32_t second);
// Appends positions begin .. end of `nodes`; turned: from the end to the beginning.
void Append(std::vector<NodeIndex>& target, std::span<const NodeIndex> nodes);
void AppendTurned(std::vector<NodeIndex>& target, std::span<const NodeIndex> nodes);

// Until no operator improves or `stop` holds. Deterministic for the state of `random`.
void Descend(PlainRouteStore& routes, FastRandom& random, const StopCondition& stop);

}  // namespace vrp
