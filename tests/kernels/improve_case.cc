#include "tests/kernels/improve_case.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/base/random.h"

namespace vrp::test {

ImprovedPlan RandomPlan(const ImproveCase& options) {
  CounterRandom random(options.seed);
  const int32_t nodes = options.customers + 1;
  ImprovedPlan plan;
  plan.nodes = nodes;
  plan.capacity = options.capacity;
  std::vector<double> x, y;
  for (int32_t node = 0; node < nodes; ++node) {
    x.push_back(random.UniformDouble());
    y.push_back(random.UniformDouble());
    const bool loaded = node > 0 && !options.tsp;
    plan.demands.push_back(loaded ? static_cast<int32_t>(random.UniformInt(1, 9)) : 0);
  }
  for (int32_t i = 0; i < nodes; ++i) {
    for (int32_t j = 0; j < nodes; ++j) {
      plan.distances.push_back(
          static_cast<int32_t>(std::lround(1e5 * std::hypot(x[i] - x[j], y[i] - y[j]))));
    }
  }
  std::vector<int32_t> order(static_cast<size_t>(options.customers));
  std::iota(order.begin(), order.end(), 1);
  random.Shuffle(std::span(order));
  int32_t load = options.capacity;
  for (const int32_t customer : order) {
    load += plan.demands[customer];
    if (plan.plan.empty() || load > options.capacity) {
      plan.plan.emplace_back();
      load = plan.demands[customer];
    }
    plan.plan.back().push_back(customer);
  }
  plan.routes = static_cast<int32_t>(plan.plan.size()) + (options.tsp ? 0 : options.spare);
  return plan;
}

int64_t CostOf(const ImprovedPlan& plan) {
  int64_t cost = 0;
  for (const std::vector<int32_t>& route : plan.plan) {
    int32_t at = 0;
    for (const int32_t customer : route) {
      cost += plan.distances[at * plan.nodes + customer];
      at = customer;
    }
    cost += plan.distances[at * plan.nodes];
  }
  return cost;
}

bool IsFeasible(const ImprovedPlan& plan) {
  std::vector<int32_t> seen;
  for (const std::vector<int32_t>& route : plan.plan) {
    int32_t load = 0;
    for (const int32_t customer : route) load += plan.demands[customer];
    if (load > plan.capacity) return false;
    seen.insert(seen.end(), route.begin(), route.end());
  }
  std::sort(seen.begin(), seen.end());
  std::vector<int32_t> all(static_cast<size_t>(plan.nodes) - 1);
  std::iota(all.begin(), all.end(), 1);
  return seen == all && std::ssize(plan.plan) <= plan.routes;
}

ImproveFixture::ImproveFixture(const ImprovedPlan& plan)
    : plan_(plan),
      packed_(std::span(&plan_, 1)),
      neighbours_(static_cast<size_t>(packed_.neighbour_count())),
      tasks_(packed_.TasksAt(packed_.distances().data(), packed_.demands().data(),
                             neighbours_.data())),
      memory_(static_cast<size_t>(ImproveScratchBytes(plan.nodes, plan.routes))),
      scratch_(ImproveScratchAt(plan.nodes, plan.routes, memory_.data())) {
  ListNeighbours(SerialGroup(), task());
  Reset();
}

void ImproveFixture::Reset() {
  const LinkedPlan initial = PlanAt(plan_.nodes, plan_.routes, packed_.plans().data());
  const int64_t bytes = PlanBytes(plan_.nodes, plan_.routes);
  CopyPlan(SerialGroup(), bytes, initial, scratch_.trial);
  CopyPlan(SerialGroup(), bytes, initial, scratch_.current);
  IndexRoutes(SerialGroup(), task(), scratch_);
}

ImprovedPlan ImproveFixture::Trial() {
  std::vector<uint8_t> bytes(memory_.begin(), memory_.begin() + packed_.plan_bytes());
  ImprovedPlan trial = plan_;
  packed_.Unpack(bytes, std::span(&trial, 1));
  return trial;
}

}  // namespace vrp::test
