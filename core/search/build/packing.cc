#include "core/search/build/packing.h"

#include <utility>

#include "core/base/steady_time.h"

namespace vrp {
namespace {

constexpr absl::Duration kLongest = absl::Milliseconds(3);
constexpr int32_t kPoll = 16;
constexpr int32_t kTypesLooked = 8;

// The nodes that serve the unit: those of a shipment, or the first of the alternatives.
std::span<const NodeIndex> Visits(const Problem& problem, int32_t u) {
  const Unit& unit = problem.unit(u);
  return problem.NodesOf(unit).first(unit.kind == Unit::Kind::kShipment ? 2 : 1);
}

bool Append(RouteStore& routes, int32_t slot, int32_t u, std::vector<NodeIndex>& nodes) {
  const SearchRoute& route = routes.route(slot);
  const auto visits = Visits(routes.problem(), u);
  nodes = route.nodes;
  nodes.insert(nodes.end() - 1, visits.begin(), visits.end());
  if (!routes.evaluator().Evaluate(routes.problem().vehicle(route.type), nodes).feasible) {
    return false;
  }
  return routes.SetRoute(slot, route.type, nodes);
}

// The slot of a new route with the unit; -1: no vehicle takes it.
int32_t Open(RouteStore& routes, int32_t u) {
  const auto types = static_cast<int32_t>(routes.problem().vehicles().size());
  int32_t looked = 0;
  for (int32_t type = 0; type < types && looked < kTypesLooked; ++type) {
    if (!routes.HasVehicle(type) || !routes.CanOpenRoute()) continue;
    ++looked;
    const Vehicle& vehicle = routes.problem().vehicle(type);
    const std::vector<NodeIndex> nodes = WithEnds(vehicle, Visits(routes.problem(), u));
    if (!routes.evaluator().Evaluate(vehicle, nodes).feasible) continue;
    const int32_t slot = routes.EmptySlot();
    routes.SetRoute(slot, type, nodes);
    return slot;
  }
  return -1;
}

}  // namespace

void PackAbsent(RouteStore& routes) {
  const absl::Time end = SteadyNow() + kLongest;
  std::vector<int32_t> absent;
  std::vector<NodeIndex> nodes;
  int32_t slot = -1;
  bool over = false;
  const std::vector<int32_t> units = routes.absent();
  for (size_t i = 0; i < units.size(); ++i) {
    if (i % kPoll == kPoll - 1) over = over || SteadyNow() > end;
    const bool optional = !routes.problem().unit(units[i]).required();
    if (over || optional) {
      absent.push_back(units[i]);
      continue;
    }
    if (slot >= 0 && Append(routes, slot, units[i], nodes)) continue;
    const int32_t opened = Open(routes, units[i]);
    if (opened < 0) absent.push_back(units[i]);
    if (opened >= 0) slot = opened;
  }
  routes.SetAbsent(std::move(absent));
}

}  // namespace vrp
