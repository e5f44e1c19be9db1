#include "core/search/methods/penalised/penalised_course.h"

#include <algorithm>
#include <cmath>

namespace vrp {
namespace {

// A capacity too much costs that many mean edges at first.
constexpr double kFirstLoadPenalty = 20;

}  // namespace

double PenalisedCourse::TemperatureAt(double phase) const {
  return first_temperature * std::pow(last_temperature / first_temperature, phase);
}

MeanEdge MeanEdgeOf(const RouteStore& routes) {
  const Problem& problem = routes.problem();
  MeanEdge sum;
  int32_t edges = 0;
  const auto add = [&](const Vehicle& vehicle, NodeIndex from, NodeIndex to) {
    const double distance = problem.Distance(vehicle, from, to);
    const double duration = problem.Duration(vehicle, from, to, distance);
    sum.cost += vehicle.per_distance * distance + vehicle.per_time * duration;
    sum.duration += duration;
    sum.distance += distance;
    ++edges;
  };
  for (int32_t slot = 0; slot < routes.slots(); ++slot) {
    const SearchRoute& route = routes.route(slot);
    for (int32_t i = 0; i + 1 < route.size(); ++i) {
      add(problem.vehicle(route.type), route.nodes[i], route.nodes[i + 1]);
    }
  }
  const Vehicle& any = problem.vehicle(0);
  for (NodeIndex node = problem.depots(); routes.used() == 0 && node < problem.size(); ++node) {
    add(any, any.start, node);
  }
  const double count = std::max(1, edges);
  return {sum.cost / count, sum.duration / count, sum.distance / count};
}

Penalties FirstPenalties(const MeanEdge& edge, double capacity) {
  return {.load = kFirstLoadPenalty * edge.cost / capacity,
          .time = edge.duration > 0 ? edge.cost / edge.duration : 1,
          .distance = edge.distance > 0 ? edge.cost / edge.distance : 1};
}

}  // namespace vrp
