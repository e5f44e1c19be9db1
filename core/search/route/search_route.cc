#include "core/search/route/search_route.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace vrp {
namespace {

// Equal to no times, so that whoever sets them goes on.
constexpr VisitTimes kUntimed = {.departure = std::numeric_limits<double>::quiet_NaN(),
                                 .latest = std::numeric_limits<double>::quiet_NaN()};

class Measurer {
 public:
  Measurer(const Problem& problem, SearchRoute& route)
      : p_(problem), route_(route), vehicle_(problem.vehicle(route.type)) {}

  bool Run(RouteEvaluator& evaluator) {
    MeasureDistance();
    if (p_.plain_loads()) SumLoad();
    if (UsesTrips(p_)) MeasureTrips(p_, route_.nodes, route_.trips);
    if (p_.timed()) MeasureTimes();
    if (vehicle_.needs_duration || vehicle_.per_travel_time != 0) MeasureTravel();
    if (!vehicle_.simulated && !p_.has_releases()) {
      if (vehicle_.needs_duration) JoinSegments(0, route_.size() - 1);
      return FinishByParts();
    }
    const RouteValue value = evaluator.Evaluate(vehicle_, route_.nodes);
    route_.duration = value.duration;
    route_.cost = value.cost;
    return value.feasible;
  }

  void Insert(int32_t at, NodeIndex node) {
    const NodeIndex before = route_.nodes[at - 1];
    const NodeIndex after = route_.nodes[at];
    const double into = p_.Distance(vehicle_, before, node);
    const double out = p_.Distance(vehicle_, node, after);
    route_.distance += into + out - route_.edge[at - 1];
    ++route_.stops;
    route_.nodes.insert(route_.nodes.begin() + at, node);
    route_.edge[at - 1] = into;
    route_.edge.insert(route_.edge.begin() + at, out);
    const double* const delivered = p_.delivered(node);
    for (size_t k = 0; k < route_.load.size(); ++k) route_.load[k] += delivered[k];
    if (p_.timed()) {
      route_.times[at - 1].drive = p_.Duration(vehicle_, before, node, into);
      route_.times.insert(route_.times.begin() + at, kUntimed);
      route_.times[at].drive = p_.Duration(vehicle_, node, after, out);
      RetimeAround(at, at);
    }
    if (vehicle_.needs_duration) {
      MeasureTravel();
      route_.tail.insert(route_.tail.begin() + at, TimeSegment{});
      JoinSegments(at, at);
    }
    FinishByParts();
  }

  bool Remove(int32_t begin, int32_t count) {
    const int32_t end = begin + count;
    double removed = 0;
    for (int32_t i = begin - 1; i < end; ++i) removed += route_.edge[i];
    for (int32_t i = begin; i < end; ++i) {
      const double* const delivered = p_.delivered(route_.nodes[i]);
      for (size_t k = 0; k < route_.load.size(); ++k) route_.load[k] -= delivered[k];
    }
    const double bridge = p_.Distance(vehicle_, route_.nodes[begin - 1], route_.nodes[end]);
    route_.distance += bridge - removed;
    route_.stops -= count;
    Erase(route_.nodes, begin, count);
    Erase(route_.edge, begin, count);
    route_.edge[begin - 1] = bridge;
    if (p_.timed()) {
      Erase(route_.times, begin, count);
      route_.times[begin - 1].drive = DurationAfter(begin - 1);
      RetimeAround(begin, begin - 1);
    }
    if (vehicle_.needs_duration) {
      MeasureTravel();
      Erase(route_.tail, begin, count);
      JoinSegments(begin, begin - 1);
    }
    return FinishByParts();
  }

 private:
  template <typename T>
  static void Erase(std::vector<T>& values, int32_t begin, int32_t count) {
    values.erase(values.begin() + begin, values.begin() + begin + count);
  }

  // Sets departures from position `departs_from` on and latest arrivals from `arrives_until` back
  // to the start, as far as they change.
  void Retime(int32_t departs_from, int32_t arrives_until) {
    const int32_t last = route_.size() - 1;
    VisitTimes* const times = route_.times.data();
    const bool simple = p_.single_windows() && !p_.has_releases() && !p_.has_reloads();
    for (int32_t i = departs_from; i <= last; ++i) {
      const double arrival = times[i - 1].departure + times[i - 1].drive;
      const double departure = simple && i < last ? p_.DepartureAfter(route_.nodes[i], arrival)
                                                  : DepartureFrom(i, arrival);
      if (std::exchange(times[i].departure, departure) == departure) break;
    }
    for (int32_t i = arrives_until; i >= 0; --i) {
      const double latest = simple && i > 0 ? SimpleLatest(i) : LatestArrival(i);
      if (std::exchange(times[i].latest, latest) == latest) break;
    }
  }

