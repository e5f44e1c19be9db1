#include "core/search/route/plain_penalised_routes.h"

#include <algorithm>

namespace vrp {

PlainPenalisedRoutes::PlainPenalisedRoutes(const Problem& problem, int32_t num_routes)
    : problem_(&problem),
      distances_(problem.DistanceRow(0)),
      size_(problem.size()),
      routes_(num_routes),
      visits_(problem.size()) {
  for (Route& route : routes_) route.nodes = {0, 0};
  if (!problem.timed()) return;
  for (NodeIndex node = 0; node < problem.size(); ++node) {
    alone_.push_back({.duration = problem.service(node),
                      .warp = 0,
                      .earliest = problem.open(node),
                      .latest = problem.close(node)});
  }
  before_ = after_ = alone_;
}

void PlainPenalisedRoutes::Clear() {
  const std::vector<NodeIndex> empty = {0, 0};
  for (int32_t index = 0; index < num_routes(); ++index) {
    if (routes_[index].nodes.size() > 2) SetRoute(index, empty, 0);
    routes_[index].changed = 0;
  }
  distance_ = 0;
}

void PlainPenalisedRoutes::SetPenalties(const Penalties& penalties) {
  penalties_ = penalties;
  for (Route& route : routes_) route.penalty = LoadPenalty(route.load) + WarpPenalty(route.warp);
}

void PlainPenalisedRoutes::SetRoute(int32_t index, std::span<const NodeIndex> nodes, int64_t when) {
  Route& route = routes_[index];
  distance_ -= route.distance;
  for (const NodeIndex node : route.nodes) {
    if (node != 0 && visits_[node].route == index) visits_[node].route = -1;
  }
  route.nodes.assign(nodes.begin(), nodes.end());
  Measure(route, index);
  if (problem_->timed()) MeasureTimes(route);
  route.penalty = LoadPenalty(route.load) + WarpPenalty(route.warp);
  route.changed = when;
  distance_ += route.distance;
}

void PlainPenalisedRoutes::MarkInfeasible(int64_t when) {
  for (Route& route : routes_) {
    if (route.penalty > 0) route.changed = when;
  }
}

void PlainPenalisedRoutes::Measure(Route& route, int32_t index) {
  const auto last = static_cast<int32_t>(route.nodes.size()) - 1;
  const NodeIndex* nodes = route.nodes.data();
  double load = 0;
  double turned = 0;
  double into = Distance(0, nodes[1]);
  double distance = into;
  if (!problem_->symmetric()) turned = Distance(nodes[1], 0) - into;
  for (int32_t i = 1; i < last; ++i) {
    const NodeIndex node = nodes[i];
    load += problem_->demand(node);
    const double out = Distance(node, nodes[i + 1]);
    visits_[node] = {.previous = nodes[i - 1],
                     .next = nodes[i + 1],
                     .route = index,
                     .position = i,
                     .load = load,
                     .turned = turned,
                     .into = into,
                     .out = out};
    if (!problem_->symmetric()) turned += Distance(nodes[i + 1], node) - out;
    distance += out;
    into = out;
  }
  route.load = load;
  route.distance = last > 1 ? distance : 0;
  route.turned = turned;
}

void PlainPenalisedRoutes::MeasureTimes(Route& route) {
  const auto last = static_cast<int32_t>(route.nodes.size()) - 1;
  for (int32_t i = 1; i < last; ++i) {
    const NodeIndex before = route.nodes[i - 1];
    const NodeIndex node = route.nodes[i];
    before_[node] = Join(before_[before], problem_->Duration(before, node), alone_[node]);
  }
  for (int32_t i = last - 1; i > 0; --i) {
    const NodeIndex node = route.nodes[i];
    const NodeIndex after = route.nodes[i + 1];
    after_[node] = Join(alone_[node], problem_->Duration(node, after), after_[after]);
  }
  route.warp = last == 1 ? 0 : WarpOf(0, {}, route.nodes[1]);
}

double PlainPenalisedRoutes::WarpOf(NodeIndex before, std::span<const NodeIndex> middle,
                                    NodeIndex after) const {
  TimeSegment span = before_[before];
  NodeIndex last = before;
  for (const NodeIndex node : middle) {
    span = Join(span, problem_->Duration(last, node), alone_[node]);
    last = node;
  }
  if (last == 0 && after == 0) return 0;
  return Join(span, problem_->Duration(last, after), after_[after]).warp;
}

int32_t PlainPenalisedRoutes::EmptyRoute() const {
  for (int32_t index = num_routes() - 1; index >= 0; --index) {
    if (routes_[index].nodes.size() == 2) return index;
  }
  return -1;
}

double PlainPenalisedRoutes::Excess() const {
  double excess = 0;
  for (const Route& route : routes_) excess += problem_->ExcessLoad(route.load);
  return excess;
}

double PlainPenalisedRoutes::Warp() const {
  double warp = 0;
  for (const Route& route : routes_) warp += route.warp;
  return warp;
}

bool PlainPenalisedRoutes::Feasible() const {
  return std::none_of(routes_.begin(), routes_.end(), [&](const Route& route) {
    return Overloaded(route.load) || !problem_->InTime(route.warp, 0);
  });
}

double PlainPenalisedRoutes::PenalisedCost() const {
  double cost = distance_;
  for (const Route& route : routes_) cost += route.penalty;
  return cost;
}

}  // namespace vrp
