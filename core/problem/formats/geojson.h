// Writes solutions as GeoJSON (RFC 7946), with colours in simplestyle properties, which geojson.io
// shows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// Returns kUnimplemented unless the nodes have longitudes and latitudes:
// `coordinates: planar, wanted lon_lat for GeoJSON`.
absl::Status CheckGeoJson(const Instance& instance);

// Writes a FeatureCollection with a Point for each depot, visited customer and unserved customer,
// and a LineString for each route. A route that crosses the 180th meridian is a MultiLineString.
// The instance must pass CheckGeoJson.
//
// A route follows its line in `streets`, which has one for each route or none at all. Without a
// line, or with an empty one, straight lines join the route's stops.
std::string WriteGeoJson(const Instance& instance, const Solution& solution,
                         std::span<const std::vector<Position>> streets = {});

}  // namespace vrp