  // Of a customer with one window, no setup and no release.
  double SimpleLatest(int32_t i) const {
    const NodeIndex node = route_.nodes[i];
    const VisitTimes* const times = route_.times.data();
    return p_.Latest(node, times[i + 1].latest - times[i].drive - p_.service(node));
  }

  // Likewise after a change beside which positions `departs_from` and `arrives_until` lie.
  void RetimeAround(int32_t departs_from, int32_t arrives_until) {
    // A setup, and so the latest arrival behind the change, follows from the visit before.
    const int32_t behind = arrives_until + 1;
    if (p_.has_setups()) route_.times[behind].latest = LatestArrival(behind);
    Retime(departs_from, arrives_until);
  }

  bool IsDepot(int32_t i) const { return p_.is_depot(route_.nodes[i]); }

  double DurationAfter(int32_t i) const {
    return p_.Duration(vehicle_, route_.nodes[i], route_.nodes[i + 1], route_.edge[i]);
  }

  // Inlined because searches with windows spend much of their time in Retime.
  [[gnu::always_inline]] double DepartureFrom(int32_t i, double arrival) const {
    const NodeIndex node = route_.nodes[i];
    if (node == p_.nowhere()) return arrival;
    const double begin = p_.Earliest(node, arrival);
    if (i + 1 == route_.size()) return begin;
    return IsDepot(i) ? std::max(begin, ReleaseAt(i)) + p_.service(node) : begin + Handling(i);
  }

  // At the start: the latest departure.
  double LatestArrival(int32_t i) const {
    const NodeIndex node = route_.nodes[i];
    double latest = i + 1 == route_.size() ? vehicle_.shift_close : route_.LatestDeparture(i);
    if (i == 0) return std::min(latest, vehicle_.leaves_by + p_.service(node));
    if (node == p_.nowhere()) return latest;
    if (i + 1 < route_.size()) latest -= IsDepot(i) ? p_.service(node) : Handling(i);
    return p_.Latest(node, latest);
  }

  void MeasureDistance() {
    const int32_t places = route_.size() - 1;
    double distance = 0;  // kept apart until the end: stored each time, it would wait for memory
    int32_t reloads = 0;
    for (int32_t i = 0; i < places; ++i) distance += route_.edge[i];
    for (int32_t i = 1; p_.has_reloads() && i < places; ++i) reloads += IsDepot(i);
    route_.distance = distance;
    route_.reloads = reloads;
    route_.stops = places - 1 - reloads;
  }

  void MeasureTravel() {
    const int32_t places = route_.size() - 1;
    double driving = 0;
    double service = 0;
    for (int32_t i = 0; i < places; ++i) driving += DurationAfter(i);
    for (int32_t i = 1; i < places; ++i) service += p_.service(route_.nodes[i]);
    route_.driving = driving;
    route_.travel = service + driving;
  }

  void SumLoad() {
    const int32_t dimensions = p_.dimensions();
    route_.load.assign(dimensions, 0.0);
    for (int32_t i = 1; i + 1 < route_.size(); ++i) {
      const double* delivered = p_.delivered(route_.nodes[i]);
      for (int32_t k = 0; k < dimensions; ++k) route_.load[k] += delivered[k];
    }
  }

  double ReleaseAt(int32_t i) const { return p_.has_releases() ? route_.trips.release[i] : 0; }
  double Handling(int32_t i) const {
    return p_.Handling(vehicle_, route_.nodes[i - 1], route_.nodes[i]);
  }

  void MeasureTimes() {
    const int32_t size = route_.size();
    route_.times.assign(size, kUntimed);
    for (int32_t i = 0; i + 1 < size; ++i) route_.times[i].drive = DurationAfter(i);
    route_.times[0].departure =
        std::max(vehicle_.leaves_from, ReleaseAt(0)) + p_.service(route_.nodes[0]);
    route_.times[size - 1].drive = 0;
    route_.times[size - 1].latest = LatestArrival(size - 1);
    vehicle_.profiles == nullptr ? Retime(1, size - 2) : RetimeByDeparture();
  }

