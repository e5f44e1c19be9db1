#include "core/search/route/penalised_routes.h"

#include <algorithm>
#include <cmath>

#include "core/search/route/search_route.h"

namespace vrp {
namespace {

// More vehicles than that are no tight fleet, and each has a route here.
constexpr int64_t kMostVehicles = 1000;

int64_t SlotsOf(const Problem& problem, const Vehicle& vehicle) {
  return std::min<int64_t>(vehicle.count, problem.units());
}

}  // namespace

bool CanPenalise(const Problem& problem) {
  int64_t slots = 0;
  for (const Vehicle& vehicle : problem.vehicles()) {
    if (vehicle.simulated) return false;
    slots += SlotsOf(problem, vehicle);
  }
  if (problem.size() > kMaxPenalisedNodes || slots > kMostVehicles) return false;
  if (!problem.plain_loads() || !problem.frozen().empty()) return false;
  if (problem.has_releases() || problem.soft() || problem.has_further_windows() ||
      problem.has_setups()) {
    return false;
  }
  for (int32_t u = 0; u < problem.units(); ++u) {
    if (problem.unit(u).required() && problem.unit(u).kind != Unit::Kind::kSingle) return false;
  }
  return true;
}

PenalisedRoutes::PenalisedRoutes(const Problem& problem)
    : problem_(problem),
      timed_(problem.timed()),
      load_unit_(problem.most_capacity()),
      places_(problem.size() + 1) {
  for (int32_t k = 0; k < problem.dimensions(); ++k) {
    for (NodeIndex node = 0; problem.most_capacity()[k] == 0 && node < problem.size(); ++node) {
      load_unit_[k] = std::max(load_unit_[k], problem.delivered(node)[k]);
    }
  }
  for (const Vehicle& vehicle : problem.vehicles()) {
    timed_ = timed_ || vehicle.needs_duration;
  }
  for (NodeIndex node = 0; timed_ && node < problem.size(); ++node) {
    alone_.push_back(SegmentOf(problem, problem.vehicle(0), node));
  }
  for (size_t type = 0; type < problem.vehicles().size(); ++type) {
    const Vehicle& vehicle = problem.vehicles()[type];
    const auto alike =
        std::find_if(problem.vehicles().begin(), problem.vehicles().end(),
                     [&](const Vehicle& other) { return DriveAlike(other, vehicle); });
    same_way_.push_back(static_cast<int32_t>(alike - problem.vehicles().begin()));
    first_of_.push_back(slots());
    empty_of_.push_back(slots());
    Route route = {.type = static_cast<int32_t>(type), .nodes = {vehicle.start, vehicle.end}};
    Measure(route);
    routes_.insert(routes_.end(), SlotsOf(problem, vehicle), route);
  }
  first_of_.push_back(slots());
}

void PenalisedRoutes::KeepEmpty(int32_t slot) {
  const int32_t type = routes_[slot].type;
  int32_t& empty = empty_of_[type];
  if (routes_[slot].empty()) {
    empty = slot;
  } else if (empty == slot) {
    empty = first_of_[type];
    while (empty < first_of_[type + 1] && !routes_[empty].empty()) ++empty;
    if (empty == first_of_[type + 1]) empty = -1;
  }
}

bool PenalisedRoutes::Feasible() const {
  return std::all_of(routes_.begin(), routes_.end(), [](const Route& route) {
    return route.empty() ||
           (route.excess.load == 0 && route.excess.time == 0 && route.excess.distance == 0);
  });
}

void PenalisedRoutes::Rollback() {
  for (const auto& saved : undo_.saved()) SetCustomers(saved.slot, {});
  for (const auto& saved : undo_.saved()) SetCustomers(saved.slot, saved.copy);
  Begin();
}

void PenalisedRoutes::SetCustomers(int32_t slot, std::span<const NodeIndex> customers) {
  Route& route = routes_[slot];
  undo_.Save(slot, [&](std::vector<NodeIndex>& copy) {
    copy.assign(route.nodes.begin() + 1, route.nodes.end() - 1);
  });
  Count(route, -1);
  for (int32_t i = 1; i <= route.stops(); ++i) places_[route.nodes[i]].route = -1;
  route.nodes.resize(1);
  route.nodes.insert(route.nodes.end(), customers.begin(), customers.end());
  route.nodes.push_back(problem_.vehicle(route.type).end);
  Measure(route);
  for (int32_t i = 1; i <= route.stops(); ++i) {
    places_[route.nodes[i]].route = slot;
    places_[route.nodes[i]].position = i;
  }
  Count(route, 1);
  KeepEmpty(slot);
}

void PenalisedRoutes::Count(const Route& route, int32_t sign) {
  if (route.empty()) return;
  used_ += sign;
  cost_ += sign * route.cost;
  excess_.load += sign * route.excess.load;
  excess_.time += sign * route.excess.time;
  excess_.distance += sign * route.excess.distance;
}

void PenalisedRoutes::Measure(Route& route) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const int32_t size = route.size();
  route.edge.resize(size - 1);
  route.distance = 0;
  const int32_t dimensions = problem_.dimensions();
  route.load.assign(dimensions, 0.0);
  route.way.resize(size);
  route.loaded.resize(static_cast<size_t>(size) * dimensions);
  for (int32_t i = 0; i < size; ++i) {
    route.way[i] = route.distance;
    if (i > 0 && i + 1 < size) {
      const double* delivered = problem_.delivered(route.nodes[i]);
      for (int32_t k = 0; k < dimensions; ++k) route.load[k] += delivered[k];
    }
    std::copy(route.load.begin(), route.load.end(),
              &route.loaded[static_cast<size_t>(i) * dimensions]);
    if (i + 1 == size) break;
    route.edge[i] = problem_.Distance(vehicle, route.nodes[i], route.nodes[i + 1]);
    route.distance += route.edge[i];
  }
  double duration = 0;
  route.excess = {};
  if (timed_) {
    route.before.resize(size);
    route.after.resize(size);
    const auto travel = [&](int32_t i) {
      return problem_.Duration(vehicle, route.nodes[i], route.nodes[i + 1], route.edge[i]);
    };
    route.before[0] = SegmentAt(problem_, vehicle, route.nodes, 0);
    for (int32_t i = 1; i < size; ++i) {
      route.before[i] =
          Join(route.before[i - 1], travel(i - 1), SegmentAt(problem_, vehicle, route.nodes, i));
    }
    route.after[size - 1] = SegmentAt(problem_, vehicle, route.nodes, size - 1);
    for (int32_t i = size - 2; i >= 0; --i) {
      route.after[i] =
          Join(SegmentAt(problem_, vehicle, route.nodes, i), travel(i), route.after[i + 1]);
    }
    duration = route.before.back().duration;
    route.excess.time = TimeExcess(vehicle, route.before.back());
  }
  route.cost = vehicle.fixed + vehicle.per_distance * route.distance +
               (vehicle.needs_duration ? vehicle.TimeCost(duration) : 0);
  route.excess.distance = std::max(0.0, route.distance - vehicle.distance_limit);
  route.excess.load = LoadExcess(vehicle, route, -1);
}

