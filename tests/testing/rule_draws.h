// Random rules between customers.
#pragma once

#include <vector>

#include "core/base/random.h"
#include "core/problem/instance/instance_data.h"

namespace vrp::test {

// Adds rules of the given kinds to `data`, about one of each for eight customers, none of which
// contradicts another: a rule that keeps customers apart has at most one of those that must share a
// route, deliveries are in no rule, and all orders agree.
void AddRules(const std::vector<RuleKind>& kinds, CounterRandom& random, InstanceData& data);

}  // namespace vrp::test
