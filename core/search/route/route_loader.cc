#include "core/search/route/route_loader.h"

#include <algorithm>
#include <utility>

#include "core/search/route/route_trips.h"

namespace vrp {

std::vector<NodeIndex> RouteLoader::Load(std::span<const VisitPlace> taken) {
  Collect(taken);
  Keep(visits_);
  return std::move(kept_);
}

std::vector<NodeIndex> RouteLoader::LoadFrozen(const FrozenSearchRoute& frozen,
                                               std::span<const VisitPlace> taken) {
  kept_ = frozen.nodes;
  for (size_t i = 1; i + 1 < frozen.nodes.size(); ++i) {
    const NodeIndex node = frozen.nodes[i];
    if (!IsCustomer(node)) continue;
    marked_[node] = 1;
    if (std::ranges::count(planned_, node) == 0) planned_.push_back(node);
  }
  return Load(taken);
}

void RouteLoader::Collect(std::span<const VisitPlace> taken) {
  std::vector<char> is_planned(problem_.size(), 0);
  std::vector<char> seen(problem_.units(), 0);
  for (const NodeIndex node : planned_) {
    if (IsCustomer(node)) is_planned[node] = 1;
  }
  for (const NodeIndex& node : planned_) {
    if (!IsCustomer(node) || std::exchange(seen[problem_.UnitOf(node)], 1)) continue;
    const Unit& unit = problem_.unit(problem_.UnitOf(node));
    const auto nodes = problem_.NodesOf(unit);
    if (std::ranges::any_of(nodes, [&](NodeIndex n) { return taken[n].route >= 0; })) continue;
    if (BelongsElsewhere(node, taken)) continue;
    const NodeIndex delivery = problem_.DeliveryInUnit(node);
    if (problem_.OtherEnd(node) < 0) {
      visits_.emplace_back(&node, 1);
    } else if (delivery >= 0 && is_planned[delivery]) {
      visits_.emplace_back(std::ranges::find(nodes, node), 2);
    }
  }
}

bool RouteLoader::BelongsElsewhere(NodeIndex node, std::span<const VisitPlace> taken) const {
  return std::ranges::any_of(problem_.rules().GroupOf(node), [&](NodeIndex other) {
    return taken[other].route >= 0 && taken[other].route != slot_;
  });
}

// All of them, or, where that is not feasible, what can be kept of the first half and then of the
// second.
void RouteLoader::Keep(std::span<const std::span<const NodeIndex>> visits) {
  if (visits.empty()) return;
  const auto mark = [&](char value) {
    for (const auto& nodes : visits) {
      for (const NodeIndex node : nodes) marked_[node] = value;
    }
  };
  mark(1);
  std::vector<NodeIndex> nodes = Marked();
  if (evaluator_.Evaluate(vehicle_, nodes).feasible) {
    kept_ = std::move(nodes);
    return;
  }
  mark(0);
  if (visits.size() == 1) return;
  const size_t half = visits.size() / 2;
  Keep(visits.first(half));
  Keep(visits.subspan(half));
}

std::vector<NodeIndex> RouteLoader::Marked() const {
  std::vector<char> left = marked_;
  std::vector<NodeIndex> nodes = {vehicle_.start};
  for (const NodeIndex node : planned_) {
    if (std::ranges::count(vehicle_.reload_depots, node) > 0) nodes.push_back(node);
    if (IsCustomer(node) && std::exchange(left[node], 0)) nodes.push_back(node);
  }
  nodes.push_back(vehicle_.end);
  DropEmptyTrips(problem_, vehicle_, nodes);
  return nodes;
}

}  // namespace vrp
