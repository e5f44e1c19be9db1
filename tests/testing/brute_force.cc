#include "tests/testing/brute_force.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/problem/checker/checker.h"

namespace vrp::test {
namespace {

constexpr int kMaxBruteForceCustomers = 8;
constexpr double kInfeasibleCost = std::numeric_limits<double>::infinity();

// The cheapest order in which one route serves a set of customers.
struct BestRoute {
  double cost = kInfeasibleCost;
  std::vector<NodeIndex> order = {};
};

// Returns whether the route is feasible by itself. Customers of other routes may be unserved.
bool IsFeasibleRoute(const Instance& instance, const std::vector<NodeIndex>& order) {
  return RoutesAreFeasible(CheckPlan(instance, {{.vehicle_type = 0, .customers = order}}));
}

// Returns whether the customers of one route and the others must not be on different ones.
bool SplitsCustomers(const Instance& instance, const std::vector<NodeIndex>& order) {
  std::vector<NodeIndex> others;
  for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
    if (std::find(order.begin(), order.end(), node) == order.end()) others.push_back(node);
  }
  const CheckReport report = CheckPlan(instance, {{.vehicle_type = 0, .customers = order},
                                                  {.vehicle_type = 0, .customers = others}});
  return std::ranges::any_of(report.violations, [](const Violation& violation) {
    return violation.kind == ViolationKind::kSameRoute;
  });
}

BestRoute FindBestRoute(const Instance& instance, unsigned set) {
  std::vector<NodeIndex> order;
  for (int i = 0; i < instance.num_customers(); ++i) {
    if ((set >> i & 1) != 0) order.push_back(instance.num_depots() + i);
  }
  BestRoute best;
  if (!instance.data().customer_rules.empty() && SplitsCustomers(instance, order)) return best;
  do {
    const double cost = PlanCost(instance, {{.vehicle_type = 0, .customers = order}});
    if (cost < best.cost && IsFeasibleRoute(instance, order)) best = {.cost = cost, .order = order};
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

int MaxRoutes(const Instance& instance) {
  const int customers = instance.num_customers();
  if (instance.kind() == ProblemKind::kTsp) return 1;
  const int limit = instance.vehicles()[0].count;
  return limit > 0 ? std::min(customers, limit) : customers;
}

// The table of costs: cost[k][set] is the minimum cost of at most k routes that serve exactly the
// customers of `set`. The last of these routes serves choice[k][set].
struct Table {
  std::vector<std::vector<double>> cost;
  std::vector<std::vector<unsigned>> choice;
};

Table FillTable(const std::vector<BestRoute>& routes, int max_routes) {
  const size_t layers = static_cast<size_t>(max_routes) + 1;
  Table table{.cost = {layers, std::vector<double>(routes.size(), kInfeasibleCost)},
              .choice = {layers, std::vector<unsigned>(routes.size(), 0)}};
  table.cost[0][0] = 0;
  for (size_t k = 1; k < layers; ++k) {
    table.cost[k][0] = 0;
    for (unsigned set = 1; set < routes.size(); ++set) {
      for (unsigned part = set; part > 0; part = (part - 1) & set) {
        const double total = routes[part].cost + table.cost[k - 1][set ^ part];
        if (total >= table.cost[k][set]) continue;
        table.cost[k][set] = total;
        table.choice[k][set] = part;
      }
    }
  }
  return table;
}

}  // namespace

BruteForceResult BruteForceOptimum(const Instance& instance) {
  const int customers = instance.num_customers();
  if (customers > kMaxBruteForceCustomers || instance.vehicles().size() > 1) {
    std::fprintf(
        stderr,
        "BruteForceOptimum: got %d customers and %zu vehicle types, wanted at most %d and 1\n",
        customers, instance.vehicles().size(), kMaxBruteForceCustomers);
    std::abort();
  }
  const unsigned all = (1u << customers) - 1;
  std::vector<BestRoute> routes(all + 1);
  for (unsigned set = 1; set <= all; ++set) routes[set] = FindBestRoute(instance, set);
  const Table table = FillTable(routes, MaxRoutes(instance));
  BruteForceResult result;
  if (table.cost.back()[all] == kInfeasibleCost) return result;
  unsigned remaining = all;
  for (size_t k = table.cost.size() - 1; remaining != 0; --k) {
    result.plan.push_back(
        {.vehicle_type = 0, .customers = routes[table.choice[k][remaining]].order});
    remaining ^= table.choice[k][remaining];
  }
  result.feasible = true;
  result.cost = PlanCost(instance, result.plan);
  return result;
}

}  // namespace vrp::test
