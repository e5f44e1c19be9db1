#include "core/search/route/search_route.h"

#include <algorithm>
#include <iterator>

namespace vrp {
namespace {

class Measurer {
 public:
  Measurer(const Problem& problem, SearchRoute& route)
      : p_(problem), route_(route), vehicle_(problem.vehicle(route.type)) {}

  bool Run(RouteEvaluator& evaluator) {
    MeasureDistance();
    if (p_.plain_loads()) {
      SumLoad();
    } else {
      MeasureLoads();
    }
    if (p_.has_backhauls()) MarkOrder();
    if (p_.has_releases()) MeasureReleases();
    if (p_.timed()) MeasureTimes();
    if (!vehicle_.simulated && !p_.has_releases()) return FinishByParts();
    const RouteValue value = evaluator.Evaluate(vehicle_, route_.nodes);
    route_.duration = value.duration;
    route_.cost = value.cost;
    return value.feasible;
  }

 private:
  bool IsDepot(int32_t i) const { return p_.is_depot(route_.nodes[i]); }

  double DurationAfter(int32_t i) const {
    return p_.Duration(vehicle_, route_.nodes[i], route_.nodes[i + 1], route_.edge[i]);
  }

  // Sums are kept apart from the route until the end: stored each time, they would wait for memory.
  void MeasureDistance() {
    const int32_t places = route_.size() - 1;
    double distance = 0;
    double service = 0;
    int32_t reloads = 0;
    for (int32_t i = 0; i < places; ++i) distance += route_.edge[i];
    for (int32_t i = 1; i < places; ++i) {
      service += p_.service(route_.nodes[i]);
      reloads += IsDepot(i);
    }
    route_.distance = distance;
    route_.reloads = reloads;
    route_.stops = places - 1 - reloads;
    route_.driving = 0;
    if (vehicle_.needs_duration) {
      double driving = 0;
      for (int32_t i = 0; i < places; ++i) driving += DurationAfter(i);
      route_.driving = driving;
    }
    route_.travel = service + route_.driving;
  }

  void SumLoad() {
    const int32_t dimensions = p_.dimensions();
    route_.load.assign(dimensions, 0.0);
    for (int32_t i = 1; i + 1 < route_.size(); ++i) {
      const double* delivered = p_.delivered(route_.nodes[i]);
      for (int32_t k = 0; k < dimensions; ++k) route_.load[k] += delivered[k];
    }
  }

  void MeasureLoads() {
    const int64_t cells = int64_t{route_.size()} * p_.dimensions();
    route_.most_before.resize(cells);
    route_.most_after.resize(cells);
    route_.on_board.resize(cells);
    for (int32_t k = 0; k < p_.dimensions(); ++k) {
      MeasureOnBoard(k);
      MeasureMost(k);
    }
  }

  // The entries of dimension k are `dimensions` apart.
  void MeasureOnBoard(int32_t k) {
    const int64_t step = p_.dimensions();
    double* const on_board = route_.on_board.data() + k;
    double taken = 0;  // with the trip so far, from its end
    for (int32_t i = route_.size() - 2; i >= 0; --i) {
      on_board[i * step] = taken;
      taken = IsDepot(i) ? 0 : taken + p_.delivered(route_.nodes[i])[k];
    }
    double load = 0;
    for (int32_t i = 0; i + 1 < route_.size(); ++i) {
      const NodeIndex node = route_.nodes[i];
      load = IsDepot(i)
                 ? on_board[i * step]
                 : load + p_.collected(node)[k] + p_.carried(node)[k] - p_.delivered(node)[k];
      on_board[i * step] = load;
    }
  }

  void MeasureMost(int32_t k) {
    const int64_t step = p_.dimensions();
    const double* const on_board = route_.on_board.data() + k;
    double* const before = route_.most_before.data() + k;
    double* const after = route_.most_after.data() + k;
    double most = 0;
    for (int32_t i = 0; i + 1 < route_.size(); ++i) {
      const double load = on_board[i * step];
      most = IsDepot(i) ? load : std::max(most, load);
      before[i * step] = most;
    }
    for (int32_t i = route_.size() - 2; i >= 0; --i) {
      const bool last = i + 2 == route_.size() || IsDepot(i + 1);
      const double load = on_board[i * step];
      most = last ? load : std::max(load, most);
      after[i * step] = most;
    }
  }

