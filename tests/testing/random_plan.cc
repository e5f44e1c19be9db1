#include "tests/testing/random_plan.h"

#include <numeric>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/problem/checker/checker.h"

namespace vrp::test {
namespace {

bool IsFeasibleAlone(const Instance& instance, const PlannedRoute& route) {
  return RoutesAreFeasible(CheckPlan(instance, {route}));
}

}  // namespace

Plan RandomFeasiblePlan(const Instance& instance, uint64_t seed) {
  std::vector<NodeIndex> order(static_cast<size_t>(instance.num_customers()));
  std::iota(order.begin(), order.end(), instance.num_depots());
  CounterRandom random(seed);
  random.Shuffle(std::span<NodeIndex>(order));
  Plan plan(1);
  for (const NodeIndex customer : order) {
    plan.back().customers.push_back(customer);
    if (plan.back().customers.size() == 1 || IsFeasibleAlone(instance, plan.back())) continue;
    plan.back().customers.pop_back();
    plan.push_back({.vehicle_type = 0, .customers = {customer}});
  }
  return plan;
}

}  // namespace vrp::test
