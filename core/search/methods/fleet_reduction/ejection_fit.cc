#include "core/search/methods/fleet_reduction/ejection_fit.h"

#include <algorithm>

namespace vrp {
namespace {

constexpr double kNever = Problem::kNever;

// Whether shipments alone fill vehicles, in one dimension.
bool ShipmentsFill(const Problem& problem) {
  for (NodeIndex node = problem.depots(); node < problem.size(); ++node) {
    if (*problem.delivered(node) > 0 || *problem.collected(node) > 0) return false;
  }
  return problem.has_shipments() && problem.dimensions() == 1;
}

}  // namespace

EjectionFit::EjectionFit(const Problem& problem)
    : problem_(problem), judges_loads_(ShipmentsFill(problem)), routes_(1) {}

void EjectionFit::Begin(int32_t unit, const SearchRoute& route, std::span<const char> leaving) {
  const Unit& wanted = problem_.unit(unit);
  depth_ = 0;
  judges_ = problem_.timed() && problem_.single_windows() && !problem_.has_releases() &&
            route.reloads == 0 && wanted.kind != Unit::Kind::kAlternatives;
  if (!judges_) return;
  vehicle_ = &problem_.vehicle(route.type);
  nodes_ = problem_.NodesOf(wanted);
  between_ = problem_.Duration(*vehicle_, nodes_.front(), nodes_.back());
  for (size_t k = 0; k < nodes_.size(); ++k) windows_[k] = WindowOf(nodes_[k]);
  Route& whole = routes_[0];
  whole.stops.clear();
  whole.position.resize(problem_.size() + 1);
  double removed = 0;
  for (int32_t i = route.fixed; i < route.size(); ++i) {
    const NodeIndex node = route.nodes[i];
    const bool visit = i > route.fixed && i + 1 < route.size();
    if (visit && leaving[problem_.UnitOf(node)]) {
      removed += *problem_.carried(node);
    } else {
      Append(route, i, removed, whole);
    }
  }
  whole.stops.front().departure = {route.times[route.fixed].departure, kNever, kNever};
  whole.stops.back().latest.fill(-kNever);
  whole.stops.back().latest[nodes_.size()] = route.times.back().latest + problem_.time_slack();
  Measure(whole);
}

void EjectionFit::Append(const SearchRoute& from, int32_t position, double removed,
                         Route& route) const {
  const NodeIndex node = from.nodes[position];
  route.position[node] = static_cast<int32_t>(route.stops.size());
  Stop& stop = route.stops.emplace_back();
  stop.node = node;
  if (node == problem_.nowhere()) return stop.from.fill(0);
  stop.window = WindowOf(node);
  for (size_t k = 0; k < nodes_.size(); ++k) {
    stop.to[k] = problem_.Duration(*vehicle_, node, nodes_[k]);
    stop.from[k] = problem_.Duration(*vehicle_, nodes_[k], node);
  }
  if (!judges_loads_) return;
  stop.carried = *problem_.carried(node);
  stop.room = vehicle_->capacity[0] - from.trips.on_board[position] + removed -
              *problem_.carried(nodes_[0]);
}

EjectionFit::Window EjectionFit::WindowOf(NodeIndex node) const {
  return {problem_.open(node), problem_.close(node) + problem_.time_slack(),
          problem_.service(node)};
}

void EjectionFit::Remove(int32_t unit) {
  if (++depth_ == routes_.size()) routes_.emplace_back();
  if (!judges_) return;
  const Route& from = routes_[depth_ - 1];
  Route& route = routes_[depth_];
  const auto [first, last] = Positions(from, unit);
  route.stops.clear();
  route.position.resize(from.position.size());
  double removed = 0;
  for (int32_t i = 0; i < std::ssize(from.stops); ++i) {
    if (i == first || i == last) {
      removed += from.stops[i].carried;
      continue;
    }
    route.position[from.stops[i].node] = static_cast<int32_t>(route.stops.size());
    route.stops.push_back(from.stops[i]);
    route.stops.back().room += removed;
  }
  Measure(route);
}

// From what the first and the last stop have.
void EjectionFit::Measure(Route& route) const {
  Stop* const stops = route.stops.data();
  const auto last = static_cast<int32_t>(route.stops.size()) - 1;
  for (int32_t i = 0; i < last; ++i) {
    stops[i].drive = problem_.Duration(*vehicle_, stops[i].node, stops[i + 1].node);
    if (i == 0) continue;
    const Stop& before = stops[i - 1];
    const Times arrivals =
        Arrivals(before.departure, before, stops[i], before.drive, before.room >= 0);
    stops[i].departure = Departures(arrivals, stops[i], stops[i].room >= 0);
  }
  for (int32_t i = last - 1; i > 0; --i) stops[i].latest = LatestArrivals(stops[i], stops[i + 1]);
}

std::pair<int32_t, int32_t> EjectionFit::Positions(const Route& route, int32_t unit) const {
  auto [first, last] = std::pair(INT32_MAX, 0);
  for (const NodeIndex node : problem_.NodesOf(problem_.unit(unit))) {
    const int32_t at = route.position[node];
    if (at >= std::ssize(route.stops) || route.stops[at].node != node) continue;
    first = std::min(first, at);
    last = std::max(last, at);
  }
  return {first, last};
}

bool EjectionFit::Fits() const {
  if (!judges_) return true;
  const Stop& first = routes_[depth_].stops[0];
  const Stop& next = routes_[depth_].stops[1];
  const Times arrivals = Arrivals(first.departure, first, next, first.drive, first.room >= 0);
  return arrivals[0] <= next.latest[0] || arrivals[1] <= next.latest[1] ||
         arrivals[2] <= next.latest[2];
}

bool EjectionFit::FitsWithout(int32_t unit) const {
  if (!judges_) return true;
  const Route& route = routes_[depth_];
  const auto [first, last] = Positions(route, unit);
  const Stop* before = &route.stops[first - 1];
  Times at = before->departure;
  bool has_room = before->room >= 0;
  double removed = 0;
  const auto arrivals_at = [&](const Stop& stop) {
    const double drive =
        before + 1 == &stop ? before->drive : problem_.Duration(*vehicle_, before->node, stop.node);
    return Arrivals(at, *before, stop, drive, has_room);
  };
  for (int32_t i = first; i <= last; ++i) {
    const Stop& stop = route.stops[i];
    if (i == first || i == last) {
      removed += stop.carried;
      continue;
    }
    const Times arrivals = arrivals_at(stop);
    has_room = stop.room + removed >= 0;
    at = Departures(arrivals, stop, has_room);
    if (at[0] == kNever && at[1] == kNever && at[2] == kNever) return false;
    before = &stop;
  }
  const Stop& next = route.stops[last + 1];
  const Times arrivals = arrivals_at(next);
  return arrivals[0] <= next.latest[0] || arrivals[1] <= next.latest[1] ||
         arrivals[2] <= next.latest[2];
}

// Returns the earliest arrivals at the stop after `from`. `has_room`: the unit fits between them.
inline EjectionFit::Times EjectionFit::Arrivals(const Times& departures, const Stop& from,
                                                const Stop& to, double drive, bool has_room) const {
  Times arrivals = {departures[0] + drive, departures[1] + drive, departures[2] + drive};
  double departure = kNever;  // from the unit's node before, if that is visited on this way too
  for (size_t k = 0; k < nodes_.size(); ++k) {
    const Window& window = windows_[k];
    const double arrival = std::min(departures[k] + from.to[k], departure + between_);
    const bool fits = arrival <= window.close && (k > 0 || has_room);
    departure = fits ? std::max(arrival, window.open) + window.service : kNever;
    arrivals[k + 1] = std::min(arrivals[k + 1], departure + to.from[k]);
  }
  return arrivals;
}

inline EjectionFit::Times EjectionFit::Departures(const Times& arrivals, const Stop& at,
                                                  bool has_room) const {
  Times departures;
  for (size_t s = 0; s < departures.size(); ++s) {
    departures[s] = arrivals[s] <= at.window.close
                        ? std::max(arrivals[s], at.window.open) + at.window.service
                        : kNever;
  }
  if (!has_room) departures[1] = kNever;
  return departures;
}

EjectionFit::Times EjectionFit::LatestArrivals(const Stop& at, const Stop& next) const {
  const auto latest = [&](const Window& window, double departure) {
    const double begin = departure - window.service;
    return begin < window.open - problem_.time_slack() ? -kNever : std::min(begin, window.close);
  };
  Times times;
  for (size_t s = 0; s < times.size(); ++s) times[s] = next.latest[s] - at.drive;  // departures
  double after = -kNever;  // arrival at the unit's next node, if that is visited on this way too
  for (size_t k = nodes_.size(); k-- > 0;) {
    after = latest(windows_[k], std::max(next.latest[k + 1] - next.from[k], after - between_));
    if (k == 0 && at.room < 0) after = -kNever;
    times[k] = std::max(times[k], after - at.to[k]);
  }
  for (double& time : times) time = latest(at.window, time);
  if (at.room < 0) times[1] = -kNever;
  return times;
}

}  // namespace vrp