  void MarkOrder() {
    const int32_t size = route_.size();
    route_.backhaul_before.assign(size, 0);
    route_.linehaul_after.assign(size, 0);
    bool backhaul = false;
    for (int32_t i = 1; i + 1 < size; ++i) {
      backhaul = !IsDepot(i) && (backhaul || p_.is_backhaul(route_.nodes[i]));
      route_.backhaul_before[i] = backhaul;
    }
    bool linehaul = false;
    for (int32_t i = size - 3; i >= 0; --i) {
      linehaul = !IsDepot(i + 1) && (linehaul || p_.is_linehaul(route_.nodes[i + 1]));
      route_.linehaul_after[i] = linehaul;
    }
  }

  void MeasureReleases() {
    const int32_t size = route_.size();
    route_.release.assign(size, 0.0);
    for (int32_t begin = 0; begin + 1 < size;) {
      int32_t end = begin + 1;
      double release = 0;
      for (; end + 1 < size && !IsDepot(end); ++end) {
        release = std::max(release, p_.release(route_.nodes[end]));
      }
      for (int32_t i = begin; i < end; ++i) route_.release[i] = release;
      begin = end;
    }
  }

  double ReleaseAt(int32_t i) const { return p_.has_releases() ? route_.release[i] : 0; }
  double Handling(int32_t i) const {
    return p_.Handling(vehicle_, route_.nodes[i - 1], route_.nodes[i]);
  }

  void MeasureTimes() {
    const int32_t size = route_.size();
    const int32_t last = size - 1;
    route_.departure.resize(size);
    route_.latest.resize(size);
    double time = std::max(vehicle_.leaves_from, ReleaseAt(0));
    route_.departure[0] = time;
    for (int32_t i = 1; i < size; ++i) {
      const NodeIndex node = route_.nodes[i];
      if (node != p_.nowhere()) {
        time = p_.Earliest(node, time + DurationAfter(i - 1));
        if (i < last) time = IsDepot(i) ? std::max(time, ReleaseAt(i)) : time + Handling(i);
      }
      route_.departure[i] = time;
    }
    route_.latest[last] = vehicle_.shift_close;
    for (int32_t i = last; i > 0; --i) {
      const NodeIndex node = route_.nodes[i];
      double begin = route_.latest[i];
      if (node != p_.nowhere()) {
        if (i < last && !IsDepot(i)) begin -= Handling(i);
        begin = p_.Latest(node, begin);
      }
      route_.latest[i - 1] = begin - DurationAfter(i - 1);
    }
  }

  TimeSegment Segment(int32_t i) const { return SegmentAt(p_, vehicle_, route_.nodes, i); }

  void JoinSegments() {
    const int32_t size = route_.size();
    route_.head.resize(size);
    route_.tail.resize(size);
    route_.head[0] = Segment(0);
    for (int32_t i = 1; i < size; ++i) {
      route_.head[i] = Join(route_.head[i - 1], DurationAfter(i - 1), Segment(i));
    }
    route_.tail[size - 1] = Segment(size - 1);
    for (int32_t i = size - 2; i >= 0; --i) {
      route_.tail[i] = Join(Segment(i), DurationAfter(i), route_.tail[i + 1]);
    }
  }

  bool FinishByParts() {
    route_.duration = 0;
    if (vehicle_.needs_duration) {
      JoinSegments();
      route_.duration = route_.head.back().duration;
    }
    route_.cost = vehicle_.fixed + vehicle_.per_distance * route_.distance +
                  vehicle_.TimeCost(route_.duration);
    return route_.distance <= vehicle_.distance_limit &&
           p_.InTime(route_.duration, vehicle_.duration_limit) &&
           (!p_.timed() ||
            p_.InTime(route_.departure[0], std::min(vehicle_.leaves_by, route_.latest[0])));
  }

  const Problem& p_;
  SearchRoute& route_;
  const Vehicle& vehicle_;
};

}  // namespace

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

}  // namespace vrp
