#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/search/construct.h"
#include "core/search/route_set.h"
#include "core/search/search_problem.h"

namespace vrp {

Plan PackedPlan(const SearchProblem& problem) {
  RouteSet routes(problem);
  std::vector<std::pair<double, NodeIndex>> keyed;
  const Instance& instance = problem.instance();
  for (const NodeIndex node : routes.absent()) {
    double key = problem.close(node);
    if (!problem.timed() && instance.has_positions()) {
      const Position depot = instance.position(0);
      key = std::atan2(instance.position(node).y - depot.y, instance.position(node).x - depot.x);
    }
    keyed.emplace_back(key, node);
  }
  std::sort(keyed.begin(), keyed.end());

  Plan plan;
  double load = 0;
  double departure = 0;
  NodeIndex last = 0;
  for (const auto& [key, node] : keyed) {
    const auto arrival = [&] { return departure + problem.Duration(last, node); };
    const auto fits = [&] {
      return problem.Fits(load + problem.demand(node)) &&
             (!problem.timed() ||
              (problem.InTime(arrival(), problem.close(node)) &&
               problem.InTime(problem.DepartureAfter(node, arrival()) + problem.Duration(node, 0),
                              problem.close(0))));
    };
    if (plan.empty() || !fits()) {
      if (std::ssize(plan) == problem.max_routes()) continue;
      plan.push_back({});
      load = 0;
      departure = problem.open(0);
      last = 0;
    }
    plan.back().customers.push_back(node);
    departure = problem.DepartureAfter(node, arrival());
    load += problem.demand(node);
    last = node;
  }
  return plan;
}

}  // namespace vrp
