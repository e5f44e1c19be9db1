// What of a given plan can be kept.
#pragma once

#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

struct LeftOutVisit {
  int32_t route = 0;  // of the given plan
  NodeIndex customer = 0;
  std::string reason = {};  // the rule that its route broke: "load 31 exceeds vehicle capacity 30"
};

struct RepairedPlan {
  Plan plan = {};  // the same routes, perhaps emptied
  std::vector<LeftOutVisit> left_out = {};
};

// Takes visits out of `plan`, one after the other the one that leaves the least of what is wrong,
// until its routes break no rule; then what fits in its place again goes back. Frozen stops stay,
// and what is on board is delivered. Past `stop` it takes out halves. The numbers must be in range,
// no customer be visited twice and no more vehicles used than there are.
RepairedPlan RepairPlan(const Instance& instance, const Plan& plan, const StopCondition& stop);

}  // namespace vrp
