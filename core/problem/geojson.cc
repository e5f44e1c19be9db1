// WriteGeoJson: RFC 7946, with the colours of geojson.io's simplestyle.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/solution_formats.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

using nlohmann::ordered_json;

constexpr std::array<const char*, 12> kColours = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e",
                                                  "#9467bd", "#17becf", "#8c564b", "#e377c2",
                                                  "#556b2f", "#00008b", "#b8860b", "#7f7f7f"};
constexpr char kUnservedColour[] = "#000000";
constexpr char kDepotColour[] = "#444444";

// Of one load dimension a number.
ordered_json Loads(const std::vector<double>& loads) {
  return loads.size() == 1 ? ordered_json(loads.front()) : ordered_json(loads);
}

class Writer {
 public:
  Writer(const Instance& instance, const Solution& solution)
      : instance_(instance), solution_(solution) {}

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

  ordered_json At(NodeIndex node) const {
    const Position position = instance_.position(node);
    return {position.x, position.y};
  }

  void Add(const char* type, ordered_json coordinates, ordered_json properties) {
    ordered_json geometry = {{"type", type}, {"coordinates", std::move(coordinates)}};
    features_.push_back({{"type", "Feature"},
                         {"geometry", std::move(geometry)},
                         {"properties", std::move(properties)}});
  }

  void AddPoint(NodeIndex node, ordered_json properties, const char* colour) {
    properties["marker-color"] = colour;
    Add("Point", At(node), std::move(properties));
  }

  void AddLine(size_t r, Cost cost) {
    const Route& route = solution_.routes[r];
    ordered_json coordinates = ordered_json::array();
    for (const Stop& stop : route.stops) coordinates.push_back(At(stop.node));
    ordered_json properties = {{"kind", "route"}, {"route", r}, {"vehicle", route.vehicle_type}};
    const size_t type = static_cast<size_t>(route.vehicle_type);
    if (type < instance_.vehicles().size() && !instance_.vehicles()[type].id.empty()) {
      properties["vehicle_id"] = instance_.vehicles()[type].id;
    }
    properties["cost"] = cost;
    properties["distance"] = route.distance;
    properties["duration"] = route.duration;
    properties["start"] = route.stops.front().departure;
    properties["end"] = route.stops.back().departure;
    properties["load"] = Loads(route.load);
    for (const BreakTime& pause : route.breaks) {
      properties["breaks"].push_back({{"start", pause.start}, {"end", pause.end}});
    }
    properties["stroke"] = Colour(r);
    Add("LineString", std::move(coordinates), std::move(properties));
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
                                 {"load", Loads(stop.load)}};
      AddPoint(stop.node, std::move(properties), Colour(r));
    }
  }

  const Instance& instance_;
  const Solution& solution_;
  ordered_json features_ = ordered_json::array();
};

}  // namespace

std::string WriteGeoJson(const Instance& instance, const Solution& solution) {
  return Writer(instance, solution).Run();
}

}  // namespace vrp
