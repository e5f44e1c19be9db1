// A picture of a solution.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

// A complete SVG document: depots, customers, a colour a route, name, cost and gap as the title,
// and a legend. kInvalidArgument where the stops have no locations (an instance given by matrices
// alone).
absl::StatusOr<std::string> PlotSvg(const v1::SolveResponse& response);

}  // namespace vrp::client
