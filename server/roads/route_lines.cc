#include "server/roads/route_lines.h"

#include <map>
#include <utility>

#include "core/base/status_macros.h"
#include "server/roads/polyline.h"

namespace vrp {
namespace {

// Consecutive legs of a route that are asked for together.
struct LegRun {
  size_t route = 0;
  std::vector<size_t> legs;  // the index of each leg in the route
};

// The requests for the routes of one network.
struct LineRequest {
  std::vector<LegRun> runs;
  std::vector<std::vector<RoadPlace>> places;  // the stops of each run
};

// Whether a leg has streets: the stops are at different places with a way between them.
bool HasStreets(const Instance& instance, const Route& route, size_t leg) {
  const NodeIndex from = route.stops[leg].node;
  const NodeIndex to = route.stops[leg + 1].node;
  if (PlaceOf(instance.position(from)) == PlaceOf(instance.position(to))) return false;
  if (instance.vehicles().empty()) return true;
  const VehicleType& type = instance.vehicles()[static_cast<size_t>(route.vehicle_type)];
  return instance.Distance(type, from, to) > 0 || instance.Duration(type, from, to) > 0;
}

void AddRuns(const Instance& instance, const Route& route, size_t number, LineRequest& request) {
  bool open = false;  // whether the next leg continues the last run
  for (size_t leg = 0; leg + 1 < route.stops.size(); ++leg) {
    if (!HasStreets(instance, route, leg)) {
      // Stops at the same place do not interrupt a run.
      open = open && PlaceOf(instance.position(route.stops[leg].node)) ==
                         PlaceOf(instance.position(route.stops[leg + 1].node));
      continue;
    }
    if (!open) {
      request.runs.push_back({.route = number, .legs = {}});
      request.places.push_back({PlaceOf(instance.position(route.stops[leg].node))});
    }
    open = true;
    request.runs.back().legs.push_back(leg);
    request.places.back().push_back(PlaceOf(instance.position(route.stops[leg + 1].node)));
  }
}

std::string_view NetworkOf(const std::vector<std::string>& networks, const Route& route) {
  const auto type = static_cast<size_t>(route.vehicle_type);
  return type < networks.size() ? std::string_view(networks[type]) : std::string_view();
}

}  // namespace

absl::StatusOr<RouteLines> LinesOf(const Instance& instance, const Solution& solution,
                                   const std::vector<std::string>& networks, RoadSource& source,
                                   const StopCondition& stop) {
  RouteLines lines(solution.routes.size());
  std::map<std::string_view, LineRequest> requests;
  for (size_t r = 0; r < solution.routes.size(); ++r) {
    const Route& route = solution.routes[r];
    const std::string_view network = NetworkOf(networks, route);
    if (network.empty() || route.stops.size() < 2) continue;
    lines[r].resize(route.stops.size() - 1);
    AddRuns(instance, route, r, requests[network]);
  }
  for (const auto& [network, request] : requests) {
    VRP_ASSIGN_OR_RETURN(std::vector<std::vector<RoadLine>> found,
                         source.Lines(network, request.places, stop));
    for (size_t i = 0; i < request.runs.size(); ++i) {
      const LegRun& run = request.runs[i];
      for (size_t k = 0; k < run.legs.size(); ++k) {
        lines[run.route][run.legs[k]] = std::move(found[i][k]);
      }
    }
  }
  return lines;
}

void SetLines(const RouteLines& lines, v1::Solution& message) {
  for (size_t r = 0; r < lines.size(); ++r) {
    v1::Route& route = *message.mutable_routes(static_cast<int>(r));
    for (const RoadLine& line : lines[r]) route.add_leg_polylines(EncodePolyline(line));
  }
}

std::vector<RoadLine> JoinedLines(const Instance& instance, const Solution& solution,
                                  const RouteLines& lines) {
  std::vector<RoadLine> joined(lines.size());
  for (size_t r = 0; r < lines.size(); ++r) {
    for (size_t leg = 0; leg < lines[r].size(); ++leg) {
      RoadLine part = lines[r][leg];
      if (part.empty()) {
        const Route& route = solution.routes[r];
        part = {instance.position(route.stops[leg].node),
                instance.position(route.stops[leg + 1].node)};
      }
      auto begin = part.begin();
      if (!joined[r].empty() && *begin == joined[r].back()) ++begin;
      joined[r].insert(joined[r].end(), begin, part.end());
    }
  }
  return joined;
}

}  // namespace vrp