double PenalisedRoutes::TimeExcess(const Vehicle& vehicle, const TimeSegment& joined) const {
  double excess = problem_.InTime(joined.warp, 0) ? 0 : joined.warp;
  if (vehicle.needs_duration && !problem_.InTime(joined.duration, vehicle.duration_limit)) {
    excess += joined.duration - vehicle.duration_limit;
  }
  return excess;
}

double PenalisedRoutes::LoadExcess(const Vehicle& vehicle, const Route& route,
                                   NodeIndex more) const {
  double excess = 0;
  const double* added = more < 0 ? nullptr : problem_.delivered(more);
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    const double load = route.load[k] + (added == nullptr ? 0 : added[k]);
    if (load <= vehicle.capacity[k]) continue;
    excess += (load - vehicle.capacity[k]) / load_unit_[k];
  }
  return excess + StopsExcess(vehicle, route.stops() + (more < 0 ? 0 : 1));
}

double PenalisedRoutes::StopsExcess(const Vehicle& vehicle, int32_t stops) const {
  return stops <= vehicle.max_stops ? 0 : static_cast<double>(stops - vehicle.max_stops) / stops;
}

bool PenalisedRoutes::Allowed(int32_t slot, std::span<const NodeIndex> customers) const {
  const Vehicle& vehicle = problem_.vehicle(routes_[slot].type);
  return std::all_of(customers.begin(), customers.end(),
                     [&](NodeIndex node) { return problem_.Allowed(vehicle, node); });
}

