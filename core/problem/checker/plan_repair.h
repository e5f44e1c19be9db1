// Makes a given plan feasible by removing visits.
#pragma once

#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// A visit that RepairPlan removed.
struct RemovedVisit {
  int32_t route = 0;  // route of the given plan
  NodeIndex customer = 0;
  std::string reason = {};  // such as "load 31 exceeds vehicle capacity 30"
};

// The result of RepairPlan.
struct RepairedPlan {
  Plan plan = {};  // the same routes, some of them possibly empty
  std::vector<RemovedVisit> removed = {};
};

// Removes visits from `plan` until its routes are feasible. First removes shipments whose delivery
// does not follow the pickup in the same route, all but one of visited alternatives, and, of
// customers that must share a route, all that are on other routes than most of them. Each step then
// removes the visit (of a shipment, both visits) whose removal leaves the least violation. Finally
// restores visits that these steps removed and that fit again at their old position. Keeps frozen
// stops and the deliveries of goods on board. Once `stop` fires, each step removes the last half of
// the removable visits, and none is restored. All numbers must be in range, no customer may be
// visited twice, and the plan may use no more vehicles than there are.
RepairedPlan RepairPlan(const Instance& instance, const Plan& plan, const StopCondition& stop);

}  // namespace vrp
