// Decodes the streets of a route (Route.leg_polylines).
#pragma once

#include <string>
#include <vector>

#include "vrp/v1/instance.pb.h"
#include "vrp/v1/solution.pb.h"

namespace vrp::client {

// Returns the locations of an encoded polyline with six decimals; an empty list for malformed text.
std::vector<v1::Location> DecodePolyline(const std::string& text);

// Returns the line that a route follows: its streets, and straight lines between the stops of legs
// without streets.
std::vector<v1::Location> LineOf(const v1::Route& route);

}  // namespace vrp::client