  // Sets departures and latest arrivals with travel times that depend on the departure. `drive` is
  // what a leg takes from its latest departure on.
  void RetimeByDeparture() {
    VisitTimes* const times = route_.times.data();
    const int32_t last = route_.size() - 1;
    for (int32_t i = 1; i <= last; ++i) {
      const double leave = times[i - 1].departure;
      const double travel = p_.DurationFrom(vehicle_, route_.nodes[i - 1], route_.nodes[i], leave);
      times[i].departure = DepartureFrom(i, leave + travel);
    }
    for (int32_t i = last - 1; i >= 0; --i) {
      const double arrival = times[i + 1].latest;
      if (route_.nodes[i + 1] != p_.nowhere() && std::isfinite(arrival)) {
        const TravelTime travel = p_.TravelTimeOf(vehicle_, route_.nodes[i], route_.nodes[i + 1]);
        times[i].drive = arrival - travel.LatestDeparture(arrival);
      }
      times[i].latest = LatestArrival(i);
    }
  }

  TimeSegment Segment(int32_t i) const { return SegmentAt(p_, vehicle_, route_.nodes, i); }

  // From position `first` on and from `last` back: what else there is has not changed.
  void JoinSegments(int32_t first, int32_t last) {
    const int32_t size = route_.size();
    route_.head.resize(size);
    route_.tail.resize(size);
    if (first == 0) route_.head[0] = Segment(0);
    for (int32_t i = std::max(first, 1); i < size; ++i) {
      route_.head[i] = Join(route_.head[i - 1], DurationAfter(i - 1), Segment(i));
    }
    if (last == size - 1) route_.tail[last] = Segment(last);
    for (int32_t i = std::min(last, size - 2); i >= 0; --i) {
      route_.tail[i] = Join(Segment(i), DurationAfter(i), route_.tail[i + 1]);
    }
  }

  bool FinishByParts() {
    route_.duration = vehicle_.needs_duration ? route_.head.back().duration : 0;
    route_.cost = vehicle_.fixed + vehicle_.per_distance * route_.distance +
                  vehicle_.TimeCost(route_.duration);
    return route_.distance <= vehicle_.distance_limit &&
           p_.InTime(route_.duration, vehicle_.duration_limit) &&
           (!p_.timed() || p_.InTime(route_.times[0].departure, route_.times[0].latest));
  }

  const Problem& p_;
  SearchRoute& route_;
  const Vehicle& vehicle_;
};

}  // namespace

void CopyRoute(const Problem& problem, const SearchRoute& from, SearchRoute& to) {
  static_cast<RouteSums&>(to) = from;
  to.nodes = from.nodes;
  to.edge = from.edge;
  to.load = from.load;
  if (problem.timed()) to.times = from.times;
  if (!from.head.empty() || !to.head.empty()) {
    to.head = from.head;
    to.tail = from.tail;
  }
  if (UsesTrips(problem)) to.trips = from.trips;
}

void SwapRoutes(const Problem& problem, SearchRoute& a, SearchRoute& b) {
  std::swap<RouteSums>(a, b);
  a.nodes.swap(b.nodes);
  a.edge.swap(b.edge);
  a.load.swap(b.load);
  a.times.swap(b.times);
  a.head.swap(b.head);
  a.tail.swap(b.tail);
  if (UsesTrips(problem)) std::swap(a.trips, b.trips);
}

void MeasureEdges(const Problem& problem, SearchRoute& route) {
  const Vehicle& vehicle = problem.vehicle(route.type);
  route.edge.resize(route.size() - 1);
  for (int32_t i = 0; i + 1 < route.size(); ++i) {
    route.edge[i] = problem.Distance(vehicle, route.nodes[i], route.nodes[i + 1]);
  }
}

TimeSegment SegmentAt(const Problem& problem, const Vehicle& vehicle,
                      std::span<const NodeIndex> nodes, int32_t position) {
  if (position == 0) return {.earliest = vehicle.leaves_from, .latest = vehicle.leaves_by};
  TimeSegment segment = SegmentOf(problem, vehicle, nodes[position]);
  if (position + 1 == std::ssize(nodes)) {
    segment.latest = std::min(segment.latest, vehicle.shift_close);
  }
  return segment;
}

bool MeasureRoute(const Problem& problem, RouteEvaluator& evaluator, SearchRoute& route) {
  return Measurer(problem, route).Run(evaluator);
}

void InsertVisit(const Problem& problem, SearchRoute& route, int32_t at, NodeIndex node) {
  Measurer(problem, route).Insert(at, node);
}

bool RemoveVisits(const Problem& problem, SearchRoute& route, int32_t begin, int32_t count) {
  return Measurer(problem, route).Remove(begin, count);
}

}  // namespace vrp
