// Encoded polylines (Google's algorithm with six decimals), latitude before longitude.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/roads/road_matrices.h"

namespace vrp {

// Returns the positions of a polyline. Returns kInvalidArgument for malformed text, positions out
// of range and more than 1,000,000 positions.
absl::StatusOr<RoadLine> DecodePolyline(std::string_view text);
// Returns the polyline of positions, rounded to six decimals.
std::string EncodePolyline(const RoadLine& line);

}  // namespace vrp
