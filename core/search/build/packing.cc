#include <utility>

#include "core/base/steady_time.h"
#include "core/search/build/construct.h"

namespace vrp {
namespace {

constexpr absl::Duration kLongest = absl::Milliseconds(3);
constexpr int32_t kPoll = 16;
constexpr int32_t kTypesLooked = 8;

// Returns the nodes that serve the unit: of alternatives, those of the first.
std::span<const NodeIndex> Visits(const Problem& problem, int32_t u) {
  return problem.WaysToServe(problem.unit(u)).front();
}

bool SetIfFeasible(RouteStore& routes, int32_t slot, int32_t type,
                   const std::vector<NodeIndex>& nodes) {
  const Vehicle& vehicle = routes.problem().vehicle(type);
  return routes.evaluator().Evaluate(vehicle, nodes).feasible && routes.SetRoute(slot, type, nodes);
}

bool Append(RouteStore& routes, int32_t slot, int32_t u) {
  std::vector<NodeIndex> nodes = routes.route(slot).nodes;
  const auto visits = Visits(routes.problem(), u);
  nodes.insert(nodes.end() - 1, visits.begin(), visits.end());
  return SetIfFeasible(routes, slot, routes.route(slot).type, nodes);
}

// Returns the slot of a new route with the unit; -1: no vehicle takes it.
int32_t Open(RouteStore& routes, int32_t u) {
  const Problem& problem = routes.problem();
  int32_t looked = 0;
  for (int32_t type = 0; type < std::ssize(problem.vehicles()) && looked < kTypesLooked; ++type) {
    if (!routes.HasVehicle(type) || !routes.CanOpenRoute()) continue;
    ++looked;
    const int32_t slot = routes.EmptySlot();
    const std::vector<NodeIndex> nodes = WithEnds(problem.vehicle(type), Visits(problem, u));
    if (SetIfFeasible(routes, slot, type, nodes)) return slot;
  }
  return -1;
}

}  // namespace

void PackAbsent(RouteStore& routes) {
  const absl::Time end = SteadyNow() + kLongest;
  std::vector<int32_t> absent;
  int32_t slot = -1;
  bool over = false;
  const std::vector<int32_t> units = routes.absent();
  for (size_t i = 0; i < units.size(); ++i) {
    if (i % kPoll == kPoll - 1) over = over || SteadyNow() > end;
    const bool tried = !over && routes.problem().unit(units[i]).required();
    const int32_t bound = routes.BoundSlot(Visits(routes.problem(), units[i]).front());
    const int32_t last = bound >= 0 ? bound : slot;
    if (tried && last >= 0 && Append(routes, last, units[i])) continue;
    const int32_t opened = tried && bound < 0 ? Open(routes, units[i]) : -1;
    if (opened < 0) absent.push_back(units[i]);
    if (opened >= 0) slot = opened;
  }
  routes.SetAbsent(std::move(absent));
}

}  // namespace vrp
