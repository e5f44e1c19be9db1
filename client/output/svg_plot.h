// Draws a solution.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

// Returns an SVG document with the depots where routes start, visits, coloured routes and a legend.
// The title has name, cost and gap. Routes follow their streets if the response has streets.
// Returns kInvalidArgument for a plan without routes, and for stops without locations, as in
// instances that have only matrices.
absl::StatusOr<std::string> PlotSvg(const v1::SolveResponse& response);

}  // namespace vrp::client
