#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/search/build/construct.h"
#include "core/search/build/open_route.h"
#include "core/search/model/space_curve.h"

namespace vrp {
namespace {

// With windows, so many customers along the curve are packed at a time: near each other, but enough
// for a vehicle to find somebody who is due next. Where vehicles are few, enough to fill two.
int64_t GroupSize(const Problem& problem, int64_t customers) {
  constexpr int64_t kLeast = 25;
  if (!problem.timed() || !problem.instance().has_positions()) return customers;
  return std::max(kLeast, 2 * customers / problem.max_routes());
}

}  // namespace

Plan PackedPlan(const Problem& problem) {
  std::vector<NodeIndex> order;
  if (problem.instance().has_positions()) {
    order = CurveOrder(problem.instance());
  } else {
    order.resize(problem.size());
    std::iota(order.begin(), order.end(), 0);
  }
  std::erase_if(order, [&](NodeIndex node) { return node == 0 || !problem.Servable(node); });
  const auto sooner = [&](NodeIndex a, NodeIndex b) { return problem.close(a) < problem.close(b); };
  Plan plan;
  std::vector<OpenRoute> open;
  int64_t first = 0;  // of the open routes that take more
  // To the end of the nearest open route that takes it, else to a new one, where the fleet allows.
  const auto add = [&](NodeIndex node) {
    int64_t best = -1;
    double best_distance = std::numeric_limits<double>::infinity();
    // Without windows the curve makes the newest route the nearest one: the others are closed.
    const int64_t from = problem.timed() ? first : std::max<int64_t>(std::ssize(open) - 1, 0);
    for (int64_t r = from; r < std::ssize(open); ++r) {
      const double distance = problem.Distance(open[r].last, node);
      if (distance >= best_distance || !open[r].Fits(node)) continue;
      best = r;
      best_distance = distance;
    }
    if (best < 0) {
      if (std::ssize(plan) == problem.max_routes()) return;
      best = std::ssize(plan);
      plan.push_back({});
      open.emplace_back(problem);
    }
    plan[best].customers.push_back(node);
    open[best].Append(node);
  };
  const int64_t group = GroupSize(problem, std::ssize(order));
  for (int64_t begin = 0; begin < std::ssize(order); begin += group) {
    const auto part = std::span(order).subspan(begin, std::min(group, std::ssize(order) - begin));
    if (problem.timed()) std::stable_sort(part.begin(), part.end(), sooner);
    std::for_each(part.begin(), part.end(), add);
    first = std::ssize(open);
  }
  return plan;
}

}  // namespace vrp
