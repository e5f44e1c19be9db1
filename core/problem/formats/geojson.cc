#include "core/problem/formats/geojson.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"

namespace vrp {
namespace {

using nlohmann::ordered_json;

constexpr std::array<const char*, 12> kColours = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e",
                                                  "#9467bd", "#17becf", "#8c564b", "#e377c2",
                                                  "#556b2f", "#00008b", "#b8860b", "#7f7f7f"};
constexpr char kUnservedColour[] = "#000000";
constexpr char kDepotColour[] = "#444444";

// Returns a number if there is one load dimension, and an array otherwise.
ordered_json LoadValue(const std::vector<double>& loads) {
  return loads.size() == 1 ? ordered_json(loads.front()) : ordered_json(loads);
}

// Returns the geometry of a route. Cuts each leg whose shorter way crosses the 180th meridian (RFC
// 7946, section 3.1.9), because most maps would draw it around the world.
ordered_json RouteGeometry(const std::vector<Position>& positions) {
  ordered_json lines = {{{positions.front().x, positions.front().y}}};
  for (size_t i = 1; i < positions.size(); ++i) {
    const Position from = positions[i - 1];
    const Position to = positions[i];
    if (std::abs(to.x - from.x) > 180) {
      const double side = from.x > 0 ? 180 : -180;
      const double width = 360 - std::abs(to.x - from.x);
      const double share = width > 0 ? (180 - std::abs(from.x)) / width : 0;
      const double latitude = from.y + share * (to.y - from.y);
      lines.back().push_back({side, latitude});
      lines.push_back({{-side, latitude}});
    }
    lines.back().push_back({to.x, to.y});
  }
  if (lines.size() > 1) return {{"type", "MultiLineString"}, {"coordinates", std::move(lines)}};
  return {{"type", "LineString"}, {"coordinates", std::move(lines.front())}};
}

class GeoJsonWriter {
 public:
  GeoJsonWriter(const Instance& instance, const Solution& solution,
                std::span<const std::vector<Position>> streets)
      : instance_(instance), solution_(solution), streets_(streets) {}

  std::string Run() && {
    const std::vector<Cost> costs = RouteCosts(instance_, solution_);
    for (size_t r = 0; r < solution_.routes.size(); ++r) AddLine(r, costs[r]);
    for (NodeIndex depot = 0; depot < instance_.num_depots(); ++depot) {
      AddPoint(depot, {{"kind", "depot"}, {"id", instance_.id(depot)}}, kDepotColour);
    }
    for (size_t r = 0; r < solution_.routes.size(); ++r) AddStops(r);
    for (const Unserved& unserved : solution_.unserved) {
      ordered_json properties = {{"kind", "customer"},
                                 {"id", instance_.id(unserved.customer)},
                                 {"served", false},
                                 {"reason", unserved.reason}};
      AddPoint(unserved.customer, std::move(properties), kUnservedColour);
    }
    const ordered_json root = {{"type", "FeatureCollection"}, {"features", std::move(features_)}};
    return root.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

 private:
  static const char* Colour(size_t route) { return kColours[route % kColours.size()]; }

  void Add(ordered_json geometry, ordered_json properties) {
    features_.push_back({{"type", "Feature"},
                         {"geometry", std::move(geometry)},
                         {"properties", std::move(properties)}});
  }

  void AddPoint(NodeIndex node, ordered_json properties, const char* colour) {
    properties["marker-color"] = colour;
    const Position position = instance_.position(node);
    Add({{"type", "Point"}, {"coordinates", {position.x, position.y}}}, std::move(properties));
  }

  void AddLine(size_t r, Cost cost) {
    const Route& route = solution_.routes[r];
    std::vector<Position> positions;
    if (r < streets_.size()) positions = streets_[r];
    if (positions.empty()) {
      for (const Stop& stop : route.stops) positions.push_back(instance_.position(stop.node));
    }
    ordered_json properties = {{"kind", "route"}, {"route", r}, {"vehicle", route.vehicle_type}};
    const auto type = static_cast<size_t>(route.vehicle_type);
    if (type < instance_.vehicles().size() && !instance_.vehicles()[type].id.empty()) {
      properties["vehicle_id"] = instance_.vehicles()[type].id;
    }
    properties["cost"] = cost;
    properties["distance"] = route.distance;
    properties["duration"] = route.duration;
    properties["start"] = route.stops.front().start;
    properties["end"] = route.stops.front().start + route.duration;
    properties["load"] = LoadValue(route.load);
    for (const BreakTime& pause : route.breaks) {
      properties["breaks"].push_back({{"start", pause.start}, {"end", pause.end}});
    }
    properties["stroke"] = Colour(r);
    Add(RouteGeometry(positions), std::move(properties));
  }

  void AddStops(size_t r) {
    const Route& route = solution_.routes[r];
    for (size_t i = 0; i < route.stops.size(); ++i) {
      const Stop& stop = route.stops[i];
      if (instance_.is_depot(stop.node)) continue;
      ordered_json properties = {{"kind", "customer"},
                                 {"id", instance_.id(stop.node)},
                                 {"served", true},
                                 {"route", r},
                                 {"stop", i},
                                 {"arrival", stop.arrival},
                                 {"start", stop.start},
                                 {"departure", stop.departure},
                                 {"load", LoadValue(stop.load)}};
      AddPoint(stop.node, std::move(properties), Colour(r));
    }
  }

  const Instance& instance_;
  const Solution& solution_;
  const std::span<const std::vector<Position>> streets_;
  ordered_json features_ = ordered_json::array();
};

}  // namespace

absl::Status CheckGeoJson(const Instance& instance) {
  if (!instance.has_positions()) {
    return absl::UnimplementedError("coords: absent, wanted longitudes and latitudes for GeoJSON");
  }
  if (instance.data().coordinates != CoordinateSystem::kLonLat) {
    return absl::UnimplementedError("coordinates: planar, wanted lon_lat for GeoJSON");
  }
  return absl::OkStatus();
}

std::string WriteGeoJson(const Instance& instance, const Solution& solution,
                         std::span<const std::vector<Position>> streets) {
  return GeoJsonWriter(instance, solution, streets).Run();
}

}  // namespace vrp
