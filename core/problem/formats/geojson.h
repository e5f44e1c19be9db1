// Solutions as GeoJSON (RFC 7946), with the colours of geojson.io's simplestyle.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// Returns kUnimplemented unless the nodes have longitudes and latitudes:
// `coordinates: planar, wanted lon_lat for GeoJSON`.
absl::Status CheckGeoJson(const Instance& instance);

// Writes a FeatureCollection: a LineString for each route (a MultiLineString if it crosses the
// 180th meridian), a Point for each depot and customer. The instance must pass CheckGeoJson.
std::string WriteGeoJson(const Instance& instance, const Solution& solution);

}  // namespace vrp
