#include <limits>
#include <vector>

#include "core/search/build/construct.h"
#include "core/search/build/open_route.h"
#include "core/search/model/search_options.h"

namespace vrp {
namespace {

// Returns an index into `waiting`, of the lowest number in a tie; -1: none fits.
int64_t NearestThatFits(const OpenRoute& route, const std::vector<NodeIndex>& waiting) {
  int64_t best = -1;
  double best_distance = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < std::ssize(waiting); ++i) {
    const double distance = route.problem->Distance(route.last, waiting[i]);
    if (distance >= best_distance || !route.Fits(waiting[i])) continue;
    best = i;
    best_distance = distance;
  }
  return best;
}

}  // namespace

Plan NearestNeighbourPlan(const Instance& instance, const StopCondition& stop) {
  if (!IsPlain(instance)) return {};
  const StopCondition no_lists(absl::InfinitePast(), nullptr);  // they are not needed
  const Problem problem = Problem::Create(instance, no_lists);
  std::vector<NodeIndex> waiting;  // in the order of their numbers
  for (NodeIndex node = 1; node < problem.size(); ++node) {
    if (problem.Servable(node)) waiting.push_back(node);
  }
  Plan plan;
  while (!waiting.empty() && std::ssize(plan) < problem.max_routes() && !stop.ShouldStop()) {
    PlannedRoute& planned = plan.emplace_back();
    OpenRoute route(problem);
    while (!stop.ShouldStop()) {
      const int64_t next = NearestThatFits(route, waiting);
      if (next < 0) break;
      route.Append(waiting[next]);
      planned.customers.push_back(waiting[next]);
      waiting.erase(waiting.begin() + next);
    }
  }
  return plan;
}

}  // namespace vrp
