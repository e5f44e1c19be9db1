#include "core/search/moves/alternatives.h"

#include <algorithm>

namespace vrp {

Alternatives::Alternatives(RouteStore& routes) : routes_(routes), problem_(routes.problem()) {
  for (int32_t u = 0; u < problem_.units(); ++u) {
    has_any_ = has_any_ || problem_.unit(u).kind == Unit::Kind::kAlternatives;
  }
}

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
  const NodeIndex node = route.nodes[position];
  const auto first = layer_;
  const auto last = static_cast<int32_t>(choices_.size());
  layer_ = last;
  AddChoice(vehicle, node, first, last);
  if (position + 1 == route.size() || problem_.is_depot(node)) return;
  const Unit& unit = problem_.unit(problem_.UnitOf(node));
  if (unit.kind != Unit::Kind::kAlternatives) return;
  for (const NodeIndex other : problem_.NodesOf(unit)) {
    if (other != node && problem_.Allowed(vehicle, other)) AddChoice(vehicle, other, first, last);
  }
}

// After the cheapest of the choices from `first` up to `last`.
void Alternatives::AddChoice(const Vehicle& vehicle, NodeIndex node, int32_t first, int32_t last) {
  Choice choice = {.node = node, .way = Problem::kNever};
  for (int32_t before = first; before < last; ++before) {
    const Choice& from = choices_[before];
    const double way = from.way + WayBetween(vehicle, from.node, node);
    if (way >= choice.way) continue;
    choice.way = way;
    choice.before = before;
  }
  choices_.push_back(choice);
}

double Alternatives::WayBetween(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const {
  const double distance = problem_.Distance(vehicle, from, to);
  if (vehicle.per_time == 0) return vehicle.per_distance * distance;
  return vehicle.per_distance * distance +
         vehicle.per_time * problem_.Duration(vehicle, from, to, distance);
}

}  // namespace vrp
