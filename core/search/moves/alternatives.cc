#include "core/search/moves/alternatives.h"

#include <algorithm>
#include <utility>

namespace vrp {

Alternatives::Alternatives(RouteStore& routes)
    : routes_(routes),
      problem_(routes.problem()),
      has_any_(std::ranges::any_of(problem_.all_units(), [](const Unit& unit) {
        return unit.kind == Unit::Kind::kAlternatives;
      })) {}

void Alternatives::Improve(std::span<const int32_t> slots) {
  for (const int32_t slot : slots) {
    if (!routes_.route(slot).empty()) ImproveOne(slot);
  }
}

void Alternatives::ImproveOne(int32_t slot) {
  const SearchRoute& route = routes_.route(slot);
  choices_.assign(1, {.node = route.nodes[route.fixed]});
  layer_ = 0;
  for (int32_t i = route.fixed + 1; i < route.size(); ++i) AddLayer(route, i);
  chosen_ = route.nodes;
  int32_t at = static_cast<int32_t>(choices_.size()) - 1;  // the vehicle's end
  for (int32_t i = route.size() - 1; i > route.fixed; --i) {
    chosen_[i] = choices_[at].node;
    at = choices_[at].before;
  }
  if (chosen_ == route.nodes) return;
  const RouteValue value = routes_.evaluator().Evaluate(problem_.vehicle(route.type), chosen_);
  if (!value.feasible || value.cost >= route.cost - problem_.epsilon()) return;
  routes_.SetRoute(slot, route.type, chosen_);
}

void Alternatives::AddLayer(const SearchRoute& route, int32_t position) {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const int32_t first = std::exchange(layer_, static_cast<int32_t>(choices_.size()));
  const NodeIndex node = route.nodes[position];
  AddChoice(vehicle, node, first);
  if (position + 1 == route.size() || problem_.is_depot(node)) return;
  const Unit& unit = problem_.unit(problem_.UnitOf(node));
  if (unit.kind != Unit::Kind::kAlternatives || problem_.OtherEnd(node) >= 0) return;
  for (const NodeIndex other : problem_.NodesOf(unit)) {
    if (other == node || problem_.OtherEnd(other) >= 0 || !problem_.Allowed(vehicle, other)) {
      continue;
    }
    const int32_t bound = routes_.BoundSlot(other);
    if (bound < 0 || bound == routes_.RouteOf(node)) AddChoice(vehicle, other, first);
  }
}

// After the cheapest of the layer before, whose choices begin at `first`.
void Alternatives::AddChoice(const Vehicle& vehicle, NodeIndex node, int32_t first) {
  Choice choice = {.node = node, .way = Problem::kNever};
  for (int32_t before = first; before < layer_; ++before) {
    const NodeIndex from = choices_[before].node;
    const double distance = problem_.Distance(vehicle, from, node);
    double way = vehicle.per_distance * distance;
    const double per_time = vehicle.per_time + vehicle.per_travel_time;
    if (per_time != 0) way += per_time * problem_.Duration(vehicle, from, node, distance);
    way += choices_[before].way + problem_.LostPrize(node);
    if (way < choice.way) choice = {.node = node, .way = way, .before = before};
  }
  choices_.push_back(choice);
}

}  // namespace vrp