double PenalisedRoutes::PenalisedCostOf(int32_t first, int32_t head,
                                        std::span<const NodeIndex> middle, int32_t second,
                                        int32_t tail) const {
  const Route& a = routes_[first];
  const Route& b = routes_[second];
  const Vehicle& vehicle = problem_.vehicle(a.type);
  const int32_t dimensions = problem_.dimensions();
  const int32_t tail_stops = b.size() - 1 - tail;
  const int32_t stops = head + static_cast<int32_t>(middle.size()) + tail_stops;
  if (stops == 0) return 0;
  LimitExcess excess = {.load = StopsExcess(vehicle, stops)};
  for (int32_t k = 0; k < dimensions; ++k) {
    double load = a.loaded[static_cast<size_t>(head) * dimensions + k] + b.load[k] -
                  b.loaded[static_cast<size_t>(tail - 1) * dimensions + k];
    for (const NodeIndex node : middle) load += problem_.delivered(node)[k];
    if (load <= vehicle.capacity[k]) continue;
    excess.load += (load - vehicle.capacity[k]) / load_unit_[k];
  }
  double distance = a.way[head];
  TimeSegment span = timed_ ? a.before[head] : TimeSegment{};
  NodeIndex last = a.nodes[head];
  const auto visit = [&](NodeIndex node, const TimeSegment& there) {
    const double edge = problem_.Distance(vehicle, last, node);
    distance += edge;
    if (timed_) span = Join(span, problem_.Duration(vehicle, last, node, edge), there);
    last = node;
  };
  const TimeSegment none;
  for (const NodeIndex node : middle) visit(node, timed_ ? alone_[node] : none);
  if (same_way_[a.type] == same_way_[b.type]) {
    visit(b.nodes[tail], timed_ ? b.after[tail] : none);
    distance += b.distance - b.way[tail];
  } else {
    for (int32_t i = tail; i + 1 < b.size(); ++i) {
      visit(b.nodes[i], timed_ ? alone_[b.nodes[i]] : none);
    }
    visit(a.nodes.back(), timed_ ? a.after.back() : none);
  }
  excess.distance = std::max(0.0, distance - vehicle.distance_limit);
  if (timed_) excess.time = TimeExcess(vehicle, span);
  return vehicle.fixed + vehicle.per_distance * distance +
         (vehicle.needs_duration ? vehicle.TimeCost(span.duration) : 0) + penalties_ * excess;
}

double PenalisedRoutes::LoadAdded(const Route& route, NodeIndex customer) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const double opened = route.empty() ? vehicle.fixed : 0;
  return opened + penalties_.load * (LoadExcess(vehicle, route, customer) - route.excess.load);
}

double PenalisedRoutes::PlaceAdded(const Route& route, int32_t after, NodeIndex customer,
                                   double limit) const {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const NodeIndex from = route.nodes[after];
  const NodeIndex to = route.nodes[after + 1];
  const double into = problem_.Distance(vehicle, from, customer);
  const double out = problem_.Distance(vehicle, customer, to);
  const double distance = into + out - (route.empty() ? 0 : route.edge[after]);
  double added = vehicle.per_distance * distance;
  const double new_distance = (route.empty() ? 0 : route.distance) + distance;
  added += penalties_.distance *
           (std::max(0.0, new_distance - vehicle.distance_limit) - route.excess.distance);
  if (!timed_ || added >= limit) return added;
  const TimeSegment with =
      Join(route.before[after], problem_.Duration(vehicle, from, customer, into), alone_[customer]);
  const TimeSegment joined =
      Join(with, problem_.Duration(vehicle, customer, to, out), route.after[after + 1]);
  if (vehicle.needs_duration) {
    added += vehicle.TimeCost(joined.duration);
    if (!route.empty()) added -= vehicle.TimeCost(route.before.back().duration);
  }
  const double excess = route.empty() ? 0 : route.excess.time;
  return added + penalties_.time * (TimeExcess(vehicle, joined) - excess);
}

}  // namespace vrp
