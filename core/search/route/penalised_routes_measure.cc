// What routes with penalties, or parts of them put together, cost.
#include <algorithm>

#include "core/search/route/penalised_routes.h"

namespace vrp {

void PenalisedRoutes::SetRoute(int32_t slot, std::span<const NodeIndex> nodes, int64_t when) {
  Route& route = routes_[slot];
  undo_.Save(slot, [&](std::vector<NodeIndex>& copy) { copy = route.nodes; });
  edge_cost_ -= route.cost;
  for (int32_t i = 1; i <= route.stops(); ++i) {
    Visit& visit = visits_[route.nodes[i]];
    if (visit.route == slot) visit.route = -1;
    lost_prizes_ += prize(route.nodes[i]);
  }
  const Vehicle& vehicle = problem_.vehicle(route.type);
  route.nodes.assign(nodes.begin(), nodes.end());
  route.nodes.front() = vehicle.start;
  route.nodes.back() = vehicle.end;
  Measure(route, slot);
  if (timed_) MeasureTimes(route);
  const Extra extra = ExtraOf({slot, vehicle.start, {}, route.nodes[1], slot});
  route.waiting = extra.waiting;
  route.excess = extra.excess;
  route.penalty = extra.waiting + penalties_ * extra.excess;
  route.changed = when == 0 ? ++changes_ : when;
  edge_cost_ += route.cost;
}

void PenalisedRoutes::Measure(Route& route, int32_t slot) {
  const int32_t last = route.stops();
  const NodeIndex* nodes = route.nodes.data();
  const auto edge = [&](NodeIndex from, NodeIndex to) {
    return route.edges[from * edges_.stride() + to];
  };
  const bool symmetric = edges_.symmetric();
  double load = 0;
  double turned = 0;
  double into = edge(nodes[0], nodes[1]);
  route.cost = into;
  for (int32_t i = 1; i <= last; ++i) {
    const NodeIndex node = nodes[i];
    load += demand_[node];
    const double out = edge(node, nodes[i + 1]);
    visits_[node] = {.previous = nodes[i - 1],
                     .next = nodes[i + 1],
                     .route = slot,
                     .position = i,
                     .load = load,
                     .turned = turned,
                     .into = into,
                     .out = out};
    if (!symmetric && i < last) turned += edge(nodes[i + 1], node) - out;
    route.cost += out;
    into = out;
    if (!prizes_.empty()) lost_prizes_ -= prizes_[node];
  }
  route.load = load;
  if (!measures_ways_ && more_.empty()) return;
  const int32_t further = problem_.dimensions() - 1;
  Way way;
  for (int32_t i = 1; i <= last; ++i) {
    const NodeIndex node = nodes[i];
    for (int32_t k = 0; k < further; ++k) {
      more_[node * further + k] =
          problem_.delivered(node)[k + 1] + (i > 1 ? more_[nodes[i - 1] * further + k] : 0);
    }
    if (!measures_ways_) continue;
    AddWay(route.type, nodes[i - 1], node, way);
    ways_[node] = way;
  }
}

void PenalisedRoutes::MeasureTimes(const Route& route) {
  const double* durations = edges_.durations(route.type);
  const NodeIndex* nodes = route.nodes.data();
  const auto travel = [&](int32_t i) {
    return durations[nodes[i] * edges_.stride() + nodes[i + 1]];
  };
  const int32_t last = route.stops();
  for (int32_t i = 1; i <= last; ++i) {
    const TimeSegment& before = i == 1 ? start_[route.type] : before_[nodes[i - 1]];
    before_[nodes[i]] = Join(before, travel(i - 1), alone_[nodes[i]]);
  }
  for (int32_t i = last; i > 0; --i) {
    const TimeSegment& after = i == last ? end_[route.type] : after_[nodes[i + 1]];
    after_[nodes[i]] = Join(alone_[nodes[i]], travel(i), after);
  }
}

// Calls visit(node) for the nodes of the tail, the vehicle's end last.
template <typename VisitFn>
void PenalisedRoutes::ForTail(const Parts& parts, VisitFn visit) const {
  const Route& tail = routes_[parts.tail];
  if (!IsEnd(parts.after)) {
    for (int32_t i = visits_[parts.after].position; i <= tail.stops(); ++i) visit(tail.nodes[i]);
  }
  visit(routes_[parts.slot].nodes.back());
}

bool PenalisedRoutes::DrivesTail(const Parts& parts) const {
  return parts.slot == parts.tail ||
         drives_as_[routes_[parts.slot].type] == drives_as_[routes_[parts.tail].type];
}

inline TimeSegment PenalisedRoutes::Times(const Parts& parts) const {
  const Route& route = routes_[parts.slot];
  const double* durations = edges_.durations(route.type);
  const bool from_start = IsEnd(parts.before);
  NodeIndex last = from_start ? route.nodes.front() : parts.before;
  TimeSegment span = from_start ? start_[route.type] : before_[last];
  const auto go_on = [&](NodeIndex node, const TimeSegment& there) {
    span = Join(span, durations[last * edges_.stride() + node], there);
    last = node;
  };
  for (const NodeIndex node : parts.middle) go_on(node, alone_[node]);
  if (IsEnd(parts.after)) {
    go_on(route.nodes.back(), end_[route.type]);
  } else if (DrivesTail(parts)) {
    go_on(parts.after, after_[parts.after]);
  } else {
    ForTail(parts,
            [&](NodeIndex node) { go_on(node, IsEnd(node) ? end_[route.type] : alone_[node]); });
  }
  return span;
}

inline NodeIndex PenalisedRoutes::LastLeft(const Parts& parts) const {
  const Route& tail = routes_[parts.tail];
  return IsEnd(parts.after) ? tail.nodes[tail.stops()] : visits_[parts.after].previous;
}

inline double PenalisedRoutes::FirstLoad(const Parts& parts) const {
  double load =
      visits_[parts.before].load + routes_[parts.tail].load - visits_[LastLeft(parts)].load;
  for (const NodeIndex node : parts.middle) load += demand_[node];
  return load;
}

double PenalisedRoutes::ExtraCost(const Parts& parts) const {
  if (parts.middle.empty() && IsEnd(parts.before) && IsEnd(parts.after)) return 0;
  const Route& route = routes_[parts.slot];
  if (!loads_and_windows_) {
    const Extra extra = ExtraOf(parts);
    return route.fixed + extra.waiting + penalties_ * extra.excess;
  }
  const double excess = std::max(0.0, FirstLoad(parts) - route.capacity);
  const double warp = timed_ ? Times(parts).warp : 0;
  return route.fixed +
         (penalties_.load * excess + penalties_.time * (problem_.InTime(warp, 0) ? 0 : warp));
}

PenalisedRoutes::Extra PenalisedRoutes::ExtraOf(const Parts& parts) const {
  Extra extra;
  if (parts.middle.empty() && IsEnd(parts.before) && IsEnd(parts.after)) return extra;
  extra.excess.load = LoadExcess(parts);
  const Vehicle& vehicle = problem_.vehicle(routes_[parts.slot].type);
  double duration = 0;
  if (timed_) {
    const TimeSegment times = Times(parts);
    duration = times.duration;
    if (!problem_.InTime(times.warp, 0)) extra.excess.time = times.warp;
    if (vehicle.needs_duration && !problem_.InTime(duration, vehicle.duration_limit)) {
      extra.excess.time += duration - vehicle.duration_limit;
    }
  }
  if (measures_ways_ && (vehicle.needs_duration || vehicle.distance_limit != kNoLimit)) {
    const Way way = WayOf(parts);
    extra.excess.distance = std::max(0.0, way.distance - vehicle.distance_limit);
    if (vehicle.needs_duration) {
      extra.waiting = vehicle.TimeCost(duration) - vehicle.per_time * way.duration;
    }
  } else if (vehicle.needs_duration) {
    extra.waiting = vehicle.TimeCost(duration);
  }
  return extra;
}

double PenalisedRoutes::LoadExcess(const Parts& parts) const {
  const Route& route = routes_[parts.slot];
  const Route& tail = routes_[parts.tail];
  const Vehicle& vehicle = problem_.vehicle(route.type);
  double excess = std::max(0.0, FirstLoad(parts) - route.capacity);
  if (simple_) return excess;
  const NodeIndex left = LastLeft(parts);
  const auto stops = visits_[parts.before].position + static_cast<int32_t>(parts.middle.size()) +
                     tail.stops() - visits_[left].position;
  if (stops > vehicle.max_stops) {
    excess += load_unit_[0] * static_cast<double>(stops - vehicle.max_stops) / stops;
  }
  const int32_t further = problem_.dimensions() - 1;
  for (int32_t k = 0; k < further; ++k) {
    double load = more_[parts.before * further + k] - more_[left * further + k];
    if (!tail.empty()) load += more_[tail.nodes[tail.stops()] * further + k];
    for (const NodeIndex node : parts.middle) load += problem_.delivered(node)[k + 1];
    if (load <= vehicle.capacity[k + 1]) continue;
    excess += (load - vehicle.capacity[k + 1]) * load_unit_[0] / load_unit_[k + 1];
  }
  return excess;
}

void PenalisedRoutes::AddWay(int32_t type, NodeIndex from, NodeIndex to, Way& way) const {
  const int64_t at = from * edges_.stride() + to;
  const auto service = [&](NodeIndex node) { return IsEnd(node) ? 0 : problem_.service(node); };
  way.distance += edges_.distances(type)[at];
  way.duration += edges_.durations(type)[at] + (service(from) + service(to)) / 2;
}

PenalisedRoutes::Way PenalisedRoutes::WayOf(const Parts& parts) const {
  const Route& route = routes_[parts.slot];
  const Route& tail = routes_[parts.tail];
  Way way = ways_[parts.before];
  NodeIndex last = IsEnd(parts.before) ? route.nodes.front() : parts.before;
  const auto go_on = [&](NodeIndex node) {
    AddWay(route.type, last, node, way);
    last = node;
  };
  for (const NodeIndex node : parts.middle) go_on(node);
  if (IsEnd(parts.after) || !DrivesTail(parts)) {
    ForTail(parts, go_on);
    return way;
  }
  go_on(parts.after);
  const Way& end = ways_[tail.nodes[tail.stops()]];
  way.distance += end.distance - ways_[parts.after].distance;
  way.duration += end.duration - ways_[parts.after].duration;
  last = tail.nodes[tail.stops()];
  go_on(route.nodes.back());
  return way;
}

double PenalisedRoutes::Retyped(int32_t type, const Route& route, NodeIndex first) const {
  if (edges_.costs(type) == route.edges) return 0;
  const Vehicle& vehicle = problem_.vehicle(type);
  const Vehicle& own = problem_.vehicle(route.type);
  if (!TravelAlike(vehicle, own)) return Problem::kNever;
  const Way& end = ways_[route.nodes[route.stops()]];
  const Way& begin = ways_[first];
  return (vehicle.per_distance - own.per_distance) * (end.distance - begin.distance) +
         (vehicle.per_time - own.per_time) * (end.duration - begin.duration);
}

}  // namespace vrp
