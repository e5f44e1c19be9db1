// Draws a solution.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

// Returns an SVG document with depots, customers, routes in colours, a legend, and name, cost and
// gap as title. Returns kInvalidArgument if the stops have no locations, as with instances that
// have only matrices.
absl::StatusOr<std::string> PlotSvg(const v1::SolveResponse& response);

}  // namespace vrp::client
